package zed

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTheTasksAreWhatZedDocuments(t *testing.T) {
	tasks, err := Tasks("../../editors/zed/tasks.json")
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, task := range tasks {
		labels = append(labels, task.Label)
		if _, offered, err := task.Resolve(nil); offered || err != nil {
			t.Errorf("%s: offered %t where no folder is open, %v", task.Label, offered, err)
		}
		resolved, offered, err := task.Resolve(map[string]string{"ZED_WORKTREE_ROOT": "/with a blank/'$(x)"})
		if !offered || err != nil || resolved.Cwd != "/with a blank/'$(x)" {
			t.Errorf("%s: offered %t in %q, %v", task.Label, offered, resolved.Cwd, err)
		}
		if line, err := resolved.Line(); err != nil || !strings.HasPrefix(line, "sidefork ") {
			t.Errorf("%q, %v", line, err)
		}
	}
	if len(labels) != 4 {
		t.Errorf("the tasks are %q", labels)
	}
	keys, err := Keys("../../editors/zed/keymap.json")
	if err != nil {
		t.Fatal(err)
	}
	bound := 0
	for _, b := range keys {
		for key, action := range b.Bindings {
			words, _ := action.([]any)
			if len(words) != 2 || words[0] != "task::Spawn" {
				t.Errorf("%s: %v", key, action)
				continue
			}
			options, _ := words[1].(map[string]any)
			for name, value := range options {
				word, _ := value.(string)
				known := name == "task_name" && slices.Contains(labels, word) || name == "reveal_target" && slices.Contains([]string{"dock", "center"}, word)
				if !known {
					t.Errorf("%s: %s is %v", key, name, value)
				}
			}
			bound++
		}
	}
	if bound != 2 {
		t.Errorf("%d keys", bound)
	}
}

func TestWhatZedDoesNotDocumentIsAnError(t *testing.T) {
	for _, text := range []string{
		`[{"label": "a", "command": "b", "hidden": true}]`, `[{"label": "a", "command": "b", "reveal": "sometimes"}]`, `[{"label": "a"}]`, `{}`,
	} {
		path := filepath.Join(t.TempDir(), "tasks.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if tasks, err := Tasks(path); err == nil {
			t.Errorf("%s is taken as %+v", text, tasks)
		}
	}
	task := Task{Label: "a", Command: "b", Args: []string{"${ZED_ROW:7}", "$ZED_NOTHING"}}
	resolved, offered, err := task.Resolve(nil)
	if err == nil || offered || resolved.Args[0] != "7" {
		t.Errorf("%+v, offered %t, %v", resolved, offered, err)
	}
	if line, err := (Task{Command: "b", Args: []string{"a b", "$(x)"}}).Line(); err == nil {
		t.Errorf("%q is plain", line)
	}
}
