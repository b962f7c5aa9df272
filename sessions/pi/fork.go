package pi

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
)

// fork gives `pi --fork FILE [PROMPT]`: by its file the parent is found whatever the folder. The child's file is stored
// where the parent's is. pi chooses the id, and takes no name.
func fork(r agent.ForkRequest) (agent.Launch, error) {
	argv := append([]string{r.Program}, r.Arguments...)
	argv = append(argv, "--fork", r.Parent.Source)
	if r.Prompt != "" {
		argv = append(argv, asPrompt(r.Prompt))
	}
	return agent.Launch{
		Argv: argv, Cwd: r.Child, Env: pin(r.Parent), Parent: r.Parent.ID, Session: agent.ID{Agent: name},
	}, nil
}

// asPrompt keeps a prompt from being taken for a flag or, where it begins with @, for a file; pi knows no "--". A blank
// before it does, and is not seen in the conversation.
func asPrompt(prompt string) string {
	if strings.HasPrefix(prompt, "-") || strings.HasPrefix(prompt, "@") {
		return " " + prompt
	}
	return prompt
}

// awaitStart waits for a file that says it is a fork of the parent in the child's folder: pi writes it before its first
// screen.
func awaitStart(ctx context.Context, s agent.Session, l agent.Launch) (agent.Started, error) {
	again := time.NewTicker(agent.LookAgain)
	defer again.Stop()
	if child, err := filepath.EvalSymlinks(l.Cwd); err == nil {
		l.Cwd = child // as pi writes it down
	}
	for {
		if id := newFork(s, l); id != "" {
			pids, _ := agent.Runs("pi")
			return agent.Started{Session: agent.ID{Agent: name, ID: id}, PID: agent.InFolder(pids, l.Cwd)}, nil
		}
		select {
		case <-ctx.Done():
			return agent.Started{}, fmt.Errorf("pi: await the fork of %s: %w", l.Parent.ID, ctx.Err())
		case <-again.C:
		}
	}
}

// clockSlack is how much older than the launch a fork may call itself: its time has milliseconds.
const clockSlack = time.Second

// newFork is the id of the fork that launch l made, "" while there is none.
func newFork(s agent.Session, l agent.Launch) string {
	files, _ := filesOf(nil, s.Home, []string{l.Cwd}) // a folder that cannot be read has no fork to show
	if folder := l.Env[sessionsVar]; folder != nil {
		files = append(files, flat(nil, *folder, new([]agent.Problem))...)
	}
	slices.Sort(files)
	for _, path := range slices.Backward(files) {
		t, ok := glance(path)
		young := !t.started.Before(l.Prepared.Add(-clockSlack))
		if ok && young && filepath.Clean(t.cwd) == filepath.Clean(l.Cwd) && t.parent == s.Source {
			return idOf(path)
		}
	}
	return ""
}

// glance reads line 1 of a file.
func glance(path string) (t transcript, ok bool) {
	const first = 64 << 10
	f, info, err := jsonl.Open(path)
	if err != nil {
		return t, false
	}
	defer f.Close()
	data, _, err := jsonl.Tail(f, min(info.Size(), first), first)
	if err != nil {
		return t, false
	}
	line, _, _ := strings.Cut(string(data), "\n")
	t.header([]byte(line))
	return t, t.headed
}
