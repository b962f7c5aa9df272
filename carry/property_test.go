//go:build unix

package carry

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var (
	seedFlag   = flag.Uint64("seed", 1, "of the random repositories")
	roundsFlag = flag.Int("rounds", 20, "random states to fork")
)

// TestCarryOfRandomStates piles random edits, stagings, flags, rules and types on a repository, forks after every few
// of them, and holds child against parent and the parent against what it was.
func TestCarryOfRandomStates(t *testing.T) {
	t.Parallel()
	rounds := *roundsFlag
	if testing.Short() {
		rounds = min(rounds, 8)
	}
	t.Logf("-seed %d -rounds %d", *seedFlag, rounds)
	g := &generator{rand: rand.New(rand.NewPCG(*seedFlag, 0)), repo: newRepo(t)}
	refused := map[string]int{}
	for round := range rounds {
		if round%25 == 24 { // not everything for ever: start anew
			g.repo, g.done = newRepo(t), nil
		}
		for range 1 + g.rand.IntN(6) {
			g.step()
		}
		if no := g.fork(round); no != "" {
			refused[no]++
		}
	}
	if refused["unsupportedState"] > rounds/4 || len(refused) > 1 || len(refused) == 1 && refused["unsupportedState"] == 0 {
		t.Errorf("refused: %v", refused)
	}
}

type generator struct {
	*repo
	rand *rand.Rand
	done []string
}

func (g *generator) pick(from ...string) string { return from[g.rand.IntN(len(from))] }

// name is one of few, so that edits meet: files, folders of the same name, odd bytes, ignored ones.
func (g *generator) name() string {
	return g.pick("a.txt", "src/b.txt", "docs/c.md", "run.sh", "n1", "n2.txt", "d/x.txt", "d/e/y.c", "d", "src", "d/e",
		"nl\nin", "-dash", " b ", "q\"'\\", "\xff\xfe.txt", "caf\u00e9", "cafe\u0301", "x.log", ".env", "ignored/m.txt",
		"win.bat", "v.c", "[a]*", ".sf-1", "e/.gitignore", "e/out.txt", strings.Repeat("l", 255))
}

func (g *generator) content() string {
	return g.pick("", "x\n", "x", "x\r\ny\r\n", "x\ny\r\n", "$Id$\n", "\x00\x01\xff", strings.Repeat("long\n", 3000)) +
		g.pick("", "", fmt.Sprint(g.rand.IntN(50), "\n"))
}

// put writes a path whatever stands there or in its way.
func (g *generator) put(name string, write func(full string) error) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(g.path(dir)); err == nil && !info.IsDir() {
			os.Remove(g.path(dir))
		}
	}
	must(g, os.MkdirAll(filepath.Dir(g.path(name)), 0o755))
	if info, err := os.Lstat(g.path(name)); err == nil && (info.IsDir() || !info.Mode().IsRegular()) {
		os.RemoveAll(g.path(name))
	}
	must(g, write(g.path(name)))
}

