//go:build unix

package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/test/compare"
	"github.com/sidefork/sidefork/test/snapshot"
)

// meeting is a source with work of every kind in it, and a target that is a commit ahead.
type meeting struct {
	scene
	target string
	there  string // all of the target, and of its git folder, as it was
}

func newMeeting(t *testing.T, submodule bool) meeting {
	t.Helper()
	m := meeting{scene: newScene(t)}
	m.target = filepath.Join(filepath.Dir(m.parent), "target")
	// One that both have checked out at one commit, with work in it here.
	const inside = `git init -q "$1"; cd "$1"; for i in {1..50}; do echo $i >$i; done; git add .; git -c user.name=T -c user.email=t@example.invalid commit -q -m lib
cd "$0"; git -c protocol.file.allow=always submodule --quiet add "$1" sm; git -c user.name=T -c user.email=t@example.invalid commit -q -m sm -- .gitmodules sm
cd sm; echo staged >1; git add 1; echo again >>1; rm 2; for i in {51..99}; do echo $i >$i; done`
	if out, err := exec.Command("bash", "-euc", "if $2; then "+inside+"; fi", m.parent, filepath.Join(filepath.Dir(m.parent), "lib"), fmt.Sprint(submodule)).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const ahead = `cd "$0"; git worktree add -q -b ahead "$1" HEAD; cd "$1"; mkdir theirs; for i in {1..200}; do echo $i >theirs/$i; done
git add theirs; git -c user.name=T -c user.email=t@example.invalid commit -q -m ahead; git -c protocol.file.allow=always submodule --quiet update --init`
	if out, err := exec.Command("bash", "-euc", ahead, m.parent, m.target).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m.before, m.there = take(t, m.parent), m.all(t)
	return m
}

// all is the target's files with their times, and the index and HEAD in its git folder.
func (m meeting) all(t *testing.T) string {
	t.Helper()
	var lines []string
	for _, top := range []string{m.target, filepath.Join(m.parent, ".git", "worktrees", "target")} {
		err := filepath.WalkDir(top, func(full string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.Contains(full, "/modules/sm/objects/") { // what was lent may stay
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			line := fmt.Sprintf("%s %v %d", full, info.Mode(), info.Size())
			if info.Mode().IsRegular() {
				content, err := os.ReadFile(full)
				if err != nil {
					return err
				}
				line += fmt.Sprintf(" %d %q", info.ModTime().UnixNano(), content)
			}
			lines = append(lines, line)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(lines, "\n")
}

func (m meeting) argument() map[string]any {
	return map[string]any{"operationId": uuid.NewString(), "from": m.parent, "to": m.target}
}

// carriedOrAsBefore: a carry whose answer nobody heard has happened completely, or not at all.
func (m meeting) carriedOrAsBefore(t *testing.T) (carried bool) {
	t.Helper()
	for _, line := range snapshot.Diff(m.before, take(t, m.parent)) {
		if !strings.Contains(line, "common/worktrees/target") { // the target's own
			t.Errorf("the source is not as before: %s", line)
		}
	}
	if m.all(t) == m.there {
		return false
	}
	for _, d := range compare.Trees(m.parent, m.target, compare.Options{FolderModes: true, Submodules: true}) {
		if text := fmt.Sprint(d); !strings.Contains(text, "theirs") && !strings.Contains(text, "HEAD") {
			t.Errorf("neither as before nor carried: %s", text)
		}
	}
	return true
}

// TestAKillInTheMiddleOfAMergeIsTakenBackByTheNextStart kills the sidecar while it carries to another commit.
func TestAKillInTheMiddleOfAMergeIsTakenBackByTheNextStart(t *testing.T) {
	for i := range 2 * *kills {
		moment := time.Duration(0)
		if i > 0 {
			moment = rand.N(120 * time.Millisecond)
		}
		t.Run(moment.String(), func(t *testing.T) {
			t.Parallel()
			m := newMeeting(t, i%2 == 1)
			e, _ := start(t, m.parent)
			argument := m.argument()
			c := e.Execute("sidefork.carry", argument, nil)
			await(t, c, commands.Copying)
			next := killAfter(t, moment, e, c, m.parent)
			text, _ := json.Marshal(argument)
			state := outcomeOf(t, m.scene, text).State
			carried := m.carriedOrAsBefore(t)
			if carried != (state == "completed") || state == "running" || state == "failed" {
				t.Errorf("carried: %v, and the outcome is said to be %s", carried, state)
			}
			if !carried {
				if _, err := next.Execute("sidefork.carry", m.argument(), nil).Wait(t.Context()); err != nil {
					t.Errorf("a second carry fails: %v", err)
				}
				if !m.carriedOrAsBefore(t) {
					t.Error("the second carry brought nothing")
				}
			}
			if status, err := next.Quit(t.Context()); err != nil || status != 0 {
				t.Errorf("exit status %d, %v", status, err)
			}
		})
	}
}
