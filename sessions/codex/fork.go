package codex

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
)

// fork gives `codex fork -c tui.resume_cwd=current ID [PROMPT]`: without the setting Codex asks which folder is meant and
// proposes the parent's; with it the fork also runs in its own process and not in the daemon. Before 0.159 the setting is
// ignored, and -C says the same.
func fork(r agent.ForkRequest) (agent.Launch, error) {
	if r.At != "" {
		return forkAt(r)
	}
	trusted, arguments := trust(r)
	argv := append([]string{r.Program}, r.Arguments...)
	if r.Version.Before(agent.Version{0, 159, 0}) {
		argv = append(argv, "fork", "-C", r.Child)
	} else {
		argv = append(argv, "fork", "-c", "tui.resume_cwd=current")
	}
	argv = append(argv, arguments...)
	argv = withPrompt(append(argv, r.Parent.ID.ID), r.Prompt)
	return agent.Launch{
		Argv: argv, Cwd: r.Child, Env: map[string]*string{"CODEX_HOME": agent.Pin(r.Parent)},
		Parent: r.Parent.ID, Session: agent.ID{Agent: name}, Trust: trusted, // Codex chooses the id
	}, nil
}

func withPrompt(argv []string, prompt string) []string {
	if strings.HasPrefix(prompt, "-") {
		argv = append(argv, "--")
	}
	if prompt != "" {
		argv = append(argv, prompt)
	}
	return argv
}

// awaitStart waits for a rollout that says it is a fork of the parent in the child's folder: its first line is written
// before the first turn.
func awaitStart(ctx context.Context, s agent.Session, l agent.Launch) (agent.Started, error) {
	again := time.NewTicker(agent.LookAgain)
	defer again.Stop()
	known := map[string]bool{}
	if child, err := filepath.EvalSymlinks(l.Cwd); err == nil {
		l.Cwd = child // as Codex writes it down
	}
	for {
		id := newFork(s, l, known)
		if l.Session.ID != "" { // it was made before, and is loaded once Codex is up
			if id = ""; newLoaded(s.Home).locked[l.Session.ID] {
				id = l.Session.ID
			}
		}
		if id != "" {
			started := agent.Started{Session: agent.ID{Agent: name, ID: id}}
			if physical, err := filepath.EvalSymlinks(s.Home); err == nil {
				started.PID = holders(physical)[id].pid
			}
			return started, nil
		}
		select {
		case <-ctx.Done():
			return agent.Started{}, fmt.Errorf("codex: await the fork of %s: %w", l.Parent.ID, ctx.Err())
		case <-again.C:
		}
	}
}

// clockSlack is how much older than the launch a fork may call itself: its time has milliseconds.
const clockSlack = time.Second

// newFork looks at the rollouts of yesterday, today and tomorrow: Codex files them by its own local date. Those in known
// have been looked at.
func newFork(s agent.Session, l agent.Launch, known map[string]bool) string {
	var ignored []agent.Problem // a folder that cannot be read has no fork to show
	for days := -1; days <= 1; days++ {
		folder := filepath.Join(s.Home, "sessions", time.Now().AddDate(0, 0, days).Format("2006/01/02"))
		for _, entry := range entries(nil, folder, &ignored) {
			path := filepath.Join(folder, entry.Name())
			if idOf(path) == "" || known[path] {
				continue
			}
			m, ok := glanceAt(path)
			if !ok {
				continue // its first line is being written
			}
			known[path] = true
			old := m.started.Before(l.Prepared.Add(-clockSlack))
			if !old && !m.subagent && m.forkedFrom == l.Parent.ID && filepath.Clean(m.cwd) == filepath.Clean(l.Cwd) {
				return m.id
			}
		}
	}
	return ""
}

func glanceAt(path string) (meta, bool) {
	f, info, err := jsonl.Open(path)
	if err != nil {
		return meta{}, false
	}
	defer f.Close()
	m, err := glance(f, info.Size())
	return m, err == nil && m.ok
}
