package worktree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// FreeFolder gives where a new workspace of this name goes: pattern with {main} (the main checkout) and {name} (a slash
// in it as a dash) filled in, numbered -2, -3, … where something is there or is registered. An empty pattern is
// "{main}-worktrees/{name}". A relative result is taken from the main checkout. main is the first of List; for a bare
// repository in a hidden folder (project/.bare) {main} is the folder around it.
func FreeFolder(main Worktree, pattern, name string) string {
	if pattern == "" {
		pattern = "{main}-worktrees/{name}"
	}
	root := main.Path
	if main.Bare {
		if base := filepath.Base(root); strings.HasPrefix(base, ".") {
			root = filepath.Dir(root)
		} else {
			root = strings.TrimSuffix(root, ".git")
		}
	}
	registered := Registered(main.CommonDir)
	for i := 1; ; i++ {
		leaf := strings.ReplaceAll(name, "/", "-")
		if i > 1 {
			leaf += "-" + strconv.Itoa(i)
		}
		path := filepath.FromSlash(strings.NewReplacer("{main}", root, "{name}", leaf).Replace(pattern))
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		path = filepath.Clean(path)
		_, known := registered[path]
		if !known && !exists(path) || i > 1 && !strings.Contains(pattern, "{name}") {
			return path
		}
	}
}

// CheckFolder says why path cannot become the folder of a new worktree of w's repository; nil where it can: it is absent
// or an empty folder. Inside the parent or another worktree is allowed, inside a git folder is not. It looks at files
// only.
// Refusals: folderTaken (something is there, or the path is registered for a worktree that is gone), badFolder.
func CheckFolder(path string, w Worktree) *Refusal {
	bad := func(what string) *Refusal { return Refuse("badFolder", "path", path, "what", what) }
	if path == "" || strings.ContainsRune(path, 0) || !filepath.IsAbs(path) {
		return bad("it is not an absolute path")
	}
	physical, err := Physical(path)
	switch {
	case errors.Is(err, errDangling):
		return folderTaken(path, err)
	case errors.Is(err, fs.ErrPermission):
		return bad("a folder above it cannot be entered")
	case err != nil:
		no := bad("a folder above it cannot be followed")
		no.Detail = err.Error()
		return no
	case tooLong(physical):
		return bad("its path is too long")
	case insideGit(physical, w.CommonDir):
		return bad("it lies inside a git folder")
	}
	for top := range Registered(w.CommonDir) {
		if top == physical {
			no := folderTaken(path, nil)
			no.Detail = "it is registered as a worktree already (git worktree prune forgets those that are gone)"
			return no
		}
	}
	if info, err := os.Lstat(physical); err == nil {
		if !info.IsDir() {
			return folderTaken(path, nil)
		}
		inside, err := os.ReadDir(physical)
		if err != nil {
			return bad("it cannot be read")
		}
		if len(inside) > 0 {
			return folderTaken(path, nil)
		}
		if !writable(physical) {
			return bad("it is not writable")
		}
		return nil
	}
	above := filepath.Dir(physical)
	for !exists(above) {
		above = filepath.Dir(above)
	}
	if info, err := os.Stat(above); err != nil || !info.IsDir() {
		return bad(above + " is not a folder")
	}
	if !writable(above) {
		return bad(above + " is not writable")
	}
	return nil
}

func folderTaken(path string, err error) *Refusal {
	no := Refuse("folderTaken", "path", path)
	if err != nil {
		no.Detail = err.Error()
	}
	return no
}

var errDangling = errors.New("a link that leads nowhere")

// Physical gives the path with every link on it followed, also where its end does not exist yet.
func Physical(path string) (string, error) {
	path = filepath.Clean(path)
	var rest []string
	for at := path; ; {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			slices.Reverse(rest)
			return filepath.Join(append([]string{real}, rest...)...), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if _, err := os.Lstat(at); err == nil {
			return "", &fs.PathError{Op: "follow", Path: at, Err: errDangling}
		}
		rest = append(rest, filepath.Base(at))
		if filepath.Dir(at) == at {
			return "", err
		}
		at = filepath.Dir(at)
	}
}

// tooLong says whether the system or git could not name the folder, or the files that git keeps about it.
func tooLong(path string) bool {
	longest := 1024 // macOS; Windows without its prefix allows less and says so itself
	if runtime.GOOS == "linux" {
		longest = 4096
	}
	for part := range strings.SplitSeq(path, string(filepath.Separator)) {
		if len(part) > 255 {
			return true
		}
	}
	return len(path)+len("/.git.lock")+16 > longest
}

// insideGit says whether path lies in any .git, or among what git keeps in a bare repository (beside that, worktrees in
// a bare repository's folder are a usual layout).
func insideGit(path, commonDir string) bool {
	for part := range strings.SplitSeq(path, string(filepath.Separator)) {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	rel, err := filepath.Rel(commonDir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return false
	}
	first, _, _ := strings.Cut(rel, string(filepath.Separator))
	return slices.Contains([]string{".", "objects", "refs", "logs", "hooks", "info", "worktrees", "modules", "branches", "reftable", "lfs", "rr-cache", "sidefork"}, first)
}
