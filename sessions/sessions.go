// Package sessions knows which conversations with coding agents exist, which are live, where each belongs, and how each is
// forked. It has one table of agents; everything that differs between them is in a folder of its own below.
//
// List, Find and Turns read the agents' stores and write nothing, ever. PrepareLaunch gives the command that forks a session,
// Import does what a fork needs before its agent starts, and AwaitStart sees it come up; starting it is the caller's.
// Locate finds the session that runs in a terminal, and Guard refuses a command line that would write into one that runs.
// What a transcript holds is data: of all that is read, only
// an id that matches its agent's pattern, and the path of its file, ever enter a command.
package sessions

import (
	"cmp"
	"context"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/claude"
	"github.com/sidefork/sidefork/sessions/codex"
	"github.com/sidefork/sidefork/sessions/opencode"
	"github.com/sidefork/sidefork/sessions/pi"
	"github.com/sidefork/sidefork/sessions/process"
	"github.com/sidefork/sidefork/sessions/seen"
	"github.com/sidefork/sidefork/sessions/terminal"
)

// The shapes that agents answer with.
type (
	Session = agent.Session
	ID      = agent.ID
	Problem = agent.Problem
	Launch  = agent.Launch
	Started = agent.Started
	Refusal = agent.Refusal
)

// Agents is the table of agents.
func Agents() []agent.Agent {
	return []agent.Agent{
		claude.Agent(),
		codex.Agent(),
		opencode.Agent(),
		pi.Agent(),
	}
}

// Config is what the user's environment and settings say about agents, by agent name. The zero Config is that of a user
// without settings.
type Config struct {
	Getenv    func(string) string // nil: the environment of this process
	Programs  map[string]string   // absolute path of the program; else it is looked for on PATH
	Homes     map[string][]string // account folders beside the default one and the environment's
	Arguments map[string][]string // the user's own arguments for every launch
	Terminals string              // the folder of the records of terminals, absolute; "" for none
	MostDraft int                 // bytes of a draft; 0: 64 KiB
	Versions  *Versions           // remembers what programs said; nil: they are asked each time
	Seen      *seen.Memory        // remembers for List what was read of the stores; nil: they are read each time
	State     string              // a folder of sidefork's own, for what the next process may know too; "": nothing is kept
	// Below gives a process and all below it; nil: the system's.
	Below func(pid int) ([]process.Process, error)
}

func (c Config) getenv(name string) string {
	if c.Getenv == nil {
		return os.Getenv(name)
	}
	return c.Getenv(name)
}

// Query says which sessions are asked for.
type Query struct {
	Agents []string // nil: of every agent
	// Worktrees are absolute physical tops: sessions that were started in one of them or below. nil: every session.
	Worktrees []string
	// Only is one of Worktrees: just the sessions that belong to it, not those of a worktree that lies inside it.
	Only   string
	Limit  int    // sessions on a page; 0: all
	Cursor string // Page.Next of the page before
}

// Page is a part of a list.
type Page struct {
	Sessions []Session // newest first
	Next     string    // the cursor of the next page; "" on the last one
	Problems []Problem // what could not be read; the list is whole but for that
}

// List gives the sessions that are asked for, one for each agent and id. It fails only for a query that is wrong, or when
// ctx ends.
func List(ctx context.Context, c Config, q Query) (Page, error) {
	agents, recorded, err := c.chosenForList(q.Agents)
	if err != nil {
		return Page{}, err
	}
	from, err := parseCursor(q.Cursor)
	if err != nil {
		return Page{}, err
	}
	if q.Limit < 0 {
		return Page{}, agent.Refuse("invalidArgument", "what", "the limit is negative")
	}
	tops := q.Worktrees
	if q.Only != "" {
		tops = []string{q.Only}
	}
	c.Seen.Settle()
	var all []Session
	var page Page
	for _, a := range agents {
		found, problems := a.List(ctx, c.Seen, a.Homes(c.getenv, c.Homes[a.Name]), tops)
		all = append(all, found...)
		page.Problems = append(page.Problems, problems...)
	}
	terminals, problems := c.recorded(recorded, tops, all)
	all, page.Problems = append(all, terminals...), append(page.Problems, problems...)
	if err := ctx.Err(); err != nil {
		return Page{}, err
	}
	if q.Only != "" {
		tops = append(tops, q.Worktrees...)
		all = slices.DeleteFunc(all, func(s Session) bool { return Workspace(s.Cwd, tops) != q.Only })
	}
	page.Sessions, page.Next = cut(merge(all), from, q.Limit)
	return page, nil
}

// Find gives the session of an id. Refused: agentUnknown, invalidSession, sessionUnknown.
func Find(ctx context.Context, c Config, id ID) (Session, error) {
	if s, err := terminal.Find(c.Terminals, id); err == nil {
		return s, nil
	}
	agents, err := chosen([]string{id.Agent})
	if err != nil {
		return Session{}, err
	}
	a := agents[0]
	if !a.Valid(id.ID) {
		return Session{}, agent.Refuse("invalidSession", "id", id.ID)
	}
	found, problems := a.Find(ctx, a.Homes(c.getenv, c.Homes[a.Name]), id.ID)
	if err := ctx.Err(); err != nil {
		return Session{}, err
	}
	if len(found) == 0 {
		no := agent.Refuse("sessionUnknown", "agent", id.Agent, "id", id.ID)
		for _, p := range problems {
			no.Detail += p.Source + ": " + p.Message + "\n"
		}
		return Session{}, no
	}
	return merge(found)[0], nil
}

// chosen gives the agents of that name, all for nil.
func chosen(names []string) ([]agent.Agent, error) {
	table := Agents()
	if names == nil {
		return table, nil
	}
	var agents []agent.Agent
	for _, a := range table {
		if slices.Contains(names, a.Name) {
			agents = append(agents, a)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(table, func(a agent.Agent) bool { return a.Name == name }) {
			var known []string
			for _, a := range table {
				known = append(known, a.Name)
			}
			return nil, agent.Refuse("agentUnknown", "agent", name, "known", strings.Join(known, ", "))
		}
	}
	return agents, nil
}

// merge gives one session for each id, newest first: of several, one that runs before one that does not, one that can be
// forked before one that cannot, then the newer one.
func merge(all []Session) []Session {
	best := make(map[ID]Session, len(all))
	for _, s := range all {
		if other, there := best[s.ID]; !there || better(s, other) {
			best[s.ID] = s
		}
	}
	return slices.SortedFunc(maps.Values(best), func(a, b Session) int { return placeOf(a).compare(placeOf(b)) })
}

func better(a, b Session) bool {
	live := func(s Session) bool { return s.State == agent.Live }
	forkable := func(s Session) bool { return s.NotForkable == nil }
	switch {
	case live(a) != live(b):
		return live(a)
	case forkable(a) != forkable(b):
		return forkable(a)
	case !a.LastActivity.Equal(b.LastActivity):
		return a.LastActivity.After(b.LastActivity)
	}
	return cmp.Less(a.Source, b.Source) // whichever, but always the same
}

// Workspace is the workspace that a session belongs to: the deepest of worktrees that contains cwd, the folder it was
// started in. "" where none does.
func Workspace(cwd string, worktrees []string) string {
	var deepest string
	for _, top := range worktrees {
		if len(top) > len(deepest) && agent.Within(top, cwd) {
			deepest = top
		}
	}
	return deepest
}
