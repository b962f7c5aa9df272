package setup

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidefork/sidefork/carry/worktree"
)

// repository makes a repository of these files; "-> x" is a link to x. All but those in later are committed.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull,
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
		"GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
	} {
		t.Setenv(name, value)
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	write(t, top, files)
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", "one"}} {
		if out, err := exec.Command("git", append([]string{"-C", top}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return top
}

func write(t *testing.T, top string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(top, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(at), 0o755))
		must(t, os.RemoveAll(at))
		if to, is := strings.CutPrefix(text, "-> "); is {
			must(t, os.Symlink(to, at))
		} else {
			must(t, os.WriteFile(at, []byte(text), 0o644))
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// found wants a setup, and the same in the commit as on the disk.
func found(t *testing.T, top string) *Setup {
	t.Helper()
	s, err := Find(context.Background(), Disk(top))
	must(t, err)
	if s == nil {
		t.Fatal("no setup was found")
	}
	return s
}

func TestTheFirstFileThatHasASetupCounts(t *testing.T) {
	system, script := "unix", "bash .cursor/init.sh"
	if runtime.GOOS == "windows" {
		system, script = "windows", `.cursor\init.sh`
	}
	ours, orca := `{"setup":"a","teardown":["x"," y "],"policy":"ask","agents":{},"carry":1}`, "scripts:\n  setup: |\n    b\n    c\n  archive: d\ndefaultTabs:\n  - title: T\n    command: e\n"
	cursor, conductor := `{"setup-worktree":["f","g"],"other":1}`, `{"scripts":{"setup":"h","run":"i","archive":"j"}}`
	for name, c := range map[string]struct {
		files map[string]string
		want  *Setup
	}{
		"ours before all": {
			map[string]string{".sidefork.json": ours, "orca.yaml": orca, cursorFile: cursor, "conductor.json": conductor},
			&Setup{Source: ".sidefork.json", Commands: []string{"a"}, Teardown: []string{"x", "y"}, Policy: "ask", Ignored: []Ignored{{".sidefork.json", "agents"}, {".sidefork.json", "carry"}}},
		},
		"ours says only a policy": {
			map[string]string{".sidefork.json": `{"policy":"skip"}`, "orca.yaml": orca},
			&Setup{Source: "orca.yaml", Commands: []string{"b\nc"}, Teardown: []string{"d"}, Terminals: []Terminal{{"T", "e"}}, Policy: "skip"},
		},
		"Orca's policy": {
			map[string]string{"orca.yaml": "setupRunPolicy: skip-by-default\n" + orca},
			&Setup{Source: "orca.yaml", Commands: []string{"b\nc"}, Teardown: []string{"d"}, Terminals: []Terminal{{"T", "e"}}, Policy: "skip"},
		},
		"Cursor before Conductor": {
			map[string]string{cursorFile: cursor, "conductor.json": conductor}, &Setup{Source: cursorFile, Commands: []string{"f", "g"}},
		},
		"Cursor for this system": {
			map[string]string{cursorFile: `{"setup-worktree-` + system + `":["x"],"setup-worktree":["f"]}`}, &Setup{Source: cursorFile, Commands: []string{"x"}},
		},
		"Cursor's script":  {map[string]string{cursorFile: `{"setup-worktree":"init.sh"}`, ".cursor/init.sh": ""}, &Setup{Source: cursorFile, Commands: []string{script}}},
		"Cursor's command": {map[string]string{cursorFile: `{"setup-worktree":"npm ci"}`}, &Setup{Source: cursorFile, Commands: []string{"npm ci"}}},
		"Conductor":        {map[string]string{"conductor.json": conductor}, &Setup{Source: "conductor.json", Commands: []string{"h"}, Teardown: []string{"j"}}},
		"terminals alone":  {map[string]string{".sidefork.json": `{"terminals":[{"title":"t"}]}`}, &Setup{Source: ".sidefork.json", Commands: nil, Terminals: []Terminal{{Title: "t"}}}},
		"a teardown alone": {map[string]string{".sidefork.json": `{"teardown":"x"}`}, &Setup{Source: ".sidefork.json", Teardown: []string{"x"}}},
		"nothing":          {map[string]string{"README": "x", "orca.yaml": "", cursorFile: "{}", "conductor.json": "{}"}, nil},
		"ignored by git":   {map[string]string{".gitignore": ".sidefork.json", ".sidefork.json": ours}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			top := repository(t, c.files)
			for where, view := range map[string]View{"disk": Disk(top), "commit": Tree(top, "HEAD")} {
				got, err := Find(context.Background(), view)
				must(t, err)
				if got != nil {
					if len(got.Hash) != 64 {
						t.Errorf("%s: hash %q", where, got.Hash)
					}
					got.Hash, got.Covered = "", nil
				}
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("%s: %s", where, d)
				}
			}
		})
	}
}

func TestWhatCannotBeShownAsItIsIsNoSetup(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"no JSON":              {".sidefork.json": `{"setup":`},
		"a number":             {".sidefork.json": `{"setup":7}`},
		"another policy":       {".sidefork.json": `{"setup":"a","policy":"always"}`},
		"no YAML":              {"orca.yaml": "scripts: [\n"},
		"aliases upon aliases": {"orca.yaml": "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\nscripts: *f\n"},
		"an escape sequence":   {".sidefork.json": `{"setup":"echo \u001b[2K"}`},
		"a carriage return":    {".sidefork.json": `{"setup":"rm -rf ~ #\rmake"}`},
		"a bidi override":      {"conductor.json": `{"scripts":{"setup":"echo \u202e"}}`},
		"a hidden teardown":    {".sidefork.json": `{"setup":"a","teardown":"b\u001b[8m"}`},
		"a hidden terminal":    {".sidefork.json": `{"terminals":[{"title":"t","command":"a\u0008b"}]}`},
		"too many words":       {".sidefork.json": `{"setup":"` + strings.Repeat("./a{1..9} cd b1;cd b2 ", 1) + manyWords() + `"}`},
		"a link":               {".sidefork.json": "-> other.json", "other.json": `{"setup":"a"}`},
		"links without end":    {".sidefork.json": `{"setup":"./a"}`, "a": "-> b", "b": "-> a"},
		"too large":            {".sidefork.json": `{"setup":"a"}` + strings.Repeat(" ", maxFile)},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Find(context.Background(), Disk(repository(t, files)))
			if no, ok := err.(*worktree.Refusal); !ok || no.Code != "setupBroken" || no.Args["what"] == "" {
				t.Errorf("%+v %v", s, err)
			}
		})
	}
}

