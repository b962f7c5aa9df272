package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/cmd/sidefork/dialog"
	"github.com/sidefork/sidefork/commands"
)

// dialogCommand asks for all that a fork needs. How the form is drawn is package dialog's and dialog_lines.go's; here is
// whom it asks, and the fork that it ends in.
func (l *line) dialogCommand() *cobra.Command {
	var pid int
	var accessible, besides bool
	launch := "client"
	c := &cobra.Command{
		Use:   "dialog [WORKSPACE]",
		Short: "Ask for all that a fork needs, then fork",
		Long: `dialog shows what a fork of WORKSPACE (default: the current directory) would be: session, name, changes, where it starts
from, the repository's setup, how the agent starts, and more. It is the form that the editors draw. Keys and mouse
change it, Ctrl+S forks, Ctrl+P shows the plan, Esc or Ctrl+C leaves with nothing written.

With --accessible, where ACCESSIBLE is set, and in a terminal that cannot move its cursor (TERM=dumb), it is a numbered
list in plain lines: a number changes a line, p shows the plan, Enter forks, q leaves. Screen readers read that.

In Zed it is what a task runs: docs/zed.md.`,
		Example:           "  sidefork dialog\n  sidefork dialog ~/src/app\n  sidefork dialog --accessible\n  ssh -t box sidefork dialog src/app",
		Args:              arguments(0, 1),
		ValidArgsFunction: folders,
	}
	c.RunE = l.does(func(ctx context.Context, args []string) error {
		if !l.inTerminal || !l.errTerminal {
			return errors.New("dialog wants a terminal: for scripts there is sidefork fork")
		}
		workspace, err := l.place(args)
		if err != nil {
			return err
		}
		if err := exclude(c.Flags(), []string{"pid", "beside"}); err != nil {
			return err
		}
		if besides {
			pid = beside()
		}
		argument := map[string]any{"workspace": workspace, "operationId": uuid.NewString()}
		if pid > 0 {
			argument["pid"] = pid
		}
		_, noTmux := exec.LookPath("tmux")
		d := &openForm{line: l, argument: argument, form: dialog.New(launch, noTmux == nil, l.env.Language()), news: make(chan struct{}, 1)}
		d.run(ctx, accessible || l.plain())
		return nil
	})
	c.Flags().IntVar(&pid, "pid", 0, "preselect the session that runs below the process `PID`, such as a terminal's shell, and no other")
	c.Flags().BoolVar(&besides, "beside", false, "preselect the session that runs in another terminal of the editor, terminal emulator or tmux that this one belongs to (of several the one that began last), and no other")
	c.Flags().BoolVar(&accessible, "accessible", false, "in plain numbered lines, as a screen reader reads them")
	c.Flags().Var(choice{&launch, []string{"client", "tmux", "none"}}, "launch", "how the agent starts unless the form says otherwise, as for fork: `client|none|tmux`")
	complete(c, "launch", "client", "none", "tmux")
	return c
}

// plain says whether the terminal is to be written line by line, with no cursor that moves: where that was asked for
// (ACCESSIBLE is what other programs' forms go by, too) and where it cannot be done.
func (l *line) plain() bool {
	accessible, _ := l.lookup("ACCESSIBLE")
	return accessible != "" || l.dumb()
}

// dumb says whether the terminal is one that shows letters and nothing else. Windows has no TERM.
func (l *line) dumb() bool {
	kind, _ := l.lookup("TERM")
	return kind == "dumb" || kind == "" && runtime.GOOS != "windows"
}

// openForm is a dialog while it is open: whom it asks.
type openForm struct {
	*line
	argument map[string]any // of the fork, without what is answered
	form     *dialog.Form
	news     chan struct{} // the form should be asked for again
}

// run goes on until the person forks or leaves.
func (d *openForm) run(ctx context.Context, plain bool) {
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
	fields, failed := d.fields(ctx, nil, false)
	if failed != nil {
		d.refuse(failed)
		return
	}
	d.form.Take(fields)
	draw := d.onScreen
	if plain {
		draw = (&formLines{d}).run
	}
	forks, failed := draw(ctx)
	if failed == nil && forks {
		var p commands.ForkParams
		if p, failed = d.answered(d.form.Answers()); failed == nil {
			p.Launch = d.form.Launch()
			d.fork(ctx, p)
			return
		}
	}
	if failed != nil {
		d.refuse(failed)
		return
	}
	d.tell(answer{result: []byte(`{"status":"cancelled"}`), cancelled: true}, nil)
}

// onScreen draws the form on the whole screen.
func (d *openForm) onScreen(ctx context.Context) (forks bool, failed *commands.Failure) {
	forks, failed, err := dialog.Run(ctx, d.form, dialog.Asker{Resolve: d.fields, List: d.list, Plan: d.plan}, d.news,
		dialog.Terminal{In: d.in, Out: d.err, Environment: os.Environ()})
	if err != nil {
		failed = commands.Refuse("invalidArgument", "what", "The terminal cannot be drawn on: "+err.Error())
		failed.Reason.Remedy = "sidefork dialog --accessible asks in plain lines."
	}
	return forks, failed
}

// fields asks for the fields.
func (d *openForm) fields(ctx context.Context, answers []commands.FormAnswer, draft bool) ([]commands.FormField, *commands.Failure) {
	raw, err := json.Marshal(d.argument)
	if err != nil {
		return nil, mistake(err)
	}
	resolved, sent, failed := d.resolve(ctx, d.env, commands.ResolveParams{
		Command: "sidefork.fork", Arguments: []json.RawMessage{raw}, FormAnswers: answers, Draft: draft,
	})
	if failed != nil {
		return nil, failed
	}
	sent()
	return resolved.FormFields, nil
}

// list asks for what a lazyEnum has.
func (d *openForm) list(ctx context.Context, f commands.FormField, query string) ([]commands.FormEntry, *commands.Failure) {
	config, err := json.Marshal(f.Type.Config)
	if err != nil {
		return nil, mistake(err)
	}
	return d.listEnum(ctx, d.env, commands.ListEnumParams{Source: f.Type.Source, Config: config, Query: query})
}

// answered is the argument of the fork that these answers make.
func (d *openForm) answered(answers []commands.FormAnswer) (p commands.ForkParams, failed *commands.Failure) {
	raw, err := json.Marshal(d.argument)
	if err != nil {
		return p, mistake(err)
	}
	if raw, failed = commands.Answered("sidefork.fork", raw, answers); failed != nil {
		return p, failed
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return p, mistake(err)
	}
	return p, nil
}

// plan says in words what the fork that these answers make would do.
func (d *openForm) plan(ctx context.Context, answers []commands.FormAnswer, width int) (string, *commands.Failure) {
	p, failed := d.answered(answers)
	if failed != nil {
		return "", failed
	}
	var text bytes.Buffer
	shown := *d.line // as a person sees it, whatever stdout is for
	shown.out, shown.err, shown.errTerminal, shown.width, shown.sure = &text, &text, false, width, ""
	var plan commands.Plan
	if a := shown.ask(ctx, "sidefork.plan", p).into(&plan); a.failed != nil {
		return "", a.failed
	}
	shown.showPlan(plan, p)
	return text.String(), nil
}
