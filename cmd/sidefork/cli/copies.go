package cli

import (
	"fmt"

	"github.com/sidefork/sidefork/commands"
)

// showCopies prints what became of each of several children.
func (l *line) showCopies(r commands.ForkResult) {
	for _, c := range r.Copies {
		if c.ForkResult != nil {
			l.showFork(*c.ForkResult, false)
			fmt.Fprintln(l.out)
		}
	}
	l.warn(r.Warnings)
	for _, c := range r.Copies {
		if c.Error != nil {
			l.print(l.err, "sidefork: %s was not made.", commands.Printable(c.Name))
			l.complain(c.Error)
		}
	}
}

// statusOfCopies makes a child that was not made a failure, though others stand.
func (l *line) statusOfCopies(a answer) {
	var r commands.ForkResult
	if !a.into(&r).done() {
		return
	}
	for _, c := range r.Copies {
		if c.Error != nil {
			l.status = max(l.status, statusOf(c.Error))
		}
	}
}
