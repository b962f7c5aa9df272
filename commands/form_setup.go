package commands

import (
	"context"
	"slices"
	"strings"
)

// maxCommands bounds the characters of a setup in its field's description.
const maxCommands = 4000

// setup asks whether the repository's setup may run, with its commands. It is that of the place where the child starts from.
func (f *form) setup(ctx context.Context) (field FormField, shown bool) {
	from, fact, known := onDisk, setupFact{}, false
	if !f.carries() {
		from = f.base.oid
	}
	if f.facts.at != nil && from != "" {
		fact, known = f.look.setupOf(ctx, f.env, f.facts, from)
	}
	if fact.info == nil && fact.problem == nil && f.given.setup == nil && !f.look.wasShown("setup") {
		return field, false
	}
	f.look.remember("setup")
	field = FormField{ID: "setup", Description: f.env.inWords("setupNone"), Default: "skip", Type: FieldType{Kind: "enum", Pending: !known}}
	field.Type.Entries = []FormEntry{{"skip", f.env.inWords("setupSkip")}}
	switch s := fact.info; {
	case s != nil:
		trust, run := "notTrusted", "run:"+s.Hash
		if s.Trusted {
			trust = "trusted"
		}
		if s.Trusted && s.Policy == "run" { // as it is without a word
			field.Default = run
		}
		word := "setup"
		if s.Difference != "" {
			word = "setupChanged"
		}
		field.Description = f.env.inWords(word, "file", s.Source, "commands", f.shownCommands(*s))
		field.Type.Setup = s
		field.Type.Entries = first(append(field.Type.Entries, FormEntry{run, f.env.inWords("setupRun", "trust", f.env.inWords(trust))}), field.Default.(string), 2)
	case fact.problem != nil:
		field.Type.DisabledReason = fact.problem.In(f.env.Language()).Message
	case known:
		field.Type.DisabledReason = f.env.inWords("noSetup")
	}
	if f.onlyNew(&field, "skip") {
		field.Type.Entries = field.Type.Entries[:0]
		field.Type.Entries = append(field.Type.Entries, FormEntry{"skip", f.env.inWords("setupSkip")})
	}
	if answer := f.given.setup; answer != nil && known && !f.draft && !slices.ContainsFunc(field.Type.Entries, func(e FormEntry) bool { return e.Value == *answer }) {
		field.Error = f.env.inWords("setupGone")
	}
	return field, true
}

// shownCommands are a setup's commands in one line. Where they are cut, that is said: nobody is to approve half of them.
func (f *form) shownCommands(s SetupInfo) string {
	runes := []rune(strings.Join(s.Commands, "; "))
	if len(runes) <= maxCommands {
		return string(runes)
	}
	return string(runes[:maxCommands]) + f.env.inWords("cut", "file", s.Source)
}
