//go:build unix

package carry

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
)

const operation = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"

// TestHolder is no test: it is the process that the tests below kill. It forks as far as it is told, says so, and stays.
func TestHolder(t *testing.T) {
	t.Parallel()
	stage := os.Getenv("SIDEFORK_TEST_STAGE")
	if stage == "" {
		return
	}
	source, ctx := opened(t, os.Getenv("SIDEFORK_TEST_SOURCE")), context.Background()
	stay := func() {
		os.Stdout.WriteString("ready\n")
		select {}
	}
	o, err := Begin(ctx, source, operation)
	must(t, err)
	request := CreateRequest{Path: filepath.Dir(source.Path) + "/x/child", Branch: "feat/child", Base: source.Head}
	request.Follows, err = source.Published(ctx)
	must(t, err)
	switch stage {
	case "config":
		step := stepFor(source.CommonDir, request.Path, request)
		must(t, o.Will(Step{Workspace: step}))
		gitIn(t, source.Path, "update-ref", "--create-reflog", "-m", branchMessage(operation), "refs/heads/feat/child", source.Head)
		must(t, os.WriteFile(configFile(source.CommonDir, o.ID), []byte(step.Config), 0o644))
		must(t, os.Link(configFile(source.CommonDir, o.ID), source.CommonDir+"/config.lock"))
		stay()
	case "begun":
		stay()
	case "recorded":
		must(t, o.Will(Step{Workspace: stepFor(source.CommonDir, request.Path, request)}))
		stay()
	case "branch":
		must(t, o.Will(Step{Workspace: stepFor(source.CommonDir, request.Path, request)}))
		gitIn(t, source.Path, "update-ref", "--create-reflog", "-m", branchMessage(operation), "refs/heads/feat/child", source.Head)
		stay()
	case "checkout":
		os.Stdout.WriteString("ready\n")
		_, _ = o.Create(ctx, request)
		t.Fatal("the checkout came to its end")
	}
	if strings.HasPrefix(stage, "submodules ") || strings.HasPrefix(stage, "half ") {
		holdSubmodules(t, o, source, stage, stay)
	}
	child, err := o.Create(ctx, request)
	must(t, err)
	if stage == "made" {
		stay()
	}
	o.carry(t, child, "a.txt", "edited")
	o.carry(t, child, "new/n.txt", "new")
	o.carry(t, child, "debug.log", "ignored")
	gitIn(t, child.Path, "update-index", "--add", "--cacheinfo", "100644,"+strings.TrimSpace(gitIn(t, child.Path, "rev-parse", "HEAD:src/b.txt"))+",new/n.txt")
	switch stage {
	case "carried":
		stay()
	case "hooked":
		o.RunHook(ctx, child)
		stay()
	case "kept":
		must(t, o.Keep())
		stay()
	case "undoing":
		must(t, o.journal.say(said{What: saidUndoing}, true))
		must(t, os.Remove(child.Path+"/a.txt"))
		must(t, os.Remove(child.Path+"/new/n.txt"))
		must(t, os.Remove(child.Path+"/docs/c.md"))
		must(t, os.Remove(child.Path+"/docs"))
		stay()
	case "undoingLate":
		must(t, o.journal.say(said{What: saidUndoing}, true))
		must(t, os.RemoveAll(child.Path))
		must(t, os.MkdirAll(child.Path+"/src", 0o755))
		stay()
	}
	t.Fatalf("no stage %s", stage)
}

// held starts a process that forks as far as stage, and gives it when it is there.
func held(t testing.TB, r *repo, stage string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHolder$")
	cmd.Env = append(os.Environ(), "SIDEFORK_TEST_STAGE="+stage, "SIDEFORK_TEST_SOURCE="+r.top, "TMPDIR="+t.TempDir()) // it removes nothing
	out, err := cmd.StdoutPipe()
	must(t, err)
	cmd.Stderr = os.Stderr
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if line != "ready\n" {
		rest, _ := lines.ReadString(0)
		t.Fatalf("the holder of %s said %s%s (%v)", stage, line, rest, err)
	}
	return cmd
}

// killed is held, and killed there.
func killed(t testing.TB, r *repo, stage string) {
	t.Helper()
	kill(t, held(t, r, stage))
}

func kill(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
}

