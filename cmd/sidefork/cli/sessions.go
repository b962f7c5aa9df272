package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
)

func (l *line) sessionsCommand() *cobra.Command {
	var ask commands.SessionsParams
	c := &cobra.Command{
		Use:   "sessions [WORKSPACE]",
		Short: "List the agents' sessions, newest first",
		Long: `sessions lists the conversations of Claude Code and Codex that belong to WORKSPACE (default: the current directory):
title or first prompt, age, whether an agent is at it right now, and whether it can be forked.`,
		Example: `  sidefork sessions
  sidefork sessions --scope repository --agent claude
  sidefork sessions --scope all --limit 20 --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: folders,
	}
	c.Flags().StringVar(&ask.Scope, "scope", "", "whose sessions, `workspace|repository|all` (default workspace)")
	c.Flags().StringArrayVar(&ask.Agents, "agent", nil, "only those of `AGENT`: claude, codex (repeatable)")
	c.Flags().IntVar(&ask.Limit, "limit", 0, "at most `N`")
	complete(c, "scope", "workspace", "repository", "all")
	complete(c, "agent", "claude", "codex")
	c.RunE = l.does(func(ctx context.Context, args []string) error {
		// Of all sessions there is nothing to judge for a workspace that nobody named, and none needs to be here.
		if len(args) > 0 || ask.Scope != "all" {
			workspace, err := place(args)
			if err != nil {
				return err
			}
			ask.Workspace = workspace
		}
		l.call(ctx, "sidefork.sessions", ask, show(l, l.showSessions))
		return nil
	})
	return c
}

func (l *line) showSessions(r commands.SessionsResult) {
	if len(r.Sessions) == 0 {
		fmt.Fprintln(l.out, "There are no sessions.")
	} else {
		length := unique(r.Sessions)
		rows := [][]string{{"AGENT", "ID", "TITLE", "AGE", "STATE", "FORK"}}
		for _, s := range r.Sessions {
			state := string(s.State)
			if s.Status != "" {
				state += ", " + s.Status
			}
			how := s.Fork.Kind
			if s.Fork.Reason != nil {
				how += ": " + s.Fork.Reason.Message
			}
			rows = append(rows, []string{s.Agent, s.ID[:min(length, len(s.ID))], clip(headline(s), 50), l.age(s), state, how})
		}
		l.table(rows)
	}
	if r.Next != "" {
		fmt.Fprintln(l.out, "There are more: ask with a larger --limit.")
	}
	for _, p := range r.Problems {
		l.note("could not be read: %s: %s", commands.Printable(p.Source), commands.Printable(p.Message))
	}
}

// unique is how much of an id tells all of these sessions apart; 8 at least.
func unique(all []commands.Session) int {
	for length := 8; length < 36; length++ {
		seen := map[string]bool{}
		for _, s := range all {
			seen[s.Agent+s.ID[:min(length, len(s.ID))]] = true
		}
		if len(seen) == len(all) {
			return length
		}
	}
	return 36
}

// headline is what a person knows a session by.
func headline(s commands.Session) string {
	switch {
	case s.Title != "":
		return s.Title
	case s.FirstPrompt != "":
		return s.FirstPrompt
	}
	return "(no title)"
}

// clip shortens text to at most n characters, in one line.
func clip(text string, n int) string {
	runes := []rune(strings.Join(strings.Fields(commands.Printable(text)), " "))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n-1]) + "…"
}

// age is how long ago a session last did something.
func (l *line) age(s commands.Session) string {
	if s.LastActivity == nil {
		return "?"
	}
	switch d := l.now().Sub(*s.LastActivity); {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	default:
		return fmt.Sprintf("%d d", int(d.Hours()/24))
	}
}
