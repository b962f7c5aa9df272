package carry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// indexPlan is how the parent's index entries differ from the base tree. All worktrees share one object store, so an
// entry is brought by its mode and object id alone.
type indexPlan struct {
	entries  map[string]entryChange // by path; of all that status names, also where only the disk differs
	announce []announced            // intent-to-add
}

type entryChange struct {
	baseMode, mode     uint32 // 0: no entry
	baseObject, object string
}

func (e entryChange) staged() bool { return e.baseMode != e.mode || e.baseObject != e.object }

type announced struct {
	path string
	mode uint32 // of the entry, which is of the time when it was made
	disk uint32 // the mode that git would give it now
}

func (x *indexPlan) add(c git.Change, announces bool, s stat, mode uint32) {
	if x.entries == nil {
		x.entries = map[string]entryChange{}
	}
	e := entryChange{c.ModeHead, c.ModeIndex, c.ObjectHead, c.ObjectIndex}
	if announces {
		e.mode, e.object = 0, zeros(c.ObjectHead) // an announced entry is none, for every comparison with a tree
		if c.Staged == '.' {
			e.baseMode, e.baseObject = 0, e.object
		}
		if s.kind == file || s.kind == link {
			x.announce = append(x.announce, announced{c.Path, mode, entryMode(s)})
		}
	}
	x.entries[c.Path] = e
}

// entryMode is the mode that git gives a file or link when it is added.
func entryMode(s stat) uint32 {
	switch {
	case s.kind == link:
		return git.ModeLink
	case s.mode&0o100 != 0:
		return git.ModeExecutable
	}
	return git.ModeFile
}

func zeros(object string) string { return strings.Repeat("0", len(object)) }

// writer is a git command that changes the target's index.
func writer(target worktree.Worktree, stdin []byte, args ...string) git.Command {
	return git.Command{Dir: target.Path, Stdin: bytes.NewReader(stdin), Args: args, Config: []string{"core.ignoreStat=false"}}
}

var (
	infoArgs     = []string{"update-index", "-z", "--index-info"}
	announceArgs = []string{"add", "-N", "-f", "--pathspec-from-file=-", "--pathspec-file-nul"}
)

// commands are what Into will run, for a plan that is shown to somebody.
func (p *Plan) commands() [][]string {
	var list [][]string
	add := func(args ...string) { list = append(list, git.Command{Args: args}.Argv()) }
	if len(p.index.info(nil, p.opts.Unstage)) > 0 {
		add(infoArgs...)
	}
	if len(p.index.announce) > 0 && !p.opts.Unstage {
		add(announceArgs...)
	}
	if p.merge != nil {
		for range p.merge.blobs {
			add("hash-object", "-w", "--stdin")
		}
		add(git.StatusArgs(true)...)
		return list
	}
	if p.seen.bits {
		add("update-index", "-z", "--skip-worktree", "--stdin")
		add("update-index", "-z", "--assume-unchanged", "--stdin")
	}
	add(git.StatusArgs(false)...)
	for _, s := range p.subs {
		list = append(list, s.commands()...)
	}
	return list
}

// info is the input of `update-index --index-info` for all entries that are not the base's, and for those of an earlier
// plan that were brought and are the base's again. Removals first: a file may stand where a folder is to be.
func (x *indexPlan) info(before *indexPlan, unstage bool) []byte {
	var removed, set bytes.Buffer
	write := func(name, object string, mode uint32) {
		if mode == 0 {
			fmt.Fprintf(&removed, "0 %s\t%s\x00", zeros(object), name)
		} else {
			fmt.Fprintf(&set, "%o %s\t%s\x00", mode, object, name)
		}
	}
	for name, e := range x.entries {
		if e.staged() && !unstage {
			write(name, e.object, e.mode)
		}
	}
	if before != nil && !unstage {
		for name, e := range before.entries {
			if now, still := x.entries[name]; !still || !now.staged() {
				if e.staged() {
					write(name, e.baseObject, e.baseMode)
				}
			}
		}
		for _, a := range before.announce {
			if e, still := x.entries[a.path]; !still || e.baseMode == 0 && e.mode == 0 {
				write(a.path, before.entries[a.path].object, 0)
			}
		}
	}
	return append(removed.Bytes(), set.Bytes()...)
}

