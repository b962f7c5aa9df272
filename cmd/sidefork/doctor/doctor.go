// Package doctor looks at all that sidefork needs on a machine and in a repository, and says of each whether it is well and
// what to do where it is not. It takes nothing back and writes nothing, but for the bundle that a person asks for.
package doctor

import (
	"context"
	"fmt"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
	"github.com/sidefork/sidefork/sessions/agent"
)

// Machine is what is looked at.
type Machine struct {
	Env      *commands.Env
	Here     string // the folder whose repository is looked at
	Logs     string // the sidecars' logs
	Settings error  // why those cannot be read
	LookPath func(string) (string, error)
}

// Examination is what was found. As JSON it is what `sidefork doctor --json` prints.
type Examination struct {
	Build    any             `json:"build"`
	Git      Git             `json:"git"`
	Agents   []Agent         `json:"agents"`
	Editors  []Program       `json:"editors"`
	Settings SettingsFinding `json:"settings"`
	Log      Folder          `json:"log"`
	Checks   []Check         `json:"checks"`
}

// Git is the git on PATH.
type Git struct {
	Version string `json:"version"`
	// Enough is git 2.25; Hook runs (2.36) use git's own `git hook run` instead of starting the hook's file.
	Enough bool `json:"enough"`
	Hook   bool `json:"hookRun"`
}

// Agent is one agent that sidefork knows.
type Agent struct {
	Agent    string          `json:"agent"`
	Program  string          `json:"program,omitempty"`
	Version  string          `json:"version,omitempty"`
	Problem  string          `json:"problem,omitempty"` // a reason code: why it cannot be used
	Homes    []string        `json:"homes"`             // account folders, those that are there
	Missing  []string        `json:"missing,omitempty"` // and those that are not
	Sessions int             `json:"sessions"`
	Broken   []agent.Problem `json:"broken"`
}

// Program is one that was found on PATH.
type Program struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// SettingsFinding is the user's settings file, and all settings as they hold.
type SettingsFinding struct {
	Path   string             `json:"path"`
	Exists bool               `json:"exists"`
	Broken string             `json:"broken,omitempty"` // why it cannot be read, or what is laid over it
	Values []commands.Setting `json:"values"`           // all settings as they hold here, with where each comes from
}

// Folder is one by its path.
type Folder struct {
	Path string `json:"path"`
}

// State is how it is with what was looked at.
type State string

// The states. Something that is an error keeps sidefork from its work, here or everywhere; a warning does not.
const (
	OK      State = "ok"
	Warning State = "warning"
	Error   State = "error"
)

// Check is one line of the answer.
type Check struct {
	About   string   `json:"about"` // git, claude, disk, …
	State   State    `json:"state"`
	Message string   `json:"message"`
	Code    string   `json:"code,omitempty"`   // a reason's, where it is one
	Remedy  string   `json:"remedy,omitempty"` // of a warning or an error
	More    []string `json:"more,omitempty"`
}

// Worst is the worst state of all.
func (e Examination) Worst() State {
	worst := OK
	for _, c := range e.Checks {
		if c.State == Error || c.State == Warning && worst == OK {
			worst = c.State
		}
	}
	return worst
}

// Examine looks at all of it. build is what is shown as the program's own.
func (m Machine) Examine(ctx context.Context, build any, version string) Examination {
	e := Examination{Build: build, Log: Folder{m.Logs}}
	e.say(Check{About: "sidefork", State: OK, Message: version})
	m.git(ctx, &e)
	m.agents(ctx, &e)
	m.programs(&e)
	m.settings(&e)
	m.repository(ctx, &e)
	m.disk(&e)
	return e
}

func (e *Examination) say(c Check) { e.Checks = append(e.Checks, c) }

// speaker says sentences in a person's language.
type speaker struct{ in locales.Language }

func (m Machine) speaker() speaker { return speaker{m.Env.Language()} }

func (s speaker) say(english string, a ...any) string {
	if len(a) == 0 {
		return s.in.Text(english)
	}
	return fmt.Sprintf(s.in.Text(english), a...)
}

func (s speaker) counted(n int, one, other string) string {
	return fmt.Sprintf(s.in.Count(n, one, other), n)
}

// because is a check that says what a reason says.
func (s speaker) because(about string, state State, r commands.Reason) Check {
	r = r.In(s.in)
	return Check{About: about, State: state, Message: r.Message, Code: r.Code, Remedy: r.Remedy}
}
