// Demo shows what sidefork does, on a sample: `make demo`, or `go run ./test/demo bin/sidefork`.
//
// It makes a repository with every kind of uncommitted change and a recorded Claude Code conversation in a temporary
// folder, starts `sidefork serve` as an editor would, forks over LSP, and shows the stages, the tree of workspaces, git's
// status of both sides, and the command that starts the agent in the child. The ForkResult comes last, as JSON between the
// lines BEGIN ForkResult and END ForkResult. The sample stays, to be looked at; nothing else on this machine is touched.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/test/editor"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./test/demo PATH-OF-SIDEFORK")
		os.Exit(2)
	}
	if err := run(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, sidefork string) error {
	sidefork, err := filepath.Abs(sidefork)
	if err != nil {
		return err
	}
	s, err := makeSample(ctx, sidefork)
	if err != nil {
		return err
	}
	say("A sample repository with uncommitted changes and a recorded conversation: %s", s.repository)
	if s.standIn != "" {
		say("No Claude Code that can fork is on PATH. A stand-in that only tells a version was put into\n%s,\nso that the fork can be shown; the conversation is real, starting it needs the real program.", s.standIn)
	}

	e, err := editor.Start(s.command(ctx, sidefork, "serve"))
	if err != nil {
		return err
	}
	defer e.Close()
	if _, err := e.Initialize(ctx, editor.Options{Folders: []string{s.repository}}); err != nil {
		return fmt.Errorf("%w\n%s", err, e.Stderr())
	}
	var inspection struct {
		Sessions []struct{ Agent, ID, FirstPrompt string }
		Changes  struct{ Modified, New, Staged int }
	}
	if err := e.Execute("sidefork.inspect", map[string]any{"workspace": s.repository}, nil).Into(ctx, &inspection); err != nil {
		return explain(err)
	}
	if len(inspection.Sessions) != 1 {
		return fmt.Errorf("%d sessions were found, not the one that was recorded", len(inspection.Sessions))
	}
	session := inspection.Sessions[0]
	say("An editor asks sidefork serve, over LSP, what there is: %d modified, %d new, %d staged, and one %s session: %q",
		inspection.Changes.Modified, inspection.Changes.New, inspection.Changes.Staged, session.Agent, session.FirstPrompt)

	say("It forks that session into the branch try-cache:")
	call := e.Execute("sidefork.fork", map[string]any{
		"operationId": uuid.NewString(), "workspace": s.repository, "name": "try-cache",
		"session": map[string]string{"agent": session.Agent, "id": session.ID},
	}, "demo")
	start := time.Now()
	for stage := range call.Stages.Each(ctx) {
		fmt.Printf("  %4d ms  %s\n", time.Since(start).Milliseconds(), stage)
	}
	raw, err := call.Wait(ctx)
	if err != nil {
		return explain(err)
	}
	fmt.Printf("  %4d ms  done\n", time.Since(start).Milliseconds())
	var result struct {
		Workspace struct{ Path string }
		Launch    struct {
			CommandLine struct{ POSIX, PowerShell string }
		}
		Carried struct{ Verified bool }
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return err
	}
	if status, err := e.Quit(ctx); err != nil || status != 0 {
		return fmt.Errorf("sidefork serve ended with %d, %w", status, err)
	}
	return s.show(ctx, sidefork, result.Workspace.Path, result.Launch.CommandLine.POSIX, raw)
}

// show prints what the fork has made.
func (s sample) show(ctx context.Context, sidefork, child, start string, result json.RawMessage) error {
	tree, err := s.command(ctx, sidefork, "workspaces", s.repository).Output()
	if err != nil {
		return err
	}
	say("The repository's workspaces now:")
	fmt.Printf("%s", indented(string(tree)))

	say("git status of the parent, and of the child:")
	var columns [2][]string
	for i, dir := range []string{s.repository, child} {
		out, err := s.command(ctx, "git", "-C", dir, "status", "--short", "--branch").Output()
		if err != nil {
			return err
		}
		columns[i] = strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	}
	sideBySide(columns[0], columns[1])

	say("Its agent starts there, with the conversation so far, by (whatever the shell's environment is):\n\n%s", start)
	say("%s", yours(sidefork, s.agents))
	say("The sample stays in %s; remove it when you have seen enough.", s.folder)

	var pretty bytes.Buffer
	if err := json.Indent(&pretty, result, "", "  "); err != nil {
		return err
	}
	fmt.Printf("\nBEGIN ForkResult\n%s\nEND ForkResult\n", pretty.String())
	return nil
}

// yours says how to go on with a repository of one's own, where sidefork is: nothing has installed it yet.
func yours(sidefork, agents string) string {
	if strings.ContainsAny(sidefork, " \t'\"$") {
		sidefork = "'" + strings.ReplaceAll(sidefork, "'", `'\''`) + "'"
	}
	return fmt.Sprintf("Yours: cd into a repository where you have talked to %s, then\n  %[2]s sessions\n  %[2]s fork --name try-something\n(make install puts it on your PATH as sidefork.)", agents, sidefork)
}

func say(format string, a ...any) { fmt.Printf("\n"+format+"\n", a...) }

// explain says in words what a refusal says in JSON.
func explain(err error) error {
	if e, ok := errors.AsType[*editor.Error](err); ok {
		f := e.Failure()
		return fmt.Errorf("%s: %s %s (%s) %s", f.Reason.Code, f.Reason.Message, f.Reason.Remedy, f.Effect, f.Detail)
	}
	return err
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}

func sideBySide(left, right []string) {
	width := 0
	for _, l := range left {
		width = max(width, utf8.RuneCountInString(l))
	}
	for i := range max(len(left), len(right)) {
		var l, r string
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		fmt.Printf("  %s%s  | %s\n", l, strings.Repeat(" ", width-utf8.RuneCountInString(l)), r)
	}
}

// command is a process in the sample's environment.
func (s sample) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env, cmd.Dir, cmd.Stderr = s.env, s.folder, os.Stderr
	return cmd
}
