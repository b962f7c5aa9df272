package worktree

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sidefork/sidefork/carry/git"
)

const (
	lineageFile = "sidefork.json"
	lineageMax  = 64 << 10
)

// ReadLineage reads where the worktree with this git folder came from: nil and no error where it does not say. A file
// that is not what WriteLineage writes is an error and no more: it never makes a worktree unusable.
func ReadLineage(gitDir string) (*Lineage, error) {
	path := filepath.Join(gitDir, lineageFile)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || gitDir == "" {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("worktree: lineage: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > lineageMax { // a FIFO would never be read to its end
		return nil, fmt.Errorf("worktree: lineage: %s is no file of ours", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("worktree: lineage: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, lineageMax))
	if err != nil {
		return nil, fmt.Errorf("worktree: lineage: %w", err)
	}
	var l Lineage
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, fmt.Errorf("worktree: lineage: %s: %w", path, err)
	}
	if l.Parent != "" && !filepath.IsAbs(l.Parent) {
		return nil, fmt.Errorf("worktree: lineage: %s names no parent", path)
	}
	if l.Parent != "" {
		l.Parent = filepath.Clean(l.Parent)
	}
	if !git.IsObjectID(l.Base) {
		l.Base = ""
	}
	return &l, nil
}

// ForkedFrom says whether a worktree was forked from another one of its repository, or from one that was. A parent that is
// no worktree any more ends the line.
func (w Worktree) ForkedFrom(other Worktree) bool {
	linked, seen := Registered(w.CommonDir), map[string]bool{}
	for at := w.GitDir; at != "" && !seen[at]; {
		seen[at] = true
		l, err := ReadLineage(at)
		if err != nil || l == nil || l.Parent == "" {
			return false
		}
		if SameFile(l.Parent, other.Path) {
			return true
		}
		at = linked[l.Parent]
	}
	return false
}

// WriteLineage says where the worktree with this git folder came from. Readers see the old text or the new.
func WriteLineage(gitDir string, l Lineage) error {
	text, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return fmt.Errorf("worktree: lineage: %w", err)
	}
	file, err := os.CreateTemp(gitDir, lineageFile+".*")
	if err != nil {
		return fmt.Errorf("worktree: lineage: %w", err)
	}
	defer os.Remove(file.Name()) // not there any more where all went well
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Chmod(0o644), file.Close()); err != nil {
		return fmt.Errorf("worktree: lineage: %w", err)
	}
	if err := os.Rename(file.Name(), filepath.Join(gitDir, lineageFile)); err != nil {
		return fmt.Errorf("worktree: lineage: %w", err)
	}
	return nil
}
