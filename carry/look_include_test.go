//go:build unix

package carry

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// withIgnored is a repository with ignored files of many kinds.
func withIgnored(t testing.TB) *repo {
	r := newRepo(t)
	r.write(".gitignore", "*.log\n/ignored/\n.env*\nmix/\n!keep.log\n")
	r.write("mix/tracked", "t")
	r.git("add", "-f", "mix/tracked")
	r.write("once.log", "o")
	r.git("add", "-f", "once.log")
	r.commit("ignores")
	r.write(".env", "e")
	r.write(".env.production", "p")
	r.write("x.log", "x")
	r.write("src/.env", "deep")
	r.write("mix/other", "o")
	r.write("ignored/a.js", "a")
	r.write("ignored/deep/b.js", "b")
	r.write("ignored/deep/b.log", "b")
	return r
}

func TestIgnoredFilesComeWhereTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state   func(r *repo)
		file    string   // .worktreeinclude
		include []string // of the request
		want    string   // what comes
		stays   string
	}{
		"nothing asked":                 {stays: ".env .env.production ignored mix/other src/.env x.log"},
		"by the file":                   {file: ".env\n", want: ".env src/.env", stays: ".env.production ignored mix/other x.log"},
		"by the request":                {include: []string{"/.env"}, want: ".env", stays: ".env.production ignored mix/other src/.env x.log"},
		"by both":                       {file: "x.log", include: []string{"/.env"}, want: ".env x.log", stays: ".env.production ignored mix/other src/.env"},
		"the request has the last word": {file: ".env*\n", include: []string{"!/.env"}, want: ".env.production src/.env", stays: ".env ignored mix/other x.log"},
		"negated":                       {file: "# secrets\r\n.env*\r\n!.env.production\r\n", want: ".env src/.env", stays: ".env.production ignored mix/other x.log"},
		"negated below a whole folder":  {file: "ignored/\n!ignored/a.js\n", want: "ignored/a.js ignored/deep/b.js ignored/deep/b.log", stays: ".env .env.production mix/other src/.env x.log"},
		"a folder":                      {file: "ignored", want: "ignored/a.js ignored/deep/b.js ignored/deep/b.log", stays: ".env .env.production mix/other src/.env x.log"},
		"a part of a folder":            {file: "*.js", want: "ignored/a.js ignored/deep/b.js", stays: ".env .env.production ignored mix/other src/.env x.log"},
		"everything": {
			file: "*\n", want: ".env .env.production ignored/a.js ignored/deep/b.js ignored/deep/b.log mix/other src/.env x.log",
		},
		"a folder that is tracked in part": {file: "mix", want: "mix/other", stays: ".env .env.production ignored src/.env x.log"},
		"tracked, new and negated files match too": {
			state: func(r *repo) { r.write("new.txt", "n"); r.write("once.log", "edited"); r.write("keep.log", "k") },
			file:  "*.log\n*.txt\n", want: "ignored/deep/b.log x.log", stays: ".env .env.production ignored mix/other src/.env",
		},
		"removed from the index and ignored": {
			state: func(r *repo) { r.git("rm", "-q", "--cached", "once.log") },
			file:  "*.log", want: "ignored/deep/b.log x.log", stays: ".env .env.production ignored mix/other src/.env",
		},
		"nested .gitignore": {
			state: func(r *repo) { r.write("venv/.gitignore", "*\n"); r.write("venv/bin/py", "py") },
			file:  "venv", want: "venv/.gitignore venv/bin/py", stays: ".env .env.production ignored mix/other src/.env x.log",
		},
		"rules of an ignored folder are not asked": {
			state: func(r *repo) {
				r.write("ignored/.gitignore", "!a.js\n")
				r.write("ignored/.gitattributes", "* text eol=crlf\n")
			},
			file: "/ignored/", want: "ignored/.gitattributes ignored/.gitignore ignored/a.js ignored/deep/b.js ignored/deep/b.log", stays: ".env .env.production mix/other src/.env x.log",
		},
		"links are links, also out of the tree": {
			state: func(r *repo) {
				r.link("/etc", "ignored/etc")
				r.link("../..", "ignored/up")
				r.link("nowhere", ".env.local")
			},
			file: "ignored\n.env.local\nignored/etc/passwd\n", want: ".env.local ignored/a.js ignored/deep/b.js ignored/deep/b.log ignored/etc ignored/up",
			stays: ".env .env.production mix/other src/.env x.log",
		},
		"out of the tree": {file: "../*\n/etc/passwd\n.git/*\n.git\n", include: []string{"../../x"}, stays: ".env .env.production ignored mix/other src/.env x.log"},
		"a pipe": {
			state: func(r *repo) { makeFIFO(r, r.path("ignored/deep/ctl")) },
			file:  "ignored", want: "ignored/a.js ignored/deep/b.js ignored/deep/b.log",
			stays: ".env .env.production ignored/deep/ctl:specialFile mix/other src/.env x.log",
		},
		"repositories, broken ones, worktrees": {
			state: func(r *repo) {
				r.git("init", "-q", "ignored/dep")
				r.write("ignored/dep/f", "f")
				r.git("init", "-q", "ignored/dep/inner")
				r.write("ignored/broken/.git", "gitdir: /nowhere\n")
				r.write("ignored/broken/below/f", "f")
				makeFIFO(r, r.path("ignored/broken/ctl"))
				r.git("worktree", "add", "-q", "-b", "other", r.path("ignored/tree"))
				r.write("src/.git/nothing", "a tracked folder with something of that name")
			},
			file: "*", want: ".env .env.production ignored/a.js ignored/deep/b.js ignored/deep/b.log mix/other x.log",
			stays: "ignored/broken:nestedRepository ignored/dep:nestedRepository ignored/tree:worktree src/.env src:nestedRepository",
		},
		"empty folders": {
			state: func(r *repo) {
				must(r, os.Mkdir(r.path("ignored/none"), 0o755))
				must(r, os.MkdirAll(r.path(".env.d/none"), 0o755))
			},
			file: "ignored\n.env.d\n", want: "ignored/a.js ignored/deep/b.js ignored/deep/b.log", stays: ".env .env.d .env.production mix/other src/.env x.log",
		},
		"a folder where the base has a file is named": {
			state: func(r *repo) {
				r.remove("a.txt")
				r.write("a.txt/f", "f")
				r.write(".git/info/exclude", "/a.txt/\n")
			},
			file: "a.txt", stays: ".env .env.production a.txt ignored mix/other src/.env x.log",
		},
		"the file is a link":         {state: func(r *repo) { r.link("a.txt", ".worktreeinclude"); r.write("a.txt", ".env\n") }, stays: ".env .env.production ignored mix/other src/.env x.log"},
		"the file is a pipe":         {state: func(r *repo) { makeFIFO(r, r.path(".worktreeinclude")) }, stays: ".env .env.production .worktreeinclude:specialFile ignored mix/other src/.env x.log"},
		"the file is ignored itself": {state: func(r *repo) { r.write(".git/info/exclude", ".worktreeinclude\n") }, file: "/.env", want: ".env", stays: ".env.production .worktreeinclude ignored mix/other src/.env x.log"},
		"names that git would quote": {
			state: func(r *repo) { r.write("ignored/a\nb\t\"ü", "n"); r.write(".env. ", "s"); r.write(".env-\xff", "f") },
			file:  "ignored/a?b*\n.env.\\ \n", include: []string{".env-*"}, want: ".env-\xff .env.  ignored/a\nb\t\"ü", stays: ".env .env.production ignored mix/other src/.env x.log",
		},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := withIgnored(t)
			if c.file != "" {
				r.write(".worktreeinclude", c.file)
			}
			if c.state != nil {
				c.state(r)
			}
			before := snapshot(t, r.top)
			child, plan, result, err := r.fork(Options{Include: c.include, IncludeFile: true})
			if err != nil {
				t.Fatal(explain(err))
			}
			if after := snapshot(t, r.top); before != after {
				t.Fatalf("the parent was changed:\n%s", difference(before, after))
			}
			var got, left []string
			for _, f := range plan.Files {
				if f.Change == string(included) {
					got = append(got, f.Path)
					sameFile(t, r.top, child, f.Path)
				}
			}
			for _, l := range plan.Left {
				if l.Reason == "ignored" {
					left = append(left, l.Path)
				} else {
					left = append(left, l.Path+":"+l.Reason)
				}
			}
			slices.Sort(left)
			if strings.Join(got, " ") != c.want || strings.Join(left, " ") != c.stays {
				t.Errorf("came  %q\nstays %q", got, left)
			}
			if plan.Included != len(got) || result.Included != len(got) || fmt.Sprint(result.Left) != fmt.Sprint(plan.Left) {
				t.Errorf("counted %d and %d of %d; left %v", plan.Included, result.Included, len(got), result.Left)
			}
			if d := compareTrees(t, r.top, child, []string{"src/.git", "ignored/tree"}); d != "" {
				t.Errorf("parent (-) and child (+) differ:\n%s", d)
			}
			for _, l := range plan.Left {
				if _, err := os.Lstat(filepath.Join(child, l.Path)); err == nil && l.Path != "ignored" && l.Path != "src" {
					t.Errorf("%s came", l.Path)
				}
			}
		})
	}
}

