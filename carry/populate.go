package carry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// A fresh child at its parent's commit has, for every path that git calls clean in the parent, the same bytes as the
// parent's file. Copying them, on all processors and with their times, is faster than having git unpack each object, and a build in
// the child does not find all sources newer than what was built of them. git checks out whatever else the base has.
//
// What is copied is what the parent's index vouches for, before and after the copy, and no rule stands between blob and
// disk: the file has the blob's bytes then, as a checkout would write them. The child's index remembers the copies as git
// remembers files that it has written. The proof treats both alike.

// populating is the files of a child that is being filled, and the index that it will have.
type populating struct {
	plan           *Plan
	parent, target *tree
	byteCopier

	entries []git.Entry     // of the base, in order
	from    []int           // each one's place in the parent's index, -1: git is to check it out
	facts   []git.FileFacts // of each file that was copied
	buffers sync.Pool
	started int64 // ns since 1970
}

// checkOut writes the index of a child that was filled, and has git check out whatever was not copied.
func (f *populating) checkOut(ctx context.Context, child worktree.Worktree, held *os.File) error {
	if err := f.writeIndex(child); err != nil {
		return err
	}
	var rest strings.Builder
	for i := range f.entries {
		if f.from[i] < 0 {
			rest.WriteString(f.entries[i].Path + "\x00")
		}
	}
	if rest.Len() == 0 {
		return nil
	}
	return git.Command{Dir: child.Path, Held: held, Args: git.CheckOutPathsArgs(), Stdin: strings.NewReader(rest.String())}.Run(ctx)
}

// populates says whether the child's files can be copied from the parent: git's own way knows sparse checkouts, split
// indexes and systems whose files have no identity.
func (p *Plan) populates() bool {
	return canPopulate && p != nil && p.fresh && p.seen != nil && p.seen.index.KnowsTimes() && !p.seen.skips && p.Refused() == nil
}

// leavesToGit says whether git surely is to check something out: paths of the base at which the parent differs.
func (p *Plan) leavesToGit() bool {
	for _, named := range p.index.entries {
		if named.baseMode != 0 {
			return true
		}
	}
	return false
}

// fill copies what it can into a folder that `git worktree add --no-checkout` has made for a worktree of the repository.
// Refusal: notItself, where that is not what is there.
func (p *Plan) fill(ctx context.Context, folder string) (_ *populating, err error) {
	if err := p.seen.rules.Wait(); err != nil {
		return nil, err
	}
	f := &populating{plan: p, started: time.Now().UnixNano(), buffers: sync.Pool{New: func() any { return new([atOnce]byte) }}}
	if f.parent, err = openTree(p.from.Path); err != nil {
		return nil, err
	}
	defer f.parent.close()
	if f.target, err = openTree(folder); err != nil {
		return nil, err
	}
	defer f.target.close()
	if !f.isWorktree(folder) {
		return nil, worktree.Refuse("notItself", "path", folder)
	}
	f.listBase()
	if err := f.makeFolders(); err != nil {
		return nil, err
	}
	if err := inParallel(ctx, len(f.entries), f.copyFiles); err != nil {
		return nil, err
	}
	return f, nil
}

// isWorktree says whether the target is a folder, not a link to one, and its `.git` leads into the repository.
func (f *populating) isWorktree(folder string) bool {
	there, err := os.Lstat(folder)
	if err != nil {
		return false
	}
	opened, err := f.target.top.Stat()
	if err != nil || !os.SameFile(there, opened) {
		return false
	}
	link, err := f.target.open(".git")
	if err != nil {
		return false
	}
	defer link.Close()
	text, err := io.ReadAll(io.LimitReader(link, 64<<10))
	gitDir, ok := gitDirIn(string(text), folder)
	return err == nil && ok && worktree.SameFile(filepath.Dir(gitDir), filepath.Join(f.plan.from.CommonDir, "worktrees"))
}

// listBase makes the base's entries of the parent's: status has named every path at which they differ.
func (f *populating) listBase() {
	ours, differ := &f.plan.seen.index, f.plan.index.entries
	f.entries, f.from = make([]git.Entry, 0, len(ours.Entries)), make([]int, 0, len(ours.Entries))
	seen := 0
	for i := range ours.Entries {
		e := ours.Entries[i]
		if named, is := differ[e.Path]; is {
			seen++
			if named.baseMode != 0 {
				f.add(e.Path, named)
			}
			continue
		}
		f.entries, f.from = append(f.entries, git.Entry{Path: e.Path, Mode: e.Mode, Object: e.Object}), append(f.from, i)
	}
	if seen < len(differ) { // some are in the base alone
		for name, named := range differ {
			if named.baseMode != 0 && ours.Find(name, 0) < 0 {
				f.add(name, named)
			}
		}
		f.sort()
	}
	f.facts = make([]git.FileFacts, len(f.entries))
}

