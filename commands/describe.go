package commands

import (
	"path/filepath"
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
		Main: w.Main, Detached: w.Detached, Locked: w.Locked, Missing: w.Missing, AgentsLive: live,
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

// describeSession is a session as judged for the workspace that was asked about ("" for none).
func describeSession(s agent.Session, asked string, tops []string) Session {
	shape := Session{
		Agent: s.ID.Agent, ID: s.ID.ID, Title: Printable(s.Title), FirstPrompt: Printable(s.FirstPrompt), Cwd: s.Cwd,
		Branch: Printable(s.Branch), StartedAt: timeOrNil(s.StartedAt), LastActivity: timeOrNil(s.LastActivity),
		State: s.State, Status: s.Status, PID: s.PID, Source: s.Source, Home: s.Home, Parent: s.Parent,
		Fork: SessionFork{Kind: "native"},
	}
	home := sessions.Workspace(s.Cwd, tops)
	if home != "" {
		shape.Workspace = &home
	}
	switch {
	case s.NotForkable != nil:
		why, _ := reasonOf(s.NotForkable)
		shape.Fork = SessionFork{Kind: "none", Reason: &why}
	case asked != "" && home != asked:
		place := home
		if place == "" {
			place = s.Cwd
		}
		why := reason("sessionElsewhere", map[string]string{"id": s.ID.ID, "path": place})
		shape.Fork = SessionFork{Kind: "none", Reason: &why}
	}
	return shape
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
	return &ForkSession{Agent: l.Parent.Agent, ID: l.Session.ID, Parent: l.Parent}
}

func describeLaunch(l *agent.Launch) *Launch {
	if l == nil {
		return nil
	}
	return &Launch{Argv: l.Argv, Cwd: l.Cwd, Env: l.Env, CommandLine: commandLine(*l)}
}
