package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/test/editor"
)

// TestNoSecretReachesTheLog: neither the file nor the client's window gets one, whatever the kind of the field.
func TestNoSecretReachesTheLog(t *testing.T) {
	t.Setenv("FORGE_TOKEN", "qwertyuiop123")
	home := t.TempDir()
	secrets := []string{"s3cr3t", "ghp_0123456789abcdefghij0123", "qwertyuiop123", "sk-ant-0123456789abcdefghij"}
	e := serveReady(t, func(o *Options) {
		o.Getenv = func(name string) string { return map[string]string{"HOME": home}[name] }
		o.Run = func(_ context.Context, env *commands.Env, _ string, _ json.RawMessage, _ commands.Progress) (any, *commands.Failure) {
			env.Log.Warn("fatal: unable to access 'https://me:s3cr3t@host/x'", zap.Error(errors.New("token ghp_0123456789abcdefghij0123")),
				zap.Strings("argv", []string{"git", "-c", "qwertyuiop123"}), zap.ByteString("stack", []byte("sk-ant-0123456789abcdefghij")), zap.Int("n", 7))
			return nil, nil
		}
	})
	if _, err := e.Execute("test.ping", args{}, nil).Wait(soon(t)); err != nil {
		t.Fatal(err)
	}
	n, err := e.Notifications.Await(soon(t), func(n editor.Notification) bool { return n.Method == "window/logMessage" })
	if err != nil {
		t.Fatal(err)
	}
	if status, err := e.Quit(soon(t)); status != 0 || err != nil {
		t.Fatal(status, err)
	}
	logs, _ := filepath.Glob(filepath.Join(home, ".local", "state", "sidefork", "log", "*.log"))
	if len(logs) != 1 {
		t.Fatalf("logs: %v", logs)
	}
	text, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	for what, said := range map[string]string{"the log": string(text), "the window": string(n.Params)} {
		for _, secret := range secrets {
			if strings.Contains(said, secret) {
				t.Errorf("%s has %s: %s", what, secret, said)
			}
		}
		if !strings.Contains(said, "unable to access") || strings.Count(said, "[masked]") < len(secrets) {
			t.Errorf("%s has lost more than the secrets: %s", what, said)
		}
	}
	folder, err := os.Stat(filepath.Dir(logs[0]))
	if err != nil || folder.Mode().Perm() != 0o700 {
		t.Errorf("the folder's mode is %v, %v", folder.Mode(), err)
	}
}