func recovered(t testing.TB, r *repo) []Recovered {
	t.Helper()
	got, err := Recover(context.Background(), r.top+"/.git")
	if err != nil {
		t.Fatalf("Recover: %v", err)
	}
	return got
}

func TestRecoverTakesBackWhatAKilledProcessLeft(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"begun", "recorded", "branch", "made", "carried", "hooked", "undoing", "undoingLate"} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.write("a.txt", "the parent's edit\n")
			hook(t, opened(t, r.top), "echo stamp >>a.txt; echo note >note.txt; echo x >hook.log; rm run.sh")
			before := everything(t, r.world())
			holder := held(t, r, stage)
			if got := recovered(t, r); got != nil {
				t.Errorf("while it runs: %+v", got)
			}
			if got := Outcome(r.top+"/.git", operation); got != "running" {
				t.Errorf("while it runs: %s", got)
			}
			if _, err := Begin(context.Background(), opened(t, r.top), uuid.NewString()); refusal(err) != "forkInProgress" {
				t.Errorf("while it runs: %v", err)
			}
			kill(t, holder)
			if got := Outcome(r.top+"/.git", operation); stage != "begun" && got != "failed" {
				t.Errorf("once it is dead: %s", got)
			}
			got := recovered(t, r)
			if stage == "begun" {
				if got != nil {
					t.Errorf("%+v", got)
				}
			} else if len(got) != 1 || got[0].Action != "rolledBack" || got[0].Operation != operation || got[0].Workspace != r.world()+"/x/child" {
				t.Errorf("%+v", got)
			}
			unchanged(t, r, before)
			if got := recovered(t, r); got != nil {
				t.Errorf("the second time: %+v", got)
			}
			if got := Outcome(r.top+"/.git", operation); got != "rolledBack" {
				t.Errorf("outcome: %s", got)
			}
			begun(t, opened(t, r.top)) // the locks died with their holder
		})
	}
}

func TestRecoverLeavesWhatWasKept(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	killed(t, r, "kept")
	before := everything(t, r.world())
	if got := recovered(t, r); got != nil {
		t.Errorf("%+v", got)
	}
	unchanged(t, r, before)
	if got := Outcome(r.top+"/.git", operation); got != "completed" {
		t.Errorf("outcome: %s", got)
	}
}

func TestRecoverNeverDestroysWork(t *testing.T) {
	t.Parallel()
	child := func(r *repo, name string) string { return r.world() + "/x/child/" + name }
	put := func(r *repo, name, text string) {
		must(r, os.MkdirAll(filepath.Dir(child(r, name)), 0o755))
		must(r, os.WriteFile(child(r, name), []byte(text), 0o644))
	}
	in := func(r *repo, args ...string) { gitIn(r, child(r, ""), args...) }
	for name, c := range map[string]struct {
		work  func(r *repo)
		named string
	}{
		"an edit":                 {func(r *repo) { put(r, "docs/c.md", "mine") }, "docs/c.md"},
		"an edit of carried work": {func(r *repo) { put(r, "a.txt", "editeD") }, "a.txt"},
		"a new file":              {func(r *repo) { put(r, "mine.txt", "mine") }, "mine.txt"},
		"a new file in a folder":  {func(r *repo) { put(r, "my/own/mine.txt", "mine") }, "my/own/mine.txt"},
		"an ignored file":         {func(r *repo) { put(r, "mine.log", "mine") }, "mine.log"},
		"a temporary's name":      {func(r *repo) { put(r, ".sf-1", "mine") }, ".sf-1"},
		"a deletion":              {func(r *repo) { must(r, os.Remove(child(r, "docs/c.md"))) }, "docs/c.md"},
		"a link":                  {func(r *repo) { must(r, os.Symlink("/", child(r, "root"))) }, "root"},
		"a staged edit":           {func(r *repo) { put(r, "docs/c.md", "mine"); in(r, "add", "docs/c.md"); put(r, "docs/c.md", "doc\n") }, ""},
		"a commit":                {func(r *repo) { in(r, "commit", "-q", "--allow-empty", "-m", "mine") }, ""},
		"a commit that was left": {func(r *repo) {
			in(r, "commit", "-q", "--allow-empty", "-m", "mine")
			in(r, "reset", "-q", "--soft", "HEAD~1")
		}, ""},
		"another branch":  {func(r *repo) { in(r, "switch", "-q", "-c", "mine") }, ""},
		"a detached head": {func(r *repo) { in(r, "checkout", "-q", "--detach") }, ""},
		"a merge in progress": {func(r *repo) {
			in(r, "stash", "-q")
			r.write("a.txt", "theirs\n")
			r.commit("theirs")
			in(r, "merge", "-q", "--no-commit", "--no-ff", "main")
		}, ""},
		"a move":               {func(r *repo) { r.git("worktree", "move", child(r, ""), r.world()+"/moved") }, ""},
		"an execute bit":       {func(r *repo) { must(r, os.Chmod(child(r, "docs/c.md"), 0o755)) }, "docs/c.md"},
		"a lock":               {func(r *repo) { r.git("worktree", "lock", child(r, "")) }, ""},
		"a repository":         {func(r *repo) { in(r, "init", "-q", child(r, "nested")) }, "nested"},
		"another repository":   {func(r *repo) { must(r, os.Remove(child(r, ".git"))); in(r, "init", "-q", ".") }, ""},
		"no repository at all": {func(r *repo) { must(r, os.Remove(child(r, ".git"))) }, ""},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			killed(t, r, "carried")
			c.work(r)
			before := everything(t, r.world())
			got := recovered(t, r)
			if len(got) != 1 || got[0].Action != "kept" || got[0].Workspace != r.world()+"/x/child" || len(got[0].Paths) == 0 {
				t.Fatalf("%+v", got)
			}
			if c.named != "" && (len(got[0].Paths) != 1 || got[0].Paths[0] != child(r, c.named)) {
				t.Errorf("named: %q", got[0].Paths)
			}
			_ = os.Remove(r.top + "/.git/worktrees/child/sidefork.json") // so that it is shown as its parent's
			unchanged(t, r, before)
			if got := recovered(t, r); got != nil {
				t.Errorf("the second time: %+v", got)
			}
			unchanged(t, r, before)
		})
	}
}

