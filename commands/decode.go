package commands

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// decode reads the one argument of a command into v. Unknown fields are refused by name: a typo must not be ignored.
// An empty Lua table arrives as [], so [] is read as {}; nothing at all is {} too. A Lua number arrives as 1.0.
func decode(argument json.RawMessage, v any) error {
	if !utf8.Valid(argument) {
		return refuse("invalidArgument", "what", "it is not valid UTF-8")
	}
	argument = bytes.TrimSpace(argument)
	if len(argument) == 0 || bytes.Equal(argument, []byte("[]")) || bytes.Equal(argument, []byte("null")) {
		argument = []byte("{}")
	}
	argument = wholeNumbers(argument)
	d := json.NewDecoder(bytes.NewReader(argument))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if f, ok := errors.AsType[*Failure](err); ok {
			return f
		}
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
	return refuse("invalidArgument", "what", field+" is "+Printable(value)+", not one of "+strings.Join(allowed, ", "))
}

// wholeNumbers writes 1.0 as 1, so that it fits a whole number. What is no JSON is given back as it is, for the decoder
// to complain about.
func wholeNumbers(argument json.RawMessage) json.RawMessage {
	if !bytes.Contains(argument, []byte(".0")) {
		return argument
	}
	d := json.NewDecoder(bytes.NewReader(argument))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return argument
	}
	out, err := json.Marshal(whole(v))
	if err != nil {
		return argument
	}
	return out
}

func whole(v any) any {
	switch v := v.(type) {
	case json.Number:
		if text, ok := strings.CutSuffix(v.String(), ".0"); ok {
			return json.Number(text)
		}
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = whole(v[name])
		}
	}
	return v
}
