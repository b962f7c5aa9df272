//go:build agents && unix

package agents_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sidefork/sidefork/test/fakeapi"
	"github.com/sidefork/sidefork/test/ptydrive"
)

// patience is how long anything may take, on a machine that is busy with other things.
const patience = 4 * time.Minute

// world is all that one test touches: a home, a repository with uncommitted changes, an account of the agent and the API
// that the agent talks to.
type world struct {
	t       testing.TB
	ctx     context.Context
	agent   agent
	api     *fakeapi.Server
	top     string // a folder that goes with the test, with its links resolved
	home    string
	repo    string // a main checkout
	account string // the agent's account folder
	// variables are what the person's terminal has beside the usual: the account's folder where it is not the default.
	variables map[string]string
}

func newWorld(t *testing.T, a agent) *world {
	t.Helper()
	// Not t.TempDir: the agents put sockets there, whose paths must be short.
	top, err := os.MkdirTemp("", "sf-")
	if err == nil {
		top, err = filepath.EvalSymlinks(top)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(top); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	t.Cleanup(cancel)
	w := &world{
		t: t, ctx: ctx, agent: a, api: a.start(t), top: top,
		home: filepath.Join(top, "home"), repo: filepath.Join(top, "the repo"),
		variables: map[string]string{},
	}
	for _, dir := range []string{w.home, filepath.Join(top, "tmp")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.makeRepository()
	w.account = filepath.Join(w.home, a.folder)
	a.account(w, w.account)
	said, errs, err := w.try(w.repo, a.name, "--version") // pi says it on stderr
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s --version: %s", a.name, strings.TrimSpace(said+errs))
	return w
}

// useAccount moves to an account folder that is not the default: what the person's terminal says from now on.
func (w *world) useAccount(folder string) {
	w.account = folder
	w.agent.account(w, folder)
	w.variables[w.agent.variable] = folder
}

func (w *world) makeRepository() {
	git := func(args ...string) {
		w.t.Helper()
		w.run(w.repo, "git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"}, args...)...)
	}
	write(w.t, filepath.Join(w.repo, "edited.txt"), "as committed\n")
	write(w.t, filepath.Join(w.repo, "staged.txt"), "as committed\n")
	write(w.t, filepath.Join(w.repo, "deleted.txt"), "as committed\n")
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	write(w.t, filepath.Join(w.repo, "edited.txt"), "edited\n")
	write(w.t, filepath.Join(w.repo, "staged.txt"), "staged\n")
	git("add", "staged.txt")
	if err := os.Remove(filepath.Join(w.repo, "deleted.txt")); err != nil {
		w.t.Fatal(err)
	}
	write(w.t, filepath.Join(w.repo, "a folder", "new ü.txt"), "new\n")
}

// terminal is the environment of the person's terminal.
func (w *world) terminal() []string {
	env := []string{
		"PATH=" + binFolders(w.t) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + w.home, "TMPDIR=" + filepath.Join(w.top, "tmp"), "LANG=C.UTF-8", "TERM=xterm-256color", "GIT_CONFIG_NOSYSTEM=1",
	}
	env = append(env, w.agent.environment(w)...)
	for _, name := range slices.Sorted(maps.Keys(w.variables)) {
		env = append(env, name+"="+w.variables[name])
	}
	return env
}

// run runs a command without a terminal and gives what it says on stdout.
func (w *world) run(dir, name string, args ...string) string {
	w.t.Helper()
	out, errs, err := w.try(dir, name, args...)
	if err != nil {
		w.t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, errs)
	}
	return out
}

func (w *world) try(dir, name string, args ...string) (out, errs string, err error) {
	w.t.Helper()
	env := w.terminal()
	program := find(env, name)
	c := exec.CommandContext(w.ctx, program, args...)
	c.Dir, c.Env, c.WaitDelay = dir, env, 10*time.Second
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err = c.Run()
	return stdout.String(), stderr.String(), err
}

