package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/sidefork/sidefork"

// pkg is what go list tells of a package, its tests left out.
type pkg struct {
	ImportPath string
	Standard   bool
	Imports    []string
}

// place is a package's path inside the module: "carry/git"; "" for one of another module.
func place(path string) string {
	inside, ours := strings.CutPrefix(path, module+"/")
	if !ours {
		return ""
	}
	return inside
}

func under(place, folder string) bool { return place == folder || strings.HasPrefix(place, folder+"/") }

// packages lists the module's packages and all that they need, for one system.
func packages(t *testing.T, goos string) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports", "./...")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// TestImportArrowsPointOneWay holds docs/ARCHITECTURE.md to its word: cmd → sidecar → commands → carry, sessions.
func TestImportArrowsPointOneWay(t *testing.T) {
	may := map[string][]string{ // who may import whom, beside itself
		"cmd":      {"sidecar", "commands", "carry", "sessions"},
		"sidecar":  {"commands"},
		"commands": {"carry", "sessions"},
		"carry":    {},
		"sessions": {},
		"test":     {"cmd", "sidecar", "commands", "carry", "sessions"},
	}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, p := range packages(t, goos) {
			from := place(p.ImportPath)
			if from == "" {
				continue
			}
			room, _, _ := strings.Cut(from, "/")
			allowed, known := may[room]
			if !known {
				t.Errorf("%s: %s is no room of the house", goos, from)
			}
			for _, imported := range p.Imports {
				to := place(imported)
				if other, _, _ := strings.Cut(to, "/"); to != "" && other != room && !slices.Contains(allowed, other) {
					t.Errorf("%s: %s imports %s: the arrow points back", goos, from, to)
				}
			}
		}
	}
}

// TestTheComparatorKnowsNothingOfTheCarry: what proves the carry must not be built from it.
func TestTheComparatorKnowsNothingOfTheCarry(t *testing.T) {
	for _, p := range packages(t, "linux") {
		if from := place(p.ImportPath); under(from, "test/compare") || under(from, "test/snapshot") {
			for _, imported := range p.Imports {
				if to := place(imported); to != "" && !under(to, "test") {
					t.Errorf("%s imports %s", from, to)
				}
			}
		}
	}
}

// TestOneGitOneExec: processes are started in few places, each of which has one reason; each big library is known in one.
func TestOneGitOneExec(t *testing.T) {
	may := map[string][]string{
		"os/exec": {
			"carry/git",           // git
			"carry/group",         // none itself: ending one with all that it started
			"carry/worktree",      // only to tell that there is no git
			"carry",               // a post-checkout hook's file, where git is too old to run it
			"commands/setup",      // the repository's setup, once it is approved
			"sessions",            // an agent's --version and import
			"sessions/terminal",   // an agent on a terminal of ours, and tmux
			"cmd/sidefork/cli",    // the agent of a fork, in this terminal
			"cmd/sidefork/remote", // ssh
			"test",
		},
		"go.lsp.dev/jsonrpc2":                   {"sidecar", "test"},
		"go.lsp.dev/protocol":                   {"sidecar", "test"},
		"go.lsp.dev/uri":                        {"sidecar", "test"},
		"github.com/spf13/cobra":                {"cmd/sidefork/cli", "cmd/manual"},
		"github.com/fsnotify/fsnotify":          {"sessions/watch"},
		"github.com/BurntSushi/toml":            {"sessions/codex"},
		"mvdan.cc/sh/v3/syntax":                 {"sessions/guard"},
		"go.yaml.in/yaml/v3":                    {"commands/setup"},
		"github.com/creack/pty":                 {"sessions/terminal", "test"},
		"github.com/charmbracelet/x/vt":         {"sessions/terminal"},
		"charm.land/bubbletea/v2":               {"cmd/sidefork/dialog"},
		"github.com/rogpeppe/go-internal/diff":  {"commands/setup"},
		"github.com/nicksnyder/go-i18n/v2/i18n": {"commands/locales"},
		"golang.org/x/text/language":            {"commands/locales"},
	}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, p := range packages(t, goos) {
			from := place(p.ImportPath)
			if from == "" {
				continue
			}
			for _, imported := range p.Imports {
				places, guarded := may[imported]
				if guarded && !slices.ContainsFunc(places, func(there string) bool {
					return from == there || there == "test" && under(from, "test")
				}) {
					t.Errorf("%s: %s imports %s", goos, from, imported)
				}
			}
		}
	}
}

