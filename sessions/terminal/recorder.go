package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
)

// recorder keeps what is written to a terminal in a record's folder, and types a draft when the time has come. What it is
// given it works off on a goroutine of its own.
type recorder struct {
	folder string
	values []string // secret ones
	native func(context.Context) *agent.ID
	draft  string
	typed  func([]byte) // types
	raw    func() bool  // the agent takes its keys one by one

	given chan event
	done  chan struct{}

	// Of the goroutine.
	record  Record
	screen  *screen
	columns int
	failed  error // writing
	fresh   bool  // something was drawn since the last flush
	flushed time.Time
	asked   time.Time // when native was last asked

	found atomic.Pointer[agent.ID] // what it said
	ended context.CancelFunc
	alive context.Context
}

type event struct {
	drawn         []byte
	columns, rows int
}

const (
	// quiet is how long nothing is drawn before what there is is written down, and before a draft is typed: agents draw
	// their first screen in several steps.
	quiet = 500 * time.Millisecond
	// lateFlush is how long an agent that never stops drawing waits for that.
	lateFlush = 5 * time.Second
	// draftLimit is how long an agent has to be ready for a draft, unless it asks a question meanwhile.
	draftLimit = 60 * time.Second
	// nativeAgain is how often an agent is looked for that has a session of its own.
	nativeAgain = 20 * time.Second
)

// newRecorder begins a record. Close ends it.
func newRecorder(o Options, columns, rows int, typed func([]byte), raw func() bool) *recorder {
	r := &recorder{
		folder: o.Folder, values: secretValues(o.Env), draft: o.Draft, typed: typed, raw: raw,
		native: o.Native, given: make(chan event, 64), done: make(chan struct{}),
		record: o.Record, screen: newScreen(columns, rows, o.Most), columns: columns, flushed: time.Now(),
	}
	r.alive, r.ended = context.WithCancel(context.Background())
	r.write()
	go r.run()
	return r
}

// oneLine is what a program calls its window, short and without anything that acts on a terminal.
func oneLine(text string) string {
	runes := []rune(strings.Join(strings.Fields(clean(text)), " "))
	return string(runes[:min(len(runes), 200)])
}

// Write takes what the agent writes.
func (r *recorder) Write(p []byte) (int, error) {
	r.given <- event{drawn: append([]byte(nil), p...)}
	return len(p), nil
}

// Resize takes a new size of the terminal.
func (r *recorder) Resize(columns, rows int) { r.given <- event{columns: columns, rows: rows} }

// Close ends the record: the agent has ended with this status. It gives the first thing that went wrong.
func (r *recorder) Close(status int) error {
	close(r.given)
	<-r.done
	r.ended()
	now := time.Now().UTC()
	r.record.EndedAt, r.record.Status = &now, &status
	r.flush()
	r.screen.Close()
	return errors.Join(r.failed, r.screen.broken)
}

// Untyped says whether there was a draft that could not be typed.
func (r *recorder) untyped() bool { return r.draft != "" }

func (r *recorder) run() {
	defer close(r.done)
	begun := time.Now()
	still := time.NewTimer(quiet)
	defer still.Stop()
	for {
		select {
		case e, more := <-r.given:
			if !more {
				return
			}
			if e.drawn == nil {
				r.columns = e.columns
				r.screen.Resize(e.columns, e.rows)
				continue
			}
			_, _ = r.screen.Write(e.drawn)
			r.drawn()
			if time.Since(r.flushed) > lateFlush {
				r.flush()
			}
			still.Reset(quiet)
		case <-still.C:
			if r.fresh {
				r.flush()
			}
			if r.draft != "" && r.ready() {
				go r.typed(paste(r.draft)) // the agent may have to be read from before it reads all of it
				r.draft = ""
				_ = os.Remove(filepath.Join(r.folder, draftFile))
			}
			if r.draft != "" && (time.Since(begun) < draftLimit || r.asks()) {
				still.Reset(quiet) // look again
			}
		}
	}
}

// drawn takes down that something was.
func (r *recorder) drawn() {
	now := time.Now().UTC()
	r.fresh, r.record.ActiveAt = true, now
	if r.record.ShownAt == nil && strings.TrimSpace(r.screen.shown()) != "" {
		r.record.ShownAt = &now
		r.write()
	}
}

// ready says whether the agent takes a draft now for what it is: it knows pastes and takes its keys one by one, has drawn
// its prompt and asks nothing.
func (r *recorder) ready() bool {
	return r.screen.pastes && r.raw() && r.record.ShownAt != nil && !r.asks()
}

func (r *recorder) asks() bool {
	kind := ReadWords(r.screen.shown()).Kind
	return kind != "" && kind != "conversation"
}

// flush writes the transcript and the record.
func (r *recorder) flush() {
	r.fresh, r.flushed = false, time.Now()
	if r.native != nil && r.record.Native == nil && r.record.EndedAt == nil && time.Since(r.asked) > nativeAgain {
		r.asked = time.Now()
		go func() { r.found.Store(r.native(r.alive)) }()
	}
	if found := r.found.Load(); found != nil {
		r.record.Native = found
	}
	text, cut := r.screen.text()
	r.record.Cut, r.record.Columns, r.record.Title = cut, r.columns, mask(oneLine(r.screen.title), r.values, len(text)+mostColumns)
	r.fail(writeFile(filepath.Join(r.folder, transcriptFile), []byte(mask(text, r.values, r.columns))))
	r.write()
}

// write writes the record.
func (r *recorder) write() {
	text, err := json.Marshal(r.record)
	if err == nil {
		err = writeFile(filepath.Join(r.folder, recordFile), append(text, '\n'))
	}
	r.fail(err)
}

func (r *recorder) fail(err error) {
	if r.failed == nil {
		r.failed = err
	}
}

// locked lets several write to one place, each as a whole.
type locked struct {
	mu sync.Mutex
	to *os.File
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}
