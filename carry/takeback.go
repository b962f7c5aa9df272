package carry

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sidefork/sidefork/carry/worktree"
)

// savedIndex is the name, in the folder of what was put aside, of the target's index as it was.
const savedIndex = "index"

const asidePrefix = "sidefork-aside-"

// halfIndex is its name until it is whole.
const halfIndex = savedIndex + ".new"

// asideFor names the folder that keeps what an existing target has in the way of a plan, and its index, until the carry is
// kept (settle) or taken back. It lies in the target's own git folder, where no status looks.
func asideFor(target worktree.Worktree) string {
	return filepath.Join(target.GitDir, asidePrefix+strings.ToLower(rand.Text()[:12]))
}

// makeAside makes that folder, once the operation knows of it.
func (w *writing) makeAside() error {
	if w.aside == "" || w.saved {
		return nil
	}
	half := filepath.Join(w.aside, halfIndex)
	err := os.Mkdir(w.aside, 0o700)
	if err == nil {
		err = copyFile(filepath.Join(w.child.GitDir, "index"), half)
	}
	if err == nil {
		err = os.Rename(half, filepath.Join(w.aside, savedIndex))
	}
	if err != nil {
		return fmt.Errorf("carry: save the index: %w", err)
	}
	w.saved = true
	return nil
}

// putAside moves a file or link of the target out of the way. No link is on its path: clear has looked.
func (w *writing) putAside(name, aside string) error {
	return moveFile(filepath.Join(w.child.Path, filepath.FromSlash(name)), filepath.Join(w.aside, aside))
}

