package sessions

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/process"
	"github.com/sidefork/sidefork/sessions/terminal"
)

// Sessions of which there is what a terminal showed: of any agent, also of those that are not in the table. A fork of one
// starts its agent afresh and gives it that text as a draft.

// chosenForList is chosen for a list: a name that is not in the table may be that of an agent of a record. For nil both are
// all; recorded is empty, and not nil, for none.
func (c Config) chosenForList(names []string) (table []agent.Agent, recorded []string, err error) {
	if names == nil {
		table, err = chosen(nil)
		return table, nil, err
	}
	var known []string
	records, _ := terminal.List(c.Terminals, nil, func(ID) bool { return false })
	for _, name := range names {
		if slices.ContainsFunc(Agents(), func(a agent.Agent) bool { return a.Name == name }) ||
			!slices.ContainsFunc(records, func(s Session) bool { return s.ID.Agent == name }) {
			known = append(known, name)
		}
	}
	if known != nil {
		table, err = chosen(known)
	}
	return table, names, err
}

// recorded gives the sessions of records, of these agents or of all for nil. One that an agent has a session of its own of
// is left out where that is among listed.
func (c Config) recorded(names, tops []string, listed []Session) ([]Session, []Problem) {
	if c.Terminals == "" {
		return nil, nil
	}
	found, problems := terminal.List(c.Terminals, tops, func(id ID) bool {
		return slices.ContainsFunc(listed, func(s Session) bool { return s.ID == id })
	})
	if names != nil {
		found = slices.DeleteFunc(found, func(s Session) bool { return !slices.Contains(names, s.ID.Agent) })
	}
	for i, s := range found {
		if s.NotForkable == nil {
			if r, _, err := terminal.Read(c.Terminals, s.ID.ID); err == nil {
				_, err = c.anyProgram(s.ID.Agent, r.Program)
				found[i].NotForkable, _ = err.(*Refusal)
			}
		}
	}
	return found, problems
}

// recordedAt is the session of a record whose agent is among processes.
func (c Config) recordedAt(running []process.Process) *Session {
	found, _ := terminal.List(c.Terminals, nil, func(ID) bool { return false })
	for _, p := range running {
		for _, s := range found {
			if s.State == agent.Live && s.PID == p.PID {
				return &s
			}
		}
	}
	return nil
}

// Fresh asks for the launch of an agent with a draft.
type Fresh struct {
	Agent   string
	Program string             // absolute path, where it is known which one it was
	Account map[string]*string // the variable of its account folder, as it was
	Parent  ID                 // what the draft is of; empty where that is no session
	Text    string             // what a terminal showed
}

// prepareRecorded is PrepareLaunch for a session of which there is a transcript only.
func prepareRecorded(c Config, s Session, r agent.ForkRequest) (Launch, error) {
	if s.NotForkable != nil {
		return Launch{}, s.NotForkable
	}
	record, _, err := terminal.Read(c.Terminals, s.ID.ID)
	if err != nil {
		return Launch{}, err
	}
	text, err := terminal.Transcript(c.Terminals, s.ID.ID)
	if err != nil {
		return Launch{}, err
	}
	if record.Cut {
		text = terminal.CutMark + "\n" + text
	}
	return PrepareFresh(c, Fresh{Agent: record.Agent, Program: record.Program, Account: record.Account, Parent: s.ID, Text: text}, r)
}

// PrepareFresh gives the command that starts an agent anew in r.Child, and its draft. It writes nothing. Refused:
// agentNotInstalled, promptNotTaken, sessionEmpty for a text that holds nothing, invalidArgument.
func PrepareFresh(c Config, f Fresh, r agent.ForkRequest) (Launch, error) {
	switch {
	case !terminal.ValidName(f.Agent):
		return Launch{}, agent.Refuse("invalidArgument", "what", "the transcript's agent is no name of a program")
	case r.Prompt != "":
		return Launch{}, agent.Refuse("promptNotTaken", "agent", f.Agent) // it would be sent, and the draft with it
	case r.At != "":
		return Launch{}, agent.Refuse("invalidArgument", "what", "at: what a terminal showed has no turns to fork from")
	case !filepath.IsAbs(r.Child):
		return Launch{}, agent.Refuse("invalidArgument", "what", "the child's folder is no absolute path")
	}
	program, err := c.anyProgram(f.Agent, f.Program)
	if err != nil {
		return Launch{}, err
	}
	most := c.MostDraft
	if most == 0 {
		most = 64 << 10
	}
	draft := terminal.Draft(f.Agent, f.Text, most)
	if draft == "" {
		return Launch{}, agent.Refuse("sessionEmpty", "id", f.Parent.ID)
	}
	launch := Launch{
		Argv: append([]string{program}, c.Arguments[f.Agent]...), Cwd: r.Child, Env: map[string]*string{},
		Session: ID{Agent: f.Agent, ID: terminal.NewID()}, Parent: f.Parent, Draft: draft, Prepared: time.Now(),
	}
	for name, value := range f.Account {
		launch.Env[name] = value
	}
	for _, a := range Agents() {
		if a.Name != f.Agent {
			continue
		}
		for _, variable := range a.Inherited {
			launch.Env[variable] = nil
		}
		if err := forksOnly(a, launch); err != nil {
			return Launch{}, err
		}
	}
	return launch, nil
}

// anyProgram is the absolute path of the program of any agent: the one that it was where that is still there, else as for
// those of the table.
func (c Config) anyProgram(name, was string) (string, error) {
	for _, a := range Agents() {
		if a.Name == name {
			return c.program(a)
		}
	}
	if filepath.IsAbs(was) {
		if found := executable(was); found != "" {
			return found, nil
		}
	}
	if own := c.Programs[name]; filepath.IsAbs(own) {
		if found := executable(own); found != "" {
			return found, nil
		}
	}
	if found := terminal.LookPath(c.getenv, name); found != "" {
		return found, nil
	}
	no := agent.Refuse("agentNotInstalled", "agent", name)
	no.Detail = was
	return "", no
}

// Account is the variable of an agent's account folder as an environment has it, for the record of its terminal; nil for an
// agent that is not in the table.
func Account(name string, lookup func(string) (string, bool)) map[string]*string {
	for _, a := range Agents() {
		if a.Name == name && a.Variable != "" {
			if value, set := lookup(a.Variable); set && value != "" {
				return map[string]*string{a.Variable: &value}
			}
			return map[string]*string{a.Variable: nil}
		}
	}
	return nil
}

// AgentOf is what the agent of a command is called: the name in the table for a program that is there, also under the name
// that the user's settings give it.
func (c Config) AgentOf(program string) string {
	for _, a := range Agents() {
		if own := c.Programs[a.Name]; own != "" && filepath.Base(own) == filepath.Base(program) || strings.TrimSuffix(filepath.Base(program), ".exe") == a.Program {
			return a.Name
		}
	}
	return terminal.NameOf(program)
}
