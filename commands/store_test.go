package commands

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/sessions/agent"
)

func TestAnImportThatFailsIsAWarningAndNoLaunch(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for an agent's program is a shell script")
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "agent")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho what it says\nexit ${STATUS:-0}\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	half := errors.New("half of it is there")
	for name, test := range map[string]struct {
		status string
		stored error
		detail string // "" for one that is stored
	}{
		"stored":     {"0", nil, ""},
		"failed":     {"3", nil, "exit status 3"},
		"half of it": {"0", half, half.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // too late: the child is the user's
			launch := &agent.Launch{Cwd: folder, Parent: agent.ID{Agent: "opencode", ID: "ses_x"}, Import: &agent.Import{
				Argv: []string{program, "import"}, Env: map[string]*string{"STATUS": &test.status},
				Stored: func(ctx context.Context, _ string) error { return errors.Join(test.stored, ctx.Err()) },
			}}
			got, warnings := storeConversation(ctx, &Env{}, launch)
			if test.detail == "" {
				if got == nil || got.Parent != launch.Parent || len(warnings) != 0 {
					t.Errorf("%+v, %+v", got, warnings)
				}
				return
			}
			if got != nil || len(warnings) != 1 || warnings[0].Code != "sessionNotForked" ||
				!strings.Contains(warnings[0].Message, "ses_x") || !strings.Contains(warnings[0].Detail, test.detail) || !strings.Contains(warnings[0].Detail, "what it says") {
				t.Errorf("%+v, %+v", got, warnings)
			}
		})
	}
	plain := &agent.Launch{}
	if got, warnings := storeConversation(t.Context(), &Env{}, plain); got != plain || warnings != nil {
		t.Errorf("%+v, %+v", got, warnings)
	}
}