func manyWords() string {
	var words strings.Builder
	for i := range maxNames {
		words.WriteString(" w" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676%26)))
	}
	return words.String()
}

func TestTheHashCoversTheFileAndWhatItsCommandsName(t *testing.T) {
	files := map[string]string{
		".sidefork.json": `{"setup":["bash scripts/a.sh && ./b","cd tools; ./c x","node 'my file.js'","sh my\\ other.sh","sh < input","./link","l2/d.sh","cp .env.example .env"],"terminals":[{"title":"t","command":"./term"}],"teardown":"sh down.sh"}`,
		"scripts/a.sh":   "a", "b": "b", "tools/c": "c", "my file.js": "d", "my other.sh": "o", "input": "e", "link": "-> target", "target": "f", "l2": "-> real", "real/d.sh": "g",
		"term": "h", "down.sh": "i", "c": "not it", "README": "x", ".gitignore": ".env\n", ".env.example": "",
	}
	top := repository(t, files)
	before := found(t, top).Hash
	if s, err := Find(context.Background(), Tree(top, "HEAD")); err != nil || s.Hash != before {
		t.Errorf("the commit has another hash than the same files on the disk: %v", err)
	}
	for name, changes := range map[string]bool{
		"scripts/a.sh": true, "b": true, "tools/c": true, "my file.js": true, "my other.sh": true, "input": true, "target": true, "real/d.sh": true, "term": true, "down.sh": true,
		"README": false, "unrelated/new": false, ".env": false,
	} {
		write(t, top, map[string]string{name: "changed"})
		if got := found(t, top).Hash != before; got != changes {
			t.Errorf("%s changed: another hash: %v", name, got)
		}
		must(t, os.Remove(filepath.Join(top, name)))
		if text, had := files[name]; had {
			if got := found(t, top).Hash != before; got != changes {
				t.Errorf("%s removed: another hash: %v", name, got)
			}
			write(t, top, map[string]string{name: text})
		}
	}
	write(t, top, map[string]string{"link": "-> README"})
	if found(t, top).Hash == before {
		t.Error("a link leads elsewhere, and the hash is the same")
	}
	write(t, top, map[string]string{"link": "-> /etc/hostname", "b": "-> ../outside"})
	found(t, top) // and nothing out there was read
}

func TestTrustIsForOneRepositoryAndOneHash(t *testing.T) {
	state, repo := filepath.Join(t.TempDir(), "state", "trust"), filepath.Join(t.TempDir(), "app")
	hash, other := strings.Repeat("0a", 32), strings.Repeat("0b", 32)
	s := Store{Folder: state, Common: filepath.Join(repo, ".git"), Tops: []string{repo}}
	if s.Trusts(hash) {
		t.Error("trusted before anybody said so")
	}
	must(t, s.Trust(&Setup{Source: "orca.yaml", Hash: hash}))
	must(t, s.Trust(&Setup{Source: "orca.yaml", Hash: hash}))
	if !s.Trusts(hash) || s.Trusts(other) || s.Trusts("") || s.Trusts("../"+hash) {
		t.Error("what was approved is trusted, and nothing else")
	}
	elsewhere := s
	elsewhere.Common = filepath.Join(t.TempDir(), ".git")
	if elsewhere.Trusts(hash) {
		t.Error("another repository is trusted")
	}
	entries, err := os.ReadDir(filepath.Dir(s.file(hash)))
	must(t, err)
	info, err := os.Stat(s.file(hash))
	must(t, err)
	if len(entries) != 1 || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", entries, info.Mode())
	}
	must(t, os.MkdirAll(filepath.Dir(elsewhere.file(hash)), 0o700))
	must(t, os.Link(s.file(hash), elsewhere.file(hash)))
	if elsewhere.Trusts(hash) {
		t.Error("a copied file is trusted for another repository")
	}
	if runtime.GOOS != "windows" {
		must(t, os.Chmod(s.file(hash), 0o666))
		if s.Trusts(hash) {
			t.Error("a file that anybody can write is trusted")
		}
	}
}

func TestTrustInsideTheRepositoryIsNone(t *testing.T) {
	repo := t.TempDir()
	hash := strings.Repeat("0a", 32)
	outside := Store{Folder: filepath.Join(repo, "state"), Common: filepath.Join(repo, ".git")}
	must(t, outside.Trust(&Setup{Source: "orca.yaml", Hash: hash})) // as the repository's author would
	inside := outside
	inside.Tops = []string{repo}
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(repo, link))
	for _, folder := range []string{filepath.Join(repo, "state"), filepath.Join(link, "state"), "", "relative"} {
		inside.Folder = folder
		if inside.Trusts(hash) {
			t.Errorf("%q: trusted", folder)
		}
		if no, ok := inside.Trust(&Setup{Source: "orca.yaml", Hash: hash}).(*worktree.Refusal); !ok || no.Code != "trustNotKept" {
			t.Errorf("%q: %v", folder, no)
		}
	}
}
