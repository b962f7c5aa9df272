//go:build unix

package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/sidecar/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAHostIsANameAndNeverAnOption(t *testing.T) {
	for host, good := range map[string]bool{
		"box": true, "me@box": true, "me@box.example.com": true, "192.0.2.7": true, "me@2001:db8::1": true, "me@[2001:db8::1]": true,
		"ssh://me@box:2222": true, "ssh://[2001:db8::1]:22": true, "DOMAIN\\me@box": true, "box_1": true, "fe80::1%eth0": true,
		"": false, "-box": false, "-oProxyCommand=x": false, "me@-box": false, "-me@box": false, "me@box x": false, "me@box;x": false,
		"$(x)": false, "`x`": false, "box\n": false, "box\x00": false, "me@": false, "@box": false, "a@b@c": false, "box/path": false,
		"bo'x": false, "ssh://-x": false, strings.Repeat("x", 300): false, "box\x1b[2J": false,
	} {
		if failed := CheckName(host); (failed == nil) != good {
			t.Errorf("%q: %+v", host, failed)
		}
	}
}

// TestAWordComesThroughEveryShell: ssh gives what it was given to the login shell of the user there.
func TestAWordComesThroughEveryShell(t *testing.T) {
	words := []string{
		"", "plain", "two words", "it's", `back\slash`, `\'`, `\\`, "$HOME", "`id`", "$(id)", "*", "~", "a\tb", "ü 猫", "-n", `"quoted"`, "!x", "#x", ";&|<>(){}[]", "a\nb", "%s%n",
	}
	for _, shell := range []string{"sh", "dash", "bash", "zsh", "ksh", "fish", "busybox"} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("%s is not installed", shell)
			}
			argv := []string{path}
			if shell == "busybox" {
				argv = append(argv, "sh")
			}
			for _, word := range words {
				line := "printf %s " + Quote(word)
				out, err := exec.Command(argv[0], append(argv[1:], "-c", line)...).Output()
				if err != nil || string(out) != word {
					t.Errorf("%q came as %q, %v", word, out, err)
				}
				// Twice: as a script that the login shell hands to sh.
				cmd := exec.Command(argv[0], append(argv[1:], "-c", inShell("printf %s "+commands.POSIXLine([]string{word})))...)
				cmd.Env = []string{"HOME=/nonexistent", "PATH=" + os.Getenv("PATH")}
				if out, err = cmd.Output(); err != nil || string(out) != word {
					t.Errorf("through both, %q came as %q, %v", word, out, err)
				}
			}
		})
	}
}

