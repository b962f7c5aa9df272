package terminals_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRunRefusesToTakeUpASessionThatRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const id = "9c322651-a113-47aa-817a-43cef594a8f5"
	transcript, err := os.ReadFile("../demo/transcript.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		t.Fatal(err)
	}
	entry, err := json.Marshal(map[string]any{
		"pid": os.Getpid(), "sessionId": id, "cwd": w.repo, "procStart": string(bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])[19]), "pidDomain": "linux:x:" + space,
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		filepath.Join("projects", "-x", id+".jsonl"): transcript, filepath.Join("sessions", fmt.Sprintf("%d.json", os.Getpid())): entry,
	} {
		path := filepath.Join(w.home, ".claude", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(w.bin, "claude"), []byte("#!/bin/sh\necho started \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := w.open("sidefork", "run", "--", "claude", "--resume", id)
	s.await("[sessionInUse]")
	s.exits(3)
	if strings.Contains(s.Shown(), "started") {
		t.Error("it was started all the same")
	}
	s = w.open("sidefork", "run", "--", "claude", "--resume", id, "--fork-session")
	s.await("started")
	s.exits(0)

	line := "sidefork run -- claude --resume " + id
	if out, _, status := w.sidefork("guard", "--", line); status != 3 || !strings.Contains(out, id) {
		t.Errorf("the guard says of %q: %d %s", line, status, out)
	}
}
