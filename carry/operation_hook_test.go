//go:build unix

package carry

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sidefork/sidefork/carry/worktree"
)

// hook gives a repository a post-checkout hook.
func hook(t testing.TB, w worktree.Worktree, script string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Join(w.CommonDir, "hooks"), 0o755))
	must(t, os.WriteFile(filepath.Join(w.CommonDir, "hooks", "post-checkout"), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

// slowCheckout gives a repository a filter that says on the returned FIFO that it runs, and then stays. The FIFO that it
// waits on is beside it, with the name "go".
func slowCheckout(t testing.TB, r *repo) string {
	t.Helper()
	dir := t.TempDir()
	marks, goOn := filepath.Join(dir, "marks"), filepath.Join(dir, "go")
	must(t, syscall.Mkfifo(marks, 0o600))
	must(t, syscall.Mkfifo(goOn, 0o600))
	r.write(".gitattributes", "slow.txt filter=slow\n")
	r.write("slow.txt", "slow\n")
	for _, name := range []string{"0", "1", "z"} {
		r.write(name+".txt", strings.Repeat(name, 1000))
	}
	r.commit("slow")
	r.git("config", "filter.slow.smudge", "echo $$ >'"+marks+"'; read x <'"+goOn+"'; cat")
	return marks
}

func awaitLine(t testing.TB, fifo string) string {
	t.Helper()
	file, err := os.Open(fifo)
	must(t, err)
	defer file.Close()
	line, err := bufio.NewReader(file).ReadString('\n')
	must(t, err)
	return line
}

func TestRunHookRunsItAsGitWould(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	w := opened(t, r.top)
	hook(t, w, `echo "$@"; pwd; git ls-files '*.md'; env | grep '^GIT_' >env.txt; exit 0`)
	o := begun(t, w)
	child := created(t, o, r.world()+"/child", "child")
	if _, err := os.Lstat(child.Path + "/env.txt"); err == nil {
		t.Fatal("the hook ran in worktree add")
	}
	got := o.RunHook(context.Background(), child)
	want := strings.Repeat("0", 40) + " " + w.Head + " 1\n" + child.Path + "\ndocs/c.md\n"
	if !got.Ran || got.Failed || got.Output != want || !slices.Equal(got.Changed, []string{"env.txt"}) {
		t.Errorf("%+v", got)
	}
	env, _ := os.ReadFile(child.Path + "/env.txt")
	for _, name := range []string{"GIT_LITERAL_PATHSPECS", "GIT_CONFIG_PARAMETERS", "GIT_OPTIONAL_LOCKS", "GIT_INDEX_FILE"} {
		if strings.Contains(string(env), name+"=") {
			t.Errorf("the hook sees %s:\n%s", name, env)
		}
	}
}

func TestAFailingHookIsAResult(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	w := opened(t, r.top)
	hook(t, w, `echo "husky - command not found" >&2; exit 1`)
	o := begun(t, w)
	child := created(t, o, r.world()+"/child", "child")
	got := o.RunHook(context.Background(), child)
	if !got.Ran || !got.Failed || got.Output != "husky - command not found\n" || got.Changed != nil {
		t.Errorf("%+v", got)
	}
}

func TestAHookThatChangesFilesIsNamedFileByFile(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	w := opened(t, r.top)
	hook(t, w, "echo stamp >>a.txt; echo x >new.txt; echo x >debug.log; rm docs/c.md; git show HEAD:run.sh >run.sh")
	o := begun(t, w)
	child := created(t, o, r.world()+"/child", "child")
	o.carry(t, child, "carried.txt", "c")
	o.carry(t, child, "run.sh", "edited")
	got := o.RunHook(context.Background(), child)
	if want := []string{"a.txt", "debug.log", "docs/c.md", "new.txt", "run.sh"}; got.Failed || !slices.Equal(got.Changed, want) {
		t.Errorf("%+v", got)
	}
}

func TestAHooksBackgroundJobKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	w := opened(t, r.top)
	marks := filepath.Join(t.TempDir(), "marks")
	must(t, syscall.Mkfifo(marks, 0o600))
	hook(t, w, `(echo "$$" >'`+marks+`'; echo from the background) & echo at once`)
	o := begun(t, w)
	child := created(t, o, r.world()+"/child", "child")
	got := o.RunHook(context.Background(), child) // the job waits until somebody reads the FIFO
	if !got.Ran || got.Failed || got.Output != "at once\n" {
		t.Errorf("%+v", got)
	}
	awaitLine(t, marks)
}

func TestARelativeHooksPathIsTheChildsOwn(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write(".gitignore", ".husky/_/\n")
	r.commit("ignore")
	r.write(".husky/_/post-checkout", "#!/bin/sh\necho the parent ran >>ran.txt\nexit 1\n")
	must(t, os.Chmod(r.path(".husky/_/post-checkout"), 0o755))
	r.git("config", "core.hooksPath", ".husky/_")
	for _, dir := range []string{r.top, r.top + "/src"} {
		o := begun(t, opened(t, dir))
		child := created(t, o, r.world()+"/child", "child")
		if got := o.RunHook(context.Background(), child); got.Ran {
			t.Errorf("%+v", got)
		}
		must(t, o.RollBack(context.Background()))
		must(t, o.Close())
	}
}

func TestACancelledHookEndsAndIsTakenBack(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	w := opened(t, r.top)
	marks := filepath.Join(t.TempDir(), "marks")
	must(t, syscall.Mkfifo(marks, 0o600))
	hook(t, w, "echo x >junk.txt; echo $$ >'"+marks+"'; while :; do read x <'"+marks+"'; done")
	before := everything(t, r.world())
	o := begun(t, w)
	child := created(t, o, r.world()+"/child", "child")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan HookResult)
	go func() { done <- o.RunHook(ctx, child) }()
	awaitLine(t, marks)
	cancel()
	if got := <-done; !got.Ran || !got.Failed {
		t.Errorf("%+v", got)
	}
	must(t, o.RollBack(ctx))
	unchanged(t, r, before)
}

func TestACommitThatAHookMadeStops(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	w := opened(t, r.top)
	hook(t, w, "git -c user.name=H -c user.email=h@example.invalid commit -q --allow-empty -m 'from the hook'")
	o := begun(t, w)
	child := created(t, o, r.world()+"/child", "child")
	if got := o.RunHook(context.Background(), child); got.Failed {
		t.Fatalf("%+v", got)
	}
	err := o.RollBack(context.Background())
	if stuck, ok := err.(*Stuck); !ok || len(stuck.Paths) == 0 {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(child.Path + "/a.txt"); err != nil {
		t.Error("the child was taken apart")
	}
}
