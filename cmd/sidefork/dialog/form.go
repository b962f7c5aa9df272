// Package dialog is the form of a fork while a person fills it in at a terminal. It is a client of the form like any editor
// (docs/contract.md, "The dialog"): it draws the fields that it is given and has no rules of its own. Form is what all ways
// of drawing it have in common; Run draws it on the whole screen. The command line draws it in lines, too.
package dialog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

// Asker answers a form's questions. Each call may take as long as a look at a repository does, and goes on beside others.
type Asker struct {
	// Resolve asks for the fields anew. None: all is answered as it can be, and the fields stay as they were.
	Resolve func(ctx context.Context, answers []commands.FormAnswer, draft bool) ([]commands.FormField, *commands.Failure)
	// List gives the entries of a lazyEnum that match query.
	List func(ctx context.Context, f commands.FormField, query string) ([]commands.FormEntry, *commands.Failure)
	// Plan says in words what the fork that is drawn would do, for lines of width columns.
	Plan func(ctx context.Context, answers []commands.FormAnswer, width int) (string, *commands.Failure)
}

// Form is a form while it is open.
type Form struct {
	More   bool // the advanced fields are shown too
	fields []commands.FormField
	user   map[string]any // by field, what was chosen
	launch commands.FormField
	in     locales.Language
}

// launchID is the one field that is ours and not the sidecar's: how the agent starts is no answer but an argument.
const launchID = "launch"

// New gives an empty form that starts the agent by launch (as a fork's argument has it) unless the person says otherwise.
// tmux is offered where there is one.
func New(launch string, tmux bool, in locales.Language) *Form {
	entries := []commands.FormEntry{
		{Value: "client", Description: in.Text("In this terminal")},
		{Value: "tmux", Description: in.Text("In tmux, without a window")},
		{Value: "none", Description: in.Text("Not yet: its command is printed")},
	}
	if !tmux && launch != "tmux" {
		entries = slices.Delete(entries, 1, 2)
	}
	return &Form{user: map[string]any{}, in: in, launch: commands.FormField{
		ID: launchID, Description: in.Text("Start the agent"), Default: launch, Type: commands.FieldType{Kind: "enum", Entries: entries},
	}}
}

// say is a sentence in the person's language, filled in.
func (d *Form) say(english string, a ...any) string {
	if len(a) == 0 {
		return d.in.Text(english)
	}
	return fmt.Sprintf(d.in.Text(english), a...)
}

// Take takes in the fields that a Resolve gave.
func (d *Form) Take(fields []commands.FormField) { d.fields = fields }

// Shown are the fields that have a line, in their order.
func (d *Form) Shown() (list []commands.FormField) {
	for _, f := range d.fields {
		if d.More || !f.Type.Advanced || f.Error != "" {
			list = append(list, f)
		}
	}
	if session, there := d.Field("session"); there && d.Value(session) != "none" {
		list = append(list, d.launch)
	}
	return list
}

// Field is the one with this id, as it was last resolved.
func (d *Form) Field(id string) (commands.FormField, bool) {
	if id == launchID {
		return d.launch, true
	}
	if i := slices.IndexFunc(d.fields, func(f commands.FormField) bool { return f.ID == id }); i >= 0 {
		return d.fields[i], true
	}
	return commands.FormField{}, false
}

// Value is what a field is drawn with: what the person chose, as long as it can be chosen, else its default.
func (d *Form) Value(f commands.FormField) any {
	chosen, touched := d.user[f.ID]
	offered := f.Type.Kind != "enum" || slices.ContainsFunc(f.Type.Entries, func(e commands.FormEntry) bool { return e.Value == chosen })
	if touched && offered && f.Type.DisabledReason == "" {
		return chosen
	}
	return f.Default
}

// Set is the person's answer to a field.
func (d *Form) Set(id string, value any) { d.user[id] = value }

// Launch is how the agent is to start.
func (d *Form) Launch() string {
	word, _ := d.Value(d.launch).(string)
	return word
}

// Pending says whether something in the form is still being read.
func (d *Form) Pending() bool {
	return slices.ContainsFunc(d.fields, func(f commands.FormField) bool { return f.Type.Pending })
}

// Early says whether it is too early to fork: the session that would be taken is not known yet, and none was chosen.
func (d *Form) Early() bool {
	session, there := d.Field("session")
	return there && session.Type.Pending && d.user["session"] == nil
}

// Answers are those to all fields that are drawn.
func (d *Form) Answers() []commands.FormAnswer {
	var list []commands.FormAnswer
	for _, f := range d.fields {
		if raw, err := json.Marshal(d.Value(f)); err == nil {
			list = append(list, commands.FormAnswer{ID: f.ID, Value: raw})
		}
	}
	return list
}

// Label is a field's description; the commands of a setup have lines of their own (Script).
func (d *Form) Label(f commands.FormField) string {
	if s := f.Type.Setup; s != nil {
		return commands.Printable(d.say("Run the setup of %s", s.Source))
	}
	return commands.Printable(f.Description)
}

// Script are the lines of the setup that a field is about.
func Script(f commands.FormField) (lines []string) {
	if s := f.Type.Setup; s != nil {
		for part := range strings.SplitSeq(strings.Join(s.Commands, "\n"), "\n") {
			lines = append(lines, commands.Printable(part))
		}
	}
	return lines
}

// Changes are the first lines of what has changed in that setup since it was approved, and how many there are besides: the
// plan shows them all.
func Changes(f commands.FormField) (lines []string, more int) {
	const most = 20
	s := f.Type.Setup
	if s == nil || s.Difference == "" {
		return nil, 0
	}
	for part := range strings.SplitSeq(s.Difference, "\n") {
		lines = append(lines, commands.Printable(part))
	}
	return lines[:min(len(lines), most)], max(0, len(lines)-most)
}

// InWords is what a field is drawn with.
func (d *Form) InWords(f commands.FormField) string {
	switch v := d.Value(f).(type) {
	case nil:
		return "-"
	case bool:
		if v {
			return d.say("yes")
		}
		return d.say("no")
	case string:
		for _, e := range f.Type.Entries {
			if e.Value == v {
				return commands.Printable(e.Description)
			}
		}
		if v == "" {
			return "-"
		}
		return commands.Printable(v)
	case []string:
		if len(v) == 0 {
			return d.say("none")
		}
		return commands.Printable(strings.Join(v, "  "))
	default:
		raw, _ := json.Marshal(v)
		return commands.Printable(string(raw))
	}
}

// called keeps the words of an entry that a search found, until the next resolve brings them itself.
func (d *Form) called(id string, entry commands.FormEntry) {
	i := slices.IndexFunc(d.fields, func(f commands.FormField) bool { return f.ID == id })
	if i < 0 || slices.Contains(d.fields[i].Type.Entries, entry) {
		return
	}
	d.fields[i].Type.Entries = append(slices.Clone(d.fields[i].Type.Entries), entry)
}
