package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
	"github.com/sidefork/sidefork/sessions/agent"
)

// chooseSession puts the session of the flags into p, and has it said which it is where no flag did. The answer is done
// where that is settled; else it is why not: refused, or cancelled.
func (l *line) chooseSession(ctx context.Context, p *commands.ForkParams, f forkFlags) (a answer, err error) {
	switch {
	case f.noSession:
		return a, nil
	case f.session != "":
		p.Session, err = l.named(ctx, f.session, p.Workspace)
		return a, err
	}
	var list commands.SessionsResult
	a = l.ask(ctx, "sidefork.sessions", commands.SessionsParams{Workspace: p.Workspace}).into(&list)
	if !a.done() {
		return a, nil
	}
	var forkable []commands.Session
	for _, s := range list.Sessions {
		if s.Fork.Kind != "none" {
			forkable = append(forkable, s)
		}
	}
	switch {
	case len(forkable) == 0 && f.latest:
		return answer{failed: noneOf(list.Sessions)}, nil
	case len(list.Sessions) == 0:
		l.sure = l.say("There is no session to fork here: making a workspace without an agent.")
		return a, nil
	case len(forkable) == 0:
		why := noneOf(list.Sessions).In(l.env.Language()).Reason.Message
		l.sure = commands.Printable(l.say("No session here can be forked (%s) Making a workspace without an agent.", why))
		return a, nil
	case len(forkable) > 1 && !f.latest && l.inTerminal && l.errTerminal && !l.json:
		return l.askSession(ctx, p, forkable), nil
	}
	p.Session = idOf(forkable[0])
	which := locales.Word("Forking the newest session: %s")
	if len(forkable) < len(list.Sessions) && forkable[0].ID != list.Sessions[0].ID {
		which = locales.Word("Forking the newest session that can be forked: %s")
	}
	l.sure = l.say(which, l.describe(forkable[0]))
	return a, nil
}

// noneOf refuses a fork of sessions none of which can be forked: with the reason of the newest.
func noneOf(all []commands.Session) *commands.Failure {
	if len(all) > 0 && all[0].Fork.Reason != nil {
		return &commands.Failure{Reason: *all[0].Fork.Reason, Effect: commands.Nothing}
	}
	return commands.Refuse("noSession")
}

func idOf(s commands.Session) *agent.ID { return &agent.ID{Agent: s.Agent, ID: s.ID} }

// named reads AGENT:ID. A beginning of an id is completed where exactly one session of the workspace begins so; else it
// is passed on as it is, for the command to refuse.
func (l *line) named(ctx context.Context, word, workspace string) (*agent.ID, error) {
	name, id, found := strings.Cut(word, ":")
	if !found || name == "" || id == "" {
		return nil, fmt.Errorf("--session wants AGENT:ID, for example claude:9c322651, not %s", word)
	}
	named := &agent.ID{Agent: name, ID: id}
	const whole = 36 // the length of a UUID
	if len(id) >= whole {
		return named, nil
	}
	a := l.ask(ctx, "sidefork.sessions", commands.SessionsParams{Workspace: workspace, Scope: "all", Agents: []string{name}})
	var list commands.SessionsResult
	if !a.done() || json.Unmarshal(a.result, &list) != nil {
		return named, nil
	}
	var matches []string
	for _, s := range list.Sessions {
		if s.Agent == name && strings.HasPrefix(s.ID, id) {
			matches = append(matches, s.ID)
		}
	}
	switch len(matches) {
	case 1:
		named.ID = matches[0]
	case 0:
	default:
		return nil, fmt.Errorf("--session %s begins several: %s", word, strings.Join(matches, ", "))
	}
	return named, nil
}

// askSession asks which of several sessions is to be forked.
func (l *line) askSession(ctx context.Context, p *commands.ForkParams, among []commands.Session) answer {
	const most = 9
	among = among[:min(len(among), most)]
	l.print(l.err, "Which session is to be forked?")
	for i, s := range among {
		fmt.Fprintf(l.err, "  %d  %s\n", i+1, l.describe(s))
	}
	fmt.Fprintf(l.err, "  0  %s\n", l.say("none: a workspace without an agent"))
	for {
		fmt.Fprint(l.err, l.say("Number [1]:"), " ")
		word, ok := l.typed(ctx)
		if !ok {
			return answer{cancelled: true}
		}
		if word == "" {
			word = "1"
		}
		switch n, err := strconv.Atoi(word); {
		case err != nil || n < 0 || n > len(among):
			l.print(l.err, "A number from %d to %d, please.", 0, len(among))
		case n == 0:
			return answer{}
		default:
			p.Session = idOf(among[n-1])
			return answer{}
		}
	}
}

// typed is the next line that a person types. The end of the input, like a cancel, is no answer.
func (l *line) typed(ctx context.Context) (word string, ok bool) {
	word, ok, _ = l.typedOr(ctx, nil)
	return word, ok
}

// typedOr is typed, unless there is news first.
func (l *line) typedOr(ctx context.Context, news <-chan struct{}) (word string, ok, new bool) {
	if l.asking == nil {
		l.asking, l.answers = l.lines()
	}
	if !l.awaited { // else the line that was wanted last has not come yet
		l.asking <- struct{}{}
		l.awaited = true
	}
	select {
	case <-ctx.Done():
		return "", false, false
	case <-news:
		return "", false, true
	case read, open := <-l.answers:
		l.awaited = !open // at its end nothing more is wanted
		return strings.TrimSpace(read), open, false
	}
}

// lines reads the input, a line for each that is asked for; answers is closed at its end. Nothing is read that nobody asked
// for: the next line is the agent's. A reader stays behind when nobody waits for it any more: a read of a terminal cannot
// be called off.
func (l *line) lines() (asking chan<- struct{}, answers <-chan string) {
	ask, out := make(chan struct{}, 1), make(chan string)
	go func() {
		defer close(out)
		in := bufio.NewScanner(l.in) // a terminal gives one line a read
		for range ask {
			if !in.Scan() {
				return
			}
			out <- in.Text()
		}
	}()
	return ask, out
}

// describe is a session in one line.
func (l *line) describe(s commands.Session) string {
	text := fmt.Sprintf("%s %s  %s  (%s", s.Agent, short(s.ID), clip(l.headline(s), 60), l.age(s))
	if s.State == agent.Live {
		text += ", " + l.say("live")
	}
	return commands.Printable(text + ")")
}

// completeSessions offers the sessions of the workspace for --session.
func (l *line) completeSessions(c *cobra.Command) {
	offer := func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if isElsewhere(c) { // a shell that completes a word is no time for a password
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		workspace, err := l.place(args)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		a := l.ask(context.Background(), "sidefork.sessions", commands.SessionsParams{Workspace: workspace})
		var list commands.SessionsResult
		if !a.done() || json.Unmarshal(a.result, &list) != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var words []cobra.Completion
		for _, s := range list.Sessions {
			words = append(words, cobra.CompletionWithDesc(s.Agent+":"+s.ID, commands.Printable(l.headline(s))))
		}
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
	if err := c.RegisterFlagCompletionFunc("session", offer); err != nil {
		panic(err)
	}
}
