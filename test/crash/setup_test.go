//go:build unix

package crash

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/sidefork/sidefork/commands"
)

// TestACancelInTheMiddleOfASetupLeavesNothing: neither of the child, nor of what the setup wrote and started.
func TestACancelInTheMiddleOfASetupLeavesNothing(t *testing.T) {
	s := newScene(t)
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := json.Marshal(map[string]any{"setup": []string{
		"mkdir -p node_modules/x; echo x >node_modules/x/y; echo z >>README.md; git rm -q --cached README.md || true",
		"exec 3>'" + fifo + "'; (trap '' TERM; while :; do sleep 1; done) & echo up >&3; sleep 1000",
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.parent, ".sidefork.json"), said, 0o644); err != nil {
		t.Fatal(err)
	}
	s.before = take(t, s.parent)
	inspected, failed := commands.Run(t.Context(), &commands.Env{}, "sidefork.inspect", []byte(`{"workspace":"`+s.parent+`"}`), nil)
	if failed != nil {
		t.Fatalf("%+v", failed)
	}
	argument := s.argument()
	argument["setup"] = map[string]any{"decision": "run", "hash": inspected.(commands.Inspection).Setup.Hash}
	raw, err := json.Marshal(argument)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan bool)
	go func() {
		defer close(ended)
		up, err := os.Open(fifo) // waits for the setup
		if err != nil {
			t.Error(err)
			cancel()
			return
		}
		defer up.Close()
		lines := bufio.NewReader(up)
		if line, err := lines.ReadString('\n'); line != "up\n" {
			t.Errorf("%q %v", line, err)
		}
		cancel()
		_, _ = io.Copy(io.Discard, lines) // until nobody of the setup has it open
	}()
	result, failed := commands.Run(ctx, &commands.Env{}, "sidefork.fork", raw, nil)
	if failed != nil {
		t.Fatalf("%+v\n%s", failed, failed.Detail)
	}
	if c, ok := result.(commands.Cancelled); !ok || c.Status != "cancelled" {
		t.Fatalf("answered %+v", result)
	}
	<-ended
	s.gone(t)
	if logs, _ := filepath.Glob(filepath.Join(os.Getenv("HOME"), ".local/state/sidefork/setup/*")); len(logs) > 0 {
		t.Errorf("logs are left: %v", logs)
	}
}

// beside forks with a setup that runs beside the agent, and says what became of it. While it runs, the workspace is not removed.
// held: it begins only after during.
func beside(t *testing.T, s scene, command string, held bool, during func(workspace string, cancel func())) (result *commands.ForkResult, told commands.SetupParams) {
	t.Helper()
	said, err := json.Marshal(map[string]any{"setup": command})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.parent, ".sidefork.json"), said, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var running sync.WaitGroup
	begin := make(chan bool)
	env := &commands.Env{
		Memory: new(commands.Memory),
		Task:   func(_ string, run func(context.Context)) { running.Go(func() { <-begin; run(ctx) }) },
		Notify: func(method string, params any) {
			if method == "sidefork/setup" {
				told = params.(commands.SetupParams)
			}
		},
	}
	env.Settings.Setup.Wait = new(bool)
	inspected, failed := commands.Run(t.Context(), env, "sidefork.inspect", []byte(`{"workspace":"`+s.parent+`"}`), nil)
	if failed != nil {
		t.Fatalf("%+v", failed)
	}
	argument := s.argument()
	argument["setup"] = map[string]any{"decision": "run", "hash": inspected.(commands.Inspection).Setup.Hash}
	raw, err := json.Marshal(argument)
	if err != nil {
		t.Fatal(err)
	}
	made, failed := commands.Run(t.Context(), env, "sidefork.fork", raw, nil)
	if failed != nil {
		t.Fatalf("%+v\n%s", failed, failed.Detail)
	}
	result = made.(*commands.ForkResult)
	if result.Setup == nil || !result.Setup.Running || result.Setup.Ran {
		t.Fatalf("answered %+v", result.Setup)
	}
	remove := []byte(`{"workspace":"` + result.Workspace.Path + `"}`)
	if _, failed := commands.Run(t.Context(), env, "sidefork.remove", remove, nil); failed == nil || failed.Reason.Code != "setupRunning" {
		t.Errorf("removed while its setup runs: %+v", failed)
	}
	if !held {
		close(begin)
	}
	during(result.Workspace.Path, cancel)
	if held {
		close(begin)
	}
	running.Wait()
	if told.OperationID != argument["operationId"] || told.Workspace != result.Workspace.Path {
		t.Errorf("told %+v", told)
	}
	if _, failed := commands.Run(t.Context(), env, "sidefork.remove", remove, nil); failed != nil && failed.Reason.Code == "setupRunning" {
		t.Errorf("its setup has ended: %+v", failed)
	}
	return result, told
}

func TestASetupBesideTheAgentKeepsNobodyWaitingAndItsEndIsTold(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	result, told := beside(t, newScene(t), "cat '"+fifo+"' >seen; exit 3", false, func(_ string, _ func()) {
		if err := os.WriteFile(fifo, []byte("go"), 0); err != nil { // the setup waits for this, and the answer did not
			t.Error(err)
		}
	})
	if seen, _ := os.ReadFile(filepath.Join(result.Workspace.Path, "seen")); string(seen) != "go" {
		t.Errorf("it has seen %q", seen)
	}
	if !told.Setup.Ran || *told.Setup.ExitCode != 3 || told.Warning == nil || told.Warning.Code != "setupFailed" || told.Setup.Log == "" {
		t.Errorf("told %+v", told)
	}
}

// The task's cancel, and the end of the sidecar, are the same: its context ends.
func TestACancelledSetupBesideTheAgentLeavesNothingRunningAndTheChildStands(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	command := "exec 3>'" + fifo + "'; touch begun; (trap '' TERM; while :; do sleep 1; done) & echo up >&3; sleep 1000"
	ended := make(chan bool)
	result, told := beside(t, newScene(t), command, false, func(_ string, cancel func()) {
		up, err := os.Open(fifo)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(up)
		if line, err := lines.ReadString('\n'); line != "up\n" {
			t.Errorf("%q %v", line, err)
		}
		cancel()
		go func() {
			defer close(ended)
			defer up.Close()
			_, _ = io.Copy(io.Discard, lines) // until nobody of the setup has it open
		}()
	})
	<-ended
	if told.Warning == nil || told.Warning.Code != "setupStopped" {
		t.Errorf("told %+v", told)
	}
	if _, err := os.Stat(filepath.Join(result.Workspace.Path, "begun")); err != nil {
		t.Errorf("the child does not stand: %v", err)
	}
}

func TestASetupThatChangesAfterTheAnswerDoesNotRunBesideTheAgent(t *testing.T) {
	result, told := beside(t, newScene(t), "touch ran", true, func(workspace string, _ func()) {
		if err := os.WriteFile(filepath.Join(workspace, ".sidefork.json"), []byte(`{"setup":"touch evil; touch ran"}`), 0o644); err != nil {
			t.Error(err)
		}
	})
	if told.Warning == nil || told.Warning.Code != "setupChanged" || told.Setup.Ran {
		t.Errorf("told %+v", told)
	}
	if _, err := os.Stat(filepath.Join(result.Workspace.Path, "ran")); err == nil {
		t.Error("it ran")
	}
}