// find looks a command up in an environment's PATH, as a terminal's shell would; what is not there keeps its name.
func find(env []string, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	for _, folder := range filepath.SplitList(strings.TrimPrefix(env[0], "PATH=")) {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return name
}

// say has one turn without a terminal and gives the session's id.
func (w *world) say(dir, resume, prompt string) string {
	w.t.Helper()
	argv := w.agent.once(resume, prompt)
	w.run(dir, argv[0], argv[1:]...)
	return w.agent.who(w, w.turn(prompt))
}

// turn awaits the turn whose newest prompt holds a text that no other has.
func (w *world) turn(prompt string) fakeapi.Request {
	w.t.Helper()
	return w.await(fmt.Sprintf("turn with %q", prompt), func(r fakeapi.Request) bool { return strings.Contains(string(r.Body), prompt) })
}

// await awaits the first turn of a conversation that matches.
func (w *world) await(what string, matches func(fakeapi.Request) bool) fakeapi.Request {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	r, err := w.api.Await(ctx, func(r fakeapi.Request) bool { return w.agent.isTurn(r) && matches(r) })
	if err != nil {
		w.t.Fatalf("no %s: %v", what, err)
	}
	return r
}

// open starts a program on a terminal of its own.
func (w *world) open(dir string, env, argv []string) *terminal {
	w.t.Helper()
	argv = append([]string{find(env, argv[0])}, argv[1:]...)
	t, err := ptydrive.Start(ptydrive.Program{Argv: argv, Dir: dir, Env: env})
	if err != nil {
		w.t.Fatal(err)
	}
	opened := &terminal{w: w, pty: t}
	w.t.Cleanup(opened.close)
	return opened
}

type terminal struct {
	w   *world
	pty *ptydrive.Terminal
}

func (t *terminal) await(texts ...string) string {
	t.w.t.Helper()
	ctx, cancel := context.WithTimeout(t.w.ctx, patience)
	defer cancel()
	shown, err := t.pty.Await(ctx, texts...)
	if err != nil {
		t.w.t.Fatal(err)
	}
	return shown
}

// enter types a prompt and sends it.
func (t *terminal) enter(prompt string) {
	t.w.t.Helper()
	ctx, cancel := context.WithTimeout(t.w.ctx, patience)
	defer cancel()
	if err := t.pty.Type(ctx, prompt); err != nil {
		t.w.t.Fatal(err)
	}
	if err := t.pty.Press(ptydrive.Enter); err != nil {
		t.w.t.Fatal(err)
	}
}

// runs says whether a process is the terminal's program or was started by it.
func (t *terminal) runs(pid int) bool {
	below, err := ptydrive.Below(t.pty.PID())
	if err != nil {
		t.w.t.Fatal(err)
	}
	return pid == t.pty.PID() || slices.ContainsFunc(below, func(p string) bool { return strings.HasPrefix(p, strconv.Itoa(pid)+" ") })
}

func (t *terminal) close() {
	if t.w.t.Failed() {
		shown := t.pty.Shown()
		t.w.t.Logf("a terminal showed at last: %s", strings.ToValidUTF8(shown[max(0, len(shown)-1500):], ""))
	}
	if err := t.pty.Close(); err != nil {
		t.w.t.Error(err)
	}
}

// transcript is the one file of a session.
func (w *world) transcript(id string) string {
	w.t.Helper()
	if w.agent.record != nil {
		_, file := w.agent.record(w, id)
		return file
	}
	files, err := filepath.Glob(filepath.Join(w.account, w.agent.transcripts(id)))
	if err != nil || len(files) != 1 {
		w.t.Fatalf("the files of session %s: %q %v", id, files, err)
	}
	return files[0]
}

// told is all that the agent's store has of a session, byte for byte.
func (w *world) told(id string) string {
	w.t.Helper()
	if w.agent.record != nil {
		content, _ := w.agent.record(w, id)
		return content
	}
	return read(w.t, w.transcript(id))
}

// awaitTranscript waits until a session has a file that holds a text.
func (w *world) awaitTranscript(id, text string) string {
	w.t.Helper()
	for {
		var content, file string
		if w.agent.record != nil {
			content, file = w.agent.record(w, id)
		} else if files, _ := filepath.Glob(filepath.Join(w.account, w.agent.transcripts(id))); len(files) == 1 {
			content, file = read(w.t, files[0]), files[0]
		}
		if strings.Contains(content, text) {
			return file
		}
		select {
		case <-w.ctx.Done():
			w.t.Fatalf("no transcript of %s holds %q: %s", id, text, content)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// settled gives a file's content once nobody has written to it for a while: an agent at a terminal files away some of a
// turn after it has shown the answer.
func (w *world) settled(file string) string {
	w.t.Helper()
	content := read(w.t, file)
	for quiet := 0; quiet < 10; quiet++ {
		select {
		case <-w.ctx.Done():
			w.t.Fatalf("%s never settles", file)
		case <-time.After(100 * time.Millisecond):
		}
		if now := read(w.t, file); now != content {
			content, quiet = now, 0
		}
	}
	return content
}
