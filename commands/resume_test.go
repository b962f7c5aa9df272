package commands

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestResumeTakesUpWhatHasEndedAndNothingThatMayRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a program without an ending")
	}
	const ended, open = "3309aa6e-79d4-40b8-818f-70e5ac72c124", "4409aa6e-79d4-40b8-818f-70e5ac72c124"
	home, folder := t.TempDir(), t.TempDir()
	write := func(path, text string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{ended, open} {
		cwd, _ := json.Marshal(folder)
		write(filepath.Join(home, ".codex", "sessions", "2026", "05", "01", "rollout-2026-05-01T10-00-00-"+id+".jsonl"),
			`{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"`+id+`","cwd":`+string(cwd)+`,"source":"cli"}}`+"\n"+
				`{"timestamp":"2026-05-01T10:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"hello"}}`+"\n", 0o600)
	}
	write(filepath.Join(home, ".codex", "thread-writer-locks", open+".lock"), "", 0o600)
	program := filepath.Join(home, "bin", "codex")
	write(program, "#!/bin/sh\n", 0o755)
	env := &Env{Getenv: func(name string) string {
		return map[string]string{"HOME": home, "PATH": filepath.Join(home, "bin")}[name]
	}}
	resume := func(argument string) (ResumeResult, *Failure) {
		t.Helper()
		result, failed := Run(t.Context(), env, "sidefork.resume", json.RawMessage(argument), nil)
		r, _ := result.(ResumeResult)
		return r, failed
	}

	r, failed := resume(`{"session":{"agent":"codex","id":"` + ended + `"}}`)
	if failed != nil {
		t.Fatalf("%+v", failed)
	}
	if argv := r.Launch.Argv; r.Launch.Cwd != folder || argv[0] != program || argv[1] != "resume" || !slices.Contains(argv, ended) || !strings.Contains(r.Launch.CommandLine.POSIX, ended) {
		t.Errorf("%+v", r.Launch)
	}
	for argument, code := range map[string]string{
		`{"session":{"agent":"codex","id":"` + open + `"}}`:                         "sessionMaybeInUse",
		`{"session":{"agent":"codex","id":"5509aa6e-79d4-40b8-818f-70e5ac72c124"}}`: "sessionUnknown",
		`{}`: "invalidArgument",
	} {
		if _, failed := resume(argument); failed == nil || failed.Reason.Code != code || failed.Effect != Nothing {
			t.Errorf("%s: %+v, want %s", argument, failed, code)
		}
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	if _, failed := resume(`{"session":{"agent":"codex","id":"` + ended + `"}}`); failed == nil || failed.Reason.Code != "missing" {
		t.Errorf("in a folder that is gone: %+v", failed)
	}
}
