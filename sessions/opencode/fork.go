package opencode

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/sqlite"
)

// exportLimit bounds how long the reading of a conversation may take.
const exportLimit = 30 * time.Second

// fork gives `opencode import FILE`, to be run in the child before it starts, and `opencode --session NEW`. The
// conversation is read here, so that one that cannot be read is refused before anything is made. A prompt is refused:
// opencode sends its --prompt only from the screen of a new session; with --session it is lost without a word.
func fork(r agent.ForkRequest) (agent.Launch, error) {
	if r.Prompt != "" {
		return agent.Launch{}, agent.Refuse("promptNotTaken", "agent", name)
	}
	ctx, stop := context.WithTimeout(context.Background(), exportLimit)
	defer stop()
	parent := r.Parent
	told, err := export(ctx, parent.Source, parent.ID.ID)
	if err != nil {
		return agent.Launch{}, agent.Refuse("sessionBroken", "id", parent.ID.ID, "what", err.Error())
	}
	if r.Name != "" {
		told.Info["title"] = r.Name // else the child has its parent's
	}
	text, id, err := told.renewed()
	if err != nil || !validID(id) {
		return agent.Launch{}, agent.Refuse("sessionBroken", "id", parent.ID.ID, "what", fmt.Sprintf("it cannot be given new ids (%v)", err))
	}
	argv := append([]string{r.Program}, r.Arguments...)
	argv = append(argv, "--session", id)
	env := pin(parent)
	return agent.Launch{
		Argv: argv, Cwd: r.Child, Env: env, Parent: parent.ID, Session: agent.ID{Agent: name, ID: id},
		Import: &agent.Import{
			Argv: []string{r.Program, "import", "--pure"}, Env: importing(env), Content: text,
			Stored: func(ctx context.Context, _ string) error {
				return stored(ctx, parent.Source, id, r.Child, len(told.Messages))
			},
		},
	}, nil
}

// importing is the environment of the import: nothing of the repository's may be loaded by it, nothing fetched.
func importing(pinned map[string]*string) map[string]*string {
	yes := "1"
	env := map[string]*string{
		"OPENCODE_DISABLE_PROJECT_CONFIG": &yes, "OPENCODE_DISABLE_AUTOUPDATE": &yes, "OPENCODE_DISABLE_MODELS_FETCH": &yes,
		"OPENCODE_DISABLE_LSP_DOWNLOAD": &yes,
	}
	for name, value := range pinned {
		env[name] = value
	}
	return env
}

// stored proves that a session is in a database, in its folder and with all of its messages: an import that fails may
// well end with exit status 0.
func stored(ctx context.Context, file, id, folder string, messages int) error {
	if physical, err := filepath.EvalSymlinks(folder); err == nil {
		folder = physical
	}
	return sqlite.Read(ctx, file, func(d *sqlite.Database) error {
		var cwd string
		var count int
		one := d.Where("session", "id", id, []string{"directory"}, func(row []sqlite.Value) bool {
			cwd = row[0].String()
			return false
		})
		all := d.Where("message", "session_id", id, []string{"id"}, func([]sqlite.Value) bool { count++; return true })
		switch {
		case one != nil || all != nil:
			return errors.Join(one, all)
		case cwd == "":
			return fmt.Errorf("opencode: session %s was not stored", id)
		case filepath.Clean(cwd) != folder:
			return fmt.Errorf("opencode: session %s was stored for %s", id, cwd)
		case count != messages:
			return fmt.Errorf("opencode: session %s was stored with %d of %d messages", id, count, messages)
		}
		return nil
	})
}

// awaitStart waits for a process in the child's folder that has the database open. Where that cannot be told, it waits in
// vain.
func awaitStart(ctx context.Context, s agent.Session, l agent.Launch) (agent.Started, error) {
	again := time.NewTicker(agent.LookAgain)
	defer again.Stop()
	for {
		pids, _ := holders(s.Home)
		if pid := agent.InFolder(pids, l.Cwd); pid != 0 {
			return agent.Started{Session: l.Session, PID: pid}, nil
		}
		select {
		case <-ctx.Done():
			return agent.Started{}, fmt.Errorf("opencode: await session %s: %w", l.Session.ID, ctx.Err())
		case <-again.C:
		}
	}
}
