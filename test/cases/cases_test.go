//go:build unix

package cases

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var (
	recipe = flag.String("recipe", "", "another tool, called as PROGRAM PARENT CHILD BRANCH, instead of sidefork")
	keep   = flag.Bool("keep", false, "keep the folders of the cases")
)

// bench is what all cases share: the program, the copies of the scripts that every user can read, the table.
type bench struct {
	dir, tool, compare, git string
	recipe                  bool // the tool is no sidefork: exit status and files alone are judged
	blind                   bool // the judge itself is under test: nothing is printed, no fault is a failure

	mu   sync.Mutex
	rows []row
}

type row struct{ name, as, want, result, verdict, detail string }

func TestCases(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT RUN: the case bank takes minutes (-short)")
	}
	b := newBench(t, *recipe)
	t.Cleanup(b.table)
	for _, name := range bank(t) {
		for _, as := range users(t, name) {
			t.Run(name+"/"+as.name, func(t *testing.T) {
				t.Parallel()
				b.judge(t, name, as)
			})
		}
	}
}

// users are those who run a case: whoever runs the tests and, where that is root, nobody too; one of
// the two where the case is about an ordinary user, or long.
func users(t *testing.T, name string) []user {
	t.Helper()
	if os.Getuid() != 0 {
		return []user{{name: "user"}}
	}
	text, err := os.ReadFile(filepath.Join("bank", name+".sh"))
	if err != nil {
		t.Fatal(err)
	}
	asNobody, asRoot := user{name: "nobody", uid: nobody}, user{name: "root"}
	switch {
	case strings.Contains(string(text), " AS='nobody'"):
		return []user{asNobody}
	case strings.Contains(string(text), "KIND=size") || strings.Contains(string(text), "KIND=parallel"): // long, and no matter of rights
		return []user{asRoot}
	default:
		return []user{asNobody, asRoot}
	}
}

// judge runs one case and puts its verdict into the table.
func (b *bench) judge(t *testing.T, name string, as user) *run {
	t.Helper()
	r := b.newRun(t, name, as)
	t.Cleanup(func() { r.clean(t) })
	entry := row{name: name, as: as.name, want: r.vars["WANT"], result: "-", verdict: "BROKEN"}
	defer func() { b.add(entry) }()
	if entry.detail = b.missing(r.vars, as); entry.detail == "" && r.bench.recipe && entry.want == "list" {
		entry.detail = "the recipe lists no sessions"
	}
	if entry.detail == "" {
		entry.detail = r.prepare(t)
	}
	if entry.detail != "" {
		entry.verdict = "NOT RUN"
		return r
	}
	do := r.fork
	if entry.want == "list" {
		do = r.list
	}
	if err := do(); err != nil {
		t.Fatalf("the case cannot be judged: %v", err)
	}
	entry.result, entry.verdict, entry.detail = r.verdict.result, "PASS", strings.Join(r.verdict.faults, " | ")
	if entry.detail != "" {
		entry.verdict = "FAIL"
		if !b.blind {
			t.Error(strings.Join(r.verdict.faults, "\n"))
		}
	}
	return r
}

func (b *bench) add(r row) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rows = append(b.rows, r)
	if !b.blind {
		fmt.Println(r)
	}
}

func (r row) String() string {
	return fmt.Sprintf("%-8s %-6s %-58s %-7s %-10s %s", r.verdict, r.as, r.name, r.want, r.result, head(r.detail, 300))
}

func head(text string, limit int) string {
	if len(text) > limit {
		return text[:limit] + "…"
	}
	return text
}

// table prints the counts, and every case that did not run or did not pass, at the end.
func (b *bench) table() {
	counts := map[string]map[string]int{}
	for _, r := range b.rows {
		if counts[r.verdict] == nil {
			counts[r.verdict] = map[string]int{}
		}
		counts[r.verdict][r.want]++
	}
	wants := []string{"exact", "either", "report", "refuse", "list"}
	fmt.Printf("\n%-8s", "")
	for _, want := range wants {
		fmt.Printf(" %7s", want)
	}
	fmt.Println()
	for _, verdict := range []string{"PASS", "FAIL", "BROKEN", "NOT RUN"} {
		fmt.Printf("%-8s", verdict)
		for _, want := range wants {
			fmt.Printf(" %7d", counts[verdict][want])
		}
		fmt.Println()
	}
	slices.SortFunc(b.rows, func(x, y row) int { return strings.Compare(x.verdict+x.name+x.as, y.verdict+y.name+y.as) })
	for _, r := range b.rows {
		if r.verdict != "PASS" {
			fmt.Println(r)
		}
	}
}

// newBench builds the program and copies the scripts to where every user can read them.
func newBench(t *testing.T, recipe string) *bench {
	t.Helper()
	dir, err := os.MkdirTemp("", "bank")
	if err != nil {
		t.Fatal(err)
	}
	if !*keep {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
	}
	b := &bench{dir: dir, compare: filepath.Join(dir, "trees"), tool: filepath.Join(dir, "sidefork"), recipe: recipe != ""}
	if b.dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "cases"), os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	build := map[string]string{b.compare: "../compare/trees"}
	if recipe == "" {
		build[b.tool] = "../../cmd/sidefork"
	} else {
		b.tool = filepath.Join(dir, "cases", recipe)
	}
	for to, from := range build {
		if out, err := exec.Command("go", "build", "-o", to, from).CombinedOutput(); err != nil {
			t.Fatalf("%s cannot be built: %v\n%s", from, err, out)
		}
	}
	b.fakeAgents(t)
	version, err := exec.Command("git", "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	b.git = strings.Fields(string(version))[2]
	return b
}

// fakeAgents puts programs on the PATH that only tell their versions: whether a session can be forked depends on that.
func (b *bench) fakeAgents(t *testing.T) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(b.dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, version := range map[string]string{"claude": "2.1.332 (Claude Code)", "codex": "codex-cli 0.171.0"} {
		if err := os.WriteFile(filepath.Join(b.dir, "bin", name), []byte("#!/bin/sh\necho '"+version+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// bank gives the names of the cases.
func bank(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("bank/*.sh")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".sh"))
	}
	return names
}
