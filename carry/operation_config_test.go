//go:build unix

package carry

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/carry/git"
)

// published gives a repository a remote with main on it; end is put at the end of its configuration.
func published(t testing.TB, r *repo, end string) (config string) {
	t.Helper()
	r.git("config", "remote.origin.url", "/nowhere")
	r.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
	r.git("config", "branch.main.remote", "origin")
	r.git("config", "branch.main.merge", "refs/heads/main")
	r.git("update-ref", "refs/remotes/origin/main", "HEAD")
	config = contentOf(t, r.top+"/.git/config")
	config = strings.TrimSuffix(config, "\n") + end
	must(t, os.WriteFile(r.top+"/.git/config", []byte(config), 0o644))
	must(t, os.Chmod(r.top+"/.git/config", 0o640))
	return config
}

func contentOf(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

func TestAForkOfAPublishedBranchTellsEditorsWhatToCompareItWith(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	config := r.top + "/.git/config"
	bare := contentOf(t, config)
	for name, c := range map[string]struct {
		end   string                     // of the configuration beforehand
		since func()                     // what others do to it while the operation runs
		then  func(before string) string // what is to be left after the roll-back; nil: what was before
	}{
		"alone":         {end: "\n"},
		"no line end":   {end: ""},
		"crlf":          {end: "\r\n"},
		"own keys":      {end: "\n", since: func() { r.git("config", "branch.feat/child.description", "x") }},
		"a new section": {end: "\n", since: func() { r.git("config", "x.y", "1") }, then: func(b string) string { return b + "[x]\n\ty = 1\n" }},
		"a new section after no line end": {end: "", since: func() { r.git("config", "x.y", "1") }, then: func(b string) string {
			return b + "\n[x]\n\ty = 1\n"
		}},
		"taken out by somebody":           {end: "\n", since: func() { r.git("config", "--remove-section", "branch.feat/child") }},
		"an earlier section of that name": {end: "\n[branch \"feat/child\"]\n\tgh-merge-base = old\n"},
	} {
		before := published(t, r, c.end)
		source := opened(t, r.top)
		follows, err := source.Published(context.Background())
		if err != nil || follows == nil {
			t.Fatalf("%s: %v %v", name, follows, err)
		}
		o := begun(t, source)
		if _, err := o.Create(context.Background(), CreateRequest{Path: r.world() + "/child", Branch: "feat/child", Base: source.Head, Follows: follows}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for key, want := range map[string]string{"vscode-merge-base": "origin/main\n", "gh-merge-base": "main\n"} {
			if got := r.git("config", "branch.feat/child."+key); got != want {
				t.Errorf("%s: %s is %q", name, key, got)
			}
		}
		if c.since != nil {
			c.since()
		}
		must(t, o.RollBack(context.Background()))
		must(t, o.Close())
		want := before
		if c.then != nil {
			want = c.then(before)
		}
		if got := contentOf(t, config); got != want {
			t.Errorf("%s:\n%q\n%q", name, got, want)
		}
		if info, err := os.Stat(config); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
		for _, left := range []string{config + ".lock", configFile(source.CommonDir, o.ID)} {
			if !nothingAt(left) {
				t.Errorf("%s: %s is left", name, left)
			}
		}
		must(t, os.WriteFile(config, []byte(bare), 0o640))
	}
}

func TestNothingIsToldOfABranchThatIsNotPublished(t *testing.T) {
	r := newRepo(t)
	published(t, r, "\n")
	log := countGit(t)
	for name, c := range map[string]struct {
		do        func()
		published bool
		processes int
	}{
		"published":             {func() {}, true, 1},
		"no tracking branch":    {func() { r.git("update-ref", "-d", "refs/remotes/origin/main") }, false, 1},
		"follows a local one":   {func() { r.git("config", "branch.main.remote", ".") }, false, 0},
		"follows no branch":     {func() { r.git("config", "branch.main.merge", "refs/tags/v1") }, false, 0},
		"a remote like a path":  {func() { r.git("config", "branch.main.remote", "../x") }, false, 1},
		"follows nothing":       {func() { r.git("config", "--remove-section", "branch.main") }, false, 0},
		"unusual refspec":       {func() { r.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/up/*") }, false, 1},
		"another branch's case": {func() { r.git("config", "--rename-section", "branch.main", "branch.Main") }, false, 0},
	} {
		before := contentOf(t, r.top+"/.git/config")
		c.do()
		w := opened(t, r.top)
		log()
		follows, err := w.Published(context.Background())
		if n := log(); err != nil || (follows != nil) != c.published || n != c.processes {
			t.Errorf("%s: %v %v, %d processes", name, follows, err, n)
		}
		must(t, os.WriteFile(r.top+"/.git/config", []byte(before), 0o644))
		r.git("update-ref", "refs/remotes/origin/main", "HEAD")
	}
	w := opened(t, r.top)
	w.Branch = ""
	if follows, err := w.Published(context.Background()); follows != nil || err != nil {
		t.Errorf("detached: %v %v", follows, err)
	}
	w.Branch = "main"
	follows, err := w.Published(context.Background())
	must(t, err)
	o := begun(t, w)
	log()
	_, err = o.Create(context.Background(), CreateRequest{Path: r.world() + "/child", Branch: "child", Base: w.Head, Follows: follows})
	if n := log(); err != nil || n != 3 {
		t.Errorf("Create: %v, %d processes", err, n)
	}
	must(t, o.RollBack(context.Background()))
	must(t, o.Close())
}

func TestTheConfigurationIsAsItWasAfterAKill(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"recorded", "config", "made", "kept"} {
		r := newRepo(t)
		before := published(t, r, "\n")
		killed(t, r, stage)
		recovered(t, r)
		config := r.top + "/.git/config"
		if stage == "kept" {
			if got := r.git("config", "branch.feat/child.gh-merge-base"); got != "main\n" {
				t.Errorf("kept: %q", got)
			}
			continue
		}
		if got := contentOf(t, config); got != before || !nothingAt(config+".lock") {
			t.Errorf("%s: lock %v\n%s", stage, !nothingAt(config+".lock"), got)
		}
	}
}

func TestAConfigurationThatSomebodyHasLockedIsLeftAlone(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	before := published(t, r, "\n")
	config := r.top + "/.git/config"
	must(t, os.WriteFile(config+".lock", nil, 0o644))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	text := git.ConfigSection("branch", "x", "gh-merge-base", "main")
	if err := git.AppendConfig(ctx, config, r.top+"/.git/new", text); err == nil {
		t.Error("it was changed")
	}
	if contentOf(t, config) != before || nothingAt(config+".lock") || !nothingAt(r.top+"/.git/new") {
		t.Error("something was written or taken away")
	}
	for _, bad := range []string{"a\nb", "a\x00b", "a\rb"} {
		if got := git.ConfigSection("branch", "x", "k", bad); got != "" {
			t.Errorf("%q", got)
		}
	}
}
