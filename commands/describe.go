package commands

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sessions/agent"
)

// From what the rooms below know to the shapes of the contract.

// describe is a worktree as a workspace. live counts the sessions that run in it.
func describe(n worktree.Node, live int) Workspace {
	w := n.Worktree
	shape := Workspace{
		Path: w.Path, Name: filepath.Base(w.Path), Branch: w.Branch, Head: w.Head, Depth: n.Depth,
		Main: w.Main, Detached: w.Detached, Locked: w.Locked, Archived: w.Archived, Missing: w.Missing, AgentsLive: live,
		Fork: Forkable{Allowed: true},
	}
	if n.Parent != "" {
		shape.Parent = &n.Parent
	}
	if no := w.Eligible(); no != nil {
		why, _ := reasonOf(no)
		shape.Fork = Forkable{Reason: &why}
	}
	return shape
}

// describeChild is the child that a fork has just made. family are the worktrees that were there before.
func describeChild(child, parent worktree.Worktree, family []worktree.Worktree, p ForkParams) *Workspace {
	node := worktree.Node{Worktree: child}
	if p.Child == nil || *p.Child {
		for _, n := range worktree.Tree(family) {
			if n.Path == parent.Path {
				node.Parent, node.Depth = parent.Path, n.Depth+1
			}
		}
	}
	shape := describe(node, 0)
	return &shape
}

// judge knows what a fork would say of a session, beyond what the session says itself.
type judge struct {
	asked    string            // the workspace that was asked about; "" for none: each session is judged for its own
	tops     []string          // the workspaces of its repository
	unusable map[string]Reason // why an agent cannot fork, by name; one that can is not in it
}

// describe is a session with the first reason for which fork would refuse it, in fork's order.
func (j judge) describe(s agent.Session) Session {
	shape := Session{
		Agent: s.ID.Agent, ID: s.ID.ID, Title: Printable(s.Title), FirstPrompt: Printable(s.FirstPrompt), Cwd: s.Cwd,
		Branch: Printable(s.Branch), StartedAt: timeOrNil(s.StartedAt), LastActivity: timeOrNil(s.LastActivity),
		State: s.State, Status: s.Status, PID: s.PID, Source: s.Source, Home: s.Home, Parent: s.Parent, Forecast: s.Forecast,
		Fork: SessionFork{Kind: "native"},
	}
	if home := sessions.Workspace(s.Cwd, j.tops); home != "" {
		shape.Workspace = &home
	}
	if s.Recorded {
		shape.Fork.Kind = "transcript"
	}
	if why := j.against(s, shape.Workspace); why != nil {
		shape.Fork = SessionFork{Kind: "none", Reason: why}
	}
	return shape
}

// against is why a session cannot be forked; nil where it can.
func (j judge) against(s agent.Session, workspace *string) *Reason {
	if s.NotForkable != nil {
		why, _ := reasonOf(s.NotForkable)
		return &why
	}
	if why := j.placeOf(s, workspace); why != nil {
		return why
	}
	if why, cannot := j.unusable[s.ID.Agent]; cannot && !s.Recorded {
		return &why
	}
	return nil
}

func (j judge) placeOf(s agent.Session, workspace *string) *Reason {
	place := s.Cwd
	if workspace != nil {
		place = *workspace
	}
	var why Reason
	switch {
	case j.asked == place || j.asked == "" && insideCheckout(s.Cwd):
		return nil
	case j.asked != "":
		why = reason("sessionElsewhere", map[string]string{"id": s.ID.ID, "path": place})
	case isFolder(s.Cwd):
		why = reason("notARepository", map[string]string{"path": s.Cwd})
	default:
		why = reason("missing", map[string]string{"path": s.Cwd})
	}
	return &why
}

// insideCheckout says whether a folder is, or lies in, the top level of a checkout: whether it is worth asking git. It
// looks at files only, since a list may name hundreds of folders.
func insideCheckout(folder string) bool {
	if !filepath.IsAbs(folder) || !isFolder(folder) {
		return false
	}
	for at := filepath.Clean(folder); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func forkedSession(l *agent.Launch) *ForkSession {
	if l == nil {
		return nil
	}
	return &ForkSession{Agent: l.Session.Agent, ID: l.Session.ID, Parent: l.Parent}
}

func describeLaunch(l *agent.Launch) *Launch {
	if l == nil {
		return nil
	}
	var unset []string
	for _, name := range slices.Sorted(maps.Keys(l.Env)) {
		if l.Env[name] == nil {
			unset = append(unset, name)
		}
	}
	return &Launch{Argv: l.Argv, Cwd: l.Cwd, Env: l.Env, Unset: unset, Trust: l.Trust, CommandLine: commandLine(*l)}
}
