package commands

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/terminal"
	"go.uber.org/zap"
)

// seat is the terminal of ours that a fork's agent starts on: in tmux, or in `sidefork run` on a terminal of the client's,
// which types the draft. The zero seat is a terminal that is the client's alone.
type seat struct {
	tmux   *terminal.Tmux // nil: none
	name   string         // of the session in tmux
	id     string         // of the record; "": the agent is not recorded
	self   string         // sidefork
	folder string         // of all records
}

// chooseSeat settles on which terminal the agent of a launch will start. It writes nothing. Refused: tmuxMissing,
// tmuxTooOld, and noPseudoTerminal where tmux would have nothing of ours to run.
func chooseSeat(ctx context.Context, env *Env, launch *agent.Launch, there place, p ForkParams) (seat, error) {
	s := seat{self: env.Self, folder: env.state("terminals")}
	able := s.self != "" && s.folder != "" && runtime.GOOS != "windows"
	switch {
	case launch == nil:
		return seat{}, nil
	case p.Launch == "tmux":
		tmux, err := FindTmux(ctx, env)
		if err != nil {
			return seat{}, err
		}
		if !able {
			return seat{}, refuse("noPseudoTerminal", "what", "there is no state folder (HOME or XDG_STATE_HOME), or sidefork's own program is not known")
		}
		s.tmux, s.name = tmux, terminal.SessionName(there.branch)
	case launch.Draft == "" || !able:
		return seat{}, nil
	}
	if s.id = launch.Session.ID; launch.Draft == "" {
		s.id = terminal.NewID()
	}
	return s, nil
}

// FindTmux finds the tmux that keeps agents without a window. Refused: tmuxMissing, tmuxTooOld.
func FindTmux(ctx context.Context, env *Env) (*terminal.Tmux, error) {
	tmux, err := terminal.FindTmux(ctx, env.getenv, filepath.Join(filepath.Dir(env.state("terminals")), "tmux.conf"))
	if err != nil {
		return nil, failureOf(err)
	}
	return tmux, nil
}

// argv is what is run for a launch: by the client, or by tmux.
func (s seat) argv(launch *agent.Launch) []string {
	if s.id == "" {
		return launch.Argv
	}
	run := []string{s.self, "run", "--record", terminal.Folder(s.folder, s.id)}
	if s.tmux == nil {
		run = append(append(run, "--"), launch.Argv...)
	}
	return run
}

// planned is the launch as a plan shows it.
func (s seat) planned(launch *agent.Launch) *Launch {
	if launch == nil || s.tmux != nil {
		return s.inTmux(launch, s.name)
	}
	changed := *launch
	changed.Argv = s.argv(launch)
	return describeLaunch(&changed)
}

func (s seat) inTmux(launch *agent.Launch, name string) *Launch {
	if launch == nil {
		return nil
	}
	return &Launch{Tmux: name}
}

// begun is what has become of a launch: how the client starts it, or where it runs, and the draft that is the client's to
// paste.
type begun struct {
	seat
	launch *Launch
	draft  string
}

// startAgent starts the agent where that is ours to do, and prepares what it needs where it is the client's. The child is
// the user's by now: what fails here is a warning, and the client's to do.
func startAgent(ctx context.Context, env *Env, s seat, launch *agent.Launch) (begun, []Warning) {
	if launch == nil {
		return begun{}, nil
	}
	byClient := begun{launch: describeLaunch(launch), draft: launch.Draft}
	if s.id == "" {
		return byClient, nil
	}
	ctx = context.WithoutCancel(ctx) // too late
	what := &terminal.Launch{Argv: launch.Argv, Cwd: launch.Cwd}
	if launch.Parent.ID != "" {
		what.Parent = &launch.Parent
	}
	if launch.Draft == "" && launch.Session.ID != "" {
		what.Native = &launch.Session
	}
	if s.tmux != nil {
		what.Env = differing(env.environ(), launch.Env)
	}
	if err := terminal.Prepare(s.folder, s.id, what, launch.Draft); err != nil {
		if s.tmux == nil {
			env.log().Warn("a draft could not be prepared", zap.Error(err))
			return byClient, nil
		}
		return byClient, []Warning{warning("tmuxFailed", err.Error())}
	}
	if s.tmux == nil {
		return begun{seat: s, launch: s.planned(launch)}, nil
	}
	name, err := s.tmux.Start(ctx, s.name, launch.Cwd, s.argv(launch))
	if err != nil {
		_, _ = terminal.TakeLaunch(terminal.Folder(s.folder, s.id)) // its environment must not stay behind
		return byClient, []Warning{warning("tmuxFailed", err.Error())}
	}
	s.name = name
	return begun{seat: s, launch: s.inTmux(launch, name)}, nil
}

// differing is an environment with the differences of a launch, and without what tells a program of the terminal that we
// were started in.
func differing(environment []string, differences map[string]*string) []string {
	ours := []string{"TERM", "TERMCAP", "COLUMNS", "LINES", "TMUX", "TMUX_PANE", "STY", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "WINDOWID", "VSCODE_INJECTION", "NVIM"}
	var env []string
	for _, pair := range environment {
		name, _, _ := strings.Cut(pair, "=")
		if _, differs := differences[name]; !differs && !slices.Contains(ours, name) {
			env = append(env, pair)
		}
	}
	for name, value := range differences {
		if value != nil {
			env = append(env, name+"="+*value)
		}
	}
	return env
}
