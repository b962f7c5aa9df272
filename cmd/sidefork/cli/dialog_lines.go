package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/sidefork/sidefork/cmd/sidefork/dialog"
	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

// formLines draws a form in lines and numbers: that works over ssh, in every terminal and with every screen reader.
type formLines struct{ *openForm }

// run goes on until the person forks or leaves, or there is no form any more.
func (d *formLines) run(ctx context.Context) (forks bool, failed *commands.Failure) {
	for {
		d.draw()
		word, answered, failed := d.command(ctx)
		if failed != nil || !answered {
			return false, failed
		}
		switch number, err := strconv.Atoi(word); {
		case word == "":
			if forks, failed := d.submit(ctx); forks || failed != nil {
				return forks, failed
			}
			continue
		case strings.EqualFold(word, "p"):
			d.showPlan(ctx)
		case strings.EqualFold(word, "m"):
			d.form.More = !d.form.More
		case err != nil || number < 1 || number > len(d.form.Shown()):
			d.print(d.err, "Enter forks, a number changes that line, m shows more or less, p shows the plan, q leaves.")
		default:
			if !d.change(ctx, d.form.Shown()[number-1]) {
				continue // left, or cancelled: the next question ends it
			}
			_, failed = d.again(ctx, true)
		}
		if failed != nil {
			return false, failed
		}
	}
}

// command waits for what the person types next. Meanwhile the form is drawn anew with each piece of news, as long as
// something in it is still being read.
func (d *formLines) command(ctx context.Context) (word string, answered bool, failed *commands.Failure) {
	for {
		fmt.Fprint(d.err, "> ")
		var news <-chan struct{}
		if d.form.Pending() {
			news = d.news
		}
		word, ok, new := d.typedOr(ctx, news)
		switch {
		case new:
			fmt.Fprintln(d.err)
			if _, failed := d.again(ctx, true); failed != nil {
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

// again brings the fields up to date with the answers. complete: there is nothing more to ask.
func (d *formLines) again(ctx context.Context, draft bool) (complete bool, failed *commands.Failure) {
	fields, failed := d.fields(ctx, d.form.Answers(), draft)
	if failed != nil || len(fields) == 0 {
		return failed == nil, failed
	}
	d.form.Take(fields)
	return false, nil
}

// submit forks, if all is answered as it can be.
func (d *formLines) submit(ctx context.Context) (complete bool, failed *commands.Failure) {
	if d.form.Early() {
		d.print(d.err, "The sessions are still being read: a moment, or choose.")
		return false, nil
	}
	return d.again(ctx, false)
}

// showPlan shows what the fork that is drawn would do.
func (d *formLines) showPlan(ctx context.Context) {
	text, failed := d.plan(ctx, d.form.Answers(), d.width)
	if failed != nil {
		text = d.say("There is no plan yet: %s", commands.Printable(failed.In(d.env.Language()).Reason.Message)) + "\n"
	}
	fmt.Fprint(d.err, text)
}

// draw shows the form, a line for each field, with why one is wrong or cannot be chosen beneath it.
func (d *formLines) draw() {
	fmt.Fprintln(d.err)
	for i, f := range d.form.Shown() {
		text := fmt.Sprintf("%2d  %s: %s", i+1, d.form.Label(f), d.form.InWords(f))
		if f.Type.Pending {
			text += "  " + d.say("(still reading)")
		}
		fmt.Fprintln(d.err, text)
		for _, part := range dialog.Script(f) {
			fmt.Fprintf(d.err, "      $ %s\n", part)
		}
		if changes, more := dialog.Changes(f); len(changes) > 0 {
			fmt.Fprintf(d.err, "      %s\n", d.say("It has changed since you approved it:"))
			for _, part := range changes {
				fmt.Fprintf(d.err, "      %s\n", part)
			}
			if more > 0 {
				fmt.Fprintf(d.err, "      … (+%d)\n", more)
			}
		}
		if f.Type.DisabledReason != "" && f.Error == "" {
			fmt.Fprintf(d.err, "      %s\n", commands.Printable(f.Type.DisabledReason))
		}
		if f.Error != "" {
			fmt.Fprintf(d.err, "      ! %s\n", commands.Printable(f.Error))
		}
	}
	keys := locales.Word("Enter forks, a number changes a line, m more, p plan, q leave.")
	if d.form.More {
		keys = locales.Word("Enter forks, a number changes a line, m less, p plan, q leave.")
	}
	d.print(d.err, keys)
}

// change asks for one field. false: nothing was changed.
func (d *formLines) change(ctx context.Context, f commands.FormField) bool {
	if f.Type.DisabledReason != "" {
		fmt.Fprintln(d.err, commands.Printable(f.Type.DisabledReason))
		return false
	}
	switch f.Type.Kind {
	case "bool":
		on, _ := d.form.Value(f).(bool)
		d.form.Set(f.ID, !on)
		return true
	case "enum":
		return d.choose(ctx, f.ID, f.Type.Entries)
	case "lazyEnum":
		return d.search(ctx, f)
	case "number":
		return d.enterNumber(ctx, f)
	case "list":
		return d.enterLines(ctx, f)
	}
	fmt.Fprint(d.err, d.say("%s (Enter keeps it, a single - empties it):", commands.Printable(f.Description)), " ")
	word, ok := d.typed(ctx)
	if !ok || word == "" {
		return false
	}
	if word == "-" {
		word = ""
	}
	d.form.Set(f.ID, word)
	return true
}

// choose asks for one of several.
func (d *formLines) choose(ctx context.Context, id string, entries []commands.FormEntry) bool {
	for i, e := range entries {
		fmt.Fprintf(d.err, "    %d  %s\n", i+1, commands.Printable(e.Description))
	}
	for {
		fmt.Fprint(d.err, "  ", d.say("Number (Enter keeps it):"), " ")
		word, ok := d.typed(ctx)
		if !ok || word == "" {
			return false
		}
		if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(entries) {
			d.form.Set(id, entries[n-1].Value)
			return true
		}
		fmt.Fprintf(d.err, "  %s\n", d.say("A number from %d to %d, please.", 1, len(entries)))
	}
}

// search asks for one of many, by a part of its name.
func (d *formLines) search(ctx context.Context, f commands.FormField) bool {
	for {
		fmt.Fprint(d.err, "  ", d.say("A part of its name (Enter lists the first ones):"), " ")
		word, ok := d.typed(ctx)
		if !ok {
			return false
		}
		entries, failed := d.list(ctx, f, word)
		if failed != nil {
			d.complain(failed)
			return false
		}
		if len(entries) > 0 {
			return d.choose(ctx, f.ID, entries)
		}
		fmt.Fprintf(d.err, "  %s\n", d.say("Nothing is called so."))
	}
}

func (d *formLines) enterNumber(ctx context.Context, f commands.FormField) bool {
	fmt.Fprint(d.err, d.say("%s (Enter keeps it):", commands.Printable(f.Description)), " ")
	word, ok := d.typed(ctx)
	n, err := strconv.Atoi(word)
	if !ok || err != nil {
		return false
	}
	d.form.Set(f.ID, n)
	return true
}

// enterLines asks for a list.
func (d *formLines) enterLines(ctx context.Context, f commands.FormField) bool {
	d.print(d.err, "%s, one a line; an empty line ends:", commands.Printable(f.Description))
	list := []string{}
	for {
		word, ok := d.typed(ctx)
		if !ok {
			return false
		}
		if word == "" {
			d.form.Set(f.ID, list)
			return true
		}
		list = append(list, word)
	}
}
