package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
)

// The dialog in a terminal is a client of the form like any editor (docs/contract.md, "The dialog"): it draws the fields
// that it is given, and has no rules of its own. It is lines and numbers: that works over ssh, in every terminal and with
// every screen reader.

func (l *line) dialogCommand() *cobra.Command {
	var pid int
	launch := "client"
	c := &cobra.Command{
		Use:   "dialog [WORKSPACE]",
		Short: "Ask for all that a fork needs, then fork",
		Long: `dialog shows what a fork of WORKSPACE (default: the current directory) would be as a numbered list: session, name, changes,
where it starts from, the repository's setup, and more. A number changes a line, p shows the plan, Enter forks, q leaves
with nothing written. It is the form that the editors draw, in lines: the keyboard is enough, and so is ssh.`,
		Example:           "  sidefork dialog\n  sidefork dialog ~/src/app\n  ssh -t box sidefork dialog src/app",
		Args:              arguments(0, 1),
		ValidArgsFunction: folders,
		RunE: l.does(func(ctx context.Context, args []string) error {
			if !l.inTerminal || !l.errTerminal {
				return errors.New("dialog wants a terminal: for scripts there is sidefork fork")
			}
			workspace, err := l.place(args)
			if err != nil {
				return err
			}
			argument := map[string]any{"workspace": workspace, "operationId": uuid.NewString(), "launch": launch}
			if pid > 0 {
				argument["pid"] = pid
			}
			d := &dialog{line: l, argument: argument, user: map[string]any{}, news: make(chan struct{}, 1)}
			return d.run(ctx)
		}),
	}
	c.Flags().IntVar(&pid, "pid", 0, "preselect the session that runs below the process `PID`, such as a terminal's shell, and no other")
	c.Flags().Var(choice{&launch, []string{"client", "tmux", "none"}}, "launch", "how the agent starts, as for fork: `client|none|tmux`")
	complete(c, "launch", "client", "none")
	return c
}

// dialog is a form while it is open.
type dialog struct {
	*line
	argument map[string]any
	fields   []commands.FormField
	user     map[string]any // by field, what was chosen
	more     bool           // the advanced fields are shown too
	news     chan struct{}  // the form should be asked for again
}

// run goes on until the person forks or leaves.
func (d *dialog) run(ctx context.Context) error {
	wait := d.background(ctx)
	defer wait()
	d.env.Notify = func(method string, _ any) {
		if method == "sidefork/changed" {
			select {
			case d.news <- struct{}{}:
			default: // it is known already
			}
		}
	}
	if _, failed := d.resolve(ctx, nil, false); failed != nil {
		d.refuse(failed)
		return nil
	}
	for {
		d.draw()
		word, answered, failed := d.command(ctx)
		if failed != nil {
			d.refuse(failed)
			return nil
		}
		if !answered {
			d.tell(answer{result: []byte(`{"status":"cancelled"}`), cancelled: true}, nil)
			return nil
		}
		switch number, err := strconv.Atoi(word); {
		case word == "":
			done, failed := d.submit(ctx)
			if failed != nil {
				d.refuse(failed)
				return nil
			}
			if done {
				return nil
			}
			continue
		case strings.EqualFold(word, "p"):
			failed = d.plan(ctx)
		case strings.EqualFold(word, "m"):
			d.more = !d.more
		case err != nil || number < 1 || number > len(d.shown()):
			fmt.Fprintln(d.err, "Enter forks, a number changes that line, m shows more or less, p shows the plan, q leaves.")
		default:
			if !d.change(ctx, d.shown()[number-1]) {
				continue // left, or cancelled: the next question ends it
			}
			_, failed = d.resolve(ctx, d.answers(), true)
		}
		if failed != nil {
			d.refuse(failed)
			return nil
		}
	}
}

