package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
)

// Open reads the worktree that dir is the top level of, or lies in, at this moment: one git process where all is well.
// Bare, detached and unborn are told in the fields (Eligible refuses them). A bare repository that git finds only by
// looking around (safe.bareRepository) is Bare too, whatever its own configuration says: it may lie planted in a
// tracked folder.
// Refusals: gitMissing, gitTooOld, missing, notAFolder, notARepository, unsafeOwner.
func Open(ctx context.Context, dir string) (Worktree, error) {
	w, _, err := open(ctx, dir, git.Where)
	return w, err
}

// OpenWithHook is Open of a top level, and also says where the repository's post-checkout hook would be for it.
func OpenWithHook(ctx context.Context, dir string) (w Worktree, hookFile string, err error) {
	return open(ctx, dir, func(ctx context.Context, dir string, _ ...string) (git.Place, error) {
		return git.WhereWithHook(ctx, dir)
	})
}

func open(ctx context.Context, dir string, where func(context.Context, string, ...string) (git.Place, error)) (Worktree, string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Worktree{}, "", err
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return Worktree{}, "", Refuse("notAFolder", "path", dir)
	}
	if err != nil {
		no := Refuse("missing", "path", dir)
		no.Detail = err.Error()
		return Worktree{}, "", no
	}
	p, err := where(ctx, dir)
	switch {
	case ctx.Err() != nil:
		return Worktree{}, "", context.Cause(ctx)
	case p.BeforeHash:
		return Worktree{}, "", Refuse("gitTooOld", "version", git.Version(ctx, dir))
	case p.TopLevel == "":
		w, err := whyNot(ctx, dir, p, err)
		return w, "", err
	}
	w := Worktree{
		Path: p.TopLevel, GitDir: p.GitDir, CommonDir: p.CommonDir, Head: p.Head, Branch: strings.TrimPrefix(p.Ref, "refs/heads/"),
		Main: SameFile(p.GitDir, p.CommonDir), Bare: p.Bare,
	}
	if w.Main {
		w.GitDir = w.CommonDir
	}
	switch {
	case w.Head == "":
		w.Branch = headFile(w.GitDir)
	case w.Branch == "":
		w.Detached = true
	}
	w.Locked, w.Why = locked(w.GitDir)
	return w, p.HookFile, nil
}

// whyNot says why git found no top level. It asks again with single protections lifted, only to tell the reasons apart:
// nothing goes on from there.
func whyNot(ctx context.Context, dir string, p git.Place, err error) (Worktree, error) {
	failed, _ := errors.AsType[*git.Error](err)
	if failed != nil && failed.Exit == -1 && errors.Is(failed.Err, exec.ErrNotFound) {
		return Worktree{}, Refuse("gitMissing")
	}
	if p.Bare && p.CommonDir != "" {
		return bareAt(p.CommonDir), nil
	}
	if p.GitDir == "" { // git did not come to the repository
		if q, _ := git.Where(ctx, dir, "safe.directory=*"); q.GitDir != "" {
			return Worktree{}, Refuse("unsafeOwner", "path", owned(q, dir))
		}
		q, _ := git.Where(ctx, dir, "safe.bareRepository=all")
		switch {
		case q.Bare || q.GitDir != "" && filepath.Base(q.CommonDir) != ".git": // else dir is the git folder of a checkout
			return bareAt(q.CommonDir), nil
		case q.GitDir == "":
			if q, _ := git.Where(ctx, dir, "safe.directory=*", "safe.bareRepository=all"); q.GitDir != "" {
				return Worktree{}, Refuse("unsafeOwner", "path", owned(q, dir))
			}
		}
	}
	no := Refuse("notARepository", "path", dir)
	if g, ok := errors.AsType[*git.Error](err); ok {
		no.Detail = strings.TrimSpace(g.Stderr)
	}
	return Worktree{}, no
}

func bareAt(dir string) Worktree {
	return Worktree{Path: dir, GitDir: dir, CommonDir: dir, Main: true, Bare: true, Branch: headFile(dir)}
}

// owned is the path that safe.directory would have to name.
func owned(p git.Place, dir string) string {
	if p.TopLevel != "" {
		return p.TopLevel
	}
	return dir
}

// locked reads the mark of `git worktree lock`.
func locked(gitDir string) (bool, string) {
	why, err := os.ReadFile(filepath.Join(gitDir, "locked"))
	return err == nil, strings.TrimSpace(string(why))
}

// headFile is the branch that a git folder's HEAD names, read from the file; "" where it names none or cannot be read.
func headFile(gitDir string) string {
	head, err := os.ReadFile(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return ""
	}
	branch, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
	if !ok || branch == ".invalid" { // what a reftable repository has there
		return ""
	}
	return branch
}

// SameFile says whether two paths are one file, however they are spelled.
func SameFile(a, b string) bool {
	if a == b {
		return true
	}
	i, err := os.Stat(a)
	if err != nil {
		return false
	}
	j, err := os.Stat(b)
	return err == nil && os.SameFile(i, j)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
