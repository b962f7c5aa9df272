package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

// stages shows on a terminal how a command goes: one line for each stage. Where somebody watches, the line is renewed in
// place, with its percentage and a wheel that turns; else each stage is a plain line, as it begins.
type stages struct {
	mu       sync.Mutex
	to       io.Writer // nil: silent
	moves    bool      // the line is renewed
	width    int       // columns of the terminal; 0: unknown
	name     string
	language locales.Language
	text     string // of the current line
	last     string // what stands on it
	turn     int
	ended    chan struct{} // the wheel stops; nil: it does not turn
	wheel    sync.WaitGroup

	sure  string    // said once the refusals are behind
	notes io.Writer // where to; nil: nowhere
}

// turns is how often the wheel turns.
const turns = 120 * time.Millisecond

// progress is where a command's stages go: to stderr where that is a terminal, and nowhere with --json.
func (l *line) progress() *stages {
	switch {
	case l.json:
		return &stages{}
	case l.errTerminal:
		return &stages{to: l.err, notes: l.err, moves: l.outTerminal && !l.plain(), width: l.width, language: l.env.Language()}
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
	switch {
	case s.to == nil:
		return
	case !s.moves:
		fmt.Fprintln(s.to, s.language.Text(stage.Title())+" …")
		return
	case s.ended == nil:
		s.ended = make(chan struct{})
		s.wheel.Go(s.spin)
	}
	s.name = s.language.Text(stage.Title())
	s.text = s.name + " …"
	s.draw()
}

// Report renews the current line.
func (s *stages) Report(percent int, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.name == "" {
		return
	}
	s.text = fmt.Sprintf("%s … %d %%", s.name, percent)
	if message = commands.Printable(message); message != "" && message != s.name {
		s.text += " " + message
	}
	s.draw()
}

// end closes the current line.
func (s *stages) end() {
	if s.ended != nil {
		close(s.ended)
		s.wheel.Wait()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to != nil {
		s.close()
	}
}

// spin turns the wheel, until the end.
func (s *stages) spin() {
	clock := time.NewTicker(turns)
	defer clock.Stop()
	for {
		select {
		case <-s.ended:
			return
		case <-clock.C:
			s.mu.Lock()
			s.turn++
			if s.name != "" {
				s.draw()
			}
			s.mu.Unlock()
		}
	}
}

// draw renews the line: what does not fit would make it two, which nothing can renew.
func (s *stages) draw() {
	s.put(string(`|/-\`[s.turn%4]) + " " + s.text)
}

func (s *stages) put(text string) {
	if s.width > 0 {
		text = ansi.Truncate(text, s.width-1, "…")
	}
	if text != s.last {
		fmt.Fprintf(s.to, "\r\x1b[K%s", text)
		s.last = text
	}
}

func (s *stages) close() {
	if s.last != "" {
		s.put(s.text)
		fmt.Fprintln(s.to)
	}
	s.name, s.text, s.last = "", "", ""
}