// sameFile demands the same kind, bits, times and content on both sides.
func sameFile(t *testing.T, parent, child, name string) {
	t.Helper()
	look := func(top string) string {
		info, err := os.Lstat(filepath.Join(top, name))
		must(t, err)
		content, err := os.Readlink(filepath.Join(top, name))
		if err != nil {
			bytes, err := os.ReadFile(filepath.Join(top, name))
			must(t, err)
			content = string(bytes)
		}
		return fmt.Sprintf("%v %d %q", info.Mode(), info.ModTime().UnixNano(), content)
	}
	if a, b := look(parent), look(child); a != b {
		t.Errorf("%s: %s became %s", name, a, b)
	}
}

func TestIncludedFilesKeepTheirTimesAndModes(t *testing.T) {
	t.Parallel()
	r := withIgnored(t)
	at := time.Date(2001, 2, 3, 4, 5, 6, 789, time.UTC)
	for _, name := range []string{"ignored/a.js", "ignored/deep/b.js"} {
		must(t, os.Chtimes(r.path(name), at, at))
	}
	must(t, os.Chmod(r.path("ignored/deep/b.js"), 0o4711))
	must(t, os.Chmod(r.path("ignored/deep"), 0o500))
	must(t, os.Chmod(r.path("ignored"), 0o2710))
	t.Cleanup(func() { os.Chmod(r.path("ignored/deep"), 0o700) })
	child, _, _, err := r.fork(Options{Include: []string{"ignored"}})
	if err != nil {
		t.Fatal(explain(err))
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(child, "ignored/deep"), 0o700) })
	sameFile(t, r.top, child, "ignored/a.js")
	sameFile(t, r.top, child, "ignored/deep/b.js")
	for _, name := range []string{"ignored", "ignored/deep"} {
		a, err := os.Lstat(r.path(name))
		must(t, err)
		if b, err := os.Lstat(filepath.Join(child, name)); err != nil || a.Mode() != b.Mode() {
			t.Errorf("%s: %v became %v, %v", name, a.Mode(), b, err)
		}
	}
}

