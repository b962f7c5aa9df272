package sidecar

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"go.lsp.dev/jsonrpc2"
)

// decode makes a message of a frame's body. The error is a *jsonrpc2.Error to answer with, or errUnanswerable.
func decode(body []byte) (jsonrpc2.Message, error) {
	var m struct {
		Version *string         `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	err := json.Unmarshal(wholeNumbers(body), &m)
	if _, noJSON := errors.AsType[*json.SyntaxError](err); noJSON {
		return nil, jsonrpc2.NewError(jsonrpc2.ParseError, "the message is no JSON")
	}
	if err != nil {
		what := "the message is no JSON-RPC message"
		if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
			what = "LSP has no batches"
		}
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, what)
	}
	if m.Version != nil && *m.Version != jsonrpc2.Version {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "jsonrpc is not 2.0")
	}
	id, err := readID(m.ID)
	switch {
	case m.Method == nil && (m.Result != nil || m.Error != nil || m.ID != nil):
		if err != nil || m.ID == nil {
			return nil, errUnanswerable // an answer to nothing must not be answered
		}
		return response(id, m.Result, m.Error)
	case m.Method == nil:
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the message has no method")
	case m.ID == nil:
		return jsonrpc2.NewNotification(*m.Method, m.Params)
	case err != nil:
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the id is neither a 32-bit number nor a string")
	}
	return jsonrpc2.NewCall(id, *m.Method, m.Params)
}

var errUnanswerable = errors.New("an answer to no request")

func response(id jsonrpc2.ID, result, failed json.RawMessage) (jsonrpc2.Message, error) {
	if failed == nil || string(failed) == "null" {
		return jsonrpc2.NewResponse(id, result, nil)
	}
	var e jsonrpc2.Error
	if err := json.Unmarshal(failed, &e); err != nil {
		e = jsonrpc2.Error{Code: jsonrpc2.UnknownError, Message: "an error that cannot be read"}
	}
	return jsonrpc2.NewResponse(id, nil, &e)
}

// readID reads a request's id. LSP has 32-bit numbers and strings; the library cannot keep "" apart from 0.
func readID(raw json.RawMessage) (id jsonrpc2.ID, err error) {
	var text string
	if bytes.HasPrefix(raw, []byte(`"`)) && json.Unmarshal(raw, &text) == nil && text != "" {
		return jsonrpc2.NewStringID(text), nil
	}
	n, err := strconv.ParseInt(string(raw), 10, 32)
	return jsonrpc2.NewNumberID(int32(n)), err
}

// wholeNumbers rewrites 123.0 as 123 outside strings: that is how a Lua client may write an integer. body is not changed,
// and need not be JSON.
func wholeNumbers(body []byte) []byte {
	if bytes.Count(body, []byte(".0")) == bytes.Count(body, []byte(`"2.0"`)) {
		return body
	}
	out := make([]byte, 0, len(body))
	inString := false
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case inString && c == '\\' && i+1 < len(body):
			out = append(out, c)
			i++
			c = body[i]
		case c == '"':
			inString = !inString
		case !inString && c == '.':
			end := i + 1
			for end < len(body) && body[end] == '0' {
				end++
			}
			if end == len(body) || !bytes.ContainsRune([]byte("0123456789eE"), rune(body[end])) {
				i = end - 1
				continue
			}
		}
		out = append(out, c)
	}
	return out
}
