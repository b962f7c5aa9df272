package commands

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sidefork/sidefork/carry/worktree"
)

// form is one drawing of the dialog: what is known, what was answered, and what follows from both.
type form struct {
	env      *Env
	look     *formLook
	facts    formFacts
	argument formArgument
	given    answers
	draft    bool

	vanished string // the session that was answered and is not there any more
	base     baseChoice
}

// baseChoice is the commit that the answers choose.
type baseChoice struct {
	value     string
	oid       string // "" where it is not known
	elsewhere bool   // it is not the parent's commit, or may not be
	wrong     string // why it cannot be
}

func newForm(ctx context.Context, env *Env, look *formLook, facts formFacts, argument formArgument, given answers, draft bool) *form {
	f := &form{env: env, look: look, facts: facts, argument: argument, given: given, draft: draft}
	f.base = f.chooseBase(ctx)
	return f
}

// fields are the questions in their order.
func (f *form) fields(ctx context.Context) []FormField {
	list := []FormField{f.session(), f.name(ctx), f.child()}
	if carry, shown := f.carry(); shown {
		list = append(list, carry)
	}
	list = append(list, f.start())
	if setup, shown := f.setup(ctx); shown {
		list = append(list, setup)
	}
	list = append(list, f.staged(), f.include(), f.prompt(), f.copies(), f.where(ctx))
	for i := range list {
		if why := f.given.wrong[list[i].ID]; why != "" {
			list[i].Error = f.env.inWords(why)
		}
	}
	return list
}

// unanswered says whether an answer is missing without which there is no fork.
func (f *form) unanswered() bool {
	return f.given.session == nil || f.given.name == nil && !f.makesNone()
}

// counting are the answers that go back to the client: a session that is gone counts no more.
func (f *form) counting(list []FormAnswer) []FormAnswer {
	if f.vanished == "" {
		return list
	}
	list = slices.Clone(list)
	for i, one := range list {
		if one.ID == "session" {
			list[i].Value = json.RawMessage(`"` + noAgent + `"`)
		}
	}
	return list
}

// name asks for the branch. It is checked by what can be known in time; the fork checks it again.
func (f *form) name(ctx context.Context) FormField {
	field := FormField{ID: "name", Description: f.env.inWords("name"), Required: true, Type: FieldType{Kind: "string", Pending: !f.facts.named}}
	field.Default = f.facts.free
	if f.facts.free == "" {
		field.Default = f.env.forkName(f.argument.Workspace, "", "")
	}
	if f.onlyNew(&field, "") {
		return field
	}
	switch answer := f.given.name; {
	case answer == nil && f.unasked("name"):
		field.Error = f.env.inWords("nameMissing")
	case answer != nil && strings.TrimSpace(*answer) == "":
		field.Error = f.env.inWords("nameMissing")
	case answer != nil && f.facts.at != nil:
		_, err := checkNames(ctx, *f.facts.at, *answer, f.howMany())
		field.Error = f.refusedInTime(ctx, err)
		if field.Error == "" && f.argument.Dir == "" && len(f.facts.family) > 0 {
			folder := worktree.FreeFolder(f.facts.family[0], f.env.Settings.Worktree.Pattern, *answer)
			if no := worktree.CheckFolder(folder, *f.facts.at); no != nil {
				field.Error = f.refusedInTime(ctx, no)
			}
		}
	}
	return field
}

// unasked says whether a required answer is missing among others that are there: an empty text comes as null.
func (f *form) unasked(id string) bool {
	return !f.draft && f.given.session != nil && f.given.wrong[id] == ""
}

// refusedInTime is a refusal in words; "" for none, and where the time was up before git could say anything.
func (f *form) refusedInTime(ctx context.Context, err error) string {
	if err == nil || ctx.Err() != nil {
		return ""
	}
	return f.env.why(failureOf(err).Reason)
}

func (f *form) child() FormField {
	field := FormField{ID: "child", Description: f.env.inWords("child", "name", f.workspaceName()), Type: FieldType{Kind: "bool"}, Default: true}
	if f.onlyNew(&field, false) && !f.draft && f.given.child != nil && *f.given.child {
		field.Error = field.Type.DisabledReason
	}
	return field
}

