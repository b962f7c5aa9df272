package remote

import (
	"encoding/json"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

// notified hands on what a sidecar tells unasked.
func (h *Host) notified(method string, params json.RawMessage) {
	h.mu.Lock()
	tells := h.tells
	h.mu.Unlock()
	switch method {
	case "$/progress":
		var p struct {
			Token any
			Value struct {
				Kind, Message string
				Percentage    int
			}
		}
		if json.Unmarshal(params, &p) == nil && p.Value.Kind == "report" && !isStage(p.Value.Message, locales.Of(h.opt.Locale)) {
			h.each(func(token string, to commands.Progress) {
				if token == p.Token {
					to.Report(p.Value.Percentage, p.Value.Message)
				}
			})
		}
	case "sidefork/stage":
		var p struct {
			OperationID string
			Stage       commands.Stage
		}
		if json.Unmarshal(params, &p) == nil {
			h.each(func(_ string, to commands.Progress) { to.Stage(p.OperationID, p.Stage, 0) })
		}
	case "sidefork/started":
		var p commands.StartedParams
		if tells != nil && json.Unmarshal(params, &p) == nil {
			tells(method, p)
		}
	case "sidefork/changed":
		if tells != nil {
			tells(method, params)
		}
	}
}

// each calls f for what is under way: the command line asks for one thing after the other.
func (h *Host) each(f func(token string, to commands.Progress)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for token, progress := range h.going {
		f(token, progress)
	}
}

// isStage says whether a report only says that a stage has begun: that comes by itself too.
func isStage(message string, in locales.Language) bool {
	for _, s := range []commands.Stage{commands.Preparing, commands.Creating, commands.Copying, commands.SettingUp, commands.Starting} {
		if message == s.Title() || message == in.Text(s.Title()) {
			return true
		}
	}
	return false
}
