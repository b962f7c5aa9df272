package commands

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/terminal"
	"go.uber.org/zap"
)

// startLimit bounds the wait for a fork's agent to be seen.
const startLimit = 60 * time.Second

// awaitStart tells the client when the fork's agent was seen to be up, and its session id where that could not be known
// beforehand; of one on a terminal of ours also that it has failed, waits for an answer, or was not given its draft. It
// outlives the answer: a client starts the agent only after that.
func awaitStart(env *Env, p ForkParams, session *agent.Session, child worktree.Worktree, launch *agent.Launch, at begun) {
	if launch == nil || at.launch == nil || p.Launch == "none" || env.Notify == nil || env.Background == nil {
		return
	}
	if at.id == "" && launch.Draft != "" {
		return // it has no records, and nobody sees its terminal
	}
	tell := func(s StartedParams) {
		s.OperationID, s.Workspace = p.OperationID, child.Path
		env.Notify("sidefork/started", s)
	}
	env.Background(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, startLimit)
		defer cancel()
		up := make(chan error, 1)
		var started agent.Started
		go func() {
			var err error
			if launch.Draft != "" {
				started, err = awaitShown(ctx, at.seat, launch)
			} else {
				started, err = sessions.AwaitStart(ctx, env.sessions(), *session, *launch)
			}
			up <- err
		}()
		waits, failed, err := watch(ctx, at.seat, up, tell)
		switch {
		case failed:
			cancel()
			<-up
		case err == nil:
			tell(StartedParams{Session: &started.Session, PID: started.PID})
			awaitDraft(ctx, at.seat, launch, tell)
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			if !waits {
				w := warning("startUnknown", "")
				tell(StartedParams{Warning: &w})
			}
		default:
			env.log().Info("start not seen", zap.Error(err))
		}
	})
}

// watch waits for the agent to be up, and tells meanwhile what its terminal says where that is ours: that it waits for an
// answer, once, or that it has failed, which ends the wait.
func watch(ctx context.Context, s seat, up <-chan error, tell func(StartedParams)) (waits, failed bool, err error) {
	look := time.NewTicker(agent.LookAgain)
	defer look.Stop()
	for {
		select {
		case err := <-up:
			return waits, false, err
		case <-look.C:
			if s.id == "" {
				continue
			}
			ended, status, shown := s.look(ctx)
			words := terminal.ReadWords(shown)
			switch {
			case ended:
				what := words.Line
				if what == "" {
					what = lastLine(shown)
				}
				w := warning("startFailed", shown, "status", strconv.Itoa(status), "what", what)
				tell(StartedParams{Warning: &w})
				return waits, true, nil
			case words.Kind != "" && words.Kind != "conversation" && !waits:
				waits = true
				w := warning("startWaits", "", "what", words.Line)
				tell(StartedParams{Warning: &w})
			}
		}
	}
}

// look says whether the agent on a terminal of ours has ended, and what the terminal shows.
func (s seat) look(ctx context.Context) (ended bool, status int, shown string) {
	record, state, err := terminal.Read(s.folder, s.id)
	if err == nil && state == agent.Ended && record.Status != nil {
		shown, _ = terminal.Transcript(s.folder, s.id)
		lines := strings.Split(strings.TrimRight(shown, "\n"), "\n")
		const last = 20
		return true, *record.Status, strings.Join(lines[max(0, len(lines)-last):], "\n")
	}
	if s.tmux != nil {
		shown, _ = s.tmux.Screen(ctx, s.name) // it may be gone this moment
		return false, 0, shown
	}
	shown, _ = terminal.Transcript(s.folder, s.id)
	return false, 0, shown
}

func lastLine(shown string) string {
	shown = strings.TrimRight(shown, "\n ")
	return strings.TrimSpace(shown[strings.LastIndexByte(shown, '\n')+1:])
}

// awaitShown waits until an agent that keeps no records has drawn something, and lives.
func awaitShown(ctx context.Context, s seat, launch *agent.Launch) (agent.Started, error) {
	again := time.NewTicker(agent.LookAgain)
	defer again.Stop()
	for {
		if r, state, err := terminal.Read(s.folder, s.id); err == nil && state == agent.Live && r.ShownAt != nil {
			return agent.Started{Session: launch.Session, PID: r.PID}, nil
		}
		select {
		case <-ctx.Done():
			return agent.Started{}, ctx.Err()
		case <-again.C:
		}
	}
}

// awaitDraft tells when a draft has not been typed within the time, and gives it to the client.
func awaitDraft(ctx context.Context, s seat, launch *agent.Launch, tell func(StartedParams)) {
	if launch.Draft == "" || s.id == "" {
		return
	}
	again := time.NewTicker(agent.LookAgain)
	defer again.Stop()
	folder := terminal.Folder(s.folder, s.id)
	for terminal.Untyped(folder) != "" {
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				w := warning("draftNotTyped", "")
				tell(StartedParams{Session: &launch.Session, Warning: &w, Draft: launch.Draft})
			}
			return
		case <-again.C:
		}
	}
}
