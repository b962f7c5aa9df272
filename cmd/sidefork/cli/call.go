package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

// answer is what a command said: the wire result, or why not, or that it was cancelled.
type answer struct {
	result    json.RawMessage
	failed    *commands.Failure
	cancelled bool
}

func (a answer) done() bool { return a.failed == nil && !a.cancelled }

// ask runs one command of the table to its end.
func (l *line) ask(ctx context.Context, name string, argument any) answer {
	raw, err := json.Marshal(argument)
	if err != nil {
		return answer{failed: mistake(err)}
	}
	progress := l.progress()
	progress.sure, l.sure = l.sure, ""
	result, failed := l.run(ctx, l.env, name, raw, progress)
	progress.end()
	if failed != nil {
		return answer{failed: failed}
	}
	if raw, err = json.Marshal(result); err != nil {
		return answer{failed: mistake(err)}
	}
	var status struct {
		Status string `json:"status"`
	}
	// A result without a status (a list, null) leaves it empty.
	_ = json.Unmarshal(raw, &status)
	return answer{result: commands.Translated(raw, l.env.Language()), cancelled: status.Status == "cancelled"}
}

// mistake is for what cannot happen: a shape of our own that is no JSON.
func mistake(err error) *commands.Failure {
	return &commands.Failure{
		Reason: commands.Reason{Code: "internal", Message: "sidefork made a mistake.", Remedy: "Please report it."},
		Effect: commands.Uncertain, Detail: err.Error(),
	}
}

// call runs one command, prints its answer and settles the exit status. show prints the result for a person.
func (l *line) call(ctx context.Context, name string, argument any, show func(json.RawMessage)) {
	l.tell(l.ask(ctx, name, argument), show)
}

// tell prints an answer and settles the exit status.
func (l *line) tell(a answer, show func(json.RawMessage)) {
	switch {
	case a.failed != nil:
		l.complain(a.failed)
		l.status = statusOf(a.failed)
	case l.json:
		if _, err := fmt.Fprintf(l.out, "%s\n", a.result); err != nil {
			fmt.Fprintf(l.err, "sidefork: %s\n%s\n", l.say("it is done, but its result could not be written: %v", err), a.result)
			l.status = exitFailed
		}
	case a.cancelled:
		l.print(l.err, "sidefork: cancelled; nothing is left behind.")
	default:
		show(a.result)
	}
	if a.cancelled {
		l.status = exitCancelled
	}
}

// into decodes an answer that is not to be printed, but needed for the next question.
func (a answer) into(shape any) answer {
	if a.done() {
		if err := json.Unmarshal(a.result, shape); err != nil {
			a.failed = mistake(err)
		}
	}
	return a
}

// show decodes a wire result into the shape that print wants.
func show[T any](l *line, print func(T)) func(json.RawMessage) {
	return func(raw json.RawMessage) {
		var shape T
		if err := json.Unmarshal(raw, &shape); err != nil {
			failed := mistake(err)
			l.complain(failed)
			l.status = statusOf(failed)
			return
		}
		print(shape)
	}
}

func statusOf(f *commands.Failure) int {
	switch {
	case f.Effect == commands.Nothing && f.Reason.Code == "invalidArgument":
		return exitUsage
	case f.Effect == commands.Nothing:
		return exitRefused
	case f.Effect == commands.RolledBack, f.Effect == commands.Kept:
		return exitFailed
	}
	return exitUnknown
}

// complain says on stderr why something was not done: the error's data with --json, else in words.
func (l *line) complain(f *commands.Failure) {
	f = f.In(l.env.Language())
	if l.json {
		if data, err := json.Marshal(f); err == nil {
			fmt.Fprintf(l.err, "%s\n", data)
		}
		return
	}
	fmt.Fprintf(l.err, "%s %s [%s]\n", l.styled(l.errTerminal, red, "sidefork:"), commands.Printable(f.Reason.Message), f.Reason.Code)
	if f.Reason.Remedy != "" {
		fmt.Fprintf(l.err, "  %s\n", commands.Printable(f.Reason.Remedy))
	}
	for _, more := range f.Reasons[min(1, len(f.Reasons)):] { // the first is the one above
		fmt.Fprintf(l.err, "%s\n  %s\n", l.say("and: %s [%s]", commands.Printable(more.Message), more.Code), commands.Printable(more.Remedy))
	}
	if f.Effect != commands.Nothing || l.writes {
		fmt.Fprintf(l.err, "  %s\n", l.say(sentence(f.Effect)))
	}
	l.detail(f.Detail)
	if more := moreOf(f); more != "" {
		fmt.Fprintf(l.err, "  %s\n", l.say("More: %s", more))
	}
}

