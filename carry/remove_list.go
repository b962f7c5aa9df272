package carry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// contents is every path below a top level, a folder before what is in it, as lstat had it.
type contents []listed

type listed struct {
	Path  exact  `json:"p"`
	Kind  kind   `json:"k"`
	Size  int64  `json:"s,omitempty"`
	MTime int64  `json:"m,omitempty"`
	CTime int64  `json:"c,omitempty"`
	Inode uint64 `json:"i,omitempty"`
	Mode  uint32 `json:"o,omitempty"`
}

func listedAs(name string, s stat) listed {
	l := listed{Path: exact(name), Kind: s.kind}
	if s.kind != folder { // a folder's times change with each file that goes
		l.Size, l.MTime, l.CTime, l.Inode, l.Mode = s.size, s.mtime, s.ctime, s.inode, s.mode
	}
	return l
}

// listAllOf lists a folder to its end and follows no link.
func listAllOf(ctx context.Context, top string) (contents, error) {
	t, err := openTree(top)
	if err != nil {
		return nil, err
	}
	defer t.close()
	var all contents
	err = fs.WalkDir(t.root.FS(), ".", func(name string, _ fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case isAbsent(err):
			return nil // it has gone meanwhile
		case err != nil:
			return err
		case name == ".":
			return nil
		}
		s, err := t.at(name)
		if err != nil || s.kind == absent {
			return err
		}
		all = append(all, listedAs(name, s))
		return nil
	})
	return all, err
}

// otherThan gives what is in a folder now and was not, or was not so, when it was listed.
func (l contents) otherThan(now contents) []string {
	was := make(map[exact]listed, len(l))
	for _, f := range l {
		was[f.Path] = f
	}
	var other []string
	for _, f := range now {
		if was[f.Path] != f {
			other = append(other, string(f.Path))
		}
	}
	return other
}

// removeFrom unlinks what is listed, one by one and never through a link, each only while it is what was listed, and then
// the folders that are empty. The `.git` of the top level stays for last. What stands is given, absolute.
func (l contents) removeFrom(top string) ([]string, error) {
	t, err := openTree(top)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return []string{top}, err
	}
	defer t.close()
	s := sweep{root: t.root, real: map[string]bool{".": true}}
	for _, f := range l {
		name := string(f.Path)
		if f.Kind == folder || name == ".git" || !s.isReal(path.Dir(name)) {
			continue
		}
		if now, err := t.at(name); err == nil && listedAs(name, now) == f {
			s.unlink(name)
		}
	}
	for _, f := range slices.Backward(l) {
		if name := string(f.Path); f.Kind == folder && s.isReal(path.Dir(name)) {
			if info, err := t.root.Lstat(name); err == nil && info.IsDir() {
				s.unlink(name) // only an empty one goes
			}
		}
	}
	if left := rest(t.root, top); len(left) > 0 {
		return left, nil
	}
	if err := t.root.Remove(".git"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []string{filepath.Join(top, ".git")}, err
	}
	if err := os.Remove(top); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []string{top}, err
	}
	return nil, nil
}

func listingFile(commonDir, id string) string {
	return filepath.Join(operationsFolder(commonDir), id+".contents")
}

// save writes a listing down, on the disk when it returns.
func (l contents) save(file string) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("carry: listing: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("carry: listing: %w", err)
	}
	return nil
}

func readListing(file string) (contents, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("carry: listing: %w", err)
	}
	var l contents
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, fmt.Errorf("carry: listing: %w", err)
	}
	for _, f := range l {
		if !filepath.IsLocal(filepath.FromSlash(string(f.Path))) {
			return nil, errors.New("carry: listing: a path outside the workspace")
		}
	}
	return l, nil
}
