package sessions

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
)

func TestWhatAProgramSaidIsKnownToTheNextProcess(t *testing.T) {
	p := newPlace(t)
	path := program(t, p, "claude", "2.1.332 (Claude Code)")
	other := program(t, p, "codex", "0.171.0")
	state := filepath.Join(p.home, "state")
	file := filepath.Join(state, "versions.json")
	// Each look is one of a process of its own: it has a memory of its own.
	look := func(name, want string) {
		t.Helper()
		c := p.config()
		c.Versions, c.State = new(Versions), state
		_, v, err := Installed(t.Context(), c, name)
		if err != nil || v.String() != want {
			t.Fatalf("%v, %v", v, err)
		}
	}
	count := func(program string, want int) {
		t.Helper()
		if n := asked(t, program); n != want {
			t.Errorf("%s was asked %d times, not %d", filepath.Base(program), n, want)
		}
	}
	edit := func(change func(*remembered)) {
		t.Helper()
		var all []remembered
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &all)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			change(&all[i])
		}
		if data, err = json.Marshal(all); err == nil {
			err = os.WriteFile(file, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	look("claude", "2.1.332")
	look("codex", "0.171.0")
	look("claude", "2.1.332")
	look("codex", "0.171.0")
	count(path, 1)
	count(other, 1)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}

	edit(func(r *remembered) { r.At = time.Now().Add(-storedFor - time.Hour) })
	look("claude", "2.1.332")
	count(path, 2)

	program(t, p, "claude", "2.1.400 (Claude Code)")
	if err := os.Chtimes(path, time.Now(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	look("claude", "2.1.400")
	look("claude", "2.1.400")
	count(path, 3)

	// That an agent is too old is not said from memory.
	edit(func(r *remembered) { r.Version = agent.Version{1, 0, 0} })
	c := p.config()
	c.Versions, c.State = new(Versions), state
	if err := Usable(t.Context(), c, "claude"); err != nil {
		t.Error(err)
	}
	count(path, 4)

	if err := os.WriteFile(file, []byte("no JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	look("claude", "2.1.400")
	look("claude", "2.1.400")
	count(path, 5)
}

func TestOneShimOfTwoProgramsIsTwoPrograms(t *testing.T) {
	p := newPlace(t)
	shim := script(t, p, "shim", `case "$0" in *claude) echo 2.1.332;; *) echo 0.171.0;; esac`)
	for _, name := range []string{"claude", "codex"} {
		if err := os.Symlink(shim, filepath.Join(filepath.Dir(shim), name)); err != nil {
			t.Fatal(err)
		}
	}
	c := p.config()
	c.Versions, c.State = new(Versions), t.TempDir()
	for name, want := range map[string]string{"claude": "2.1.332", "codex": "0.171.0"} {
		for range 2 {
			if _, v, err := Installed(t.Context(), c, name); err != nil || v.String() != want {
				t.Errorf("%s: %v, %v", name, v, err)
			}
		}
	}
}
