package cli

import (
	"fmt"
	"io"
	"sync"

	"github.com/sidefork/sidefork/commands"
)

// stages shows on a terminal how a command goes: one line for each stage, its percentage renewed in place.
type stages struct {
	mu   sync.Mutex
	to   io.Writer // nil: silent
	name string
	last string // what stands on the current line

	sure  string    // said once the refusals are behind
	notes io.Writer // where to; nil: nowhere
}

// progress is where a command's stages go: to stderr where that is a terminal, and nowhere with --json.
func (l *line) progress() *stages {
	switch {
	case l.json:
		return &stages{}
	case l.errTerminal:
		return &stages{to: l.err, notes: l.err}
	}
	return &stages{notes: l.err}
}

// Stage begins the next line.
func (s *stages) Stage(_ string, stage commands.Stage, _ int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to != nil {
		s.close()
	}
	if stage != commands.Preparing && s.sure != "" && s.notes != nil {
		fmt.Fprintln(s.notes, s.sure)
		s.sure = ""
	}
	if s.to == nil {
		return
	}
	s.name = stage.Title()
	s.draw(s.name + " …")
}

// Report renews the current line.
func (s *stages) Report(percent int, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to == nil || s.name == "" {
		return
	}
	text := fmt.Sprintf("%s … %d %%", s.name, percent)
	if message = commands.Printable(message); message != "" && message != s.name {
		text += " " + message
	}
	s.draw(text)
}

// end closes the current line.
func (s *stages) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to != nil {
		s.close()
	}
}

func (s *stages) draw(text string) {
	if text != s.last {
		fmt.Fprintf(s.to, "\r\x1b[K%s", text)
		s.last = text
	}
}

func (s *stages) close() {
	if s.last != "" {
		fmt.Fprintln(s.to)
	}
	s.name, s.last = "", ""
}
