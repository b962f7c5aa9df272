//go:build unix

package carry

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/carry/worktree"
)

// newer is what a git after 2.25 has learned, as a shell pattern of its whole command line, and how an older one ends
// where it does not know it.
var newer = []struct {
	since, pattern string
	exit           int
}{
	{"2.36", `*" worktree list"*" -z "*`, 129},
	{"2.36", `*" hook run "*`, 1},
	{"2.34", `*" add"*" --sparse "*`, 129},
	{"2.35", `*" ls-files"*" --sparse "*`, 129},
	{"2.38", `*" ls-files"*" --format"*`, 129},
	{"2.36", `*" ls-tree"*" --format"*`, 129},
	{"2.36", `*" cat-file"*" --batch-command"*`, 129},
	{"2.36", `*" update-index"*" --no-refresh"*`, 129},
	{"2.31", `*" rev-parse"*" --path-format"*`, 128},
	{"2.42", `*" worktree add"*" --orphan "*`, 129},
	{"2.40", `*" check-attr"*" --source"*`, 129},
	{"2.29", `*" worktree add"*" --no-track"*`, 129},
	{"2.26", `*" rm"*" --pathspec-from-file"*`, 129},
	{"2.31", `*" --config-env"*`, 129},
	{"2.45", `*" --no-lazy-fetch "*`, 129},
	{"2.43", `*" --attr-source"*`, 129},
}

// oldGit puts a git first on PATH that knows nothing newer, and says that it is 2.25.
func oldGit(t *testing.T) {
	t.Helper()
	real, err := exec.LookPath("git")
	must(t, err)
	script := "#!/bin/sh\ncase \" $* \" in\n*' version '*) echo 'git version 2.25.1'; exit 0 ;;\n"
	for _, n := range newer {
		script += fmt.Sprintf("%s) echo 'unknown to git 2.25 (since %s)' >&2; exit %d ;;\n", n.pattern, n.since, n.exit)
	}
	script += "esac\nexec '" + real + "' \"$@\"\n"
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755))
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// TestForkNeedsNoGitNewerThan225 forks what takes the most kinds of git commands.
func TestForkNeedsNoGitNewerThan225(t *testing.T) {
	r := newRepo(t)
	oldGit(t)
	if out, err := exec.Command("git", "worktree", "list", "--porcelain", "-z").CombinedOutput(); err == nil || !strings.Contains(string(out), "since 2.36") {
		t.Fatalf("the old git is not used: %s", out)
	}
	r.write(".git/hooks/post-checkout", "#!/bin/sh\necho ran\n")
	must(t, os.Chmod(r.path(".git/hooks/post-checkout"), 0o755))
	r.write(".gitattributes", "*.md ident\n")
	r.commit("rules")
	r.write("out/f", "f\n")
	r.commit("out")
	r.git("sparse-checkout", "set", "--no-cone", "/*", "!/out/")
	r.dirty()
	r.write("announced", "i\n")
	r.git("add", "-N", "announced")
	r.git("update-index", "--assume-unchanged", "src/b.txt")
	r.write("src/b.txt", "ahpla\n")
	r.judged(r.top)
	if _, err := worktree.List(t.Context(), r.top); err != nil {
		t.Error(err)
	}
	at := opened(t, r.top)
	o := begun(t, at)
	child := created(t, o, filepath.Join(r.world(), "hooked"), "hooked")
	if hook := o.RunHook(t.Context(), child); !hook.Ran || hook.Failed || hook.Output != "ran\n" {
		t.Errorf("the hook: %+v", hook)
	}
	must(t, o.RollBack(t.Context()))
}
