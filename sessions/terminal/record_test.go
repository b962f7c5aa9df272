//go:build unix

package terminal

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
)

// recordIn writes a record with a transcript.
func recordIn(t *testing.T, all string, change func(*Record)) Record {
	t.Helper()
	r := Record{ID: NewID(), Agent: "wren", Program: "/bin/wren", Cwd: "/work/app", StartedAt: time.Now(), ActiveAt: time.Now()}
	change(&r)
	if err := Prepare(all, r.ID, nil, ""); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{recordFile: string(text), transcriptFile: "it said so\n", lockFile: ""} {
		if err := os.WriteFile(filepath.Join(Folder(all, r.ID), name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestRecordsAreListedByFolderAndOnce(t *testing.T) {
	all := filepath.Join(t.TempDir(), "terminals")
	here := recordIn(t, all, func(*Record) {})
	recordIn(t, all, func(r *Record) { r.Cwd = "/work/apple" })
	recordIn(t, all, func(r *Record) { r.Native = &agent.ID{Agent: "claude", ID: "listed"} })
	unlisted := recordIn(t, all, func(r *Record) { r.Native = &agent.ID{Agent: "claude", ID: "gone"} })
	broken := recordIn(t, all, func(*Record) {})
	if err := os.WriteFile(filepath.Join(Folder(all, broken.ID), recordFile), []byte(`{"id":"`), 0o600); err != nil {
		t.Fatal(err)
	}
	other := recordIn(t, all, func(*Record) {})
	if err := os.Rename(Folder(all, other.ID), Folder(all, NewID())); err != nil { // is not what it is called
		t.Fatal(err)
	}
	empty := recordIn(t, all, func(*Record) {})
	if err := os.Remove(filepath.Join(Folder(all, empty.ID), transcriptFile)); err != nil {
		t.Fatal(err)
	}
	found, problems := List(all, []string{"/work/app"}, func(id agent.ID) bool { return id.ID == "listed" })
	want := map[string]bool{here.ID: true, unlisted.ID: true, empty.ID: false}
	for _, s := range found {
		forkable, there := want[s.ID.ID]
		if !there || forkable != (s.NotForkable == nil) || !s.Recorded || s.State != agent.Ended {
			t.Errorf("%+v", s)
		}
		delete(want, s.ID.ID)
	}
	if len(want) > 0 || len(problems) != 2 {
		t.Errorf("not listed: %v; problems: %v", want, problems)
	}
	if _, err := Find(all, agent.ID{Agent: "claude", ID: here.ID}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is found as another agent's: %v", err)
	}
}

func TestARecordIsLiveWhileItsLockIsHeld(t *testing.T) {
	all := filepath.Join(t.TempDir(), "terminals")
	r := recordIn(t, all, func(*Record) {})
	release, err := hold(filepath.Join(Folder(all, r.ID), lockFile))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hold(filepath.Join(Folder(all, r.ID), lockFile)); err == nil {
		t.Error("two processes record")
	}
	if _, state, err := Read(all, r.ID); state != agent.Live || err != nil {
		t.Errorf("%v, %v", state, err)
	}
	release()
	if _, state, err := Read(all, r.ID); state != agent.Ended || err != nil {
		t.Errorf("%v, %v", state, err)
	}
}

func TestRecordsAreDeletedByAgeAndNothingElseIs(t *testing.T) {
	all := filepath.Join(t.TempDir(), "terminals")
	const age = 24 * time.Hour
	old := func(r *Record) { r.ActiveAt = time.Now().Add(-2 * age) }
	gone, fresh, live, more := recordIn(t, all, old), recordIn(t, all, func(*Record) {}), recordIn(t, all, old), recordIn(t, all, old)
	release, err := hold(filepath.Join(Folder(all, live.ID), lockFile))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := os.WriteFile(filepath.Join(Folder(all, more.ID), "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(all, "notes")
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{Folder(all, gone.ID), Folder(all, live.ID), Folder(all, more.ID), foreign} {
		if err := os.Chtimes(folder, time.Time{}, time.Now().Add(-2*age)); err != nil {
			t.Fatal(err)
		}
	}
	Sweep(all, age)
	for path, stays := range map[string]bool{
		Folder(all, gone.ID): false, Folder(all, fresh.ID): true, filepath.Join(Folder(all, live.ID), transcriptFile): true,
		filepath.Join(Folder(all, more.ID), "mine"): true, foreign: true,
	} {
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestALaunchIsReadOnceAndIsTheUsersAlone(t *testing.T) {
	all := filepath.Join(t.TempDir(), "state", "terminals")
	id := NewID()
	if err := Prepare(all, id, &Launch{Argv: []string{"/bin/wren"}, Cwd: "/", Env: []string{"KEY=secret"}}, "a draft"); err != nil {
		t.Fatal(err)
	}
	folder := Folder(all, id)
	for path, want := range map[string]os.FileMode{all: 0o700, folder: 0o700, filepath.Join(folder, launchFile): 0o600, DraftPath(folder): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	l, err := TakeLaunch(folder)
	if err != nil || l.Argv[0] != "/bin/wren" || l.Env[0] != "KEY=secret" || Untyped(folder) != "a draft" {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := TakeLaunch(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is there still: %v", err)
	}
	for _, bad := range []string{"../x", "", id + "/.."} {
		if Prepare(all, bad, nil, "") == nil {
			t.Errorf("%q is a record", bad)
		}
	}
}

func TestNamesOfAgentsAndSessionsMeanNothingToAnybody(t *testing.T) {
	for program, want := range map[string]string{"/usr/bin/aider": "aider", "my agent!": "my-agent-", "/x/-rf": "agent", "": "agent", "C:a.exe": "C-a"} {
		if got := NameOf(program); got != want || !ValidName(got) {
			t.Errorf("%q is called %q", program, got)
		}
	}
	for branch, want := range map[string]string{"feature/x.y": "feature-x-y", "a:b.c": "a-b-c", "-t": "t", "=x": "x", "…": "agent"} {
		if got := SessionName(branch); got != want {
			t.Errorf("%q is called %q", branch, got)
		}
	}
}
