package worktree

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
)

// A part of a branch name becomes a file name, with ".lock" behind it while git writes it; the whole becomes a path
// below <common>/logs/refs/heads/.
const (
	longestPart = 255 - len(".lock")
	longestName = 1000
)

// CheckName says why one of names cannot be the branch of a new workspace; nil where all can. At most one git process.
// Refusals: invalidName; nameTaken with a free {suggestion}; nameConflict, where one of name and {other} is a folder of
// the other (release, release/1.0) or where they differ only in case on a file system that does not tell.
// A git that fails is refused as createFailed.
func CheckName(ctx context.Context, w Worktree, names ...string) *Refusal {
	for _, name := range names {
		if !validName(name) {
			return Refuse("invalidName", "name", name)
		}
	}
	branches, err := git.Branches(ctx, w.Path)
	if err != nil {
		no := Refuse("createFailed")
		no.Detail = err.Error()
		return no
	}
	taken := namesTaken(w, branches)
	for _, name := range names {
		switch other, how := taken.inTheWay(name); how {
		case same:
			return Refuse("nameTaken", "name", name, "suggestion", taken.free(name))
		case conflict:
			return Refuse("nameConflict", "name", name, "other", other)
		}
	}
	return nil
}

// FreeName gives the first of wish, wish-2, wish-3, … that CheckName would let pass. What a branch name cannot hold is
// replaced by dashes; where nothing of the wish remains it is "session-fork". One git process.
func FreeName(ctx context.Context, w Worktree, wish string) (string, error) {
	branches, err := git.Branches(ctx, w.Path)
	if err != nil {
		return "", fmt.Errorf("worktree: list branches: %w", err)
	}
	return namesTaken(w, branches).free(cleanName(wish)), nil
}

func validName(name string) bool {
	if !git.ValidBranch(name) || len(name) > longestName || strings.HasPrefix(name, "refs/heads/") { // a full name: it would be another's
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > longestPart {
			return false
		}
	}
	return true
}

// cleanName makes a valid name of any text.
func cleanName(wish string) string {
	if validName(wish) {
		return wish
	}
	dashed := strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f || r == 0xfffd || strings.ContainsRune(`~^:?*[\@{}"'`, r) {
			return '-'
		}
		return r
	}, wish)
	var parts []string
	for part := range strings.SplitSeq(dashed, "/") {
		for strings.Contains(part, "..") {
			part = strings.ReplaceAll(part, "..", ".")
		}
		part = strings.Trim(strings.TrimSuffix(strings.Trim(part, ".-"), ".lock"), ".-")
		if len(part) > 100 {
			part = strings.ToValidUTF8(part[:100], "")
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	if name := strings.Join(parts, "/"); validName(name) {
		return name
	}
	return "session-fork"
}

// names are the branches of a repository, and all folders above them.
type names struct {
	heads   string            // the folder of the branches' files
	fold    bool              // names that differ in case alone are one file
	branch  map[string]string // as compared → as written
	folders map[string]string // folder as compared → a branch in it
}

type collision int

const (
	none collision = iota
	same
	conflict
)

func namesTaken(w Worktree, branches []string) names {
	n := names{
		heads: filepath.Join(w.CommonDir, "refs", "heads"), fold: isTrue(sharedConfig(w.CommonDir)["core.ignorecase"]),
		branch: map[string]string{}, folders: map[string]string{},
	}
	branches = append(branches, unborn(w.CommonDir)...)
	for _, b := range branches {
		key := n.key(b)
		n.branch[key] = b
		for i := range len(key) {
			if key[i] == '/' {
				n.folders[key[:i]] = b
			}
		}
	}
	return n
}

func (n names) key(name string) string {
	if n.fold {
		return strings.ToLower(name)
	}
	return name
}

func (n names) inTheWay(name string) (other string, how collision) {
	key := n.key(name)
	if b, ok := n.branch[key]; ok {
		if b == name {
			return b, same
		}
		return b, conflict
	}
	if b, ok := n.folders[key]; ok {
		return b, conflict
	}
	for i := range len(key) {
		if b, ok := n.branch[key[:i]]; ok && key[i] == '/' {
			return b, conflict
		}
	}
	return n.broken(name)
}

// broken finds a file in the way that git does not call a branch: one that it cannot read, or a symbolic ref that leads
// nowhere, which git would put its own over.
func (n names) broken(name string) (other string, how collision) {
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		if info, err := os.Lstat(filepath.Join(n.heads, filepath.FromSlash(name[:i]))); err == nil && !info.IsDir() {
			if i == len(name) {
				return name, same
			}
			return name[:i], conflict
		}
	}
	return "", none
}

// unborn lists the branches that worktrees are on, which need not have a commit yet.
func unborn(commonDir string) []string {
	var list []string
	for _, gitDir := range append(slices.Collect(maps.Values(Registered(commonDir))), commonDir) {
		if branch := headFile(gitDir); branch != "" {
			list = append(list, branch)
		}
	}
	return list
}

// free numbers the wish until it is free. Where no number helps (release is a branch and release/x was wished; the name
// with a number is too long) it goes on with a plainer wish.
func (n names) free(wish string) string {
	plain := strings.ReplaceAll(wish, "/", "-")
	plain = strings.ToValidUTF8(plain[:min(len(plain), 100)], "")
	for _, w := range []string{wish, plain, "session-fork"} {
		name := w
		for i := 2; i < len(n.branch)+4; i++ {
			if _, how := n.inTheWay(name); how == none && validName(name) {
				return name
			}
			name = w + "-" + strconv.Itoa(i)
		}
	}
	return "session-fork-" + strings.ToLower(rand.Text())
}
