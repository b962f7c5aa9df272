package claude

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/sessions/agent"
)

// inherited are the variables that Claude Code gives to what it starts. With some of them a new one writes no transcript
// and no registry entry, so a fork that is started from within a session must not have them. Nothing else of the
// environment is touched.
func inherited() []string {
	return []string{
		"CLAUDECODE", "CLAUDE_PID", "CLAUDE_EFFORT", "CLAUDE_ENV_FILE", "CLAUDE_PROJECT_DIR", "AI_AGENT",
		"CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_EXECPATH",
		"CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_CHILD_NOTES_DIR", "CLAUDE_CODE_MESSAGING_SOCKET",
		"CLAUDE_CODE_MESSAGING_TOKEN",
	}
}

// fork gives `claude --resume PARENT --fork-session --session-id NEW --name NAME [-- PROMPT]`. The child's id is chosen
// here, so that it is known beforehand. The parent is named by its file where the id would not be found: before 2.1.240
// from another folder, and where the parent's own folder is gone.
func fork(r agent.ForkRequest) (agent.Launch, error) {
	id, err := uuid.NewRandom()
	if err != nil {
		return agent.Launch{}, fmt.Errorf("claude: choose an id: %w", err)
	}
	parent := r.Parent.ID.ID
	if r.Version.Before(agent.Version{2, 1, 240}) || !agent.IsFolder(r.Parent.Cwd) {
		parent = r.Parent.Source
	}
	var first *agent.Import
	var forecast *agent.Forecast
	if r.At != "" {
		if first, forecast, err = startOf(r, id.String()); err != nil {
			return agent.Launch{}, err
		}
		parent = first.Copy.To
	}
	argv := append([]string{r.Program}, r.Arguments...)
	argv = append(argv, "--resume", parent, "--fork-session", "--session-id", id.String())
	if r.Name != "" {
		argv = append(argv, "--name", r.Name) // else the child takes its parent's title
	}
	if r.Prompt != "" {
		argv = append(argv, "--", asPrompt(r.Prompt))
	}
	return agent.Launch{
		Argv: argv, Cwd: r.Child, Env: pin(r.Parent), Parent: r.Parent.ID, Session: agent.ID{Agent: name, ID: id.String()}, Import: first,
		Forecast: forecast, Trust: trust(r),
	}, nil
}

// startOf has the start of the parent's transcript copied, up to and with the turn r.At, to be forked in place of the
// whole: by its file Claude Code forks any transcript, and from an earlier message it forks only without a terminal
// (--resume-session-at, which it ignores with one). The copy lies outside of Claude Code's own store, where it would be a
// session of its own in every list.
func startOf(r agent.ForkRequest, child string) (*agent.Import, *agent.Forecast, error) {
	if r.State == "" {
		return nil, nil, agent.Refuse("noStateFolder")
	}
	ctx, stop := context.WithTimeout(context.Background(), readLimit)
	defer stop()
	last, err := findTurn(ctx, r.Parent, r.At)
	if err != nil {
		return nil, nil, err
	}
	to := filepath.Join(r.State, "turns", child+".jsonl")
	return &agent.Import{Copy: &agent.Copy{From: r.Parent.Source, Size: last.end, To: to}}, last.Forecast(), nil
}

// readLimit bounds how long the reading of a whole transcript may take.
const readLimit = time.Minute

// asPrompt keeps a prompt of one word from being taken for a command: `claude … -- update` updates Claude Code instead of
// saying "update" (seen with 2.1.332). A blank at its end makes it no command, and is not seen in the conversation.
func asPrompt(prompt string) string {
	if strings.ContainsAny(prompt, " \t\r\n") {
		return prompt
	}
	return prompt + " "
}

// awaitStart waits for the child's entry in the registry: it is there before the first screen.
func awaitStart(ctx context.Context, s agent.Session, l agent.Launch) (agent.Started, error) {
	again := time.NewTicker(agent.LookAgain)
	defer again.Stop()
	for {
		if p, there := readRegistry(s.Home).byID[l.Session.ID]; there && p.state != agent.Ended {
			return agent.Started{Session: l.Session, PID: p.PID}, nil
		}
		select {
		case <-ctx.Done():
			return agent.Started{}, fmt.Errorf("claude: await session %s: %w", l.Session.ID, ctx.Err())
		case <-again.C:
		}
	}
}
