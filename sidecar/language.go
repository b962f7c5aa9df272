package sidecar

import (
	"encoding/json"
	"errors"
	"strings"

	"go.lsp.dev/jsonrpc2"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

// language is what the client is told in: by its settings, else by the locale that it came with.
func (s *server) language() locales.Language {
	s.mu.Lock()
	defer s.mu.Unlock()
	return locales.Of(s.client.settings.Language, s.client.locale)
}

// inLanguage is an answer as the client is told it.
func (s *server) inLanguage(result any, err error) (any, error) {
	in := s.language()
	if in.IsEnglish() {
		return result, err
	}
	if no, refused := errors.AsType[*jsonrpc2.Error](err); refused && no.Data != nil {
		data := commands.Translated(*no.Data, in)
		said := jsonrpc2.Error{Code: no.Code, Message: no.Message, Data: &data}
		var f commands.Failure
		if json.Unmarshal(data, &f) == nil && f.Reason.Message != "" {
			said.Message = f.Reason.Message
		}
		return result, &said
	}
	if raw, written := result.(json.RawMessage); written {
		result = commands.Translated(raw, in)
	}
	return result, err
}

// toldInLanguage is a notification as the client is told it.
func (s *server) toldInLanguage(method string, raw json.RawMessage) json.RawMessage {
	if !strings.HasPrefix(method, "sidefork/") {
		return raw
	}
	return commands.Translated(raw, s.language())
}
