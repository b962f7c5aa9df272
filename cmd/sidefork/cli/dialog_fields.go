package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/sidefork/sidefork/commands"
)

// shown are the fields that have a line, in their order.
func (d *dialog) shown() (list []commands.FormField) {
	for _, f := range d.fields {
		if d.more || !f.Type.Advanced || f.Error != "" {
			list = append(list, f)
		}
	}
	return list
}

// draw shows the form, a line for each field, with why one is wrong or cannot be chosen beneath it.
func (d *dialog) draw() {
	fmt.Fprintln(d.err)
	for i, f := range d.shown() {
		text := fmt.Sprintf("%2d  %s: %s", i+1, description(f), d.inWords(f))
		if f.Type.Pending {
			text += "  (still reading)"
		}
		fmt.Fprintln(d.err, commands.Printable(text))
		if s := f.Type.Setup; s != nil {
			for part := range strings.SplitSeq(strings.Join(s.Commands, "\n"), "\n") {
				fmt.Fprintf(d.err, "      $ %s\n", commands.Printable(part))
			}
		}
		if f.Type.DisabledReason != "" && f.Error == "" {
			fmt.Fprintf(d.err, "      %s\n", commands.Printable(f.Type.DisabledReason))
		}
		if f.Error != "" {
			fmt.Fprintf(d.err, "      ! %s\n", commands.Printable(f.Error))
		}
	}
	more := "m more"
	if d.more {
		more = "m less"
	}
	fmt.Fprintf(d.err, "Enter forks, a number changes a line, %s, p plan, q leave.\n", more)
}

// description is a field's; the commands of a setup have lines of their own.
func description(f commands.FormField) string {
	if s := f.Type.Setup; s != nil {
		return "Run the setup of " + s.Source
	}
	return f.Description
}

// inWords is what a field is drawn with.
func (d *dialog) inWords(f commands.FormField) string {
	switch v := d.value(f).(type) {
	case nil:
		return "-"
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case string:
		for _, e := range f.Type.Entries {
			if e.Value == v {
				return e.Description
			}
		}
		if v == "" {
			return "-"
		}
		return v
	case []string:
		if len(v) == 0 {
			return "none"
		}
		return strings.Join(v, "  ")
	default:
		raw, _ := json.Marshal(v)
		return string(raw)
	}
}

// change asks for one field. false: nothing was changed.
func (d *dialog) change(ctx context.Context, f commands.FormField) bool {
	if f.Type.DisabledReason != "" {
		fmt.Fprintln(d.err, commands.Printable(f.Type.DisabledReason))
		return false
	}
	switch f.Type.Kind {
	case "bool":
		on, _ := d.value(f).(bool)
		d.user[f.ID] = !on
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
	fmt.Fprintf(d.err, "%s (Enter keeps it, a single - empties it): ", commands.Printable(f.Description))
	word, ok := d.typed(ctx)
	if !ok || word == "" {
		return false
	}
	if word == "-" {
		word = ""
	}
	d.user[f.ID] = word
	return true
}

// choose asks for one of several.
func (d *dialog) choose(ctx context.Context, id string, entries []commands.FormEntry) bool {
	for i, e := range entries {
		fmt.Fprintf(d.err, "    %d  %s\n", i+1, commands.Printable(e.Description))
	}
	for {
		fmt.Fprint(d.err, "  Number (Enter keeps it): ")
		word, ok := d.typed(ctx)
		if !ok || word == "" {
			return false
		}
		if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(entries) {
			d.user[id] = entries[n-1].Value
			return true
		}
		fmt.Fprintf(d.err, "  A number from 1 to %d, please.\n", len(entries))
	}
}

// search asks for one of many, by a part of its name.
func (d *dialog) search(ctx context.Context, f commands.FormField) bool {
	config, err := json.Marshal(f.Type.Config)
	if err != nil {
		return false
	}
	for {
		fmt.Fprint(d.err, "  A part of its name (Enter lists the first ones): ")
		word, ok := d.typed(ctx)
		if !ok {
			return false
		}
		entries, failed := d.listEnum(ctx, d.env, commands.ListEnumParams{Source: f.Type.Source, Config: config, Query: word})
		if failed != nil {
			d.complain(failed)
			return false
		}
		if len(entries) > 0 {
			return d.choose(ctx, f.ID, entries)
		}
		fmt.Fprintln(d.err, "  Nothing is called so.")
	}
}

func (d *dialog) enterNumber(ctx context.Context, f commands.FormField) bool {
	fmt.Fprintf(d.err, "%s (Enter keeps it): ", commands.Printable(f.Description))
	word, ok := d.typed(ctx)
	n, err := strconv.Atoi(word)
	if !ok || err != nil {
		return false
	}
	d.user[f.ID] = n
	return true
}

// enterLines asks for a list.
func (d *dialog) enterLines(ctx context.Context, f commands.FormField) bool {
	fmt.Fprintf(d.err, "%s, one a line; an empty line ends:\n", commands.Printable(f.Description))
	list := []string{}
	for {
		word, ok := d.typed(ctx)
		if !ok {
			return false
		}
		if word == "" {
			d.user[f.ID] = list
			return true
		}
		list = append(list, word)
	}
}