func (f *populating) add(name string, named entryChange) {
	f.entries = append(f.entries, git.Entry{Path: name, Mode: named.baseMode, Object: git.RawID(named.baseObject)})
	f.from = append(f.from, -1)
}

func (f *populating) sort() {
	order := make([]int, len(f.entries))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(f.entries[a].Path, f.entries[b].Path) })
	entries, from := f.entries, f.from
	f.entries, f.from = make([]git.Entry, len(entries)), make([]int, len(from))
	for i, at := range order {
		f.entries[i], f.from[i] = entries[at], from[at]
	}
}

// makeFolders makes those of the files that may be copied, open to nobody to whom the parent's are not.
func (f *populating) makeFolders() error {
	made, look := map[string]bool{".": true}, f.parent.lookup()
	var last string
	var makeAll func(dir string) error
	makeAll = func(dir string) error {
		if made[dir] {
			return nil
		}
		if err := makeAll(path.Dir(dir)); err != nil {
			return err
		}
		made[dir] = true
		s, err := look.lstat(dir)
		if err != nil || s.kind != folder {
			return err // it went away meanwhile: git makes it
		}
		if err := f.target.root.Mkdir(dir, fs.FileMode(s.mode&0o777|0o700)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	}
	for i := range f.entries {
		if dir := path.Dir(f.entries[i].Path); f.from[i] >= 0 && dir != last {
			if err := makeAll(dir); err != nil {
				return err
			}
			last = dir
		}
	}
	return nil
}

// copyFiles copies some neighbours of the entries. What is not copied, for whatever reason that is not the child's, is
// left to git.
func (f *populating) copyFiles(ctx context.Context, from, to int) error {
	var here, there folderAt // one folder, in the target and in the parent
	defer func() { here.close(); there.close() }()
	buffer := f.buffers.Get().(*[atOnce]byte)
	defer f.buffers.Put(buffer)
	look := f.parent.lookup()
	for i := from; i < to; i++ {
		if f.from[i] < 0 {
			continue
		}
		if f.plan.filling != nil {
			f.plan.filling()
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e := &f.entries[i]
		if e.Mode == git.ModeSubmodule || f.plan.named[e.Path] != nil || f.plan.seen.ruled[e.Path] || !safe(e.Path) {
			f.from[i] = -1
			continue
		}
		dir, name := path.Split(e.Path)
		if here.name != dir || !here.open {
			here.close()
			there.close()
			if there.enter(look, dir) != nil {
				f.from[i] = -1
				continue
			}
			if err := here.enter(f.target.lookup(), dir); err != nil {
				return fmt.Errorf("carry: fill %s: %w", e.Path, err)
			}
		}
		facts, copied, err := f.copyClean(ctx, here, there, i, name, buffer[:])
		if err != nil {
			return err
		}
		if !copied {
			f.from[i] = -1
			continue
		}
		f.facts[i] = facts
	}
	return nil
}

// atOnce is up to how many bytes a file is read and written at once. Sharing the blocks of one would take longer.
const atOnce = 64 << 10

// clean says whether a file of the parent has the bytes of its entry's blob, and may be copied as it is: a time that has
// not come yet would look to an undo as if somebody had written it since.
func (f *populating) clean(i int, s stat) bool {
	executable := s.kind == file && s.mode&0o100 != 0
	return f.plan.seen.index.vouches(f.from[i], s) && s.mtime >= 0 && s.mtime < f.started && executable == (f.entries[i].Mode == git.ModeExecutable)
}

// writeIndex writes the child's index as git does: under the name of its lock, and renamed.
func (f *populating) writeIndex(child worktree.Worktree) error {
	tree := f.plan.seen.index.Extension("TREE")
	for _, named := range f.plan.index.entries {
		if named.staged() {
			tree = "" // it is that of what is staged
			break
		}
	}
	if len(f.plan.index.announce) > 0 {
		tree = ""
	}
	name := filepath.Join(child.GitDir, "index")
	lock, err := os.OpenFile(name+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("carry: write the index: %w", err)
	}
	_, err = bytes.NewReader(git.BuildIndex(f.entries, f.facts, tree)).WriteTo(lock)
	if err = errors.Join(err, lock.Close()); err == nil {
		err = os.Rename(name+".lock", name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("carry: write the index: %w", err), os.Remove(name+".lock"))
	}
	return nil
}
