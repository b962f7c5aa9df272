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
			awaitDraft(ctx, at.seat, launch, waits, tell)
			awaitAnswer(ctx, at.seat, p.Prompt, tell)
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
// answer or has no account, once, or that it has failed, which ends the wait. What it says counts once it stays: it may be
// of an earlier conversation, which an agent shows as it comes up.
func watch(ctx context.Context, s seat, up <-chan error, tell func(StartedParams)) (waits, failed bool, err error) {
	look := time.NewTicker(agent.LookAgain)
	defer look.Stop()
	asks := question{tell: tell}
	for {
		select {
		case err := <-up:
			return asks.told, false, err
		case <-look.C:
			if s.id == "" {
				continue
			}
			end, shown := s.look(ctx)
			if end != nil {
				w := warning("startFailed", shown, "status", strconv.Itoa(end.status), "what", end.words)
				tell(StartedParams{Warning: &w})
				return asks.told, true, nil
			}
			asks.look(shown)
		}
	}
}

// question tells once what an agent asks or lacks before it goes on.
type question struct {
	tell   func(StartedParams)
	before terminal.Words
	told   bool
}

func (q *question) look(shown string) {
	words := terminal.ReadWords(shown)
	if words.Kind != "" && words.Kind != "conversation" && words == q.before && !q.told {
		q.told = true
		code := "startWaits"
		if words.Kind == "login" {
			code = "notLoggedIn"
		}
		w := warning(code, "", "what", words.Line)
		q.tell(StartedParams{Warning: &w})
	}
	q.before = words
}

// end is how an agent has ended, and what it says of that.
type end struct {
	status int
	words  string
}

// look gives what a terminal of ours shows, and the agent's end where it has ended.
func (s seat) look(ctx context.Context) (_ *end, shown string) {
	record, state, err := terminal.Read(s.folder, s.id)
	if err == nil && state == agent.Ended && record.Status != nil {
		shown, _ = terminal.Transcript(s.folder, s.id)
		lines := strings.Split(strings.TrimRight(shown, "\n"), "\n")
		const last = 20
		return &end{*record.Status, terminal.LastWords(shown, record.Columns)}, strings.Join(lines[max(0, len(lines)-last):], "\n")
	}
	if s.tmux != nil {
		shown, _ = s.tmux.Screen(ctx, s.name) // it may be gone this moment
		return nil, shown
	}
	shown, _ = terminal.Transcript(s.folder, s.id)
	return nil, shown
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

// awaitDraft tells when a draft has not been typed within the time, and gives it to the client; and before that what the
// agent asks meanwhile, where that is not told yet: one that has drawn something is up.
func awaitDraft(ctx context.Context, s seat, launch *agent.Launch, told bool, tell func(StartedParams)) {
	if launch.Draft == "" || s.id == "" {
		return
	}
	again := time.NewTicker(agent.LookAgain)
	defer again.Stop()
	folder, asks := terminal.Folder(s.folder, s.id), question{tell: tell, told: told}
	for terminal.Untyped(folder) != "" {
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				w := warning("draftNotTyped", "")
				tell(StartedParams{Session: &launch.Session, Warning: &w, Draft: launch.Draft})
			}
			return
		case <-again.C:
			if !asks.told {
				_, shown := s.look(ctx)
				asks.look(shown)
			}
		}
	}
}

// answerLimit bounds how long the answer to a first prompt is looked for.
const answerLimit = 10 * time.Second

// awaitAnswer tells when an agent that is up says, instead of an answer to its first prompt, that it has no account.
func awaitAnswer(ctx context.Context, s seat, prompt string, tell func(StartedParams)) {
	if prompt == "" || s.id == "" {
		return
	}
	ctx, stop := context.WithTimeout(ctx, answerLimit)
	defer stop()
	again := time.NewTicker(2 * agent.LookAgain)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		ended, shown := s.look(ctx)
		if words := terminal.WordsOfAnswer(shown, prompt); words.Kind != "" {
			w := warning("notLoggedIn", "", "what", words.Line)
			tell(StartedParams{Warning: &w})
			return
		}
		if ended != nil {
			return
		}
	}
}
