package worktree

import (
	"os"
	"path/filepath"
)

// Eligible says why a worktree cannot be forked; nil where it can. It looks at files only.
// Refusals, the first that holds: archived, missing, bare, operationInProgress (before detached, since a rebase detaches HEAD),
// detached, unborn, notItself.
func (w Worktree) Eligible() *Refusal {
	switch operation := w.operation(); {
	case w.Archived:
		return Refuse("archived", "path", w.Path)
	case w.Missing:
		return Refuse("missing", "path", w.Path)
	case w.Bare:
		return Refuse("bare", "path", w.Path)
	case operation != "":
		return Refuse("operationInProgress", "operation", operation)
	case w.Detached:
		return Refuse("detached")
	case w.Head == "":
		return Refuse("unborn")
	}
	return w.childActsElsewhere()
}

// operation names what git is in the middle of in the worktree; "" where nothing.
func (w Worktree) operation() string {
	if w.GitDir == "" {
		return ""
	}
	for _, sign := range []struct{ file, operation string }{
		{"rebase-merge", "rebase"},
		{"rebase-apply/applying", "git am"},
		{"rebase-apply", "rebase"},
		{"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"},
		{"sequencer", "cherry-pick or revert"},
		{"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(w.GitDir, filepath.FromSlash(sign.file))); err == nil {
			return sign.operation
		}
	}
	return ""
}

// childActsElsewhere refuses the repository in which every linked worktree acts on the main one's files: with
// extensions.worktreeConfig, core.worktree of the shared configuration holds for all of them. git reads both from that
// file alone, without what it includes. The new child is proved all the same.
func (w Worktree) childActsElsewhere() *Refusal {
	config := sharedConfig(w.CommonDir)
	if top := config["core.worktree"]; top != "" && isTrue(config["extensions.worktreeconfig"]) {
		return Refuse("notItself", "path", top)
	}
	return nil
}
