package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
	"github.com/sidefork/sidefork/sessions"
)

func (l *line) sessionsCommand() *cobra.Command {
	var ask commands.SessionsParams
	var session string
	c := &cobra.Command{
		Use:   "sessions [WORKSPACE]",
		Short: "List the agents' sessions, newest first",
		Long: `sessions lists the conversations of Claude Code, Codex, opencode and pi that belong to WORKSPACE (default: the current directory):
title or first prompt, age, whether an agent is at it right now, and whether fork would take it: native (by the agent's
own means), or none and why. With --scope repository or all the folder of each is shown too. Whether it can be forked is
judged for WORKSPACE; of all sessions, where the current directory is in no repository, for the folder of each.

With --turns it lists the turns of one session of Claude Code or Codex, oldest first: a fork can begin at any of them
(fork --at), and knows that turn whole and nothing that was said later.`,
		Example: `  sidefork sessions
  sidefork sessions --scope repository --agent claude
  sidefork sessions --scope all --limit 20 --json
  sidefork sessions --turns --session claude:9c322651`,
		Args:              arguments(0, 1),
		ValidArgsFunction: folders,
	}
	scopes, names := []string{"workspace", "repository", "all"}, agents()
	c.Flags().Var(choice{&ask.Scope, scopes}, "scope", "whose sessions, `workspace|repository|all` (default workspace)")
	c.Flags().Var(&choices{&ask.Agents, func() []string { return append(names, commands.RecordedAgents(l.env)...) }}, "agent", "only those of `AGENT`: "+strings.Join(names, ", ")+", or one of sidefork run (repeatable)")
	c.Flags().IntVar(&ask.Limit, "limit", 0, "at most `N`")
	c.Flags().BoolVar(&ask.Turns, "turns", false, "the turns of the session that --session names")
	c.Flags().StringVar(&session, "session", "", "with --turns: the session, as `AGENT:ID`; a unique beginning of the id will do")
	l.completeSessions(c)
	complete(c, "scope", scopes...)
	complete(c, "agent", names...)
	c.RunE = l.does(func(ctx context.Context, args []string) error {
		workspace, err := l.place(args)
		if err != nil {
			return err
		}
		ask.Workspace = workspace
		if ask.Turns || c.Flags().Changed("session") {
			return l.turns(ctx, c, ask, session)
		}
		a := l.ask(ctx, "sidefork.sessions", ask)
		if a.failed != nil && a.failed.Effect == commands.Nothing && len(args) == 0 && ask.Scope == "all" {
			ask.Workspace = "" // all there are can be asked for from anywhere
			a = l.ask(ctx, "sidefork.sessions", ask)
		}
		l.tell(a, show(l, func(r commands.SessionsResult) {
			l.showSessions(r, ask.Scope == "repository" || ask.Scope == "all")
		}))
		return nil
	})
	return c
}

// agents are the names of the agents that there are.
func agents() []string {
	var names []string
	for _, a := range sessions.Agents() {
		names = append(names, a.Name)
	}
	return names
}

// choices is a choice that may be made again and again.
type choices struct {
	to    *[]string
	among func() []string
}

func (c *choices) String() string { return "" }

// Set adds a word; one that is not among them is wrong usage.
func (c *choices) Set(word string) error {
	var one string
	if err := (choice{&one, c.among()}).Set(word); err != nil {
		return err
	}
	*c.to = append(*c.to, one)
	return nil
}

// Type is what a value is called where the flag's own words do not say it.
func (c *choices) Type() string { return "word" }

// showSessions is a table of sessions; folders says whether they are of several.
func (l *line) showSessions(r commands.SessionsResult, folders bool) {
	if len(r.Sessions) == 0 {
		l.print(l.out, "There are no sessions.")
	} else {
		length := unique(r.Sessions)
		rows, soft := [][]string{l.headings("AGENT", "ID", "TITLE", "AGE", "STATE", "FORK")}, []int{2}
		for _, s := range r.Sessions {
			state := l.say(stateInWords(string(s.State)))
			if s.Status != "" {
				state += ", " + l.say(stateInWords(s.Status))
			}
			how := l.say(stateInWords(s.Fork.Kind))
			if s.Fork.Reason != nil {
				how += ": " + s.Fork.Reason.Message
			}
			rows = append(rows, []string{s.Agent, s.ID[:min(length, len(s.ID))], clip(l.headline(s), 72), l.age(s), state, how})
		}
		if folders {
			soft = append(soft, 3)
			for i := range rows {
				where := l.say("FOLDER")
				if i > 0 {
					where = folderOf(r.Sessions[i-1])
				}
				rows[i] = slices.Insert(rows[i], 3, where)
			}
		}
		l.headed(rows, soft...)
	}
	if r.Next != "" {
		l.print(l.out, "There are more: ask with a larger --limit.")
	}
	for _, p := range r.Problems {
		l.note("could not be read: %s: %s", commands.Printable(p.Source), commands.Printable(p.Message))
	}
}

// stateInWords is a code of docs/contract.md, of a session's state, status or fork, in words.
func stateInWords(code string) string {
	for _, word := range []string{
		locales.Word("live"), locales.Word("ended"), locales.Word("unknown"), locales.Word("idle"), locales.Word("busy"), locales.Word("waiting"),
		locales.Word("native"), locales.Word("transcript"), locales.Word("none"),
		locales.Word("ok"), locales.Word("warning"), locales.Word("error"),
	} {
		if word == code {
			return word
		}
	}
	return code
}

// folderOf is the workspace that a session belongs to, else the folder that it was started in.
func folderOf(s commands.Session) string {
	if s.Workspace != nil {
		return *s.Workspace
	}
	return s.Cwd
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
func (l *line) headline(s commands.Session) string {
	switch {
	case s.Title != "":
		return s.Title
	case s.FirstPrompt != "":
		return s.FirstPrompt
	}
	return l.say("(no title)")
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
		return l.say("now")
	case d < time.Hour:
		return l.say("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return l.say("%d h", int(d.Hours()))
	default:
		return l.say("%d d", int(d.Hours()/24))
	}
}
