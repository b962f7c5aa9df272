package commands

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
)

// formArgument is the one argument of a command that is asked by a form: what of a fork is known already, and the terminal
// that the dialog was opened from. Its session is the one that is to be preselected.
type formArgument struct {
	ForkParams
	PID int `json:"pid,omitempty"`
}

// complete says whether nothing is to be asked: a fork that has its name was thought through by whoever sends it.
func (a formArgument) complete() bool { return a.Name != "" }

func readFormArgument(env *Env, arguments []json.RawMessage) (a formArgument, failed *Failure) {
	if len(arguments) > 1 {
		return a, refuse("invalidArgument", "what", fmt.Sprintf("%d arguments instead of one object", len(arguments)))
	}
	var raw json.RawMessage
	if len(arguments) == 1 {
		raw = arguments[0]
	}
	if err := decode(raw, &a); err != nil {
		return a, failureOf(err)
	}
	if a.Workspace == "" && len(env.Folders) == 1 {
		a.Workspace = env.Folders[0]
	}
	if err := absolute("workspace", a.Workspace); err != nil {
		return a, failureOf(err)
	}
	if a.PID < 0 {
		return a, refuse("invalidArgument", "what", "pid is no number of a process")
	}
	return a, nil
}

// The ids of the fields, in their order. Each is one thing of a fork.
var fieldIDs = []string{"session", "name", "child", "carry", "base", "setup", "staged", "include", "prompt", "copies", "where"}

// answers are those that were given, each as what it means. nil is none.
type answers struct {
	session, name, base, setup, staged, prompt, where *string
	child, carry                                      *bool
	copies                                            *int
	include                                           *[]string

	wrong map[string]string // by field: the word for why its answer is none
}

// readAnswers reads answers by their ids. An id that is not one, or is there twice, is refused: it must not be ignored. A
// value of another kind is the field's error.
func readAnswers(list []FormAnswer) (a answers, failed *Failure) {
	a.wrong = map[string]string{}
	seen := map[string]bool{}
	for _, one := range list {
		if seen[one.ID] || !slices.Contains(fieldIDs, one.ID) {
			return a, refuse("invalidArgument", "what", "formAnswers: "+Printable(one.ID)+" is there twice, or is no field")
		}
		seen[one.ID] = true
		if raw := string(one.Value); raw == "" || raw == "null" {
			continue
		}
		if err := a.read(one); err != nil {
			a.wrong[one.ID] = "wrongKind"
		}
	}
	return a, nil
}

func (a *answers) read(one FormAnswer) error {
	switch one.ID {
	case "session":
		return json.Unmarshal(one.Value, &a.session)
	case "name":
		return json.Unmarshal(one.Value, &a.name)
	case "child":
		return json.Unmarshal(one.Value, &a.child)
	case "carry":
		return json.Unmarshal(one.Value, &a.carry)
	case "base":
		return json.Unmarshal(one.Value, &a.base)
	case "setup":
		return json.Unmarshal(one.Value, &a.setup)
	case "staged":
		return json.Unmarshal(one.Value, &a.staged)
	case "include":
		return a.readInclude(one.Value)
	case "prompt":
		return json.Unmarshal(one.Value, &a.prompt)
	case "copies":
		return json.Unmarshal(one.Value, &a.copies)
	case "where":
		return json.Unmarshal(one.Value, &a.where)
	}
	return nil
}

// readInclude takes a list, or a text with a pattern in each line.
func (a *answers) readInclude(raw json.RawMessage) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return json.Unmarshal(raw, &a.include)
	}
	lines := []string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	a.include = &lines
	return nil
}

// params lays the answers over what a fork's argument says already.
func (a answers) params(p ForkParams) (ForkParams, error) {
	for _, id := range fieldIDs {
		if why := a.wrong[id]; why != "" {
			return p, refuse("invalidArgument", "what", "formAnswers: "+id+": "+formWords[why])
		}
	}
	var err error
	if a.where != nil {
		if p.Worktree, err = whereOf(*a.where); err != nil {
			return p, err
		}
	}
	if named := a.name != nil && *a.name != ""; a.session == nil || !named && (p.Worktree == nil || p.Worktree.Kind == inNew) {
		return p, refuse("invalidArgument", "what", "formAnswers: session and name have to be answered")
	}
	if a.name != nil {
		p.Name = *a.name
	}
	if p.Session, err = sessionOf(*a.session); err != nil {
		return p, err
	}
	if a.child != nil {
		p.Child = a.child
	}
	if a.carry != nil {
		p.Carry = a.carry
	}
	if a.base != nil {
		if p.Base, err = baseOf(*a.base); err != nil {
			return p, err
		}
	}
	if a.setup != nil {
		if p.Setup, err = setupOf(*a.setup); err != nil {
			return p, err
		}
	}
	if a.staged != nil {
		p.Staged = *a.staged
	}
	if a.include != nil {
		p.Include = *a.include
	}
	if a.prompt != nil {
		p.Prompt = *a.prompt
	}
	if a.copies != nil {
		p.Copies = *a.copies
	}
	return p, nil
}

// sessionOf reads "none" or AGENT:ID.
func sessionOf(value string) (*agent.ID, error) {
	if value == "none" {
		return nil, nil
	}
	name, id, found := strings.Cut(value, ":")
	if !found || name == "" || id == "" {
		return nil, refuse("invalidArgument", "what", "session is neither none nor AGENT:ID: "+value)
	}
	return &agent.ID{Agent: name, ID: id}, nil
}

// baseOf reads "parentCommit", "repositoryDefault" or ref:NAME.
func baseOf(value string) (*Base, error) {
	if ref, found := strings.CutPrefix(value, "ref:"); found && ref != "" {
		return &Base{Kind: "ref", Ref: ref}, nil
	}
	if value != "parentCommit" && value != "repositoryDefault" {
		return nil, refuse("invalidArgument", "what", "base is none of parentCommit, repositoryDefault, ref:NAME: "+value)
	}
	return &Base{Kind: value}, nil
}

// setupOf reads "skip" or run:HASH.
func setupOf(value string) (*SetupChoice, error) {
	if value == "skip" {
		return &SetupChoice{Decision: "skip"}, nil
	}
	if hash, found := strings.CutPrefix(value, "run:"); found && hash != "" {
		return &SetupChoice{Decision: "run", Hash: hash}, nil
	}
	return nil, refuse("invalidArgument", "what", "setup is neither skip nor run:HASH: "+value)
}