func TestTooManyIncludedFilesAreRefusedByName(t *testing.T) {
	t.Parallel()
	r := withIgnored(t) // ignored/ has three files of one byte each, .env one
	r.write("n1", "n")
	r.git("rm", "-q", "--cached", "once.log") // it comes anyway, and counts as untracked
	for limits, want := range map[Limits]string{
		{IncludedFiles: 4, IncludedBytes: 4}: "", {IncludedFiles: 3}: "tooManyIncluded ignored", {IncludedBytes: 3}: "includedTooBig ignored",
		{Files: 2, Bytes: 24}: "tooManyBytes ", {Files: 2, Bytes: 25, IncludedFiles: 4}: "", // what is included counts apart
	} {
		r.write(".worktreeinclude", "ignored/\n/.env\nonce.log\n") // 24 bytes, and one more untracked file
		if limits.Files == 2 {
			r.remove("n1")
		}
		plan, err := Look(context.Background(), openAt(t, r.top), openAt(t, r.top).Head, Options{Limits: limits, IncludeFile: true})
		must(t, err)
		plan.Close()
		got := ""
		if no := plan.Refused(); no != nil {
			got = no.Code + " " + no.Args["path"]
		}
		if got != want {
			t.Errorf("%+v: %q, want %q", limits, got, want)
		}
	}
}

