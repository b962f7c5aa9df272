//go:build unix

package crash

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sidefork/sidefork/commands"
)

// soon is a short patience, and long enough for a busy machine: where nothing goes on for so long elsewhere the command ends
// earlier than the test means it.
const soon = 5 * time.Second

// hangingGit is a git that never ends where the folder that it runs in, or one above, has a file .hang with its subcommand;
// with "slow" it takes long to add a worktree, and is at work all the time.
const hangingGit = `#!/bin/bash
for ((d = 1; d <= $#; d++)); do case ${!d} in -c) ((d++)) ;; -*) ;; *) word=${!d}; break ;; esac; done
at=$PWD
while [ -n "$at" ] && [ ! -e "$at/.hang" ]; do at=${at%/*}; done
case "$([ -z "$at" ] || cat "$at/.hang") $word" in
"slow worktree") for i in {1..28}; do sleep 0.25; cat /dev/null; done ;;
"$word $word") exec sleep 1000 ;;
esac
exec REAL "$@"
`

func TestAGitThatDoesNothingIsEndedAndOneAtWorkIsNot(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(strings.ReplaceAll(hangingGit, "REAL", real)), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Run("at work", func(t *testing.T) {
		if _, err := os.Stat("/proc/self/io"); err != nil {
			t.Skip("what a process does cannot be told here")
		}
		t.Parallel()
		s := newScene(t)
		if err := os.WriteFile(filepath.Join(filepath.Dir(s.parent), ".hang"), []byte("slow\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		argument, _ := json.Marshal(s.argument())
		if _, failed := commands.Run(t.Context(), &commands.Env{Patience: soon}, "sidefork.fork", argument, nil); failed != nil {
			t.Fatalf("%+v\n%s", failed, failed.Detail)
		}
		s.whole(t)
	})
	for hang, effect := range map[string]commands.Effect{
		"status": commands.Nothing, "worktree": commands.RolledBack, "update-index": commands.RolledBack,
	} {
		t.Run(hang, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			file := filepath.Join(filepath.Dir(s.parent), ".hang")
			if err := os.WriteFile(file, []byte(hang+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			argument, _ := json.Marshal(s.argument())
			result, failed := commands.Run(t.Context(), &commands.Env{Patience: soon}, "sidefork.fork", argument, nil)
			if failed == nil || failed.Reason.Code != "noProgress" || failed.Effect != effect || !strings.Contains(failed.Detail, "git ") {
				t.Errorf("answered %+v, %+v", result, failed)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			s.gone(t)
		})
	}
}

// block is a progress that does not come back, as a call to a disk that does not answer: it heeds no cancel.
type block struct {
	stage   commands.Stage
	release chan struct{}
	told    atomic.Int32
}

func (b *block) Stage(_ string, stage commands.Stage, _ int) {
	b.told.Add(1)
	if stage == b.stage {
		<-b.release
	}
}

func (*block) Report(int, string) {}

func TestWhatHeedsNoCancelIsUnknownUntilItComesBack(t *testing.T) {
	t.Parallel()
	for stage, effect := range map[commands.Stage]commands.Effect{commands.Preparing: commands.Nothing, commands.Copying: commands.Uncertain} {
		t.Run(string(stage), func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			argument, _ := json.Marshal(s.argument())
			p := &block{stage: stage, release: make(chan struct{})}
			result, failed := commands.Run(t.Context(), &commands.Env{Patience: soon}, "sidefork.fork", argument, p)
			if failed == nil || failed.Reason.Code != "noProgress" || failed.Effect != effect {
				t.Errorf("answered %+v, %+v", result, failed)
			}
			told := p.told.Load()
			if stage == commands.Copying {
				if o := outcomeOf(t, s, argument); o.State != "running" {
					t.Errorf("while it hangs the outcome is %s", o.State)
				}
			}
			close(p.release)
			for stage == commands.Copying && outcomeOf(t, s, argument).State == "running" {
				time.Sleep(5 * time.Millisecond)
			}
			if stage == commands.Copying {
				if o := outcomeOf(t, s, argument); o.State != "rolledBack" {
					t.Errorf("once it has come back the outcome is %s", o.State)
				}
			}
			s.gone(t)
			if p.told.Load() != told {
				t.Error("it went on telling somebody who has gone")
			}
		})
	}
}
