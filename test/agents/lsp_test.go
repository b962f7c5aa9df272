//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/test/editor"
)

func TestEditorLearnsWhichSessionWasStarted(t *testing.T) {
	forEachAgent(t, func(t *testing.T, w *world) {
		const word, prompt = "CODEWORD-BISON6", "Which session is this?"
		parent := w.say(w.repo, "", "Please remember "+word)

		sidecar := exec.Command(os.Getenv(sideforkVariable), "serve", "--stdio")
		sidecar.Dir, sidecar.Env = w.home, w.terminal()
		e, err := editor.Start(sidecar)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if _, err := e.Initialize(w.ctx, editor.Options{Folders: []string{w.repo}}); err != nil {
			t.Fatal(err)
		}
		operation := uuid.NewString()
		var f forked
		if err := e.Execute("sidefork.fork", map[string]any{
			"operationId": operation, "workspace": w.repo, "name": "child", "prompt": prompt, "launch": "client",
			"session": map[string]string{"agent": w.agent.name, "id": parent},
		}, nil).Into(w.ctx, &f); err != nil {
			t.Fatal(err)
		}
		w.check(f, parent)

		terminal := w.launch(f)
		child := w.proveTurn(f, parent, prompt, word)
		note, err := e.Notifications.Await(w.ctx, editor.IsMethod("sidefork/started"))
		if err != nil {
			t.Fatal(err)
		}
		var started struct {
			OperationID string
			Session     struct{ Agent, ID string }
			PID         int
		}
		if err := json.Unmarshal(note.Params, &started); err != nil {
			t.Fatal(err)
		}
		if started.OperationID != operation || started.Session.Agent != w.agent.name || started.Session.ID != child {
			t.Errorf("sidefork/started said %s of operation %s; the child is %s", note.Params, operation, child)
		}
		if started.PID == 0 || !terminal.runs(started.PID) {
			t.Errorf("sidefork/started said that the agent is process %d, which is not in its terminal", started.PID)
		}
		if status, err := e.Quit(w.ctx); err != nil || status != 0 {
			t.Errorf("the sidecar ended with status %d, %v", status, err)
		}
	})
}