// detail prints what a program or the system said, line by line.
func (l *line) detail(text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	for part := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(l.err, "  | %s\n", commands.Printable(part))
	}
}

func sentence(effect commands.Effect) string {
	switch effect {
	case commands.Nothing:
		return locales.Word("Nothing was written.")
	case commands.RolledBack:
		return locales.Word("What had been written was taken back.")
	case commands.Kept:
		return locales.Word("It could not be taken back completely. What stands:")
	}
	return locales.Word("It may be partially applied.")
}

// warn prints the warnings of a result that stands: message, remedy, and a detail that several share once.
func (l *line) warn(warnings []commands.Warning) {
	said := map[string]bool{}
	for _, w := range warnings {
		w = w.In(l.env.Language())
		fmt.Fprintf(l.err, "%s %s [%s]\n", l.styled(l.errTerminal, yellow, l.say("warning:")), commands.Printable(w.Message), commands.Printable(w.Code))
		if w.Remedy != "" {
			fmt.Fprintf(l.err, "  %s\n", commands.Printable(w.Remedy))
		}
		if !said[w.Detail] {
			l.detail(w.Detail)
		}
		said[w.Detail] = true
	}
}

// note says something to a person on stderr. With --json nothing but an error's data may go there.
func (l *line) note(format string, a ...any) {
	if !l.json {
		l.print(l.err, format, a...)
	}
}

// does makes a subcommand's RunE. Every subcommand reads the user's settings, listens to Ctrl-C, and can be asked for
// another machine; only an error of usage is returned.
func (l *line) does(run func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		l.writes = slices.Contains([]string{"fork", "dialog", "carry", "recover", "remove", "archive", "adopt", "trust"}, c.Name())
		if !l.settle(c) {
			return nil
		}
		ctx, stop := l.interruptible(context.Background())
		defer stop()
		if l.host != nil {
			if c.Name() == "doctor" || c.Name() == "version" || c.Name() == "attach" { // no questions to a sidecar
				l.passOn(ctx, c.Name() == "attach" && l.inTerminal && l.outTerminal && !l.json, append([]string{c.Name()}, withFlags(c, args)...)...)
				return nil
			}
			defer l.host.Close()
			if failed := l.host.Connect(ctx); failed != nil {
				l.refuseOrCancel(failed)
				return nil
			}
		}
		return run(ctx, args)
	}
}

// settings are those of the user's file, and what is laid over them and an editor's: the environment and --set. The error
// is a *commands.Failure, and what can be read holds.
func (l *line) settings() (settings commands.Settings, over func(commands.Settings) commands.Settings, warnings []commands.Warning, err error) {
	settings, warnings, err = commands.UserSettings(l.env.Getenv)
	over, failed := commands.Overrides(l.env.Getenv, l.set)
	if failed != nil {
		return settings, func(s commands.Settings) commands.Settings { return s }, warnings, failed
	}
	return settings, over, warnings, err
}

// settle reads the settings. false: it has been said why the command cannot run.
func (l *line) settle(c *cobra.Command) bool {
	settings, over, warnings, err := l.settings()
	if diagnoses := c.Name() == "doctor" || c.Name() == "version"; err != nil {
		l.refuse(asFailure(err))
		if !diagnoses {
			return false
		}
		l.status = exitDone // what these two tell does not depend on settings
	}
	if !l.json {
		l.warn(warnings)
	}
	l.env.Settings = over(settings)
	if host, _ := c.Flags().GetString("host"); c.Flags().Changed("host") {
		if failed := l.elsewhere(host); failed != nil {
			l.refuse(failed)
			return false
		}
	}
	return true
}

func (l *line) refuse(f *commands.Failure) {
	l.complain(f)
	l.status = statusOf(f)
}

func asFailure(err error) *commands.Failure {
	if f, ok := err.(*commands.Failure); ok {
		return f
	}
	return mistake(err)
}
