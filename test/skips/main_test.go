package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// module makes a module of its own in a new current folder.
func module(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOPROXY", "off")
	files["go.mod"] = "module example.invalid/m\n\ngo 1.26\n"
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func listed(t *testing.T, env map[string]string) (text string, status int) {
	t.Helper()
	var out bytes.Buffer
	status, err := list(&out, memory, func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), status
}

func TestSkipsAreListedOnceWithTheirReasons(t *testing.T) {
	module(t, map[string]string{
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tt.Log(\"before\")\n\tt.Skip(\"the moon\", \"is full\")\n}\n\nfunc TestRuns(t *testing.T) { t.Log(\"quiet\") }\n",
		"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tt.Run(\"in it\", func(t *testing.T) { t.Skipf(\"%d\\nlines\", 2) })\n}\n",
	})
	for range 2 {
		if status, err := test([]string{"./..."}); status != 0 || err != nil {
			t.Fatal(status, err)
		}
	}
	text, status := listed(t, nil)
	want := "Skipped, each for its reason (2):\n  example.invalid/m/a TestOne: the moon is full\n  example.invalid/m/b TestTwo/in_it: 2 lines\n"
	if text != want || status != 0 {
		t.Errorf("status %d, list %q; want %q", status, text, want)
	}
	if text, status := listed(t, nil); text != "No test was skipped.\n" || status != 0 {
		t.Errorf("a second list: status %d, %q", status, text)
	}
}

func TestASkipWithoutAReasonFails(t *testing.T) {
	module(t, map[string]string{"a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) { t.SkipNow() }\n\nfunc TestTwo(t *testing.T) { t.Skip() }\n"})
	if status, err := test([]string{"."}); status != 0 || err != nil {
		t.Fatal(status, err)
	}
	text, status := listed(t, nil)
	if status != 1 || !strings.Contains(text, "TestOne was skipped without a reason") || !strings.Contains(text, "TestTwo was skipped without a reason") {
		t.Errorf("status %d, list %q", status, text)
	}
}

func TestCIFailsWhereItsOwnToolIsMissing(t *testing.T) {
	ci := map[string]string{"CI": "true", "CI_TOOLS": "go git gcc make node npm"}
	for reason, want := range map[string]string{
		"node is not installed": "node", "needs npm": "npm", `exec: "gcc": executable file not found in $PATH`: "gcc", "missing: git": "git", "no make here": "make",
		"root may write everywhere": "", "this git has no worktrees": "", "there is no way to go on": "", "not on a laptop": "", "zsh is not installed": "",
		"nodes are missing": "", "it does not make sense": "",
	} {
		if got := missing(reason, strings.Fields(ci["CI_TOOLS"])); got != want {
			t.Errorf("%q: %q is missing; want %q", reason, got, want)
		}
	}
	for _, c := range []struct {
		env  map[string]string
		want int
	}{{ci, 1}, {map[string]string{"CI_TOOLS": ci["CI_TOOLS"]}, 0}} {
		t.Chdir(t.TempDir())
		if err := remember(memory, []skip{{"p", "TestOne", "node is not installed"}}); err != nil {
			t.Fatal(err)
		}
		if text, status := listed(t, c.env); status != c.want {
			t.Errorf("%v: status %d, list %q", c.env, status, text)
		}
	}
	text, err := os.ReadFile(filepath.Join(start, "../../.ci/run"))
	if err != nil || !strings.Contains(string(text), "export CI=true CI_TOOLS='"+ci["CI_TOOLS"]+"'") {
		t.Errorf(".ci/run does not say which tools it has: %v", err)
	}
}

// TestTheExitStatusAndTheOutputAreGoTests: of what passes one line, of what fails all.
func TestTheExitStatusAndTheOutputAreGoTests(t *testing.T) {
	module(t, map[string]string{
		"good/good_test.go":   "package good\n\nimport \"testing\"\n\nfunc TestGood(t *testing.T) { t.Log(\"quiet\") }\n",
		"bad/bad_test.go":     "package bad\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestBad(t *testing.T) { t.Error(\"loud\") }\n\nfunc TestGood(t *testing.T) { t.Log(\"quiet\") }\n\nfunc TestSkipped(t *testing.T) { t.Skip(\"why\") }\n\nfunc TestEnds(t *testing.T) { println(\"last words\"); os.Exit(3) }\n",
		"broken/broken.go":    "package broken\n\nvar x int = \"\"\n",
		"broken/some_test.go": "package broken\n",
	})
	out, err := os.Create("out")
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = out
	status, err := test([]string{"./..."})
	os.Stdout = stdout
	out.Close()
	said, _ := os.ReadFile("out")
	if status != 1 || err != nil {
		t.Errorf("status %d, %v", status, err)
	}
	for _, want := range []string{"ok  \texample.invalid/m/good", "--- FAIL: TestBad", "loud", "last words", "cannot use \"\"", "FAIL\texample.invalid/m/bad", "[build failed]"} {
		if !strings.Contains(string(said), want) {
			t.Errorf("%q is not shown in %s", want, said)
		}
	}
	for _, not := range []string{"quiet", "why", "=== RUN", `"Action"`} {
		if strings.Contains(string(said), not) {
			t.Errorf("%q is shown in %s", not, said)
		}
	}
	if text, status := listed(t, nil); status != 0 || !strings.Contains(text, "TestSkipped: why") {
		t.Errorf("the skips of a failed run: status %d, %q", status, text)
	}
}

// TestEverySkipInTheTreeSaysWhy also of those that do not run here.
func TestEverySkipInTheTreeSaysWhy(t *testing.T) {
	silent := regexp.MustCompile(`\b[tbf]\.(SkipNow\(\)|Skip\(\)|Skipf?\(""|Skipf?\(err\))`)
	found := 0
	err := filepath.WalkDir(filepath.Join(start, "../.."), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "test/skips/main_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		found += strings.Count(string(text), ".Skip")
		for _, call := range silent.FindAllString(string(text), -1) {
			t.Errorf("%s: %s gives no reason", path, call)
		}
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("%d skips found, %v", found, err)
	}
}

var start, _ = os.Getwd() // before a test leaves it
