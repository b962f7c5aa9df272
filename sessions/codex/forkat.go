package codex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
)

// readLimit bounds how long the reading of a whole history may take.
const readLimit = time.Minute

// forkAt has Codex's own server fork the parent behind a turn (`codex app-server`, thread/fork with lastTurnId), and gives
// `codex resume -c tui.resume_cwd=current NEW [PROMPT]` for the child that it has made. It was seen with 0.171.0, which
// starts no daemon for that and leaves the parent's rollout alone.
func forkAt(r agent.ForkRequest) (agent.Launch, error) {
	if r.Version.Before(agent.Version{0, 171, 0}) {
		return agent.Launch{}, agent.Refuse("turnsTooOld", "agent", name, "version", r.Version.String())
	}
	ctx, stop := context.WithTimeout(context.Background(), readLimit)
	defer stop()
	last, err := findTurn(ctx, r)
	if err != nil {
		return agent.Launch{}, err
	}
	env := map[string]*string{"CODEX_HOME": agent.Pin(r.Parent)}
	argv := append([]string{r.Program}, r.Arguments...)
	trusted, arguments := trust(r)
	argv = append(append(argv, "resume", "-c", "tui.resume_cwd=current"), arguments...)
	argv = withPrompt(append(argv, agent.Pending), r.Prompt)
	return agent.Launch{
		Argv: argv, Cwd: r.Child, Env: env, Parent: r.Parent.ID, Session: agent.ID{Agent: name}, Forecast: last.Forecast(), Trust: trusted,
		Import: &agent.Import{
			Argv: []string{r.Program, "app-server"}, Env: env,
			Talk: func(to io.Writer, from io.Reader) (string, error) { return askForFork(to, from, r) },
			Stored: func(_ context.Context, id string) error {
				return stored(r, id)
			},
		},
	}, nil
}

func findTurn(ctx context.Context, r agent.ForkRequest) (agent.Turn, error) {
	all, err := turns(ctx, r.Parent)
	if err != nil {
		return agent.Turn{}, agent.Refuse("sessionBroken", "id", r.Parent.ID.ID, "what", err.Error())
	}
	for _, t := range all {
		if t.ID == r.At {
			if t.NotForkable != nil {
				return agent.Turn{}, t.NotForkable
			}
			return t, nil
		}
	}
	return agent.Turn{}, agent.Refuse("turnUnknown", "turn", r.At, "id", r.Parent.ID.ID)
}

// message is a line of the server's protocol: JSON-RPC without its version.
type message struct {
	ID     int    `json:"id,omitempty"`
	Method string `json:"method,omitempty"`
	Params any    `json:"params,omitempty"`
}

// askForFork introduces us and asks for the fork, as one of a person's own threads. It gives the fork's id.
func askForFork(to io.Writer, from io.Reader, r agent.ForkRequest) (id string, err error) {
	const limit = 64 << 20 // of all that the server says
	child, err := filepath.EvalSymlinks(r.Child)
	if err != nil {
		return "", err
	}
	talk := json.NewEncoder(to) // ends each with a line's end
	if err := talk.Encode(message{ID: 1, Method: "initialize", Params: map[string]any{
		"clientInfo": map[string]string{"name": "sidefork", "version": "1"},
	}}); err != nil {
		return "", fmt.Errorf("codex: ask for a fork: %w", err)
	}
	var failed error
	err = jsonl.Lines(from, limit, func(line []byte, _ int64) bool {
		var answer struct {
			ID     int    `json:"id"`
			Method string `json:"method"` // of what it asks of us
			Result struct {
				Thread struct {
					ID string `json:"id"`
				} `json:"thread"`
			} `json:"result"`
			Error *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		switch {
		case json.Unmarshal(line, &answer) != nil || answer.ID == 0 || answer.Method != "":
			return true // a notification, or nothing that we have asked
		case answer.Error != nil:
			failed = errors.New("codex: " + answer.Error.Message)
			return false
		case answer.ID == 1:
			failed = errors.Join(
				talk.Encode(message{Method: "initialized"}),
				talk.Encode(message{ID: 2, Method: "thread/fork", Params: map[string]any{
					"threadId": r.Parent.ID.ID, "lastTurnId": r.At, "cwd": child, "excludeTurns": true, "threadSource": "user",
				}}))
			return failed == nil
		}
		id = answer.Result.Thread.ID
		return false
	})
	return id, errors.Join(err, failed)
}

// stored proves that the store has the fork, in the child's folder.
func stored(r agent.ForkRequest, id string) error {
	all, _ := open(nil, r.Parent.Home)
	path, there := all.byID()[id]
	if !there {
		return fmt.Errorf("codex: session %s was not stored in %s", id, r.Parent.Home)
	}
	m := all.meta(path)
	child, err := filepath.EvalSymlinks(r.Child)
	switch {
	case err != nil:
		return err
	case !m.ok || m.id != id || m.forkedFrom != r.Parent.ID.ID:
		return fmt.Errorf("codex: %s is no fork of %s", path, r.Parent.ID.ID)
	case filepath.Clean(m.cwd) != child:
		return fmt.Errorf("codex: session %s was stored for %s", id, m.cwd)
	}
	return nil
}