func TestRecoverOfAWorkspaceThatIsGoneKeepsAMovedBranch(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	killed(t, r, "made")
	child := r.world() + "/x/child"
	gitIn(t, child, "commit", "-q", "--allow-empty", "-m", "mine")
	mine := gitIn(t, child, "rev-parse", "HEAD")
	r.git("worktree", "remove", child)
	if got := recovered(t, r); len(got) != 1 || got[0].Action != "kept" {
		t.Errorf("%+v", got)
	}
	if r.git("rev-parse", "feat/child") != mine {
		t.Error("the branch is gone")
	}
}

func TestRecoverWaitsForTheGitOfADeadProcess(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	marks := slowCheckout(t, r)
	before := everything(t, r.world())
	holder := held(t, r, "checkout")
	awaitLine(t, marks)
	kill(t, holder)                                                        // git goes on
	soon, stop := context.WithTimeout(context.Background(), time.Second/2) // before it gives the git up by itself
	defer stop()
	if got, _ := Recover(soon, r.top+"/.git"); got != nil {
		t.Errorf("while git runs: %+v", got)
	}
	must(t, os.WriteFile(filepath.Dir(marks)+"/go", []byte("go\n"), 0))
	free(t, r)
	if _, err := os.Stat(r.world() + "/x/child/slow.txt"); err != nil {
		t.Errorf("git did not come to its end: %v", err)
	}
	if got := recovered(t, r); len(got) != 1 || got[0].Action != "rolledBack" {
		t.Errorf("%+v", got)
	}
	unchanged(t, r, before)
}

