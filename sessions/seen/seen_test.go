package seen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sidefork/sidefork/sessions/watch"
)

// disk is a folder, a Memory that watches it, and how often a file of it was read.
type disk struct {
	t      *testing.T
	folder string
	memory *Memory
	events chan bool
	reads  int
}

func newDisk(t *testing.T) *disk {
	t.Helper()
	d := &disk{t: t, folder: filepath.Join(t.TempDir(), "store"), events: make(chan bool, 10_000)}
	if err := os.Mkdir(d.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	d.memory = New(func(f func(context.Context)) { go func() { defer close(ended); f(ctx) }() }, func(names bool) { d.events <- names })
	t.Cleanup(func() {
		stop()
		<-ended
		goleak.VerifyNone(t)
	})
	return d
}

func (d *disk) path(name string) string { return filepath.Join(d.folder, name) }

func (d *disk) do(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *disk) write(name, text string) {
	d.t.Helper()
	d.do(os.WriteFile(d.path(name), []byte(text), 0o600))
}

// read gives a file's text as the memory has it; "!" for one that cannot be read.
func (d *disk) read(name string) string {
	text, err := File(d.memory, d.path(name), "text", func(f *os.File, _ os.FileInfo) (string, error) {
		d.reads++
		data, err := io.ReadAll(f)
		return string(data), err
	})
	if err != nil {
		return "!"
	}
	return text
}

func (d *disk) names() (names []string) {
	d.t.Helper()
	entries, err := d.memory.Entries(d.folder)
	d.do(err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// settle takes in all that was done so far.
func (d *disk) settle() {
	d.t.Helper()
	if !d.memory.watcher.Settle() {
		d.t.Fatal("it cannot be told whether all was told")
	}
}

// old makes a file's time so old that the next change shows in it.
func (d *disk) old(name string) {
	d.t.Helper()
	at := time.Now().Add(-time.Hour)
	d.do(os.Chtimes(d.path(name), at, at))
}

func TestAFileIsReadAgainOnlyWhenItHasChanged(t *testing.T) {
	d := newDisk(t)
	d.write("a", "one")
	d.old("a")
	d.names()
	d.settle()
	for range 3 {
		if text := d.read("a"); text != "one" || d.reads != 1 {
			t.Fatalf("%q, read %d times", text, d.reads)
		}
	}
	d.write("b", "another")
	d.settle()
	if text := d.read("a"); text != "one" || d.reads != 1 {
		t.Errorf("%q, read %d times after another file came", text, d.reads)
	}
	at := time.Now().Add(-30 * time.Minute)
	for name, change := range map[string]func(){
		"grown":           func() { d.write("a", "one two") },
		"as long as ever": func() { d.write("a", "eno owt"); d.do(os.Chtimes(d.path("a"), at, at)) },
		"replaced":        func() { d.write("c", "three"); d.do(os.Rename(d.path("c"), d.path("a"))) },
		"gone":            func() { d.do(os.Remove(d.path("a"))) },
	} {
		d.write("a", "one")
		d.old("a")
		d.settle()
		d.read("a")
		change()
		d.settle()
		want := "!"
		if data, err := os.ReadFile(d.path("a")); err == nil {
			want = string(data)
		}
		if got := d.read("a"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestWhatIsRememberedIsWhatIsOnDisk does anything to a folder, in any order.
func TestWhatIsRememberedIsWhatIsOnDisk(t *testing.T) {
	d := newDisk(t)
	random := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "c", "d"}
	pick := func() string { return names[random.IntN(len(names))] }
	for round := range 150 {
		for range 1 + random.IntN(3) {
			switch name := pick(); random.IntN(6) {
			case 0, 1:
				d.write(name, fmt.Sprint(random.IntN(1000)))
			case 2:
				_ = os.Remove(d.path(name)) // it may not be there
			case 3:
				_ = os.Rename(d.path(name), d.path(pick()))
			case 4:
				_ = os.Truncate(d.path(name), 1)
			case 5: // another folder in its place
				if random.IntN(10) == 0 {
					d.do(os.Rename(d.folder, fmt.Sprintf("%s.%d", d.folder, round)))
					d.do(os.Mkdir(d.folder, 0o700))
					d.write(name, "in another folder")
				}
			}
			d.read(pick())
		}
		d.settle()
		entries, err := os.ReadDir(d.folder)
		d.do(err)
		var there []string
		for _, e := range entries {
			there = append(there, e.Name())
		}
		if got := d.names(); !slices.Equal(got, there) {
			t.Fatalf("round %d: names %q, want %q", round, got, there)
		}
		for _, name := range names {
			want := "!"
			if data, err := os.ReadFile(d.path(name)); err == nil {
				want = string(data)
			}
			if got := d.read(name); got != want {
				t.Fatalf("round %d: %s is %q, want %q", round, name, got, want)
			}
		}
	}
}

func TestInDoubtItIsReadAgain(t *testing.T) {
	d := newDisk(t)
	other := filepath.Join(t.TempDir(), "other")
	d.do(os.WriteFile(other, []byte("one"), 0o600))
	at := time.Now().Add(-time.Hour)
	d.do(os.Chtimes(other, at, at))
	d.do(os.Symlink(other, d.path("link")))
	d.write("a", "one")
	d.old("a")
	d.names()
	d.settle()
	d.read("a")
	d.read("link")

	// What a link leads to is not watched.
	d.do(os.WriteFile(other, []byte("two"), 0o600))
	if got := d.read("link"); got != "two" {
		t.Errorf("through a link: %q", got)
	}
	// More happened than could be told: what is on disk counts, even where the event is missing.
	d.memory.happened(watch.Event{Lost: true})
	d.do(os.WriteFile(d.path("a"), []byte("two"), 0o600))
	if got := d.read("a"); got != "two" {
		t.Errorf("after events were lost: %q", got)
	}
	if !<-d.events {
		t.Error("that events were lost was not told as names")
	}

	// Another folder is there by its name: nothing is told of that where one above it was moved.
	d.settle()
	d.read("a")
	above := filepath.Dir(d.folder)
	d.do(os.Rename(above, above+".old"))
	d.do(os.MkdirAll(d.folder, 0o700))
	d.write("a", "six")
	if d.names(); d.read("a") != "six" {
		t.Error("the file of the folder that was there before is remembered")
	}

	// Without a watcher a file that was written just now is read each time, one that is old by now is not.
	blind := &Memory{folders: map[string]*folder{}, changed: func(bool) {}}
	d.memory = blind
	d.write("b", "one")
	for i, want := range []string{"one", "two", "six"} { // of one length, perhaps within one tick of the clock
		d.write("b", want)
		if d.names(); d.read("b") != want {
			t.Errorf("write %d is not seen", i)
		}
	}
	now := time.Now()
	for _, want := range []string{"one", "two"} { // within one tick of it
		d.write("b", want)
		d.do(os.Chtimes(d.path("b"), now, now))
		if got := d.read("b"); got != want {
			t.Errorf("within a tick: %q, want %q", got, want)
		}
	}
	d.old("b")
	d.read("b")
	before := d.reads
	if d.read("b"); d.reads != before {
		t.Error("an old file that has not changed was read again")
	}
}

func TestWhatWasMadeOfAFolderStandsUntilAnythingHappensInIt(t *testing.T) {
	d := newDisk(t)
	made := 0
	count := func() int {
		return Folders(t.Context(), d.memory, []string{d.folder}, "count", func(string) int {
			made++
			return len(d.names())
		})[0]
	}
	d.write("a", "one")
	d.names()
	d.settle()
	first := count()
	if again := count(); again != first || made != 1 {
		t.Errorf("%d, then %d, made %d times", first, again, made)
	}
	d.write("a", "two")
	d.settle()
	if count(); made != 2 {
		t.Errorf("made %d times after a write", made)
	}
	d.do(os.Symlink(d.path("a"), d.path("link")))
	d.settle()
	count()
	if count(); made != 4 {
		t.Errorf("made %d times: a folder with a link was remembered", made)
	}
}

func TestWhatIsNoticedIsToldAndNothingElse(t *testing.T) {
	d := newDisk(t)
	d.memory.Notice(d.folder, "HEAD")
	d.memory.Notice(d.path("later"))
	d.write("noise", "x")
	d.write("HEAD", "x")
	if names := <-d.events; !names {
		t.Error("that a name came was told as a write")
	}
	d.do(os.Mkdir(d.path("later"), 0o700))
	for names := range d.events {
		if names { // writes of HEAD may come before it
			break
		}
	}
	d.memory.mu.Lock()
	defer d.memory.mu.Unlock()
	if f := d.memory.folders[d.folder]; f.entries != nil || !slices.Equal(f.only, []string{"HEAD", "later"}) {
		t.Errorf("%+v", f)
	}
}

func TestAnErrorIsNotRemembered(t *testing.T) {
	d := newDisk(t)
	d.write("a", "one")
	d.names()
	d.settle()
	fail := errors.New("broken")
	for _, want := range []error{fail, nil} {
		if _, err := File(d.memory, d.path("a"), "x", func(*os.File, os.FileInfo) (int, error) { return 0, want }); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
}
