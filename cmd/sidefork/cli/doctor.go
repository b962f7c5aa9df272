package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sidecar"
)

// examination is what doctor finds, and prints with --json.
type examination struct {
	Build    build         `json:"build"`
	Git      gitFinding    `json:"git"`
	Agents   []agentFound  `json:"agents"`
	Settings fileFinding   `json:"settings"`
	Log      folderFinding `json:"log"`
}

type gitFinding struct {
	Version string `json:"version"`
	// Enough is git 2.25; Hook runs (2.36) use git's own `git hook run` instead of starting the hook's file.
	Enough bool `json:"enough"`
	Hook   bool `json:"hookRun"`
}

type agentFound struct {
	Agent    string          `json:"agent"`
	Program  string          `json:"program,omitempty"`
	Version  string          `json:"version,omitempty"`
	Problem  string          `json:"problem,omitempty"` // a reason code: why it cannot be used
	Homes    []string        `json:"homes"`             // account folders, those that are there
	Missing  []string        `json:"missing,omitempty"` // and those that are not
	Sessions int             `json:"sessions"`
	Broken   []agent.Problem `json:"broken"`
}

type fileFinding struct {
	Path   string             `json:"path"`
	Exists bool               `json:"exists"`
	Broken string             `json:"broken,omitempty"` // why it cannot be read, or what is laid over it
	Values []commands.Setting `json:"values"`           // all settings as they hold here, with where each comes from
}

type folderFinding struct {
	Path string `json:"path"`
}

func (l *line) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what sidefork finds on this machine",
		Long: `doctor says what sidefork finds: git and what its version can do, each agent's program, version, account folders and
sessions, the settings with where each comes from, and the log folder. It changes nothing. Exit status 1 where git is missing or too old.`,
		Example: "  sidefork doctor\n  sidefork doctor --json",
		Args:    arguments(0, 0),
		RunE: l.does(func(ctx context.Context, _ []string) error {
			found := l.examine(ctx)
			if !found.Git.Enough {
				l.status = exitFailed
			}
			if l.json {
				raw, err := json.Marshal(found)
				if err != nil {
					l.refuse(mistake(err))
					return nil
				}
				fmt.Fprintf(l.out, "%s\n", raw)
				return nil
			}
			l.showExamination(found)
			return nil
		}),
	}
}

func (l *line) examine(ctx context.Context) examination {
	e := examination{Build: builtFrom(l.version), Log: folderFinding{Path: sidecar.LogFolder(l.env.Getenv)}}
	e.Settings.Path = commands.SettingsFile(l.env.Getenv)
	_, err := os.Stat(e.Settings.Path)
	e.Settings.Exists = err == nil
	if _, _, _, err := l.settings(); err != nil {
		e.Settings.Broken = err.Error()
	}
	e.Settings.Values = l.env.Settings.List()
	e.Git.Version = git.Version(ctx, os.TempDir())
	if v, ok := agent.ParseVersion(e.Git.Version); ok {
		e.Git.Enough, e.Git.Hook = !v.Before(agent.Version{2, 25}), !v.Before(agent.Version{2, 36})
	}
	config := sessions.Config{Getenv: l.env.Getenv, Programs: map[string]string{}, Homes: map[string][]string{}}
	for name, a := range l.env.Settings.Agents {
		config.Programs[name], config.Homes[name] = a.Program, a.Homes
	}
	for _, a := range sessions.Agents() {
		e.Agents = append(e.Agents, look(ctx, config, a))
	}
	return e
}

// look looks for one agent.
func look(ctx context.Context, config sessions.Config, a agent.Agent) agentFound {
	homes := a.Homes(config.Getenv, config.Homes[a.Name])
	found := agentFound{Agent: a.Name, Homes: []string{}, Broken: []agent.Problem{}}
	for _, home := range append([]string{homes.Default}, homes.Others...) {
		switch info, err := os.Stat(home); {
		case home == "":
		case err == nil && info.IsDir():
			found.Homes = append(found.Homes, home)
		default:
			found.Missing = append(found.Missing, home)
		}
	}
	program, version, err := sessions.Installed(ctx, config, a.Name)
	found.Program = program
	switch no, refused := errors.AsType[*agent.Refusal](err); {
	case err == nil:
		found.Version = version.String()
		if version.Before(a.Oldest) {
			found.Problem = "agentTooOld"
		}
	case refused:
		found.Problem = no.Code
	default:
		found.Problem = "agentProbeFailed"
	}
	if page, err := sessions.List(ctx, config, sessions.Query{Agents: []string{a.Name}}); err == nil {
		found.Sessions = len(page.Sessions)
		found.Broken = append(found.Broken, page.Problems...)
	}
	return found
}

func (l *line) showExamination(e examination) {
	l.fact("sidefork", e.Build.Version+" ("+e.Build.Go+", "+e.Build.Platform+")")
	switch {
	case e.Git.Version == "":
		l.fact("git", "not found on PATH: install git 2.25 or newer")
	case !e.Git.Enough:
		l.fact("git", e.Git.Version+" is too old: 2.25 is needed")
	case !e.Git.Hook:
		l.fact("git", e.Git.Version+" (from 2.36 on post-checkout hooks are run by git itself)")
	default:
		l.fact("git", e.Git.Version)
	}
	for _, a := range e.Agents {
		switch a.Problem {
		case "":
			l.fact(a.Agent, a.Version+" at "+a.Program)
		case "agentNotInstalled":
			l.fact(a.Agent, "not on PATH")
		case "agentTooOld":
			l.fact(a.Agent, a.Version+" at "+a.Program+" is too old to fork")
		default:
			l.fact(a.Agent, a.Program+" did not tell its version")
		}
		for _, home := range a.Homes {
			l.fact("", "account folder "+home)
		}
		for _, home := range a.Missing {
			l.fact("", "account folder "+home+" (not there)")
		}
		text := commands.Counted(a.Sessions, "session")
		if len(a.Broken) > 0 {
			text += ", " + commands.Counted(len(a.Broken), "file") + " that could not be read"
		}
		l.fact("", text)
	}
	there := "not there, the defaults hold"
	switch {
	case e.Settings.Broken != "":
		there = "broken, the defaults hold"
	case e.Settings.Exists:
		there = "read"
	}
	l.fact("settings", e.Settings.Path+" ("+there+")")
	for _, s := range e.Settings.Values {
		if s.Origin != "" {
			l.fact("", s.Name+" = "+inJSON(s.Value)+", from "+s.Origin)
		}
	}
	l.fact("logs", e.Log.Path)
}

// forks tells how each agent's sessions can be forked, for the answer to initialize.
func forks() map[string]string {
	kinds := map[string]string{}
	for _, a := range sessions.Agents() {
		kinds[a.Name] = "native"
	}
	return kinds
}