func TestRecoverTakesBackAHalfMadeChild(t *testing.T) {
	t.Parallel()
	for name, work := range map[string]func(r *repo, child string) (kept string){
		"untouched": func(*repo, string) string { return "" },
		"half a file": func(r *repo, child string) string {
			must(r, os.WriteFile(child+"/0.txt", []byte("000"), 0o644))
			return ""
		},
		"an edit": func(r *repo, child string) string {
			must(r, os.WriteFile(child+"/0.txt", []byte("mine"), 0o644))
			return child + "/0.txt"
		},
		"a new file": func(r *repo, child string) string {
			must(r, os.WriteFile(child+"/mine.log", []byte("mine"), 0o644))
			return child + "/mine.log"
		},
		"a commit on no branch": func(r *repo, child string) string {
			mine := strings.TrimSpace(r.git("commit-tree", "-m", "mine", "HEAD^{tree}"))
			gitIn(r, child, "update-ref", "--no-deref", "HEAD", mine)
			return child
		},
		"a lock": func(r *repo, child string) string {
			must(r, os.WriteFile(r.top+"/.git/worktrees/child/locked", []byte("mine\n"), 0o644))
			return child
		},
		"an entry that says nothing yet": func(r *repo, child string) string {
			must(r, os.Remove(r.top+"/.git/worktrees/child/gitdir"))
			must(r, os.RemoveAll(child))
			return ""
		},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			marks := slowCheckout(t, r)
			before := everything(t, r.world())
			holder := held(t, r, "checkout")
			filter, err := strconv.Atoi(strings.TrimSpace(awaitLine(t, marks)))
			must(t, err)
			group, err := syscall.Getpgid(filter)
			must(t, err)
			kill(t, holder)
			must(t, syscall.Kill(-group, syscall.SIGKILL)) // the group of our own git
			free(t, r)
			child := r.world() + "/x/child"
			if _, err := os.Stat(child + "/.git"); err != nil {
				t.Fatal("nothing was half made")
			}
			kept := work(r, child)
			got := recovered(t, r)
			if kept != "" {
				if len(got) != 1 || got[0].Action != "kept" || len(got[0].Paths) != 1 || got[0].Paths[0] != kept {
					t.Errorf("%+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].Action != "rolledBack" {
				t.Errorf("%+v", got)
			}
			unchanged(t, r, before)
		})
	}
}

// free waits until nobody holds the operation's lock.
func free(t testing.TB, r *repo) {
	t.Helper()
	l, err := waitLock(context.Background(), operationLock(r.top+"/.git", operation))
	must(t, err)
	l.release()
}

func TestRollBackInTheSameProcessKeepsWorkToo(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	o := begun(t, opened(t, r.top))
	child := created(t, o, r.world()+"/child", "child")
	mine := child.Path + "/mine.txt"
	must(t, os.WriteFile(mine, []byte("mine"), 0o644))
	before := everything(t, r.world())
	err := o.RollBack(context.Background())
	if stuck, ok := err.(*Stuck); !ok || len(stuck.Paths) != 1 || stuck.Paths[0] != mine {
		t.Fatalf("%v", err)
	}
	unchanged(t, r, before)
	must(t, os.Remove(mine))
	if err := o.RollBack(context.Background()); err != nil {
		t.Errorf("once it is out of the way: %v", err)
	}
}

func TestRollBackOfAFileThatGitAlwaysCallsChanged(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("crlf.txt", "one\r\ntwo\r\n")
	r.commit("CRLF")
	r.write(".gitattributes", "*.txt text eol=lf\n")
	r.git("add", ".gitattributes")
	r.git("commit", "-q", "-m", "rule")
	r.git("checkout", "-q", "HEAD", "--", "crlf.txt")
	before := everything(t, r.world())
	o := begun(t, opened(t, r.top))
	child := created(t, o, r.world()+"/child", "child")
	if gitIn(t, child.Path, "status", "--porcelain") == "" {
		t.Log("this git calls the fresh child clean")
	}
	if err := o.RollBack(context.Background()); err != nil {
		t.Error(err)
	}
	unchanged(t, r, before)
}

