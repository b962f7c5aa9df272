//go:build agents && unix

package agents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/test/agents/pinned"
	"github.com/sidefork/sidefork/test/fakeapi"
)

// agent is what a test has to know of a real agent. The facts are in docs/agents.
type agent struct {
	name     string // on sidefork's wire, and the command
	slow     bool   // a start takes ten seconds of a processor, a turn twenty
	variable string // names its account folder
	folder   string // its account folder below HOME, where the variable is not set
	start    func(testing.TB) *fakeapi.Server
	// account makes an account folder, or the files beside it, in which the agent trusts repo and asks nothing.
	account func(w *world, folder string)
	// environment is what a terminal has for the agent, beside HOME, PATH and such.
	environment func(w *world) []string
	// once is the command for one turn without a terminal; resume is "" for a new session.
	once func(resume, prompt string) []string
	// talk is the command for a conversation at a terminal.
	talk []string
	// ready is on the screen when a new conversation can be typed into.
	ready string
	// transcripts is the pattern of a session's files below its account folder.
	transcripts func(id string) string
	// isTurn says whether a request is a turn of a conversation that a person has, who of which session, where in which folder.
	isTurn func(fakeapi.Request) bool
	who    func(*world, fakeapi.Request) string
	where  func(fakeapi.Request) string
	// record gives all that the store of an agent without files has of a session, and the file that it is in; nil for an
	// agent with files.
	record func(w *world, id string) (content, file string)
	// checkTranscript judges the child's own file.
	checkTranscript func(t testing.TB, file, parent, child, dir string)
}

// forEachAgent runs a test with Claude Code, Codex and more, each in a world of its own. pi and opencode, whose every start
// takes seconds of a processor, are in those tests that can tell something new of them.
func forEachAgent(t *testing.T, test func(t *testing.T, w *world), more ...agent) {
	t.Parallel()
	for _, a := range append([]agent{claude(), codex()}, more...) {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, a))
		})
	}
}

// binFolders are the folders of the agents' commands.
func binFolders(t testing.TB) string {
	t.Helper()
	installed, err := pinned.Agents()
	if err != nil {
		t.Fatal(err)
	}
	cache, err := pinned.Cache()
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, a := range installed {
		folders = append(folders, pinned.Bin(a.Folder(cache)))
	}
	return strings.Join(folders, string(os.PathListSeparator))
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
