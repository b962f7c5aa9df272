package commands

import (
	"context"
	"encoding/json"
	"time"
)

// The dialog as a form (docs/contract.md, "The dialog"): Resolve asks what a command still needs to know, Answered makes
// one argument of what was answered, ListEnum gives the entries of a long list. form_look.go reads what a form shows, in
// the background; form_fields.go makes fields of it; form_answers.go reads answers.

const (
	// formWithin is how long a client waits for a form at most: what is not known by then is pending, and sidefork/changed
	// says when it is there.
	formWithin = 300 * time.Millisecond
	// lookWithin is the part of it that a form waits for what is read of the workspace; the rest is for checking answers.
	lookWithin = 150 * time.Millisecond
)

// ResolveParams are those of command/resolve, and its answer: the same, with FormFields where answers are needed.
type ResolveParams struct {
	Command     string            `json:"command"`
	Arguments   []json.RawMessage `json:"arguments,omitempty"`
	FormFields  []FormField       `json:"formFields,omitempty"` // none: the answers are complete and valid
	FormAnswers []FormAnswer      `json:"formAnswers,omitempty"`
	// Draft asks for the fields as they are to be drawn now, also where the answers are complete: the user goes on.
	Draft bool `json:"draft,omitempty"`
}

// FormField is one question.
type FormField struct {
	ID          string    `json:"id"`
	Description string    `json:"description"`
	Type        FieldType `json:"type"`
	Required    bool      `json:"required"`
	Default     any       `json:"default,omitempty"`
	Error       string    `json:"error,omitempty"` // why the answer cannot be taken
}

// FieldType says what an answer is. From Advanced on they are hints of ours, which other clients ignore.
type FieldType struct {
	Kind        string      `json:"kind"`              // string, bool, number, enum, lazyEnum, list
	Entries     []FormEntry `json:"entries,omitempty"` // of an enum; of a lazyEnum the first ones, so that a value has its words
	Source      string      `json:"source,omitempty"`  // of a lazyEnum: for interactive/listEnum, with Config
	Config      any         `json:"config,omitempty"`
	ElementType *FieldType  `json:"elementType,omitempty"` // of a list

	Advanced       bool       `json:"advanced,omitempty"`
	DisabledReason string     `json:"disabledReason,omitempty"` // it cannot be answered now; Default is what counts
	Pending        bool       `json:"pending,omitempty"`        // more is being read: sidefork/changed says when it is there
	Multiline      bool       `json:"multiline,omitempty"`
	Setup          *SetupInfo `json:"setup,omitempty"` // what is asked about
}

// FormEntry is one value that can be chosen, and its words.
type FormEntry struct {
	Value       string `json:"value"`
	Description string `json:"description"`
}

// FormAnswer is what was answered to the field with this id. null is no answer.
type FormAnswer struct {
	ID    string          `json:"id"`
	Value json.RawMessage `json:"value"`
}

// Resolve answers command/resolve. It starts no process that it waits for longer than formWithin, and writes nothing. sent
// is to be called once the answer is on its way: news that came meanwhile are told only then, so that no client hears of
// them before it has a form.
func Resolve(ctx context.Context, env *Env, p ResolveParams) (answer ResolveParams, sent func(), failed *Failure) {
	p.FormFields, sent = nil, func() {}
	command, known := Lookup(p.Command)
	if !known {
		return p, sent, refuse("unknownCommand", "name", p.Command)
	}
	if !command.asks {
		return p, sent, nil
	}
	argument, failed := readFormArgument(env, p.Arguments)
	if failed != nil || argument.complete() {
		return p, sent, failed
	}
	given, failed := readAnswers(p.FormAnswers)
	if failed != nil {
		return p, sent, failed
	}
	ctx, cancel := context.WithTimeout(ctx, formWithin)
	defer cancel()
	look := env.lookForForm(ctx, formKey{argument.Workspace, argument.PID}, len(p.FormAnswers) == 0 && !p.Draft, p.Draft)
	look.wait(ctx, lookWithin)
	facts, version := look.known()
	if facts.refused != nil {
		return p, sent, facts.refused
	}
	f := newForm(ctx, env, look, facts, argument, given, p.Draft)
	fields := f.fields(ctx)
	if p.Draft || len(p.FormAnswers) == 0 || f.unanswered() || wrong(fields) {
		p.FormFields, p.FormAnswers = fields, f.counting(p.FormAnswers)
	}
	notify := env.Notify
	return p, func() {
		look.tell(version, func() {
			if notify != nil {
				notify("sidefork/changed", ChangedParams{What: "form", Workspace: argument.Workspace})
			}
		})
	}, nil
}

// Answered is the argument of a command with what was answered to its form. It is a matter of these two alone: whether
// what they ask for can be done is the command's to say.
func Answered(name string, argument json.RawMessage, list []FormAnswer) (json.RawMessage, *Failure) {
	command, known := Lookup(name)
	switch {
	case !known:
		return nil, refuse("unknownCommand", "name", name)
	case !command.asks:
		return nil, refuse("invalidArgument", "what", "formAnswers: "+name+" has no form")
	}
	asked, failed := readFormArgument(&Env{}, []json.RawMessage{argument})
	if failed != nil {
		return nil, failed
	}
	given, failed := readAnswers(list)
	if failed != nil {
		return nil, failed
	}
	p, err := given.params(asked.ForkParams)
	if err != nil {
		return nil, failureOf(err)
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, failureOf(err)
	}
	return raw, nil
}

func wrong(fields []FormField) bool {
	for _, f := range fields {
		if f.Error != "" {
			return true
		}
	}
	return false
}
