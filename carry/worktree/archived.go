package worktree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ArchiveFile is what a worktree's own git folder has in it while its folder is archived (carry/archive.go).
const ArchiveFile = "sidefork-archive.json"

const archivedLock = "archived by sidefork: `sidefork archive --restore` brings it back"

// LockArchived keeps git from forgetting a worktree whose folder is about to be archived; gitDir is its own git folder. One
// that is locked stays as it is.
func LockArchived(gitDir string) error {
	f, err := os.OpenFile(filepath.Join(gitDir, "locked"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(archivedLock)
	return errors.Join(err, f.Sync(), f.Close())
}

// UnlockArchived takes the lock of LockArchived away, and no other.
func UnlockArchived(gitDir string) error {
	file := filepath.Join(gitDir, "locked")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && string(text) != archivedLock {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Remove(file)
}
