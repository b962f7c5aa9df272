//go:build agents && unix

package agents_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/test/fakeapi"
)

// forked is what a test needs of sidefork's ForkResult.
type forked struct {
	Status    string
	Workspace struct{ Path, Branch string }
	Session   struct {
		Agent, ID string
		Parent    struct{ Agent, ID string }
	}
	Launch struct {
		Argv        []string
		Cwd         string
		Env         map[string]*string
		CommandLine struct{ POSIX string }
	}
	Warnings []struct{ Code, Message string }
}

// fork forks a session by the command line, as a script would.
func (w *world) fork(session, name string, more ...string) forked {
	w.t.Helper()
	args := append([]string{"fork", w.repo, "--name", name, "--session", w.agent.name + ":" + session, "--json"}, more...)
	var f forked
	if err := json.Unmarshal([]byte(w.run(w.repo, os.Getenv(sideforkVariable), args...)), &f); err != nil {
		w.t.Fatal(err)
	}
	w.check(f, session)
	return f
}

// check holds a result to what it has to say of a forked session.
func (w *world) check(f forked, parent string) {
	w.t.Helper()
	s := f.Session
	if f.Status != "completed" || s.Agent != w.agent.name || s.Parent.Agent != w.agent.name || s.Parent.ID != parent || s.ID == parent {
		w.t.Fatalf("the fork of %s: %+v", parent, f)
	}
	if len(f.Launch.Argv) == 0 || f.Launch.Cwd != f.Workspace.Path {
		w.t.Fatalf("the launch in %s: %+v", f.Workspace.Path, f.Launch)
	}
	for _, warning := range f.Warnings {
		w.t.Errorf("a warning: %+v", warning)
	}
}

// listed is what a test needs of a session in sidefork's list.
type listed struct {
	Agent, ID, Cwd, State, Status, FirstPrompt string
	PID                                        int
	Fork                                       struct{ Kind string }
}

// session is a session as sidefork lists it in a workspace.
func (w *world) session(workspace, id string) listed {
	w.t.Helper()
	var list struct {
		Sessions []listed
		Problems []struct{ Source, Message string }
	}
	out := w.run(workspace, os.Getenv(sideforkVariable), "sessions", "--json")
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		w.t.Fatal(err)
	}
	if len(list.Problems) > 0 {
		w.t.Errorf("problems of the list: %v", list.Problems)
	}
	for _, s := range list.Sessions {
		if s.ID == id {
			if s.Agent != w.agent.name || s.Cwd != workspace || s.Fork.Kind != "native" || s.FirstPrompt == "" {
				w.t.Errorf("the session in %s is listed as %+v", workspace, s)
			}
			return s
		}
	}
	w.t.Fatalf("%s is not in the list of %s: %s", id, workspace, out)
	return listed{}
}

// launch starts a fork's agent in a terminal of the person's, as a client does.
func (w *world) launch(f forked) *terminal {
	w.t.Helper()
	return w.open(f.Launch.Cwd, apply(w.terminal(), f.Launch.Env), f.Launch.Argv)
}

// apply changes an environment as ForkResult.launch.env says: null removes.
func apply(env []string, changes map[string]*string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, changed := changes[name]
		return changed
	})
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if value := changes[name]; value != nil {
			env = append(env, name+"="+*value)
		}
	}
	return env
}

// proveTurn judges the turn of a child with prompt: whose it is, where, and that it carries the parent's word. It gives the
// child's session id.
func (w *world) proveTurn(f forked, parent, prompt, word string) (child string) {
	w.t.Helper()
	r := w.turn(prompt)
	w.t.Logf("the request that carried the codeword: %s", excerpt(r, word))
	child = w.agent.who(w, r)
	if child == "" || child == parent {
		w.t.Errorf("the turn is of session %q; its parent is %s", child, parent)
	}
	if f.Session.ID != "" && child != f.Session.ID {
		w.t.Errorf("the turn is of session %s, but sidefork reported %s", child, f.Session.ID)
	}
	if !strings.Contains(string(r.Body), word) {
		w.t.Errorf("the turn does not carry %s: %s", word, r.Line())
	}
	if got := w.agent.where(r); got != f.Workspace.Path {
		w.t.Errorf("the turn is in %q, not in the child %q", got, f.Workspace.Path)
	}
	w.agent.checkTranscript(w.t, w.awaitTranscript(child, prompt), parent, child, f.Workspace.Path)
	return child
}

// quoted is a text as it stands in a request's body.
func quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string
	return strings.Trim(strings.TrimSpace(b.String()), `"`)
}

// excerpt is a request as one short line: who asked, and each place that holds the word.
func excerpt(r fakeapi.Request, word string) string {
	short := struct {
		N            int
		Method, Path string
		Session      string
		Body         []string
	}{r.N, r.Method, r.Path, r.Headers["x-claude-code-session-id"] + r.Headers["thread-id"] + r.Headers["x-session-id"], nil}
	body := string(r.Body)
	for at, from := 0, 0; ; from = at + len(word) {
		next := strings.Index(body[from:], word)
		if next < 0 {
			break
		}
		at = from + next
		short.Body = append(short.Body, strings.ToValidUTF8("…"+body[max(0, at-60):min(len(body), at+len(word)+20)]+"…", ""))
	}
	line, err := json.Marshal(short)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(line)
}
