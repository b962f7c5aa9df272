package terminal

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// screen is what a terminal of some size shows of what was written to it, and what has scrolled off it, as text. It is used
// from one goroutine at a time.
type screen struct {
	emulator *vt.Emulator
	past     []byte // what has scrolled off, lines with their ends, not much more than most
	cut      bool   // earlier lines of past were dropped
	most     int    // bytes
	main     string // the main screen, while the program is on the alternate one
	title    string // what the program calls its window
	pastes   bool   // the program takes a paste in brackets (DECSET 2004)
	broken   error  // the emulator failed: what is shown from then on is not known
}

const (
	// piece bounds what the emulator is given at once, and by that the lines that can scroll off meanwhile.
	piece = 512
	// mostOff is how many lines those are: a short sequence may scroll a whole screen.
	mostOff = 16 << 10
	// mostRepeats bounds how often a character is repeated at a program's word: as often as fits on a large screen.
	mostRepeats = 1 << 16
	// mostColumns and mostRows bound a screen, whatever its terminal says of its size.
	mostColumns, mostRows = 1000, 500
)

// newScreen makes one that keeps about so many bytes of what has scrolled off.
func newScreen(columns, rows, most int) *screen {
	s := &screen{emulator: vt.NewEmulator(within(columns, mostColumns), within(rows, mostRows)), most: most}
	s.emulator.SetScrollbackSize(mostOff)
	s.emulator.SetCallbacks(vt.Callbacks{
		Title:       func(title string) { s.title = title },
		EnableMode:  func(m ansi.Mode) { s.pastes = s.pastes || m == ansi.ModeBracketedPaste },
		DisableMode: func(m ansi.Mode) { s.pastes = s.pastes && m != ansi.ModeBracketedPaste },
	})
	s.emulator.RegisterCsiHandler('J', s.erase)
	s.emulator.RegisterCsiHandler('b', func(p ansi.Params) bool {
		n, _, _ := p.Param(0, 1)
		return n > mostRepeats // then it is taken for done
	})
	s.emulator.RegisterCsiHandler(ansi.Command('?', 0, 'h'), s.toAlternate)
	s.emulator.RegisterCsiHandler(ansi.Command('?', 0, 'l'), s.fromAlternate)
	go func() { _, _ = io.Copy(io.Discard, s.emulator) }() // its answers to questions: the real terminal gives those
	return s
}

func within(n, most int) int { return min(max(n, 1), most) }

// Close ends it. Its text stays. (The emulator's own Close must not be called while its answers are read.)
func (s *screen) Close() {
	if answers, ok := s.emulator.InputPipe().(io.Closer); ok {
		_ = answers.Close()
	}
}

// Write shows what a program writes. It never fails: a screen that breaks keeps what has scrolled off before.
func (s *screen) Write(p []byte) (int, error) {
	for part := range slices.Chunk(p, piece) {
		s.guarded(func() {
			_, _ = s.emulator.Write(part)
			s.collect()
		})
	}
	return len(p), nil
}

// Resize gives the screen another size.
func (s *screen) Resize(columns, rows int) {
	s.guarded(func() { s.emulator.Resize(within(columns, mostColumns), within(rows, mostRows)) })
}

// guarded keeps a mistake of the emulator, which is given whatever a program writes, from ending the program.
func (s *screen) guarded(f func()) {
	defer func() {
		if r := recover(); r != nil {
			s.broken = fmt.Errorf("terminal: the emulator failed: %v", r)
		}
	}()
	if s.broken == nil {
		f()
	}
}

// erase is for ED 2 and 3. The emulator would move a cleared screen to what has scrolled off, and so keep each frame of a
// program that draws by clearing; xterm does not. What the terminal forgets of its past is forgotten here too: a program
// that does this writes it anew.
func (s *screen) erase(p ansi.Params) bool {
	switch n, _, _ := p.Param(0, 0); n {
	case 2:
		for y := range s.emulator.Height() {
			for x := range s.emulator.Width() {
				s.emulator.SetCell(x, y, nil)
			}
		}
		return true
	case 3:
		s.past, s.cut = s.past[:0], false
	}
	return false
}

// toAlternate remembers the main screen while the program draws on the alternate one.
func (s *screen) toAlternate(p ansi.Params) bool {
	if alternates(p) && !s.emulator.IsAltScreen() {
		s.main = s.shown()
	}
	return false
}

// fromAlternate keeps what the alternate screen showed last: nothing scrolls off it.
func (s *screen) fromAlternate(p ansi.Params) bool {
	if alternates(p) && s.emulator.IsAltScreen() {
		if last := s.shown(); last != "" {
			s.keep(last)
		}
		s.main = ""
	}
	return false
}

func alternates(p ansi.Params) bool {
	found := false
	p.ForEach(0, func(_, mode int, _ bool) { found = found || mode == 47 || mode == 1047 || mode == 1049 })
	return found
}

// collect moves what has scrolled off out of the emulator, whose cells weigh a hundred times what they show.
func (s *screen) collect() {
	off := s.emulator.Scrollback()
	if off.Len() == 0 {
		return
	}
	for i := range off.Len() {
		s.keep(strings.TrimRight(off.Line(i).String(), " "))
	}
	off.Clear()
}

// keep adds lines to the past.
func (s *screen) keep(lines string) {
	s.past = append(append(s.past, lines...), '\n')
	if len(s.past) > s.most+s.most/4 { // not for every line anew
		s.past, s.cut = bytes.Clone(lastLines(s.past, s.most)), true
	}
}

// text is all that is to be seen: what has scrolled off, then the screen without the empty lines at its end. cut says that
// there was more.
func (s *screen) text() (text string, cut bool) {
	text = string(lastLines(s.past, s.most))
	cut = s.cut || len(text) < len(s.past)
	for _, part := range []string{s.main, s.shown()} {
		if part != "" {
			text += part + "\n"
		}
	}
	return text, cut
}

// shown is the screen as it is now, line by line, without what is empty at its end.
func (s *screen) shown() (lines string) {
	s.guarded(func() { lines = strings.TrimRight(s.emulator.String(), "\n") }) // without blanks at the ends of lines
	return lines
}

// lastLines are the last whole lines of a text that fit into so many bytes; of a longer line its end.
func lastLines(text []byte, most int) []byte {
	if len(text) <= most {
		return text
	}
	end := text[len(text)-most:]
	if at := bytes.IndexByte(end, '\n'); at >= 0 && at < len(end)-1 {
		return end[at+1:]
	}
	for len(end) > 0 && !utf8.RuneStart(end[0]) {
		end = end[1:]
	}
	return end
}