func (f *form) workspaceName() string {
	if f.facts.at != nil {
		return filepath.Base(f.facts.at.Path)
	}
	return filepath.Base(f.argument.Workspace)
}

// chooseBase finds the commit that the answers start from.
func (f *form) chooseBase(ctx context.Context) (b baseChoice) {
	b.value = "parentCommit"
	if asked := f.argument.Base; asked != nil {
		if b.value = asked.Kind; asked.Kind == "ref" {
			b.value = "ref:" + asked.Ref
		}
	}
	if f.given.base != nil {
		b.value = *f.given.base
	}
	if f.makesNone() {
		if b.value != "parentCommit" && !f.draft {
			b.wrong = f.env.inWords(hereDisabled)
		}
		b.value = "parentCommit"
	}
	asked, err := baseOf(b.value)
	if err != nil {
		b.value, b.wrong = "parentCommit", f.env.inWords("notOffered")
		asked = &Base{Kind: "parentCommit"}
	}
	b.elsewhere = asked.Kind != "parentCommit"
	if f.facts.at == nil {
		return b
	}
	ref := asked.Ref
	switch asked.Kind {
	case "parentCommit":
		b.oid = f.facts.at.Head
		return b
	case "repositoryDefault":
		if ref = f.facts.standard; ref == "" {
			if f.facts.named {
				b.wrong = f.env.inWords("noStandard")
			}
			return b
		}
	}
	oid, no := worktree.ResolveCommit(ctx, *f.facts.at, ref)
	if no != nil {
		b.wrong = f.refusedInTime(ctx, no)
		return b
	}
	b.oid, b.elsewhere = oid, oid != f.facts.at.Head
	return b
}

// start asks for the base. Its list is fetched by interactive/listEnum; the entries here are those on top of it, and what
// was answered, so that a client has words for it.
func (f *form) start() FormField {
	field := FormField{
		ID: "base", Description: f.env.inWords("base"), Default: "parentCommit", Error: f.base.wrong,
		Type: FieldType{Kind: "lazyEnum", Source: refsSource, Config: refsConfig{Workspace: f.argument.Workspace}},
	}
	field.Type.Entries = f.env.topRefs(f.facts.at, f.facts.standard, f.workspaceName())
	if ref, named := strings.CutPrefix(f.base.value, "ref:"); named {
		field.Type.Entries = append(field.Type.Entries, FormEntry{f.base.value, f.env.refInWords(ref)})
	}
	if f.argument.Base != nil && f.given.base == nil {
		field.Default = f.base.value
	}
	f.onlyNew(&field, "parentCommit")
	return field
}

// carry asks for the changes. It is not asked where there surely are none; once asked, it stays.
func (f *form) carry() (field FormField, shown bool) {
	field = FormField{ID: "carry", Description: f.env.inWords("carryPending"), Default: true, Type: FieldType{Kind: "bool"}}
	known := f.facts.counts
	none := known != nil && known.Changes.Modified+known.Changes.New+known.Changes.Staged+known.Changes.Conflicted == 0
	if none && known.Carry.Reason == nil && f.given.carry == nil && !f.look.wasShown("carry") {
		return field, false
	}
	f.look.remember("carry")
	if known == nil {
		field.Type.Pending = true
	} else {
		field.Description = f.env.inWords("carry", "counts", f.inCounts(known.Changes))
	}
	switch {
	case f.whereChosen() == inSame:
		field.Type.DisabledReason = f.env.inWords("sameChanges")
	case f.base.elsewhere:
		field.Type.DisabledReason = reason("carryNeedsParent", nil).In(f.env.Language()).Message
	case known != nil && known.Carry.Reason != nil:
		field.Type.DisabledReason = f.env.why(*known.Carry.Reason)
	case none:
		field.Type.DisabledReason = f.env.inWords("noChanges")
	}
	if field.Type.DisabledReason != "" {
		field.Default = false
		if f.given.carry != nil && *f.given.carry && !f.draft && !none {
			field.Error = field.Type.DisabledReason
		}
	} else if f.argument.Carry != nil {
		field.Default = *f.argument.Carry
	}
	return field, true
}

