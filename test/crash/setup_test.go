//go:build unix

package crash

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
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
