package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sessions/agent"
)

func (m Machine) git(ctx context.Context, e *Examination) {
	e.Git.Version = git.Version(ctx, os.TempDir())
	if v, ok := agent.ParseVersion(e.Git.Version); ok {
		e.Git.Enough, e.Git.Hook = !v.Before(agent.Version{2, 25}), !v.Before(agent.Version{2, 36})
	}
	switch {
	case e.Git.Version == "":
		e.say(m.speaker().because("git", Error, commands.Refuse("gitMissing").Reason))
	case !e.Git.Enough:
		e.say(m.speaker().because("git", Error, commands.Refuse("gitTooOld", "version", e.Git.Version).Reason))
	case !e.Git.Hook:
		e.say(Check{About: "git", State: OK, Message: m.speaker().say("%s (from 2.36 on post-checkout hooks are run by git itself)", e.Git.Version)})
	default:
		e.say(Check{About: "git", State: OK, Message: e.Git.Version})
	}
}

func (m Machine) agents(ctx context.Context, e *Examination) {
	config := sessions.Config{Getenv: m.Env.Getenv, Programs: map[string]string{}, Homes: map[string][]string{}}
	for name, a := range m.Env.Settings.Agents {
		config.Programs[name], config.Homes[name] = a.Program, a.Homes
	}
	for _, a := range sessions.Agents() {
		found := look(ctx, config, a)
		e.Agents = append(e.Agents, found)
		e.say(found.check(m.speaker()))
	}
}

// look looks for one agent.
func look(ctx context.Context, config sessions.Config, a agent.Agent) Agent {
	homes := a.Homes(config.Getenv, config.Homes[a.Name])
	found := Agent{Agent: a.Name, Homes: []string{}, Broken: []agent.Problem{}}
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

// check is an agent in one line. One that is not there is nothing to worry about, unless there are sessions of it.
func (a Agent) check(s speaker) Check {
	c := Check{About: a.Agent, State: OK, Message: s.say("%s at %s", a.Version, a.Program)}
	if a.Problem != "" {
		c = s.because(a.Agent, Warning, commands.Refuse(a.Problem, "agent", a.Agent, "version", a.Version).Reason)
		if a.Problem == "agentNotInstalled" && a.Sessions == 0 {
			c = Check{About: a.Agent, State: OK, Message: s.say("not on PATH, and no sessions")}
		}
	}
	for _, home := range a.Homes {
		c.More = append(c.More, s.say("account folder %s", home))
	}
	for _, home := range a.Missing {
		c.More = append(c.More, s.say("account folder %s (not there)", home))
	}
	text := s.counted(a.Sessions, "%d session", "%d sessions")
	if len(a.Broken) > 0 {
		text += ", " + s.counted(len(a.Broken), "%d file that could not be read", "%d files that could not be read")
		if c.State == OK {
			c.State, c.Remedy = Warning, s.say("sidefork sessions --scope all names them.")
		}
	}
	c.More = append(c.More, text)
	return c
}

// editors are the programs of those that sidefork has an entry for, or can have.
var editors = [][]string{
	{"VS Code", "code"}, {"VSCodium", "codium"}, {"Cursor", "cursor"}, {"Neovim", "nvim"}, {"Zed", "zed", "zeditor"},
}

func (m Machine) programs(e *Examination) {
	e.Editors = []Program{}
	c := Check{About: "editors", State: OK, Message: m.speaker().say("none of those that sidefork knows is on PATH")}
	for _, editor := range editors {
		for _, name := range editor[1:] {
			if path, err := m.LookPath(name); err == nil {
				e.Editors = append(e.Editors, Program{editor[0], path})
				c.More = append(c.More, m.speaker().say("%s at %s", editor[0], path))
				break
			}
		}
	}
	if n := len(e.Editors); n > 0 {
		c.Message = m.speaker().counted(n, "%d editor on PATH", "%d editors on PATH")
	}
	e.say(c)
	c = Check{About: "tmux", State: OK, Message: m.speaker().say("not on PATH: there are no agents without a window (--launch tmux)")}
	if path, err := m.LookPath("tmux"); err == nil {
		c.Message = path
	}
	e.say(c)
}

func (m Machine) settings(e *Examination) {
	s := &e.Settings
	s.Path = commands.SettingsFile(m.Env.Getenv)
	_, err := os.Stat(s.Path)
	s.Exists, s.Values = err == nil, m.Env.Settings.List()
	c := Check{About: "settings", State: OK, Message: m.speaker().say("%s (not there, the defaults hold)", s.Path)}
	if s.Exists {
		c.Message = m.speaker().say("%s (read)", s.Path)
	}
	if m.Settings != nil {
		s.Broken = m.Settings.Error()
		c = Check{About: "settings", State: Error, Message: s.Broken, Remedy: m.speaker().say("Correct them: every other command refuses until then.")}
		if f, known := errors.AsType[*commands.Failure](m.Settings); known {
			c = m.speaker().because("settings", Error, f.Reason)
		}
	}
	for _, v := range s.Values {
		if v.Origin != "" {
			c.More = append(c.More, m.speaker().say("%s, from %s", v.Name+" = "+inJSON(v.Value), v.Origin))
		}
	}
	e.say(c)
	switch info, err := os.Stat(m.Logs); {
	case m.Logs == "":
		e.say(m.speaker().because("logs", Warning, commands.Refuse("noStateFolder").Reason))
	case err == nil && !info.IsDir():
		e.say(Check{About: "logs", State: Warning, Message: m.speaker().say("%s is no folder.", m.Logs), Remedy: m.speaker().say("Move it away: sidecars log nothing until then.")})
	default:
		e.say(Check{About: "logs", State: OK, Message: m.Logs})
	}
}

// What is to be free: a fork of a large repository fails below the first; below the second git itself does.
const (
	roomy  = 1 << 30
	narrow = 64 << 20
)

// disk looks at the room where sidefork writes: beside the repository, for temporary files, and for its own state.
func (m Machine) disk(e *Examination) {
	seen := map[string]bool{}
	for _, path := range []string{filepath.Dir(m.Here), os.TempDir(), m.Logs} {
		for path != "" && path != filepath.Dir(path) { // what is not there yet will be made there
			if _, err := os.Stat(path); err == nil {
				break
			}
			path = filepath.Dir(path)
		}
		free, on, err := space(path)
		if path == "" || err != nil || seen[on] {
			continue
		}
		seen[on] = true
		c := Check{About: "disk", State: OK, Message: m.speaker().say("%s free at %s", commands.HumanBytes(int64(free)), path)}
		switch {
		case free < narrow:
			c.State, c.Remedy = Error, m.speaker().say("Free some space: nothing can be forked safely.")
		case free < roomy:
			c.State, c.Remedy = Warning, m.speaker().say("Free some space: a fork of a large repository may fail, and is taken back then.")
		}
		e.say(c)
	}
}
