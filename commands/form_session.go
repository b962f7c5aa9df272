package commands

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
)

const (
	noAgent     = "none"
	maxSessions = 100 // entries of the field: an enum is for what a person looks through
)

// session offers what can be forked natively, the preferred one first, since not every client knows a default. Nothing is
// preferred to the session that the dialog was opened from, and where that cannot be forked, no agent.
func (f *form) session() FormField {
	field := FormField{ID: "session", Description: f.env.inWords("session"), Required: true, Type: FieldType{Kind: "enum", Pending: !f.facts.settled}}
	if text := f.argument.Transcript; text != nil { // it is the conversation
		field.Type.Pending, field.Default = false, noAgent
		field.Type.Entries = []FormEntry{{noAgent, f.env.inWords("transcript", "agent", text.Agent)}}
		return field
	}
	var entries []FormEntry
	for _, s := range f.facts.sessions {
		if value := s.Agent + ":" + s.ID; s.Fork.Kind == "native" && Printable(value) == value {
			entries = append(entries, FormEntry{Value: value, Description: f.aboutSession(s)})
		}
	}
	has := func(value string) bool {
		return value == noAgent || slices.ContainsFunc(entries, func(e FormEntry) bool { return e.Value == value })
	}
	preferred := ""
	wanted := f.argument.Session
	if wanted == nil {
		wanted = f.facts.opener
	}
	switch {
	case wanted != nil && has(wanted.Agent+":"+wanted.ID):
		preferred = wanted.Agent + ":" + wanted.ID
	case wanted != nil, f.argument.PID != 0:
		preferred = noAgent
	case len(entries) > 0:
		preferred = entries[0].Value
	default:
		preferred = noAgent
	}
	if answer := f.given.session; answer != nil && f.facts.settled && !has(*answer) {
		f.vanished = *answer
		f.look.dropSession()
		field.Error = f.env.inWords("sessionGone", "id", *answer)
	}
	switch {
	case f.facts.settled:
		preferred = f.look.standing(preferred, has)
	case !f.facts.listed: // no more is said than is known
		preferred = noAgent
	}
	if newest := f.facts.sessions; len(entries) == 0 && len(newest) > 0 && newest[0].Fork.Reason != nil {
		field.Description = f.env.inWords("sessionNone", "why", newest[0].Fork.Reason.In(f.env.Language()).Message)
	}
	entries = append(first(entries, preferred, maxSessions), FormEntry{noAgent, f.env.inWords("noAgent")})
	if preferred == noAgent && (f.argument.PID != 0 || f.argument.Session != nil) {
		entries = first(entries, noAgent, len(entries))
	}
	field.Type.Entries, field.Default = entries, preferred
	return field
}

// first puts the entry with this value before the others, and keeps no more than most.
func first(entries []FormEntry, value string, most int) []FormEntry {
	list := slices.Clone(entries)
	slices.SortStableFunc(list, func(a, b FormEntry) int {
		switch {
		case a.Value == value && b.Value != value:
			return -1
		case b.Value == value && a.Value != value:
			return 1
		}
		return 0
	})
	return list[:min(len(list), most)]
}

// aboutSession is a session in one line.
func (f *form) aboutSession(s Session) string {
	title := s.Title
	if title == "" {
		title = s.FirstPrompt
	}
	const longest = 80
	if runes := []rune(title); len(runes) > longest {
		title = string(runes[:longest-1]) + "…"
	}
	parts := nonEmpty([]string{s.Agent, title})
	if title == "" {
		parts = append(parts, s.ID)
	}
	if s.LastActivity != nil {
		parts = append(parts, s.LastActivity.UTC().Format(time.DateTime)+" UTC")
	}
	if s.Forecast != nil {
		parts = append(parts, f.env.inWords("tokens", "count", strconv.FormatInt(s.Forecast.Tokens, 10)))
	}
	if s.State == agent.Live {
		parts = append(parts, f.env.inWords("live"))
	}
	return Printable(strings.Join(parts, " · "))
}
