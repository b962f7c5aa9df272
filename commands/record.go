package commands

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/guard"
	"github.com/sidefork/sidefork/sessions/terminal"
	"go.uber.org/zap"
)

// Recording is an agent that `sidefork run` runs in the terminal that it has, and keeps a record of.
type Recording struct {
	Argv []string // as it was typed; nil: what was prepared in Folder
	// Folder is a record that a fork has prepared, absolute; "" for a new one.
	Folder  string
	In, Out *os.File // one terminal
}

// JobCommand is the subcommand by which sidefork runs an agent as a job of its terminal. It is nobody's to type.
const JobCommand = "job"

// RunRecorded runs an agent until it ends. The guard is asked about what was typed; what a fork has prepared is a fork.
// Where no record can be kept the agent runs without one, and the result says why. Refused: what the guard refuses,
// agentNotInstalled, noPseudoTerminal, invalidArgument.
func RunRecorded(ctx context.Context, env *Env, r Recording) (terminal.Ended, *Failure) {
	launch, err := r.launch(env)
	if err == nil && r.Argv != nil {
		err = guarded(ctx, env, r.Argv)
	}
	if err != nil {
		return terminal.Ended{}, failureOf(err)
	}
	all := env.state("terminals")
	SweepTerminals(env)
	o := terminal.Options{
		Argv: launch.Argv, Cwd: launch.Cwd, Env: launch.Env, Job: []string{env.Self, JobCommand, "--"}, In: r.In, Out: r.Out,
		Folder: r.Folder, Most: env.Settings.transcriptBytes(),
	}
	var unrecorded error
	if o.Folder == "" {
		id := terminal.NewID()
		if unrecorded = terminal.Prepare(all, id, nil, ""); unrecorded == nil {
			o.Folder = terminal.Folder(all, id)
		}
	}
	if o.Folder != "" {
		o.Record, o.Draft = env.newRecord(launch, filepath.Base(o.Folder)), terminal.Untyped(o.Folder)
		o.Native = env.nativeBelow(o.Record)
	}
	ended, err := terminal.Run(o)
	if err != nil {
		return ended, refuse("noPseudoTerminal", "what", err.Error())
	}
	ended.Record = errors.Join(unrecorded, ended.Record)
	return ended, nil
}

// SweepTerminals deletes the records that are older than the user wants to keep them. A sidecar does this when it starts.
func SweepTerminals(env *Env) { terminal.Sweep(env.state("terminals"), env.Settings.keepFor()) }

// RecordedAgents are the names of the agents of which there are records.
func RecordedAgents(env *Env) []string {
	found, _ := terminal.List(env.state("terminals"), nil, func(agent.ID) bool { return false })
	var names []string
	for _, s := range found {
		if !slices.Contains(names, s.ID.Agent) {
			names = append(names, s.ID.Agent)
		}
	}
	return names
}

// guarded refuses a command that would write into a session that runs.
func guarded(ctx context.Context, env *Env, argv []string) error {
	no, err := sessions.Guard(ctx, env.sessions(), guard.POSIX, POSIXLine(argv))
	if no != nil {
		return no
	}
	return err
}

// launch is what is to be run: what was typed, or what a fork has prepared.
func (r Recording) launch(env *Env) (terminal.Launch, error) {
	var prepared terminal.Launch
	if r.Folder != "" {
		if !filepath.IsAbs(r.Folder) || !agent.IsUUID(filepath.Base(r.Folder)) {
			return prepared, refuse("invalidArgument", "what", r.Folder+" is no record")
		}
		var err error
		prepared, err = terminal.TakeLaunch(r.Folder)
		if err != nil && (r.Argv == nil || !errors.Is(err, fs.ErrNotExist)) {
			return prepared, refuse("invalidArgument", "what", r.Folder+" holds no agent to start: it was started before, or deleted")
		}
	}
	if r.Argv == nil {
		if prepared.Env == nil {
			prepared.Env = env.environ()
		}
		prepared.Env = differing(prepared.Env, ofTerminal(env.environ())) // what this terminal is, only it knows
		return prepared, nil
	}
	program, err := env.lookUp(r.Argv[0])
	if err != nil {
		return prepared, err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return prepared, err
	}
	prepared.Argv, prepared.Cwd, prepared.Env = append([]string{program}, r.Argv[1:]...), cwd, env.environ()
	return prepared, nil
}

// ofTerminal are the variables by which a program knows the terminal that it is on.
func ofTerminal(environment []string) map[string]*string {
	found := map[string]*string{}
	for _, pair := range environment {
		name, value, _ := strings.Cut(pair, "=")
		switch name {
		case "TERM", "TMUX", "TMUX_PANE", "TERM_PROGRAM", "TERM_PROGRAM_VERSION":
			found[name] = &value
		}
	}
	return found
}

// lookUp finds a program as a shell would, but for relative entries of PATH.
func (e *Env) lookUp(name string) (string, error) {
	if !strings.ContainsRune(name, filepath.Separator) {
		if found := terminal.LookPath(e.getenv, name); found != "" {
			return found, nil
		}
		return "", refuse("agentNotInstalled", "agent", name)
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return "", refuse("agentNotInstalled", "agent", name)
	}
	return path, nil
}

// newRecord is the record of a launch as it begins.
func (e *Env) newRecord(l terminal.Launch, id string) terminal.Record {
	now := time.Now().UTC()
	name := e.sessions().AgentOf(l.Argv[0])
	set := map[string]string{}
	for _, pair := range l.Env {
		variable, value, _ := strings.Cut(pair, "=")
		set[variable] = value
	}
	cwd := l.Cwd
	if physical, err := filepath.EvalSymlinks(cwd); err == nil {
		cwd = physical // workspaces are known by their physical paths
	}
	return terminal.Record{
		ID: id, Agent: name, Program: l.Argv[0], Cwd: cwd, StartedAt: now, ActiveAt: now, PID: os.Getpid(), Native: l.Native, Parent: l.Parent,
		Account: sessions.Account(name, func(variable string) (string, bool) { value, there := set[variable]; return value, there }),
	}
}

// nativeBelow looks for the session that an agent of the table has of its own, below this process; nil for another agent,
// of which there is none, and where it is known.
func (e *Env) nativeBelow(r terminal.Record) func(context.Context) *agent.ID {
	if r.Account == nil || r.Native != nil {
		return nil
	}
	return func(ctx context.Context) *agent.ID {
		found, err := sessions.Locate(ctx, e.sessions(), r.PID)
		if err != nil || found == nil || found.Session.Recorded || found.Session.ID.Agent != r.Agent {
			return nil
		}
		e.log().Debug("native session", zap.String("id", found.Session.ID.ID), zap.Bool("certain", found.Certain))
		return &found.Session.ID
	}
}

func (s Settings) keepFor() time.Duration {
	days := s.Terminals.KeepDays
	if days == 0 {
		days = 30
	}
	return time.Duration(days) * 24 * time.Hour
}

func (s Settings) transcriptBytes() int {
	if s.Terminals.MaxBytes == 0 {
		return 1 << 20
	}
	return s.Terminals.MaxBytes
}

// Masker takes secrets out of a text: what has the shape of one, and what the environment calls so.
func Masker(environment []string) func(text string) string { return terminal.Masker(environment) }
