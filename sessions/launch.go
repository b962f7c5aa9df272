package sessions

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
)

// probeLimit bounds how long a program may take to tell its version: opencode needs seconds of a processor for it.
const probeLimit = 30 * time.Second

// PrepareLaunch gives the command that forks s as r asks; r needs Child, Where, Name, Prompt and At, the rest is filled in. It writes
// nothing and the child need not exist yet, so that a fork can be refused before it begins. Refused: whatever keeps the
// session from being forked, or from being forked there (turnsUnknown, turnsTooOld, turnUnknown, turnOpen,
// turnIsCompaction), agentNotInstalled, agentTooOld, agentProbeFailed, invalidArgument.
func PrepareLaunch(ctx context.Context, c Config, s Session, r agent.ForkRequest) (Launch, error) {
	if s.Recorded {
		return prepareRecorded(c, s, r)
	}
	agents, err := chosen([]string{s.ID.Agent})
	if err != nil {
		return Launch{}, err
	}
	a := agents[0]
	switch {
	case s.NotForkable != nil:
		return Launch{}, s.NotForkable
	case !a.Valid(s.ID.ID):
		return Launch{}, agent.Refuse("invalidSession", "id", s.ID.ID)
	case !filepath.IsAbs(r.Child):
		return Launch{}, agent.Refuse("invalidArgument", "what", "the child's folder is no absolute path")
	case strings.Contains(r.Name+r.Prompt, "\x00"):
		return Launch{}, agent.Refuse("invalidArgument", "what", "a name or prompt holds a NUL character")
	case strings.HasPrefix(r.Name, "-"):
		return Launch{}, agent.Refuse("invalidName", "name", r.Name) // an agent would read it as a flag
	}
	r.Parent, r.Arguments, r.State = s, c.Arguments[a.Name], c.State
	if r.At != "" && a.Turns == nil {
		return Launch{}, agent.Refuse("turnsUnknown", "agent", a.Name)
	}
	if r.Program, err = c.program(a); err != nil {
		return Launch{}, err
	}
	if r.Version, err = c.usable(ctx, a, r.Program); err != nil {
		return Launch{}, err
	}
	launch, err := a.Fork(r)
	if err != nil {
		return Launch{}, err
	}
	if err := forksOnly(a, launch); err != nil {
		return Launch{}, err
	}
	if r.At == "" {
		launch.Forecast = s.Forecast
	}
	launch.Prepared = time.Now()
	return launch, nil
}

// AwaitStart waits until the agent that launch l forks s with is seen to be up. It fails when ctx ends before.
func AwaitStart(ctx context.Context, _ Config, s Session, l Launch) (Started, error) {
	agents, err := chosen([]string{s.ID.Agent})
	if err != nil {
		return Started{}, err
	}
	return agents[0].AwaitStart(ctx, s, l)
}

// program is the absolute path of an agent's program: the user's, else the first on PATH. Relative entries of PATH are
// passed over, as what lies in the current folder is somebody else's.
func (c Config) program(a agent.Agent) (string, error) {
	candidates := []string{c.Programs[a.Name]}
	if candidates[0] == "" {
		candidates = nil
		for _, folder := range filepath.SplitList(c.getenv("PATH")) {
			candidates = append(candidates, filepath.Join(folder, a.Program))
		}
	}
	for _, path := range candidates {
		if found := executable(path); found != "" {
			return found, nil
		}
	}
	no := agent.Refuse("agentNotInstalled", "agent", a.Name)
	no.Detail = strings.Join(candidates, "\n")
	return "", no
}

// executable is a program's file: path, on Windows with .exe and the like added. "" where there is none, or path is relative.
func executable(path string) string {
	if !filepath.IsAbs(path) {
		return ""
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return ""
	}
	return found
}

// ask runs `program --version`, away from any repository.
func (c Config) ask(ctx context.Context, program string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, probeLimit)
	defer stop()
	return c.run(ctx, filepath.Dir(program), nil, program, "--version")
}

// run runs a program without a terminal, with no more of the environment than a program needs to start and to find its
// files, and these differences. It gives the first of what it says.
func (c Config) run(ctx context.Context, folder string, differences map[string]*string, program string, args ...string) (string, error) {
	cmd := c.command(ctx, folder, differences, program, args...)
	said := &clipped{left: saidLimit}
	cmd.Stdout, cmd.Stderr = said, said
	err := cmd.Run()
	return said.String(), err
}

// saidLimit is how much is kept of what a program says, in bytes.
const saidLimit = 4 << 10

func (c Config) command(ctx context.Context, folder string, differences map[string]*string, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = folder
	cmd.Env = []string{} // not nil, which would be everything
	needed := []string{"PATH", "HOME", "LANG", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"}
	if runtime.GOOS == "windows" {
		needed = append(needed, "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "SystemRoot", "ComSpec", "TEMP")
	}
	for _, name := range needed {
		if _, differs := differences[name]; differs {
			continue
		}
		if value := c.getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	for name, value := range differences {
		if value != nil {
			cmd.Env = append(cmd.Env, name+"="+*value)
		}
	}
	endWhole(cmd)
	cmd.WaitDelay = time.Second // for what has left the group and holds the pipes
	return cmd
}

// clipped keeps the first bytes that are written to it.
type clipped struct {
	bytes.Buffer
	left int
}

func (c *clipped) Write(p []byte) (int, error) {
	kept := min(len(p), c.left)
	c.left -= kept
	c.Buffer.Write(p[:kept])
	return len(p), nil
}