func TestAHugePatternFileIsRefused(t *testing.T) {
	t.Parallel()
	r := withIgnored(t)
	r.write(".worktreeinclude", strings.Repeat("x\n", includeFileLimit/2)+"\n")
	if _, _, _, err := r.fork(Options{IncludeFile: true}); code(err) != "unsupportedState" {
		t.Error(err)
	}
	if _, _, _, err := r.fork(Options{}); err != nil {
		t.Error("it was read though nobody asked:", explain(err))
	}
}

func TestUnreadableIncludedFilesAreRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	for name, c := range map[string]struct {
		closed, patterns, want string
	}{
		"a file":                               {"ignored/a.js", "ignored", "ignored/a.js"},
		"a file that is not asked for":         {"ignored/a.js", "*.log", ""},
		"a folder":                             {"ignored", "ignored", "ignored"},
		"a folder below one":                   {"ignored/deep", "ignored", "ignored/deep"},
		"a folder by its own name":             {"ignored/deep", "deep/", "ignored/deep"},
		"a folder that is not asked for":       {"ignored/deep", "*.env\na.js", ""},
		"a whole one that is not asked for":    {"ignored", ".env", ""},
		"the pattern file":                     {".worktreeinclude", ".env", ".worktreeinclude"},
		"a folder that may be listed, no more": {"ignored/deep=444", "ignored", "ignored/deep/b.js"},
	} {
		t.Run(name, func(t *testing.T) {
			r := withIgnored(t)
			r.write(".worktreeinclude", c.patterns)
			closed, listed := strings.CutSuffix(c.closed, "=444")
			mode := os.FileMode(0)
			if listed {
				mode = 0o444
			}
			must(t, os.Chmod(r.path(closed), mode))
			t.Cleanup(func() { os.Chmod(r.path(closed), 0o755) })
			_, _, _, err := r.fork(Options{IncludeFile: true})
			got := ""
			if no, ok := err.(*Refusal); ok {
				got = no.Args["path"]
			}
			if got != c.want || c.want != "" && code(err) != "unreadable" {
				t.Errorf("%q %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestIncludedFilesThatMoveAreTakenAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		move  func(r *repo)
		again bool // the parent is looked at anew
		files string
	}{
		"one is edited":             {func(r *repo) { r.write("ignored/a.js", "edited") }, true, "a.js deep/b.js deep/b.log"},
		"one is edited, same size":  {func(r *repo) { r.write("ignored/a.js", "z") }, true, "a.js deep/b.js deep/b.log"},
		"one goes":                  {func(r *repo) { r.remove("ignored/a.js") }, true, "deep/b.js deep/b.log"},
		"a folder goes":             {func(r *repo) { r.remove("ignored/deep") }, true, "a.js"},
		"one becomes a link":        {func(r *repo) { r.remove("ignored/a.js"); r.link("x", "ignored/a.js") }, true, "a.js deep/b.js deep/b.log"},
		"one becomes a pipe":        {func(r *repo) { r.remove("ignored/a.js"); makeFIFO(r, r.path("ignored/a.js")) }, true, "deep/b.js deep/b.log"},
		"its folder becomes a link": {func(r *repo) { r.remove("ignored/deep"); r.link("/etc", "ignored/deep") }, true, "a.js deep"},
		"one more is no move":       {func(r *repo) { r.write("ignored/later/c.js", "c"); r.write(".env.more", "m") }, false, "a.js deep/b.js deep/b.log"},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := withIgnored(t)
			w := openAt(t, r.top)
			plan, err := Look(context.Background(), w, w.Head, Options{Include: []string{"ignored"}})
			must(t, err)
			t.Cleanup(plan.Close)
			child := filepath.Join(filepath.Dir(r.top), "child")
			r.git("worktree", "add", "-q", "-b", "child", child, "HEAD")
			rounds := 0
			plan.between = func(string) {
				if rounds++; rounds == 1 {
					c.move(r)
				}
			}
			if _, err := plan.Into(context.Background(), openAt(t, child), new(steps), nil); err != nil {
				t.Fatal(explain(err))
			}
			if again := rounds > 1; again != c.again {
				t.Errorf("%d rounds", rounds)
			}
			var got []string
			must(t, filepath.WalkDir(filepath.Join(child, "ignored"), func(full string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					name, _ := filepath.Rel(child, full)
					sameFile(t, r.top, child, name)
					got = append(got, strings.TrimPrefix(name, "ignored/"))
				}
				return err
			}))
			if strings.Join(got, " ") != c.files {
				t.Errorf("%q, want %q", got, c.files)
			}
		})
	}
}