// staged lists the entries that info brings.
func (x *indexPlan) staged(unstage bool) []StagedEntry {
	list := []StagedEntry{} // none is an answer too
	for name, e := range x.entries {
		if e.staged() && !unstage {
			list = append(list, StagedEntry{[]byte(name), e.mode, e.object})
		}
	}
	return list
}

// writeIndex gives the target the parent's entries. The order matters: --index-info drops the bits of an entry, and
// `add -N` needs the file to be there.
func (w *writing) writeIndex(ctx context.Context) error {
	x := &w.plan.index
	if info := x.info(w.before, w.plan.opts.Unstage); len(info) > 0 {
		if err := writer(w.child, info, infoArgs...).Run(ctx); err != nil {
			return err
		}
	}
	if err := w.announce(ctx); err != nil {
		return err
	}
	if !w.bits() {
		return nil
	}
	return w.writeBits(ctx)
}

func (w *writing) announce(ctx context.Context) error {
	if w.plan.opts.Unstage || len(w.plan.index.announce) == 0 {
		return nil
	}
	var names bytes.Buffer
	for _, a := range w.plan.index.announce {
		names.WriteString(a.path + "\x00")
		if a.mode != a.disk {
			// git takes the entry's mode from the disk, and update-index --chmod would add the content with it.
			if err := w.target.root.Chmod(a.path, fs.FileMode(a.mode&0o777)&0o700); err != nil {
				return &pathError{a.path, err}
			}
		}
	}
	add := func(more ...string) error {
		return writer(w.child, names.Bytes(), slices.Concat(announceArgs, more)...).Run(ctx)
	}
	var err error
	if w.sparse() { // since git 2.34, which is also when it became needed; an older one ends with a usage error
		err = add("--sparse")
	}
	if !w.sparse() || git.ExitStatus(err) == 129 {
		err = add()
	}
	for _, a := range w.plan.index.announce {
		if a.mode != a.disk {
			err = errors.Join(err, w.target.setMode(a.path, w.plan.named[a.path].was.mode))
		}
	}
	return err
}

// bits says whether the bits of entries matter here: usually nobody has any, which saves a process or three.
func (w *writing) bits() bool { return w.plan.merge == nil && (w.plan.seen.bits || w.sparse()) }

func (w *writing) sparse() bool {
	_, err := os.Lstat(filepath.Join(w.child.GitDir, "info", "sparse-checkout"))
	return err == nil
}

// writeBits makes the two bits of each entry what they are in the parent.
func (w *writing) writeBits(ctx context.Context) error {
	theirs, err := readIndex(ctx, w.child)
	if err != nil {
		return err
	}
	ours := &w.plan.seen.index
	var skip, noSkip, assume, noAssume bytes.Buffer
	for i, e := range theirs.Entries {
		at := ours.Find(e.Path, i)
		if at < 0 {
			continue
		}
		want := ours.Entries[at]
		if want.SkipWorktree != e.SkipWorktree {
			pick(want.SkipWorktree, &skip, &noSkip).WriteString(e.Path + "\x00")
		}
		if want.AssumeSame != e.AssumeSame {
			pick(want.AssumeSame, &assume, &noAssume).WriteString(e.Path + "\x00")
		}
	}
	for _, set := range []struct {
		flag  string
		paths *bytes.Buffer
	}{
		{"--skip-worktree", &skip},
		{"--no-skip-worktree", &noSkip},
		{"--assume-unchanged", &assume},
		{"--no-assume-unchanged", &noAssume},
	} {
		if set.paths.Len() == 0 {
			continue
		}
		if err := writer(w.child, set.paths.Bytes(), "update-index", "-z", set.flag, "--stdin").Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

func pick(yes bool, a, b *bytes.Buffer) *bytes.Buffer {
	if yes {
		return a
	}
	return b
}