func TestRecoverReadsNoJournalThatItCannotHaveWritten(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	precious := r.world() + "/precious"
	r.write("../precious/file", "precious")
	head := strings.TrimSpace(r.git("rev-parse", "HEAD"))
	for name, step := range map[string]Step{
		"relative path":   {Workspace: &WorkspaceStep{Path: []byte("precious"), Branch: "x", Base: head}},
		"bad branch":      {Workspace: &WorkspaceStep{Path: []byte(precious), Branch: "--force", Base: head}},
		"bad base":        {Workspace: &WorkspaceStep{Path: []byte(precious), Branch: "x", Base: "HEAD"}},
		"folder outside":  {Workspace: &WorkspaceStep{Path: []byte(precious), Branch: "x", Base: head, GitFolders: []string{"../../precious"}}},
		"another place":   {Carry: &CarryStep{Target: precious, TargetGitDir: precious, Paths: []WrittenPath{{Path: []byte("file"), Kind: "file"}}}},
		"path outside":    {Carry: &CarryStep{Target: r.top, Paths: []WrittenPath{{Path: []byte("../precious/file"), Kind: "file"}}}},
		"somebody's tree": {Carry: &CarryStep{Target: precious, Fresh: true, Paths: []WrittenPath{{Path: []byte("file"), Kind: "file"}}}},
	} {
		must(t, os.MkdirAll(operationsFolder(r.top+"/.git"), 0o755))
		line, err := json.Marshal(said{What: saidStep, Step: &step})
		must(t, err)
		must(t, os.WriteFile(journalFile(r.top+"/.git", operation), append(line, '\n'), 0o644))
		if got, err := Recover(context.Background(), r.top+"/.git"); err == nil || got != nil {
			t.Errorf("%s: %+v %v", name, got, err)
		}
		if text, _ := os.ReadFile(precious + "/file"); string(text) != "precious" {
			t.Fatalf("%s: the file is gone", name)
		}
	}
	// A folder of somebody's under the name that a journal gives: nothing says that it is ours.
	line, err := json.Marshal(said{What: saidStep, Step: &Step{Workspace: &WorkspaceStep{Path: []byte(precious), Branch: "main", Base: head}}})
	must(t, err)
	must(t, os.WriteFile(journalFile(r.top+"/.git", operation), append(line, '\n'), 0o644))
	before := everything(t, r.world())
	if got := recovered(t, r); len(got) != 1 || got[0].Action != "kept" {
		t.Errorf("%+v", got)
	}
	unchanged(t, r, before)
}

func TestATornLastLineOfAJournalIsNothing(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	before := everything(t, r.world())
	killed(t, r, "made")
	file, err := os.OpenFile(journalFile(r.top+"/.git", operation), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = file.WriteString(`{"what":"step","step":{"carry":{"target":"/wo`)
	must(t, err)
	must(t, file.Close())
	if got := recovered(t, r); len(got) != 1 || got[0].Action != "rolledBack" {
		t.Errorf("%+v", got)
	}
	unchanged(t, r, before)
}

func TestRecoverForgetsOldOutcomes(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	o := begun(t, opened(t, r.top))
	must(t, o.Close())
	path := journalFile(o.source.CommonDir, o.ID)
	text, err := os.ReadFile(path)
	must(t, err)
	recovered(t, r)
	if _, err := os.Stat(path); err != nil {
		t.Error("a new outcome is forgotten")
	}
	var line said
	must(t, json.Unmarshal(text[:strings.IndexByte(string(text), '\n')], &line))
	must(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), line.At.Format("2006-"), "2020-")), 0o644))
	recovered(t, r)
	if _, err := os.Stat(path); err == nil {
		t.Error("an old outcome is still there")
	}
}

// TestTheEndOfAJournalIsThatOfTheWholeOfIt holds the short way against the long one: what it does not see is no end.
func TestTheEndOfAJournalIsThatOfTheWholeOfIt(t *testing.T) {
	const begun = `{"at":"2026-01-02T03:04:05Z","what":"begun","source":"/r"}` + "\n"
	const ended = `{"at":"2026-01-02T03:04:06Z","what":"completed"}` + "\n"
	long := `{"at":"2026-01-02T03:04:05Z","what":"step","step":{"carry":{"target":"` + strings.Repeat("x", 5000) + `"}}}` + "\n"
	for name, c := range map[string]struct {
		text  string
		ended bool
	}{
		"nothing":                     {"", false},
		"begun":                       {begun, false},
		"ended":                       {begun + ended, true},
		"ended after a long line":     {begun + long + ended, true},
		"a long line last":            {begun + long, false},
		"an end that is torn":         {begun + ended[:len(ended)-1], false},
		"an end whose line is broken": {begun + "{}" + ended, false},
		"rolled back":                 {begun + strings.Replace(ended, "completed", "rolledBack", 1), true},
		"kept":                        {begun + strings.Replace(ended, "completed", "kept", 1), true},
		"about to take back":          {begun + strings.Replace(ended, "completed", "undoing", 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			common, id := t.TempDir(), "11111111-2222-3333-4444-555555555555"
			must(t, os.MkdirAll(operationsFolder(common), 0o755))
			must(t, os.WriteFile(journalFile(common, id), []byte(c.text), 0o600))
			at, ended := readEnd(common, id)
			if ended != c.ended {
				t.Errorf("ended: %v", ended)
			}
			if trail, err := readTrail(common, id); ended && (err != nil || trail.end == "" || !trail.last.Equal(at)) {
				t.Errorf("the whole journal says %+v, %v", trail, err)
			}
		})
	}
}