// inCounts are changes in the words that the command line has for them.
func (f *form) inCounts(c Changes) string {
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{c.Modified, "modified"}, {c.New, "new"}, {c.Staged, "stagedCount"}, {c.Conflicted, "conflicted"}} {
		if p.n > 0 {
			parts = append(parts, f.env.inWords(p.word, "count", strconv.Itoa(p.n)))
		}
	}
	if len(parts) == 0 {
		return f.env.inWords("none")
	}
	return strings.Join(parts, ", ")
}

// carries says whether the answers bring the changes along.
func (f *form) carries() bool {
	if f.base.elsewhere || f.whereChosen() == inSame {
		return false
	}
	switch known := f.facts.counts; {
	case known != nil && known.Carry.Reason != nil:
		return false
	case f.given.carry != nil:
		return *f.given.carry
	case f.argument.Carry != nil:
		return *f.argument.Carry
	}
	return true
}

func (f *form) staged() FormField {
	field := FormField{ID: "staged", Description: f.env.inWords("staged"), Default: "keep", Type: FieldType{
		Kind: "enum", Advanced: true, Entries: []FormEntry{{"keep", f.env.inWords("keep")}, {"unstage", f.env.inWords("unstage")}},
	}}
	f.needsCarry(&field)
	if answer := f.given.staged; answer != nil && *answer != "keep" && *answer != "unstage" {
		field.Error = f.env.inWords("notOffered")
	}
	return field
}

func (f *form) include() FormField {
	field := FormField{ID: "include", Description: f.env.inWords("include"), Default: append([]string{}, f.argument.Include...), Type: FieldType{
		Kind: "list", ElementType: &FieldType{Kind: "string"}, Advanced: true,
	}}
	f.needsCarry(&field)
	if answer := f.given.include; answer != nil && len(*answer) > 0 {
		if err := checkPatterns(*answer); err != nil {
			field.Error = failureOf(err).Reason.In(f.env.Language()).Message
		} else if !f.draft {
			field.Error = field.Type.DisabledReason
		}
	}
	return field
}

// needsCarry disables what is about changes that do not come.
func (f *form) needsCarry(field *FormField) {
	if f.carries() {
		return
	}
	field.Type.DisabledReason = f.env.inWords("carryOff")
	if field.ID == "include" {
		field.Default = []string{}
	}
}

// copies asks for several children at once.
func (f *form) copies() FormField {
	field := FormField{ID: "copies", Description: f.env.inWords("copies"), Default: max(f.argument.Copies, 1), Type: FieldType{Kind: "number", Advanced: true}}
	off := f.onlyNew(&field, 1)
	switch n := f.given.copies; {
	case n == nil:
	case *n < 1 || *n > maxCopies:
		field.Error = f.env.inWords("copiesRange")
	case off && *n > 1 && !f.draft:
		field.Error = field.Type.DisabledReason
	}
	return field
}

// howMany children the answers ask for.
func (f *form) howMany() int {
	n := max(f.argument.Copies, 1)
	if f.given.copies != nil {
		n = *f.given.copies
	}
	return min(max(n, 1), maxCopies)
}

func (f *form) prompt() FormField {
	field := FormField{ID: "prompt", Description: f.env.inWords("prompt"), Default: f.argument.Prompt, Type: FieldType{Kind: "string", Advanced: true, Multiline: true}}
	if f.given.session == nil {
		return field
	}
	switch name, _, _ := strings.Cut(*f.given.session, ":"); {
	case name == noAgent, f.vanished != "":
		field.Type.DisabledReason = f.env.inWords("promptAgent")
	case name == "opencode":
		field.Type.DisabledReason = reason("promptNotTaken", map[string]string{"agent": name}).In(f.env.Language()).Message
	}
	if field.Type.DisabledReason != "" {
		field.Default = ""
		if f.given.prompt != nil && *f.given.prompt != "" && !f.draft {
			field.Error = field.Type.DisabledReason
		}
	}
	return field
}
