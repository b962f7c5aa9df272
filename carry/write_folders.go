package carry

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// folderMode is a folder with its permission bits.
type folderMode struct {
	path string
	mode uint32
}

// foldersOf are the folders that the paths of a plan need and the target does not have, outermost first. They get the
// parent's permission bits once they are filled.
func (w *writing) foldersOf(todo []*item, ours, theirs *lookup) ([]string, error) {
	var folders []string
	for _, it := range todo {
		if it.was.kind == absent {
			continue
		}
		for dir := path.Dir(it.path); dir != "."; dir = path.Dir(dir) {
			if _, known := w.made[dir]; known {
				break
			}
			there, err := theirs.real(dir)
			if err != nil {
				return nil, err
			}
			if there {
				break
			}
			s, err := ours.lstat(dir)
			if err != nil {
				return nil, err
			}
			w.made[dir] = s
			folders = append(folders, dir)
		}
		if w.wantsFolder(it) {
			w.made[it.path] = it.was
		}
	}
	slices.Sort(folders)
	return folders, nil
}

// foldersToGo are the target's folders that the parent does not have and whose last files the plan removes, innermost
// first. A folder that is empty in the parent stays, as it does there.
func foldersToGo(todo []*item, ours, theirs *lookup) ([]folderMode, error) {
	gone := map[string]uint32{}
	for _, it := range todo {
		for dir := it.path; dir != "."; dir = path.Dir(dir) {
			if _, known := gone[dir]; known {
				break
			}
			there, err := theirs.lstat(dir)
			if err != nil {
				return nil, err
			}
			if there.kind != folder {
				continue
			}
			here, err := ours.real(dir)
			if err != nil {
				return nil, err
			}
			if here {
				break
			}
			gone[dir] = there.mode
		}
	}
	var folders []folderMode
	for _, dir := range slices.Backward(slices.Sorted(maps.Keys(gone))) {
		folders = append(folders, folderMode{dir, gone[dir]})
	}
	return folders, nil
}

// clear takes out of the way what the plan removes or replaces by something of another type.
func (w *writing) clear(todo []*item, written []WrittenPath) error {
	theirs := w.target.lookup()
	for i, it := range todo {
		there, err := theirs.lstat(it.path)
		if err != nil {
			return &pathError{it.path, err}
		}
		if there.kind != file && there.kind != link {
			continue // not there, or a folder: see below
		}
		if name := written[i].Aside; name != "" {
			err = w.putAside(it.path, name)
		} else if written[i].Kind == "removed" || written[i].Kind == "dir" {
			err = w.target.root.Remove(it.path)
		}
		if err != nil {
			return &pathError{it.path, err}
		}
	}
	for _, dir := range w.emptied {
		if err := w.target.root.Remove(dir.path); err != nil && !isAbsent(err) {
			return &pathError{dir.path, err}
		}
		delete(w.made, dir.path)
	}
	return nil
}

// makeFolders makes them for us alone; closeFolders gives them their own bits when they are filled.
func (w *writing) makeFolders(todo []*item) error {
	needed := map[string]bool{}
	for _, it := range todo {
		if it.was.kind == absent {
			continue
		}
		if w.wantsFolder(it) {
			needed[it.path] = true
		}
		for dir := path.Dir(it.path); dir != "." && !needed[dir]; dir = path.Dir(dir) {
			needed[dir] = true
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(needed)) {
		if _, ours := w.made[dir]; !ours {
			continue
		}
		err := w.target.root.Mkdir(dir, 0o700)
		if errors.Is(err, fs.ErrExist) {
			err = w.target.setFolderMode(dir, 0o700) // made in an earlier round, and closed since
		}
		if err != nil {
			return &pathError{dir, err}
		}
	}
	return nil
}

func (w *writing) closeFolders() error {
	folders := slices.Collect(maps.Keys(w.made))
	slices.SortFunc(folders, func(a, b string) int { return strings.Compare(b, a) })
	for _, dir := range folders {
		if s := w.made[dir]; s.kind == folder {
			if err := w.target.setFolderMode(dir, s.mode); err != nil {
				return &pathError{dir, err}
			}
		}
	}
	return nil
}

func (t *tree) setFolderMode(dir string, mode uint32) error {
	if real, err := t.lookup().real(dir); !real || err != nil {
		return errors.Join(err, fmt.Errorf("%s: %w", dir, fs.ErrExist))
	}
	return t.setMode(dir, mode)
}

// setMode goes by name: what has no read permission could not be opened.
func (t *tree) setMode(name string, mode uint32) error {
	return t.root.Chmod(name, fs.FileMode(mode&0o777)|specialBits(mode))
}

func specialBits(mode uint32) (m fs.FileMode) {
	for _, b := range []struct {
		bit  uint32
		mode fs.FileMode
	}{{0o4000, fs.ModeSetuid}, {0o2000, fs.ModeSetgid}, {0o1000, fs.ModeSticky}} {
		if mode&b.bit != 0 {
			m |= b.mode
		}
	}
	return m
}