func (g *generator) step() {
	name := g.name()
	file := func(content string) func(string) error {
		return func(full string) error { return os.WriteFile(full, []byte(content), 0o644) }
	}
	what := g.rand.IntN(34)
	g.done = append(g.done, fmt.Sprintf("%d %q", what, name))
	try := func(args ...string) { _, _ = tryGit(g.top, args...) }
	switch what {
	case 0, 1, 2, 3, 4, 5:
		g.put(name, file(g.content()))
	case 6, 7:
		os.RemoveAll(g.path(name))
	case 8:
		g.put(name, func(full string) error {
			os.Remove(full)
			return os.Symlink(g.pick("a.txt", "no/such", "src", ".", "/etc/hostname"), full)
		})
	case 9:
		if info, err := os.Lstat(g.path(name)); err == nil && info.Mode().IsRegular() {
			must(g, os.Chmod(g.path(name), []os.FileMode{0o755, 0o644, 0o600, 0o444, 0o777}[g.rand.IntN(5)]))
			must(g, os.Chmod(g.path(name), info.Mode()|0o200))
		}
	case 10:
		if info, err := os.Lstat(g.path(name)); err == nil && info.Mode().IsRegular() {
			must(g, os.Chmod(g.path(name), []os.FileMode{0o755, 0o644, 0o600, 0o700}[g.rand.IntN(4)]))
		}
	case 11, 12, 13, 14:
		try("add", "--", name)
	case 15:
		try("add", "-A")
	case 16:
		try("add", "-f", "--", name)
	case 17:
		try("add", "-N", "-f", "--", name)
	case 18, 19:
		try("rm", "-rq", "--cached", "--", name)
	case 20:
		try("reset", "-q", "--", name)
	case 21:
		try("checkout", "-q", "--", name)
	case 22:
		try("update-index", g.pick("--skip-worktree", "--no-skip-worktree"), "--", name)
	case 23:
		try("update-index", g.pick("--assume-unchanged", "--no-assume-unchanged"), "--", name)
	case 24:
		try("update-index", g.pick("--chmod=+x", "--chmod=-x"), "--", name)
	case 25:
		g.put(".gitignore", file(g.pick("*.log\n.env\n", "", "ignored/\n", "*.txt\n!n2.txt\n", "d/\n")))
	case 26:
		g.put(".gitattributes", file(g.pick("", "*.txt text\n", "*.bat text eol=crlf\n", "*.c ident\n", "* -text\n", "* text=auto\n", "*.txt filter=quote\n")))
	case 27:
		try("config", "core.autocrlf", g.pick("true", "false", "input"))
	case 28:
		// A filter that keeps the size would show what is documented in look_rules.go: bytes of a rule that is gone.
		try("config", "filter.quote.clean", "sed 's/^/> /'")
		try("config", "filter.quote.smudge", "sed 's/^> //'")
	case 29:
		os.Remove(g.path("pipe"))
		must(g, syscall.Mkfifo(g.path("pipe"), 0o644))
	case 30:
		if os.MkdirAll(g.path("n/ew"), 0o755) == nil {
			os.Link(g.path("a.txt"), g.path("n/ew/hard"))
		}
	case 31:
		try("commit", "-q", "-m", "c")
	case 32:
		try("mv", "-f", "--", name, g.name())
	case 33:
		must(g, os.MkdirAll(g.path("closed/in"), 0o755))
		g.put("closed/in/f", file("f"))
	}
}

// fork forks the state as it is and demands that both sides are the same. It gives the code of a refusal.
func (g *generator) fork(round int) string {
	g.Helper()
	before := snapshot(g, g.top)
	at := opened(g, g.top)
	plan, err := Look(context.Background(), at, at.Head, Options{})
	g.check(round, err)
	defer plan.Close()
	if no := plan.Refused(); no != nil {
		return no.Code
	}
	o := begun(g, at)
	child := filepath.Join(filepath.Dir(g.top), "child")
	made, err := o.Create(context.Background(), CreateRequest{Path: child, Branch: "child", Base: at.Head, Like: plan})
	g.check(round, err)
	result, err := plan.Into(context.Background(), made, o, nil)
	g.check(round, err)
	defer func() { // the operation is taken back, to nothing
		g.check(round, o.RollBack(context.Background()))
		must(g, o.Close())
		if _, err := os.Lstat(child); err == nil || g.git("branch", "--list", "child") != "" {
			g.check(round, fmt.Errorf("something of the child stands: %v", err))
		}
		if after := snapshot(g, g.top); after != before {
			g.check(round, fmt.Errorf("the parent was changed:\n%s", difference(before, after)))
		}
	}()
	if after := snapshot(g, g.top); after != before {
		g.check(round, fmt.Errorf("the parent was changed:\n%s", difference(before, after)))
	}
	var but []string
	for _, l := range result.Left {
		if l.Reason != "ignored" {
			but = append(but, l.Path)
		}
	}
	if d := compareTrees(g, g.top, child, but); d != "" {
		g.check(round, fmt.Errorf("parent (-) and child (+) differ:\n%s", d))
	}
	return ""
}

func (g *generator) check(round int, err error) {
	g.Helper()
	if err != nil {
		g.Fatalf("-seed %d, round %d: %v\nafter %s\n%s", *seedFlag, round, explain(err), strings.Join(g.done, "; "), g.git("status", "--porcelain=v2"))
	}
}
