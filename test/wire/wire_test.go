//go:build unix

// Package wire holds every sidefork to contract 1 as it was once recorded: contract-1.jsonl is what a client of that time sent,
// and what it was answered. It is replayed against the server of today. Answers are compared in their shape: what was there
// must be there still, of the same kind; more may have come. `go test ./test/wire -record` makes the file, which is for the
// first release and for commands that are new: lines that there are must not change.
package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/cmd/sidefork/cli"
	"github.com/sidefork/sidefork/test/editor"
)

var record = flag.Bool("record", false, "write contract-1.jsonl anew")

func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) { // what the links of a world start
	case "sidefork":
		os.Exit(cli.Main("0.0.0-test"))
	case "claude":
		fmt.Println("2.1.332 (Claude Code)")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// exchange is one request and its answer: a line of the file.
type exchange struct {
	Method        string          `json:"method"`
	Params        json.RawMessage `json:"params"`
	Result        json.RawMessage `json:"result,omitempty"`
	Error         *editor.Error   `json:"error,omitempty"`
	Notifications []string        `json:"notifications,omitempty"` // their methods, each once
}

const conversation = "9c322651-a113-47aa-817a-43cef594a8f5"

func command(name, argument string) exchange {
	params := fmt.Sprintf(`{"command":"sidefork.%s","arguments":[%s],"workDoneToken":"token-%s"}`, name, argument, name)
	return exchange{Method: "workspace/executeCommand", Params: json.RawMessage(params)}
}

// said is what the client of contract 1 says, in this order. ROOT is the folder that all lies in.
var said = []exchange{
	{Method: "initialize", Params: json.RawMessage(`{"processId":null,"clientInfo":{"name":"recorded","version":"1"},"capabilities":{},"workspaceFolders":[{"uri":"file://ROOT/app","name":"app"}]}`)},
	command("workspaces", `{}`),
	command("workspaces", `{"folders":["ROOT/app"]}`),
	command("sessions", `{"workspace":"ROOT/app"}`),
	command("sessions", `{"scope":"all","limit":1}`),
	command("sessions", `{"session":{"agent":"claude","id":"`+conversation+`"},"turns":true}`),
	command("inspect", `{"workspace":"ROOT/app"}`),
	command("plan", `{"workspace":"ROOT/app","name":"planned","session":{"agent":"claude","id":"`+conversation+`"},"launch":"none"}`),
	command("fork", `{"operationId":"11111111-1111-4111-8111-111111111111","workspace":"ROOT/app","name":"child","dir":"ROOT/trees/child","session":{"agent":"claude","id":"`+conversation+`"},"child":true,"carry":true,"onCarryFailure":"rollback","staged":"keep","include":["*.env"],"base":{"kind":"parentCommit"},"prompt":"go on","launch":"none","copies":1,"worktree":"new","onDisconnect":"rollback"}`),
	command("fork", `{"operationId":"22222222-2222-4222-8222-222222222222","workspace":"ROOT/app","name":"twice","session":null,"carry":false,"launch":"none","copies":2}`),
	command("fork", `{"operationId":"33333333-3333-4333-8333-333333333333","workspace":"ROOT/app","name":"child","session":null}`),
	command("fork", `{"workspace":"ROOT/app","name":"x","neverHeardOf":1}`),
	command("carry", `{"operationId":"44444444-4444-4444-8444-444444444444","from":"ROOT/app","to":"ROOT/app-worktrees/twice-1","dryRun":true}`),
	command("carry", `{"operationId":"55555555-5555-4555-8555-555555555555","from":"ROOT/app","to":"ROOT/app-worktrees/twice-1","staged":"unstage","include":[]}`),
	command("outcome", `{"operationId":"11111111-1111-4111-8111-111111111111","repository":"ROOT/app"}`),
	command("outcome", `{"operationId":"66666666-6666-4666-8666-666666666666"}`),
	command("outcome", `{"operationId":"77777777-7777-4777-8777-777777777777","repository":"ROOT/app","settle":true}`),
	command("recover", `{"repository":"ROOT/app"}`),
	command("locate", `{"pid":1}`),
	command("guard", `{"command":"claude --continue","shell":"posix"}`),
	command("guard", `{"command":"ls","shell":"posix"}`),
	command("settings", `{}`),
	command("trust", `{"workspace":"ROOT/app","hash":"0000"}`),
	command("adopt", `{"workspace":"ROOT/trees/child","parent":null}`),
	command("compare", `{"workspace":"ROOT/app-worktrees/twice-1","with":"ROOT/app"}`),
	command("remove", `{"workspace":"ROOT/app-worktrees/twice-1"}`),
	command("remove", `{"workspace":"ROOT/app-worktrees/twice-1","branch":true,"force":["uncommitted"]}`),
	command("nothing", `{}`),
	{Method: "command/resolve", Params: json.RawMessage(`{"command":"sidefork.fork","arguments":[{"workspace":"ROOT/app"}]}`)},
	{Method: "interactive/listEnum", Params: json.RawMessage(`{"source":"sidefork.refs","config":{"workspace":"ROOT/app"},"query":""}`)},
	{Method: "no/such", Params: json.RawMessage(`{}`)},
	{Method: "shutdown"},
}

const file = "contract-1.jsonl"

func TestWhatWasRecordedOfContract1IsAnsweredStill(t *testing.T) {
	if *record {
		got := converse(t, said)
		var text bytes.Buffer
		for _, e := range got {
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(append(line, '\n'))
		}
		if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	recorded := read(t)
	if len(recorded) < 20 {
		t.Fatalf("only %d exchanges are recorded", len(recorded))
	}
	for i, now := range converse(t, recorded) {
		then := recorded[i]
		what := then.Method + " " + string(then.Params)
		switch {
		case (then.Error == nil) != (now.Error == nil):
			t.Errorf("%s\nwas answered %s %v\nand now %s %v", what, then.Result, then.Error, now.Result, now.Error)
			continue
		case then.Error != nil && then.Error.Code != now.Error.Code:
			t.Errorf("%s\nhad the code %d and now %d", what, then.Error.Code, now.Error.Code)
		case then.Error != nil && then.Error.Failure().Reason.Code != now.Error.Failure().Reason.Code:
			t.Errorf("%s\nhad the reason %s and now %s", what, then.Error.Failure().Reason.Code, now.Error.Failure().Reason.Code)
		}
		for _, missing := range lacks("", decoded(then.Result), decoded(now.Result)) {
			t.Errorf("%s\nlacks %s", what, missing)
		}
		for _, method := range then.Notifications {
			if !slices.Contains(now.Notifications, method) {
				t.Errorf("%s\ntells no more by %s", what, method)
			}
		}
	}
}

// TestTheJudgeOfShapesSeesWhatIsGone: of what it is to find, one each.
func TestTheJudgeOfShapesSeesWhatIsGone(t *testing.T) {
	for _, c := range []struct{ then, now, want string }{
		{`{"a":1}`, `{"a":2,"b":3}`, ""},
		{`{"a":1}`, `{"b":3}`, ".a"},
		{`{"a":1}`, `{"a":"1"}`, ".a is a string and was a number"},
		{`{"a":[{"b":1},{"c":1}]}`, `{"a":[{"b":1,"c":2}]}`, ""},
		{`{"a":[{"b":1},{"c":1}]}`, `{"a":[{"b":1}]}`, ".a[].c"},
		{`{"a":[1]}`, `{"a":[]}`, ".a is empty"},
		{`{"a":null}`, `{"a":null}`, ""},
		{features(`"fork","tmux"`), features(`"carry","fork"`), ""},
		{features(`"fork","setup"`), features(`"fork"`), ".capabilities.experimental.sidefork.features: setup"},
		{`{"a":{"b":true}}`, `{"a":null}`, ".a is null and was an object"},
	} {
		got := strings.Join(lacks("", decoded(json.RawMessage(c.then)), decoded(json.RawMessage(c.now))), ", ")
		if got != c.want {
			t.Errorf("%s against %s: %q, want %q", c.now, c.then, got, c.want)
		}
	}
}

func features(list string) string {
	return `{"capabilities":{"experimental":{"sidefork":{"features":[` + list + `]}}}}`
}

func read(t *testing.T) (all []exchange) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e exchange
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

const makeApp = `
git init -q -b main . && printf 'one\n' >a.txt && printf '*.env\n' >.gitignore && git add . && git commit -qm first
printf 'more\n' >>a.txt && printf 'new\n' >n.txt && git add n.txt && printf 'u\n' >untracked && printf 'k\n' >local.env && mkfifo pipe`

// converse says all of it to a server of today in a world of its own, one after the other, and gives what was answered.
func converse(t *testing.T, all []exchange) (got []exchange) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bin, home, app := filepath.Join(root, "bin"), filepath.Join(root, "home"), filepath.Join(root, "app")
	environ := []string{
		"HOME=" + home, "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com", "TMPDIR=" + t.TempDir(),
	}
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(home, ".claude", "projects", strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", r) {
			return r
		}
		return '-'
	}, app))
	for _, dir := range []string{bin, app, store} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"sidefork", "claude"} {
		if err := os.Symlink(self, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	transcript, err := os.ReadFile("../demo/transcript.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(app)
	transcript = bytes.ReplaceAll(transcript, []byte(`"/home/dev/src/main"`), quoted)
	if err := os.WriteFile(filepath.Join(store, conversation+".jsonl"), transcript, 0o600); err != nil {
		t.Fatal(err)
	}
	git := exec.Command("sh", "-euc", makeApp)
	git.Dir, git.Env = app, environ
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(filepath.Join(bin, "sidefork"), "serve")
	cmd.Env, cmd.Dir = environ, root
	e, err := editor.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for i, x := range all {
		params := json.RawMessage(bytes.ReplaceAll(x.Params, []byte("ROOT"), []byte(root)))
		from := len(e.Notifications.All())
		result, err := e.Call(x.Method, params).Wait(t.Context())
		now := exchange{Method: x.Method, Params: x.Params, Result: bytes.ReplaceAll(result, []byte(root), []byte("ROOT"))}
		if err != nil {
			failed, ok := err.(*editor.Error)
			if !ok {
				t.Fatalf("%s %s: %v", x.Method, x.Params, err)
			}
			failed.Data = bytes.ReplaceAll(failed.Data, []byte(root), []byte("ROOT"))
			now.Error = failed
		}
		for _, n := range e.Notifications.All()[from:] {
			if !slices.Contains(now.Notifications, n.Method) && n.Method != "window/logMessage" && n.Method != "sidefork/changed" && n.Method != "sidefork/started" {
				now.Notifications = append(now.Notifications, n.Method)
			}
		}
		got = append(got, now)
		if i == 0 {
			if err := e.Notify("initialized", struct{}{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return got
}

func decoded(raw json.RawMessage) (v any) {
	_ = json.Unmarshal(raw, &v) // of an error there is none
	return v
}

func kind(v any) string {
	switch v.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return "a string"
	case float64:
		return "a number"
	case bool:
		return "a bool"
	}
	return "null"
}

// later is what a form tells when it is known, which may be sooner or later.
var later = []string{"pending", "disabledReason", "entries"}

// lacks names what was there then, and is not now or is of another kind. The elements of a list count together.
func lacks(at string, then, now any) (missing []string) {
	if kind(then) != kind(now) {
		return []string{fmt.Sprintf("%s is %s and was %s", at, kind(now), kind(then))}
	}
	switch then := then.(type) {
	case map[string]any:
		now := now.(map[string]any)
		names := make([]string, 0, len(then))
		for name := range then {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			value, there := now[name]
			if slices.Contains(later, name) {
				continue
			}
			if !there {
				missing = append(missing, at+"."+name)
				continue
			}
			missing = append(missing, lacks(at+"."+name, then[name], value)...)
		}
	case []any:
		now := now.([]any)
		if len(then) > 0 && len(now) == 0 {
			return []string{at + " is empty"}
		}
		if at == ".capabilities.experimental.sidefork.features" || at == ".capabilities.executeCommandProvider.commands" {
			for _, word := range then {
				if !slices.Contains(now, word) && word != "tmux" { // which may not be installed
					missing = append(missing, fmt.Sprintf("%s: %s", at, word))
				}
			}
		} else if len(then) > 0 {
			missing = lacks(at+"[]", together(then), together(now))
		}
	}
	return missing
}

// together is what the elements of a list have, one or another.
func together(list []any) any {
	all := map[string]any{}
	for _, element := range list {
		object, ok := element.(map[string]any)
		if !ok {
			return list[0]
		}
		for name, value := range object {
			if all[name] == nil {
				all[name] = value
			}
		}
	}
	return all
}
