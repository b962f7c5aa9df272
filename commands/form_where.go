package commands

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/worktree"
)

const (
	inNew        = "new"
	inSame       = "same"
	inExisting   = "existing:" // and a path
	maxExisting  = 20          // entries
	hereDisabled = "notHere"   // the word for what belongs to a new worktree alone
)

// whereOf reads "new", "same" or existing:PATH.
func whereOf(value string) (*Where, error) {
	if path, found := strings.CutPrefix(value, inExisting); found && path != "" {
		return &Where{Kind: "existing", Existing: path}, nil
	}
	if value != inNew && value != inSame {
		return nil, refuse("invalidArgument", "what", "where is none of new, same, existing:PATH: "+value)
	}
	return &Where{Kind: value}, nil
}

// whereChosen is where the fork is to work, as it was answered.
func (f *form) whereChosen() string {
	switch asked := f.argument.Worktree; {
	case f.given.where != nil:
		return *f.given.where
	case asked != nil && asked.Kind == "existing":
		return inExisting + asked.Existing
	case asked != nil:
		return asked.Kind
	}
	return inNew
}

// makesNone says whether the fork makes no worktree of its own.
func (f *form) makesNone() bool { return f.whereChosen() != inNew }

// where asks for the place: a new worktree, the same folder, or one of the repository's other worktrees.
func (f *form) where(ctx context.Context) FormField {
	field := FormField{ID: "where", Description: f.env.inWords("where"), Default: inNew, Type: FieldType{Kind: "enum", Advanced: true, Pending: f.facts.family == nil}}
	field.Type.Entries = []FormEntry{{inNew, f.newFolder()}, {inSame, f.env.inWords("whereSame", "path", f.argument.Workspace)}}
	for _, w := range f.others() {
		on := w.Branch
		if on == "" {
			on = w.Head[:min(len(w.Head), 8)]
		}
		field.Type.Entries = append(field.Type.Entries, FormEntry{inExisting + w.Path, f.env.inWords("whereExisting", "path", w.Path, "branch", on)})
	}
	chosen := f.whereChosen()
	if f.given.where == nil {
		field.Default = chosen
	}
	switch path, existing := strings.CutPrefix(chosen, inExisting); {
	case existing && f.facts.family != nil:
		field.Error = f.whyNotInto(ctx, path)
	case chosen == inSame && f.argument.Transcript == nil && f.given.session != nil && *f.given.session == noAgent:
		field.Error = f.env.inWords("whereAgent")
	case !existing && chosen != inSame && chosen != inNew:
		field.Error = f.env.inWords("notOffered")
	}
	return field
}

// newFolder says where a new worktree would be.
func (f *form) newFolder() string {
	folder := f.argument.Dir
	if folder == "" && len(f.facts.family) > 0 {
		name := f.facts.free
		if f.given.name != nil && *f.given.name != "" {
			name = *f.given.name
		}
		folder = worktree.FreeFolder(f.facts.family[0], f.env.Settings.Worktree.Pattern, name)
	}
	if folder == "" {
		return f.env.inWords("whereNew")
	}
	return f.env.inWords("whereNewAt", "path", folder)
}

// others are the worktrees of the repository that a fork may go into, if they are clean. Which name does what it should not
// is left out: its path would be the answer.
func (f *form) others() []worktree.Worktree {
	var list []worktree.Worktree
	for _, w := range f.facts.family {
		if !w.Bare && !w.Missing && w.Path != f.facts.at.Path && Printable(w.Path) == w.Path && len(list) < maxExisting {
			list = append(list, w)
		}
	}
	return list
}

// whyNotInto says why the fork cannot go into a worktree, as far as that is known in time.
func (f *form) whyNotInto(ctx context.Context, path string) string {
	i := slices.IndexFunc(f.facts.family, func(w worktree.Worktree) bool { return w.Path == filepath.Clean(path) })
	if i < 0 {
		return f.env.inWords("notOffered")
	}
	_, target, err := openBoth(ctx, ForkParams{Workspace: f.facts.at.Path, Worktree: &Where{Kind: "existing", Existing: path}})
	if err == nil {
		_, err = notBusy(ctx, f.env, target, f.facts.family)
	}
	if err == nil {
		var no *carry.Refusal
		if no, err = carry.Clean(ctx, target); err == nil && no != nil {
			err = no
		}
	}
	return f.refusedInTime(ctx, err)
}

// onlyNew disables what belongs to a new worktree alone, with the value that it then has.
func (f *form) onlyNew(field *FormField, value any) (disabled bool) {
	if !f.makesNone() {
		return false
	}
	field.Type.DisabledReason, field.Default, field.Required = f.env.inWords(hereDisabled), value, false
	return true
}