func TestProofSeesOneOtherByteInAnIncludedFile(t *testing.T) {
	t.Parallel()
	r := withIgnored(t)
	w := openAt(t, r.top)
	plan, err := Look(context.Background(), w, w.Head, Options{Include: []string{"ignored"}})
	must(t, err)
	t.Cleanup(plan.Close)
	child := filepath.Join(filepath.Dir(r.top), "child")
	r.git("worktree", "add", "-q", "-b", "child", child, "HEAD")
	plan.between = func(string) { must(t, os.WriteFile(filepath.Join(child, "ignored/a.js"), []byte("b"), 0o644)) }
	if _, err := plan.Into(context.Background(), openAt(t, child), new(steps), nil); code(err) != "proofFailed" {
		t.Error(err)
	}
}

func TestIncludedFilesAreTakenBack(t *testing.T) {
	t.Parallel()
	r := withIgnored(t)
	before := everything(t, r.world())
	w := opened(t, r.top)
	plan, err := Look(context.Background(), w, w.Head, Options{Include: []string{"ignored", ".env"}})
	must(t, err)
	defer plan.Close()
	o := begun(t, w)
	child := created(t, o, filepath.Join(r.world(), "child"), "child")
	if _, err := plan.Into(context.Background(), child, o, nil); err != nil {
		t.Fatal(explain(err))
	}
	if _, err := os.Lstat(filepath.Join(child.Path, "ignored/deep/b.js")); err != nil {
		t.Fatal(err)
	}
	must(t, o.RollBack(context.Background()))
	unchanged(t, r, before)
}

func TestIncludedFilesAreInTheWayOfNothing(t *testing.T) {
	t.Parallel()
	r := withIgnored(t)
	to := filepath.Join(r.world(), "to")
	r.git("worktree", "add", "-q", "-b", "to", to)
	must(t, os.WriteFile(filepath.Join(to, ".env"), []byte("its own"), 0o600))
	w := opened(t, r.top)
	for pattern, want := range map[string]string{"/.env": "targetDirty", "ignored": ""} {
		plan, err := Look(context.Background(), w, w.Head, Options{Include: []string{pattern}})
		must(t, err)
		must(t, plan.Against(context.Background(), opened(t, to)))
		if got := code(plan.refusedError()); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
		plan.Close()
	}
}
