//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// located is what `sidefork locate` says of a process; nil where nothing runs there.
func (w *world) located(pid int) *struct {
	Session listed
	Certain bool
} {
	w.t.Helper()
	var found *struct {
		Session listed
		Certain bool
	}
	if err := json.Unmarshal([]byte(w.run(w.top, os.Getenv(sideforkVariable), "locate", strconv.Itoa(pid), "--json")), &found); err != nil {
		w.t.Fatal(err)
	}
	return found
}

// guarded is what `sidefork guard` says of a line: the code of the reason, "" where the line may run.
func (w *world) guarded(line string) string {
	w.t.Helper()
	out, errs, _ := w.try(w.repo, os.Getenv(sideforkVariable), "guard", "--json", "--", line) // its status is told by the answer
	var answer struct {
		Allowed bool
		Reason  struct{ Code string }
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || answer.Allowed != (answer.Reason.Code == "") {
		w.t.Fatalf("%v: %s%s", err, out, errs)
	}
	return answer.Reason.Code
}

// TestTheSessionOfATerminalIsLocatedAndGuardedUntilItIsKilled runs an agent in a shell, as a person does.
func TestTheSessionOfATerminalIsLocatedAndGuardedUntilItIsKilled(t *testing.T) {
	forEachAgent(t, func(t *testing.T, w *world) {
		resume := map[string]string{"claude": "claude --resume ", "codex": "codex resume "}[w.agent.name]
		if resume == "" {
			return // it keeps no record of its processes
		}
		shell := w.open(w.repo, w.terminal(), append([]string{"sh", "-c", `"$@"; echo the agent has ended; read -r end`, "sh"}, w.agent.talk...))
		shell.await(w.agent.ready)
		shell.enter("Please remember CODEWORD-HERON4")
		id := w.agent.who(w, w.turn("Please remember CODEWORD-HERON4"))
		shell.await("RECALL CODEWORD-HERON4")
		w.awaitTranscript(id, "RECALL CODEWORD-HERON4")

		found := w.located(shell.pty.PID())
		if found == nil || !found.Certain || found.Session.ID != id || found.Session.State != "live" || !shell.runs(found.Session.PID) || found.Session.Fork.Kind != "native" {
			t.Fatalf("in the shell's terminal: %+v", found)
		}
		for line, want := range map[string]string{
			resume + id: "sessionInUse", "cd / && env X=1 " + resume + id: "sessionInUse",
			resume + "00000000-0000-4000-8000-000000000000": "", "eval x": "resumeUnclear",
		} {
			if got := w.guarded(line); got != want {
				t.Errorf("%q while it runs: %q, want %q", line, got, want)
			}
		}

		if err := syscall.Kill(found.Session.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		shell.await("the agent has ended")
		for again := w.located(shell.pty.PID()); again != nil; again = w.located(shell.pty.PID()) {
			select { // what it has started ends a moment later
			case <-w.ctx.Done():
				t.Fatalf("after it was killed: %+v", again)
			case <-time.After(50 * time.Millisecond):
			}
		}
		// Its number is given out again, to a process in its folder.
		if other := w.startAs(found.Session.PID); other != nil {
			for _, pid := range []int{found.Session.PID, other.pty.PID()} {
				if again := w.located(pid); again != nil {
					t.Errorf("another process has its number: %+v", again)
				}
			}
			if listed := w.session(w.repo, id); listed.State == "live" || listed.PID != 0 {
				t.Errorf("another process has its number: %+v", listed)
			}
			other.close()
		}
		// Claude Code leaves an entry that is known to be old; Codex a lock of which nobody knows whose it is.
		if got := w.guarded(resume + id); got != map[string]string{"claude": "", "codex": "sessionMaybeInUse"}[w.agent.name] {
			t.Errorf("after it was killed: %q", got)
		}
		if strings.Contains(w.run(w.repo, os.Getenv(sideforkVariable), "sessions", "--json"), `"state":"live"`) {
			t.Error("after it was killed a session is called live")
		}
	})
}

// startAs starts a process with a number that is free (clone3 with set_tid, man 2 clone3). nil where that is not allowed,
// which is so for most users but root.
func (w *world) startAs(pid int) *terminal {
	w.t.Helper()
	const script = `my $tid = pack("i", $ARGV[0]);
my $args = pack("Q11", (0) x 4, 17, (0) x 3, unpack("Q", pack("P", $tid)), 1, 0);
my $pid = syscall(435, $args, length $args);
if ($pid == 0) { exec "sleep", "600" }
print $pid == $ARGV[0] ? "it has the number" : "it has not: $!"; $| = 1; print "\n"; waitpid $pid, 0 if $pid > 0;`
	if runtime.GOOS != "linux" || find(w.terminal(), "perl") == "perl" {
		w.t.Log("no number is given out again: this wants Linux and perl")
		return nil
	}
	other := w.open(w.repo, w.terminal(), []string{"perl", "-e", script, strconv.Itoa(pid)})
	if other.await("it has the number", "it has not: ") != "it has the number" {
		w.t.Log("no number is given out again: that is not allowed here")
		return nil
	}
	return other
}
