package carry

import (
	"os"
	"path/filepath"
	"time"

	"github.com/sidefork/sidefork/carry/worktree"
)

// privateFolder is a folder in the system's temporary one, for copies of an index. A lock in it dies with this process,
// by which the next start knows that nobody needs it any more.
type privateFolder struct {
	path string
	held *lock
}

const privateLock = "lock"

// temporaryFolder is the system's, which must be outside of the worktrees with these top levels: they would show what is
// made there as a file of theirs. Refusal: temporaryFolder, also where nothing can be made there.
func temporaryFolder(outside ...string) (string, error) {
	temp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return "", worktree.Refuse("temporaryFolder", "path", os.TempDir(), "what", err.Error())
	}
	for _, top := range outside {
		if inside, err := filepath.Rel(top, temp); err == nil && filepath.IsLocal(inside) {
			return "", worktree.Refuse("temporaryFolder", "path", temp, "what", "it lies inside the workspace")
		}
	}
	if err := writable(temp); err != nil {
		return "", worktree.Refuse("temporaryFolder", "path", temp, "what", err.Error())
	}
	return temp, nil
}

// newPrivateFolder makes one outside of these worktrees. Refusal: temporaryFolder.
func newPrivateFolder(outside ...string) (privateFolder, error) {
	temp, err := temporaryFolder(outside...)
	if err != nil {
		return privateFolder{}, err
	}
	path, err := os.MkdirTemp(temp, "sidefork-private-")
	if err != nil {
		return privateFolder{}, worktree.Refuse("temporaryFolder", "path", temp, "what", err.Error())
	}
	held, err := tryLock(filepath.Join(path, privateLock))
	if err != nil {
		os.RemoveAll(path)
		return privateFolder{}, err
	}
	return privateFolder{path, held}, nil
}

func (p privateFolder) remove() {
	if p.path != "" {
		os.RemoveAll(p.path) // made by us, holds index copies only
		p.held.release()
	}
}

// settled is how old a private folder is before it may be taken for a dead process's: one that has just been made is not
// locked yet.
const settled = time.Minute

// sweepPrivate removes the private folders that killed processes of this user have left.
func sweepPrivate() {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), "sidefork-private-*"))
	for _, path := range folders {
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() || !ownedByUs(info) || time.Since(info.ModTime()) < settled {
			continue
		}
		if _, err := os.Lstat(filepath.Join(path, privateLock)); err != nil {
			continue
		}
		if l, err := tryLock(filepath.Join(path, privateLock)); err == nil {
			privateFolder{path, l}.remove()
		}
	}
}