// TestTheDialogCostsASidecarNothing: one program has both, and each package in it is initialised at each start. What the
// dialog alone brings may allocate next to nothing then; time is not measured here, it goes with that.
func TestTheDialogCostsASidecarNothing(t *testing.T) {
	deps := map[string][]string{}
	for _, p := range packages(t, "linux") {
		deps[p.ImportPath] = p.Imports
	}
	reach := func(without string) map[string]bool {
		seen := map[string]bool{}
		for todo := []string{module + "/cmd/sidefork"}; len(todo) > 0; todo = todo[1:] {
			if at := todo[0]; at != without && !seen[at] {
				seen[at] = true
				todo = append(todo, deps[at]...)
			}
		}
		return seen
	}
	others := reach("charm.land/bubbletea/v2")
	brought := map[string]bool{}
	for path := range reach("") {
		brought[path] = !others[path]
	}
	if !brought["charm.land/bubbletea/v2"] {
		t.Fatal("the dialog is not drawn by Bubble Tea any more")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	total := 0
	for _, init := range regexp.MustCompile(`(?m)^init (\S+) @.* clock, (\d+) bytes`).FindAllSubmatch(out, -1) {
		if bytes, _ := strconv.Atoi(string(init[2])); brought[string(init[1])] {
			total += bytes
			t.Logf("%s: %d bytes", init[1], bytes)
		}
	}
	if most := 8 << 10; total > most {
		t.Errorf("what the dialog brings allocates %d bytes at each start, more than %d", total, most)
	}
}

// TestNothingListens: nobody reaches a sidecar but through its own pipes (docs/security.md). A setup is told of a port that was
// free a moment ago.
func TestNothingListens(t *testing.T) {
	for path, text := range sources(t) {
		if strings.HasPrefix(path, "test/") || strings.HasSuffix(path, "_test.go") || path == "commands/setup/run.go" {
			continue
		}
		for _, way := range []string{"net.Listen", "ListenConfig", "ListenPacket", "ListenUnix", "ListenTCP", "unix.Listen", "syscall.Listen", `"net/http"`, `"net/rpc"`, `"expvar"`, "net.Dial"} {
			if strings.Contains(text, way) {
				t.Errorf("%s has %s", path, way)
			}
		}
	}
}

// TestGitIsRunOnlyInCarryGit: an argv that begins with git is built at one place.
func TestGitIsRunOnlyInCarryGit(t *testing.T) {
	for path, text := range sources(t) {
		if strings.HasPrefix(path, "test/") || strings.HasPrefix(path, "carry/git/") || strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, call := range []string{`exec.Command("git"`, `exec.CommandContext(ctx, "git"`, `exec.LookPath("git"`} {
			if strings.Contains(text, call) {
				t.Errorf("%s runs git itself: %s", path, call)
			}
		}
		if strings.HasPrefix(path, "carry/worktree/") && strings.Contains(text, "exec.Command") {
			t.Errorf("%s starts a process", path)
		}
	}
}

// TestTheHouseHasItsRooms: top-level folders are these seven and docs/.
func TestTheHouseHasItsRooms(t *testing.T) {
	rooms := []string{"cmd", "sidecar", "commands", "carry", "sessions", "editors", "test", "docs"}
	made := []string{"bin", "dist"} // by make, ignored by git
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(rooms, e.Name()) && !slices.Contains(made, e.Name()) {
			t.Errorf("%s is no room of the house", e.Name())
		}
	}
}

// TestNothingRunsAtInit: no init functions, whose order nobody sees.
func TestNothingRunsAtInit(t *testing.T) {
	for path, text := range sources(t) {
		if strings.Contains("\n"+text, "\nfunc init()") {
			t.Errorf("%s has an init function", path)
		}
	}
}

// TestAFileIsASubject: a file of the product with more than 400 lines has more than one.
func TestAFileIsASubject(t *testing.T) {
	for path, text := range sources(t) {
		if lines := strings.Count(text, "\n"); lines > 400 && !strings.HasPrefix(path, "test/") && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s has %d lines", path, lines)
		}
	}
}

// TestTheFeaturesNameTestsThatExist: docs/features.md promises a proof for each row.
func TestTheFeaturesNameTestsThatExist(t *testing.T) {
	text, err := os.ReadFile("../docs/features.md")
	if err != nil {
		t.Fatal(err)
	}
	if tests, stories := namedTestsExist(t, text); tests < 20 || stories < 10 {
		t.Fatalf("only %d tests and %d stories are named", tests, stories)
	}
}

// namedTestsExist fails for each test and story that a text names and that is not there, and counts those that it names.
func namedTestsExist(t *testing.T, text []byte) (int, int) {
	t.Helper()
	var all strings.Builder
	for _, source := range sources(t) {
		all.WriteString(source)
	}
	tests := regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllSubmatch(text, -1)
	stories := regexp.MustCompile(`story ([a-z]+)`).FindAllSubmatch(text, -1)
	for _, name := range tests {
		if !strings.Contains(all.String(), "func "+string(name[1])+"(") {
			t.Errorf("there is no %s", name[1])
		}
	}
	for _, name := range stories {
		if _, err := os.Stat(filepath.Join("stories", string(name[1])+".txtar")); err != nil {
			t.Errorf("there is no story %s", name[1])
		}
	}
	return len(tests), len(stories)
}

// sources are the module's Go files by their path in it.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("..", path)
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != ".." || rel == "bin" || rel == "dist" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files[filepath.ToSlash(rel)] = string(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("only %d sources found", len(files))
	}
	return files
}

// TestEveryTestIsRunByMake: a package of tests that no target names would be read by nobody.
func TestEveryTestIsRunByMake(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	run, err := os.ReadFile("agents/run")
	if err != nil {
		t.Fatal(err)
	}
	said := string(makefile) + string(run)
	found, err := filepath.Glob("*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		if name := "./test/" + filepath.Base(filepath.Dir(file)); !regexp.MustCompile(regexp.QuoteMeta(name) + `(/\.\.\.)?\b`).MatchString(said) {
			t.Errorf("no target of the Makefile runs %s", name)
		}
	}
}