// command waits for what the person types next. Meanwhile the form is drawn anew with each piece of news, as long as
// something in it is still being read.
func (d *dialog) command(ctx context.Context) (word string, answered bool, failed *commands.Failure) {
	for {
		fmt.Fprint(d.err, "> ")
		var news <-chan struct{}
		if slices.ContainsFunc(d.fields, func(f commands.FormField) bool { return f.Type.Pending }) {
			news = d.news
		}
		word, ok, new := d.typedOr(ctx, news)
		switch {
		case new:
			fmt.Fprintln(d.err)
			if _, failed := d.resolve(ctx, d.answers(), true); failed != nil {
				return "", false, failed
			}
			d.draw()
		case !ok, strings.EqualFold(word, "q"):
			return "", false, nil
		default:
			return word, true, nil
		}
	}
}

// resolve asks for the form. complete: there is nothing more to ask, and the fields stay as they are.
func (d *dialog) resolve(ctx context.Context, answers []commands.FormAnswer, draft bool) (complete bool, failed *commands.Failure) {
	raw, err := json.Marshal(d.argument)
	if err != nil {
		return false, mistake(err)
	}
	form, sent, failed := d.line.resolve(ctx, d.env, commands.ResolveParams{
		Command: "sidefork.fork", Arguments: []json.RawMessage{raw}, FormAnswers: answers, Draft: draft,
	})
	if failed != nil {
		return false, failed
	}
	sent()
	if len(form.FormFields) == 0 {
		return true, nil
	}
	d.fields = form.FormFields
	return false, nil
}

// value is what a field is drawn with: what the person chose, as long as it can be chosen, else its default.
func (d *dialog) value(f commands.FormField) any {
	chosen, touched := d.user[f.ID]
	offered := f.Type.Kind != "enum" || slices.ContainsFunc(f.Type.Entries, func(e commands.FormEntry) bool { return e.Value == chosen })
	if touched && offered && f.Type.DisabledReason == "" {
		return chosen
	}
	return f.Default
}

func (d *dialog) answers() []commands.FormAnswer {
	var list []commands.FormAnswer
	for _, f := range d.fields {
		if raw, err := json.Marshal(d.value(f)); err == nil {
			list = append(list, commands.FormAnswer{ID: f.ID, Value: raw})
		}
	}
	return list
}

// answered is the argument of the fork that is drawn.
func (d *dialog) answered() (p commands.ForkParams, failed *commands.Failure) {
	raw, err := json.Marshal(d.argument)
	if err != nil {
		return p, mistake(err)
	}
	if raw, failed = commands.Answered("sidefork.fork", raw, d.answers()); failed != nil {
		return p, failed
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return p, mistake(err)
	}
	return p, nil
}

// submit forks, if all is answered as it can be.
func (d *dialog) submit(ctx context.Context) (done bool, failed *commands.Failure) {
	if i := slices.IndexFunc(d.fields, func(f commands.FormField) bool { return f.ID == "session" }); i >= 0 && d.fields[i].Type.Pending && d.user["session"] == nil {
		fmt.Fprintln(d.err, "The sessions are still being read: a moment, or choose.")
		return false, nil
	}
	complete, failed := d.resolve(ctx, d.answers(), false)
	if failed != nil || !complete {
		return false, failed
	}
	p, failed := d.answered()
	if failed != nil {
		return false, failed
	}
	d.fork(ctx, p)
	return true, nil
}

// plan shows what the fork that is drawn would do.
func (d *dialog) plan(ctx context.Context) *commands.Failure {
	p, failed := d.answered()
	if failed != nil {
		fmt.Fprintf(d.err, "There is no plan yet: %s\n", commands.Printable(failed.Reason.Message))
		return nil
	}
	var plan commands.Plan
	a := d.ask(ctx, "sidefork.plan", p).into(&plan)
	if a.failed != nil {
		return a.failed
	}
	shown := *d.line // as a person sees it, whatever stdout is for
	shown.out = d.err
	shown.showPlan(plan, p)
	return nil
}