// settle removes what only taking a step back would have needed, once the operation is kept.
func settle(step CarryStep) error {
	if !isAside(step) {
		return nil
	}
	err := os.Remove(filepath.Join(step.Aside, savedIndex))
	for _, p := range step.Paths {
		if p.Aside != "" {
			err = errors.Join(err, os.Remove(filepath.Join(step.Aside, filepath.Base(p.Aside))))
		}
	}
	_ = os.Remove(step.Aside) // the last step that used it empties it
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func isAside(step CarryStep) bool {
	return strings.HasPrefix(filepath.Base(step.Aside), asidePrefix) && filepath.Dir(step.Aside) == filepath.Clean(step.TargetGitDir)
}

// takeBack undoes the writing of carried paths: it removes each path that still is what the step says it would be, and
// each temporary name that the step gave; in an existing target it then moves back what was put aside, and restores
// the index byte for byte. What is neither, somebody else has put there: it stays, and is named in a *Stuck. It may be
// killed and run again. In a fresh child the base tree's files are left to whoever removes the child.
func takeBack(step CarryStep) error {
	t, err := openTree(step.Target)
	if err != nil {
		return err
	}
	defer t.close()
	b := back{tree: t, step: step}
	b.openFolders()
	for _, folders := range []bool{false, true} { // first what is in them; they are recorded outermost first
		for _, p := range slices.Backward(step.Paths) {
			if (p.Kind == "dir") == folders {
				b.unwrite(p)
			}
		}
	}
	if !step.Fresh {
		b.restore()
	}
	if len(b.stands) > 0 || b.err != nil {
		return &Stuck{Paths: b.stands, Err: b.err}
	}
	return nil
}

type back struct {
	*tree
	step   CarryStep
	stands []string
	err    error
}

func (b *back) failed(err error) {
	if err != nil && b.err == nil {
		b.err = err
	}
}

func (b *back) stays(name string) {
	if len(b.stands) < 100 {
		b.stands = append(b.stands, filepath.Join(b.step.Target, filepath.FromSlash(name)))
	}
}

// openFolders gives us back the folders that were made here and closed with the parent's bits.
func (b *back) openFolders() {
	for _, p := range b.step.Paths {
		if name := string(p.Path); p.Kind == "dir" && safe(name) {
			if real, err := b.lookup().real(name); real && err == nil {
				b.failed(b.setMode(name, 0o700))
			}
		}
	}
}

func (b *back) unwrite(p WrittenPath) {
	name := string(p.Path)
	if !safe(name) {
		b.failed(fmt.Errorf("carry: %q is no path of ours", name))
		return
	}
	if real, err := b.lookup().real(path.Dir(name)); !real || err != nil {
		b.failed(err)
		return
	}
	if temp := p.temp(); temp != "" {
		b.removeFile(temp)
	}
	s, err := b.at(name)
	if err != nil {
		b.failed(err)
		return
	}
	// While nothing is put aside for it (not yet, or it is back already), what is there is the target's own.
	ours := p.Aside == "" || !nothingAt(b.aside(p))
	if s.kind == folder && b.hadFolder(name) {
		ours = false
	}
	switch {
	case s.kind == absent || !ours:
	case p.Kind == "file" && s.kind == file && s.size == p.Size && sameTime(p.MTime, s.mtime),
		p.Kind == "link" && s.kind == link && b.hasText(name, p.Link):
		b.removeFile(name)
	case p.Kind == "dir" && s.kind == folder:
		if err := b.root.Remove(name); err != nil && !isAbsent(err) && !b.step.Fresh {
			b.stays(name) // something else is in it by now
		}
	case (p.Kind == "file" || p.Kind == "link") && !b.step.Fresh:
		b.stays(name)
	}
}

func (b *back) hasText(name string, text []byte) bool {
	now, err := b.readlink(name)
	return err == nil && now == string(text)
}

// hadFolder says that the step removes a folder at this path of an existing target.
func (b *back) hadFolder(name string) bool {
	return slices.ContainsFunc(b.step.Paths, func(p WrittenPath) bool {
		return p.Kind == "removed" && p.Mode != 0 && string(p.Path) == name
	})
}

func (b *back) removeFile(name string) {
	if err := b.root.Remove(name); err != nil && !isAbsent(err) {
		b.failed(err)
	}
}

func (b *back) aside(p WrittenPath) string {
	return filepath.Join(b.step.Aside, filepath.Base(p.Aside))
}

// restore brings an existing target's own files, folders and index back.
func (b *back) restore() {
	if !isAside(b.step) {
		return
	}
	var folders []WrittenPath
	for _, p := range slices.Backward(b.step.Paths) { // recorded innermost first
		if p.Kind == "removed" && p.Mode != 0 {
			err := b.root.Mkdir(string(p.Path), 0o700)
			if err == nil {
				folders = append(folders, p)
			} else if !errors.Is(err, fs.ErrExist) {
				b.failed(err)
			}
		}
	}
	for _, p := range b.step.Paths {
		if p.Aside == "" || nothingAt(b.aside(p)) {
			continue // it was not put aside yet, or is back already
		}
		name := string(p.Path)
		look := b.lookup()
		s, err := look.lstat(name)
		if real, e := look.real(path.Dir(name)); err != nil || e != nil || !real || s.kind != absent {
			b.failed(errors.Join(err, e))
			b.stays(name)
			continue
		}
		b.failed(moveFile(b.aside(p), filepath.Join(b.step.Target, filepath.FromSlash(name))))
	}
	for _, p := range slices.Backward(folders) {
		b.failed(b.setMode(string(p.Path), p.Mode))
	}
	if len(b.stands) > 0 || b.err != nil {
		return
	}
	b.failed(b.restoreIndex())
	_ = os.Remove(filepath.Join(b.step.Aside, halfIndex))
	_ = os.Remove(b.step.Aside) // empty when the last step is taken back
}

// restoreIndex puts the saved index in place the way git does, behind its lock.
func (b *back) restoreIndex() error {
	saved := filepath.Join(b.step.Aside, savedIndex)
	if nothingAt(saved) {
		return nil
	}
	index := filepath.Join(b.step.TargetGitDir, "index")
	if was, err := os.ReadFile(saved); err != nil {
		return err
	} else if now, err := os.ReadFile(index); err == nil && bytes.Equal(was, now) {
		return os.Remove(saved) // it was never written
	}
	if err := copyFile(saved, index+".lock"); err != nil {
		return err
	}
	if err := os.Rename(index+".lock", index); err != nil {
		return err
	}
	return os.Remove(saved)
}

// moveFile renames, and copies where the two places are on different file systems.
func moveFile(from, to string) error {
	err := os.Rename(from, to)
	if !isOtherDevice(err) {
		return err
	}
	if err := copyFile(from, to); err != nil {
		return err
	}
	return os.Remove(from)
}

// copyFile makes a new file or link with the same content, bits and times.
func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		text, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(text, to)
	}
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = dst.ReadFrom(src)
	err = errors.Join(err, dst.Chmod(info.Mode()), dst.Close())
	if err == nil {
		err = os.Chtimes(to, time.Time{}, info.ModTime())
	}
	if err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}
