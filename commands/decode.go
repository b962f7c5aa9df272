package commands

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// decode reads the one argument of a command into v. Unknown fields are refused by name: a typo must not be ignored.
// An empty Lua table arrives as [], so [] is read as {}; nothing at all is {} too.
func decode(argument json.RawMessage, v any) error {
	argument = bytes.TrimSpace(argument)
	if len(argument) == 0 || bytes.Equal(argument, []byte("[]")) || bytes.Equal(argument, []byte("null")) {
		argument = []byte("{}")
	}
	d := json.NewDecoder(bytes.NewReader(argument))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return refuse("invalidArgument", "what", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return refuse("invalidArgument", "what", "more than one value")
	}
	return nil
}

// required refuses an argument that lacks a field: name, value, name, value….
func required(fields ...string) error {
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i+1] == "" {
			return refuse("invalidArgument", "what", fields[i]+" is missing")
		}
	}
	return nil
}

// oneOf refuses a value that a field cannot have.
func oneOf(field, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return refuse("invalidArgument", "what", field+" is "+printable(value)+", not one of "+strings.Join(allowed, ", "))
}
