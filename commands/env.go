package commands

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/sidefork/sidefork/commands/locales"
	"github.com/sidefork/sidefork/sessions"
	"go.uber.org/zap"
)

// Env is what a command runs in. The zero value of every field is usable.
type Env struct {
	Settings Settings
	// Locale is the language that the client asks for, where the settings ask for none: LSP's locale, or the environment's
	// (locales.OfEnvironment).
	Locale  string
	Folders []string // the client's workspace folders, for commands that name none
	Getenv  func(string) string
	Environ func() []string // all of it, for an agent that is started here; nil: that of this process
	// Self is the absolute path of sidefork, for what an agent's terminal is to run; "" where that is not known.
	Self   string
	Log    *zap.Logger
	Memory *Memory // what one command learns for the next; nil: nothing
	// Notify sends a notification to the client ("sidefork/started", "sidefork/changed"); nil where nobody listens.
	Notify func(method string, params any)
	// Background runs what outlives the answer (waiting for an agent to be up) until the client goes; nil: not at all.
	Background func(func(ctx context.Context))
	// Task is Background for what the client is to see, and may cancel, under a title. It may not run at all where the client
	// is going; nil: not at all.
	Task func(title string, run func(ctx context.Context))
	// Patience is how long a command may make no progress before it is ended; 0: as docs/contract.md has it.
	Patience time.Duration
}

// Memory is what a sidecar remembers between commands. The zero value is ready; it may be used from many goroutines.
type Memory struct {
	versions   sessions.Versions // what the agents' programs said of themselves
	sessions   watched           // the agents' stores
	workspaces watched           // the git folders of repositories
	forms      formLooks         // what dialogs show
	setups     sync.Map          // the workspaces whose setup runs beside their agent
}

func (e *Env) log() *zap.Logger {
	if e.Log == nil {
		return zap.NewNop()
	}
	return e.Log
}

func (e *Env) getenv(name string) string {
	if e.Getenv == nil {
		return os.Getenv(name)
	}
	return e.Getenv(name)
}

func (e *Env) environ() []string {
	if e.Environ == nil {
		return os.Environ()
	}
	return e.Environ()
}

// Progress hears how a command goes. Stage is called once for each stage that is reached; percent (0 to 100) never goes
// back. Both may come from any goroutine.
type Progress interface {
	Stage(operationID string, stage Stage, percent int)
	Report(percent int, message string)
}

type silent struct{}

func (silent) Stage(string, Stage, int) {}
func (silent) Report(int, string)       {}

// Stage is a part of a fork that a person can follow.
type Stage string

// The stages of a fork, in their order.
const (
	Preparing Stage = "preparing"
	Creating  Stage = "creating"
	Copying   Stage = "copying"
	SettingUp Stage = "setup"
	Starting  Stage = "starting"
)

// Title is the stage in English words, which Language.Text has in others.
func (s Stage) Title() string {
	switch s {
	case Preparing:
		return locales.Word("Preparing")
	case Creating:
		return locales.Word("Creating workspace")
	case Copying:
		return locales.Word("Copying changes")
	case SettingUp:
		return locales.Word("Running setup")
	case Starting:
		return locales.Word("Starting agent")
	}
	return string(s)
}