// fake is an ssh that runs its last argument here, with a home of its own in which sidefork is a script.
func fake(t *testing.T, sidefork string) string {
	t.Helper()
	home := t.TempDir()
	bin := filepath.Join(home, ".local", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if sidefork != "" {
		if err := os.WriteFile(filepath.Join(bin, "sidefork"), []byte("#!/bin/sh\n"+sidefork+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ssh := filepath.Join(t.TempDir(), "ssh")
	script := fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' \"$@\" >%s.argv\nfor last; do :; done\nHOME=%s PATH=/usr/bin:/bin exec sh -c \"$last\"\n", ssh, home)
	if err := os.WriteFile(ssh, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return ssh
}

func answers(initialize string) string {
	return fmt.Sprintf("printf 'Content-Length: %%d\\r\\n\\r\\n%%s' %d '%s'; cat >/dev/null", len(initialize), initialize)
}

func TestWhyAHostIsOfNoUseIsSaidWithNothingWritten(t *testing.T) {
	contract := func(own string) string {
		return answers(`{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"version":"0.0.1"},"capabilities":{"executeCommandProvider":{"commands":["sidefork.sessions"]},"experimental":{"sidefork":` + own + `}}}}`)
	}
	for name, c := range map[string]struct {
		sidefork, code, says string
	}{
		"no sidefork":           {"", "hostWithoutSidefork", "host install box"},
		"not executable":        {"exec /etc/passwd", "hostWithoutSidefork", ""},
		"ssh fails":             {"echo 'Permission denied (publickey).' >&2; exit 255", "hostUnreachable", "Permission denied"},
		"a shell that talks":    {"echo Welcome to box; cat >/dev/null", "hostNotUnderstood", "print nothing"},
		"it ends":               {"exit 3", "hostNotUnderstood", "exit status 3"},
		"no sidefork's answer":  {answers(`{"jsonrpc":"2.0","id":1,"result":{"capabilities":{}}}`), "hostNotUnderstood", ""},
		"an older one":          {contract(`{"contract":1,"platform":"linux","cwd":"/home/me","features":["sessions"]}`), "hostTooOld", "0.0.1"},
		"a newer contract":      {contract(`{"contract":2,"features":["fork"]}`), "hostTooNew", "Update sidefork here"},
		"nothing, and no hurry": {"echo 'nothing here' >&2; exit 1", "hostNotUnderstood", "nothing here"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, failed := New(Options{Name: "box", SSH: fake(t, c.sidefork), Version: "1"})
			if failed != nil {
				t.Fatal(failed)
			}
			defer h.Close()
			_, failed = h.Run(t.Context(), &commands.Env{}, "sidefork.fork", []byte(`{"workspace":"/w","name":"n"}`), nil)
			if failed == nil || failed.Reason.Code != c.code || failed.Effect != commands.Nothing {
				t.Fatalf("%+v", failed)
			}
			if text := fmt.Sprint(*failed); !strings.Contains(text, c.says) {
				t.Errorf("it does not say %q: %s", c.says, text)
			}
		})
	}
}

func TestWhatIsNotNamedIsNotOffered(t *testing.T) {
	t.Parallel()
	ssh := fake(t, answers(`{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"version":"0.0.1"},"capabilities":{"experimental":{"sidefork":{"contract":1,"features":[]}}}}}`))
	h, _ := New(Options{Name: "box", SSH: ssh, Version: "1"})
	defer h.Close()
	if failed := h.Connect(t.Context()); failed != nil {
		t.Fatalf("%+v", failed)
	}
	for _, c := range commands.Table() {
		if _, failed := h.Run(t.Context(), &commands.Env{}, c.Name, []byte(`{}`), nil); failed == nil || failed.Reason.Code != "hostTooOld" {
			t.Errorf("%s: %+v", c.Name, failed)
		}
	}
	if _, _, failed := h.Resolve(t.Context(), &commands.Env{}, commands.ResolveParams{}); failed == nil || failed.Reason.Code != "hostTooOld" {
		t.Errorf("the dialog: %+v", failed)
	}
	if _, err := h.Path("src/app"); err == nil || err.(*commands.Failure).Reason.Code != "hostTooOld" {
		t.Errorf("a relative path: %v", err)
	}
	if path, err := h.Path("/src/../app/"); path != "/app" || err != nil {
		t.Errorf("an absolute path: %q, %v", path, err)
	}
}

// TestAnArgumentThatTakesAFeatureIsNotSentWithoutIt: of each feature that is struck out, the reason says which.
func TestAnArgumentThatTakesAFeatureIsNotSentWithoutIt(t *testing.T) {
	t.Parallel()
	ssh := fake(t, answers(`{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"version":"0.0.1"},"capabilities":{"experimental":{"sidefork":{"contract":1,"features":["sidefork.fork","sidefork.sessions"]}}}}}`))
	h, _ := New(Options{Name: "box", SSH: ssh, Version: "1"})
	defer h.Close()
	for argument, feature := range map[string]string{
		`sidefork.fork {"copies":3}`: "copies", `sidefork.fork {"at":"t"}`: "turns", `sidefork.sessions {"turns":true}`: "turns",
		`sidefork.fork {"onDisconnect":"finish"}`: "onDisconnect", `sidefork.fork {"transcript":{}}`: "transcripts",
	} {
		name, raw, _ := strings.Cut(argument, " ")
		_, failed := h.Run(t.Context(), &commands.Env{}, name, []byte(raw), nil)
		if failed == nil || failed.Reason.Code != "hostTooOld" || !strings.Contains(failed.Reason.Message, feature) {
			t.Errorf("%s: %+v", argument, failed)
		}
	}
}

func TestTheArgvIsTheUsersOwnSSH(t *testing.T) {
	ssh := fake(t, "")
	h, _ := New(Options{Name: "me@box", SSH: ssh, Version: "1", Set: []string{"log.level=it's"}})
	_ = h.Connect(t.Context())
	text, err := os.ReadFile(ssh + ".argv")
	if err != nil {
		t.Fatal(err)
	}
	argv := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(argv) < 3 || argv[len(argv)-3] != "--" || argv[len(argv)-2] != "me@box" {
		t.Errorf("%q", argv)
	}
	for _, option := range argv[:len(argv)-3] { // nothing that takes the user's configuration away, or its questions
		for _, never := range []string{"-F", "BatchMode", "StrictHostKeyChecking", "ControlPath", "ControlMaster", "IdentityFile", "-i", "ProxyJump", "-J"} {
			if strings.HasPrefix(option, never) {
				t.Errorf("ssh is given %s", option)
			}
		}
	}
	for name := range map[string]bool{"-t": true} {
		if got := h.Argv(true, "true"); got[1] != name {
			t.Errorf("with a terminal: %q", got)
		}
	}
}

// TestACtrlCWhileItConnectsIsACancel: and no ssh stays.
func TestACtrlCWhileItConnectsIsACancel(t *testing.T) {
	began := filepath.Join(t.TempDir(), "began")
	h, _ := New(Options{Name: "box", SSH: fake(t, "touch "+began+"; exec sleep 600"), Version: "1"})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for _, err := os.Stat(began); err != nil; _, err = os.Stat(began) {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	result, failed := h.Run(ctx, &commands.Env{}, "sidefork.sessions", []byte(`{}`), nil)
	if c, ok := result.(commands.Cancelled); !ok || failed != nil || c.Status != "cancelled" {
		t.Errorf("%+v, %+v", result, failed)
	}
}

func TestWhatTheHostSaysHasNoControlCharacters(t *testing.T) {
	var heard []string
	h, _ := New(Options{
		Name: "box", SSH: fake(t, `printf 'red \033[31m\007\nhalf' >&2; exit 255`), Version: "1", Hears: func(line string) { heard = append(heard, line) },
	})
	failed := h.Connect(t.Context())
	if failed == nil || failed.Reason.Code != "hostUnreachable" || failed.Detail != "" {
		t.Errorf("%+v", failed)
	}
	if text := strings.Join(heard, "|"); strings.ContainsAny(text, "\x1b\x07") || !strings.HasPrefix(text, "red ") || !strings.HasSuffix(text, "|half") {
		t.Errorf("%q", heard)
	}
}

// TestEveryCommandIsKnownToWriteOrNot: a new one is thought of here, before a broken line asks for it twice.
func TestEveryCommandIsKnownToWriteOrNot(t *testing.T) {
	writes := []string{"sidefork.fork", "sidefork.carry", "sidefork.remove", "sidefork.archive", "sidefork.adopt"}
	for _, c := range commands.Table() {
		if slices.Contains(writes, c.Name) == slices.Contains(repeatable, c.Name) {
			t.Errorf("%s is neither, or both", c.Name)
		}
	}
}

// TestWhatCanBeAskedForLaterIsKnown: of everything that writes there is an id to ask by, and a folder that stays.
func TestWhatCanBeAskedForLaterIsKnown(t *testing.T) {
	for argument, want := range map[string]operation{
		`sidefork.fork {"workspace":"/w","dir":"/d"}`:                     {repository: "/w", path: "/d"},
		`sidefork.fork {"workspace":"/w","worktree":{"existing":"/e"}}`:   {repository: "/w", path: "/w"},
		`sidefork.carry {"from":"/f","to":"/t"}`:                          {repository: "/f", path: "/t"},
		`sidefork.carry {"from":"/f","to":"/t","dryRun":true}`:            {repository: "/f", path: "/t", reads: true},
		`sidefork.remove {"workspace":"/w"}`:                              {repository: "/w", path: "/w", removes: true},
		`sidefork.archive {"workspace":"/w","archived":true}`:             {repository: "/w", path: "/w", removes: true},
		`sidefork.archive {"workspace":"/w","repository":"/r"}`:           {repository: "/r", path: "/w", removes: true},
		`sidefork.something {"workspace":"/w"}`:                           {path: "/w"},
		`sidefork.sessions {"workspace":"/w"}`:                            {path: "/w", reads: true},
		`sidefork.adopt {"workspace":"/w"}`:                               {path: "/w"},
		`sidefork.fork {"workspace":"/w","worktree":"same","session":{}}`: {repository: "/w", path: "/w"},
	} {
		name, raw, _ := strings.Cut(argument, " ")
		op := operationOf(name, json.RawMessage(raw))
		if op.repository != want.repository || op.path != want.path || op.reads != want.reads || op.removes != want.removes {
			t.Errorf("%s: %+v", argument, op)
		}
		known := name == "sidefork.fork" && !strings.Contains(raw, "same") || slices.Contains([]string{"sidefork.carry", "sidefork.remove", "sidefork.archive"}, name)
		if (len(op.id) == 36) != known || known && !strings.Contains(string(op.argument), op.id) {
			t.Errorf("%s: %q %s", argument, op.id, op.argument)
		}
	}
}

// TestAnOutcomeIsSaidAsTheAnswerWouldHaveBeen: done, taken back, standing, not begun, or unknown, and never more than is known.
func TestAnOutcomeIsSaidAsTheAnswerWouldHaveBeen(t *testing.T) {
	h, _ := New(Options{Name: "box", SSH: "ssh", Version: "1"})
	op := operationOf("sidefork.fork", json.RawMessage(`{"workspace":"/w","dir":"/d"}`))
	kept := json.RawMessage(`{"reason":{"code":"noSpace","message":"m"},"effect":"kept","detail":"x"}`)
	back := json.RawMessage(`{"reason":{"code":"carryFailed","message":"m"},"effect":"rolledBack"}`)
	for name, c := range map[string]struct {
		outcome  commands.OutcomeResult
		unwanted bool // it was cancelled before the line broke
		want     string
	}{
		"done":                     {commands.OutcomeResult{State: "completed", Result: json.RawMessage(`{"status":"completed"}`)}, false, "completed"},
		"done, without an answer":  {commands.OutcomeResult{State: "completed"}, false, "completed, answerLost"},
		"done, though cancelled":   {commands.OutcomeResult{State: "completed", Result: json.RawMessage(`{"status":"completed"}`)}, true, "completed"},
		"taken back":               {commands.OutcomeResult{State: "rolledBack", Error: back}, false, "carryFailed rolledBack"},
		"taken back, nobody knows": {commands.OutcomeResult{State: "rolledBack"}, false, "interrupted rolledBack"},
		"taken back as wanted":     {commands.OutcomeResult{State: "rolledBack", Error: back}, true, "cancelled"},
		"standing":                 {commands.OutcomeResult{State: "failed", Error: kept, Stands: &commands.Stands{Workspace: "/d"}}, false, "noSpace kept x\n/d"},
		"standing, though wanted":  {commands.OutcomeResult{State: "failed", Error: kept}, true, "noSpace kept x"},
		"not begun":                {commands.OutcomeResult{State: "unknownOperation", Settled: true}, false, "notBegun nothing"},
		"not begun as wanted":      {commands.OutcomeResult{State: "unknownOperation", Settled: true}, true, "cancelled"},
		"an older one":             {commands.OutcomeResult{State: "unknownOperation"}, false, "lostContact unknown"},
		"an older one, cancelled":  {commands.OutcomeResult{State: "unknownOperation"}, true, "lostContact unknown"},
		"something new":            {commands.OutcomeResult{State: "dreaming"}, false, "lostContact unknown"},
	} {
		result, failed := h.told(op, c.outcome, !c.unwanted, client.Server{})
		got := ""
		if failed != nil {
			got = failed.Reason.Code + " " + string(failed.Effect)
			if failed.Effect == commands.Kept {
				got += " " + failed.Detail
			}
		} else {
			var r commands.ForkResult
			raw, _ := json.Marshal(result)
			_ = json.Unmarshal(raw, &r)
			if got = r.Status; len(r.Warnings) > 0 {
				got += ", " + r.Warnings[0].Code
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
