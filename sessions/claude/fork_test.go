package claude

import (
	"slices"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/sessions/agent"
)

func TestForkGivesTheCommandOfTheInstalledVersion(t *testing.T) {
	here := t.TempDir()
	parent := agent.Session{ID: agent.ID{Agent: "claude", ID: session}, Cwd: here, Source: "/home/u/.claude/projects/x/" + session + ".jsonl", Home: "/home/u/.claude", DefaultHome: true}
	gone := parent
	gone.Cwd = here + "/gone"
	tests := []struct {
		name    string
		parent  agent.Session
		version agent.Version
		args    []string
		prompt  string
		want    string // NEW stands for the child's id
	}{
		{"by id", parent, agent.Version{2, 1, 332}, nil, "", "/bin/claude --resume " + session + " --fork-session --session-id NEW --name my-fork"},
		{"first version that finds ids anywhere", parent, agent.Version{2, 1, 240}, nil, "", "/bin/claude --resume " + session + " --fork-session --session-id NEW --name my-fork"},
		{"an older one", parent, agent.Version{2, 1, 239}, nil, "", "/bin/claude --resume " + parent.Source + " --fork-session --session-id NEW --name my-fork"},
		{"the parent's folder is gone", gone, agent.Version{2, 1, 332}, nil, "", "/bin/claude --resume " + parent.Source + " --fork-session --session-id NEW --name my-fork"},
		{"with a prompt", parent, agent.Version{2, 1, 332}, nil, "--help; rm", "/bin/claude --resume " + session + " --fork-session --session-id NEW --name my-fork -- --help; rm"},
		{"with a prompt that is a command", parent, agent.Version{2, 1, 332}, nil, "update", "/bin/claude --resume " + session + " --fork-session --session-id NEW --name my-fork -- update "},
		{"with the user's arguments", parent, agent.Version{2, 1, 332}, []string{"--model", "opus"}, "", "/bin/claude --model opus --resume " + session + " --fork-session --session-id NEW --name my-fork"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := fork(agent.ForkRequest{
				Parent: test.parent, Child: "/child", Name: "my-fork", Prompt: test.prompt,
				Program: "/bin/claude", Version: test.version, Arguments: test.args,
			})
			if err != nil {
				t.Fatal(err)
			}
			if !agent.IsUUID(got.Session.ID) || got.Session.ID == session || got.Parent != parent.ID || got.Cwd != "/child" {
				t.Errorf("got %+v", got)
			}
			line := strings.Replace(strings.Join(got.Argv, " "), got.Session.ID, "NEW", 1)
			if line != test.want {
				t.Errorf("got  %s\nwant %s", line, test.want)
			}
			if last := got.Argv[len(got.Argv)-1]; test.prompt != "" && strings.TrimSpace(last) != test.prompt {
				t.Errorf("the prompt is not one argument: %q", got.Argv)
			}
		})
	}
}

func TestForkPinsTheHomeAndTakesAwayWhatBreaksAChild(t *testing.T) {
	request := agent.ForkRequest{Parent: agent.Session{Home: "/home/u/.claude", DefaultHome: true}, Child: "/child", Program: "/bin/claude"}
	got, err := fork(request)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name, value := range got.Env {
		if value != nil {
			t.Errorf("%s is set to %q", name, *value)
		}
		names = append(names, name)
	}
	for _, name := range append(inherited(), "CLAUDE_CONFIG_DIR") {
		if !slices.Contains(names, name) {
			t.Errorf("%s stays", name)
		}
	}
	request.Parent = agent.Session{Home: "/home/u/.claude-work"}
	if got, err = fork(request); err != nil {
		t.Fatal(err)
	}
	if home := got.Env["CLAUDE_CONFIG_DIR"]; home == nil || *home != "/home/u/.claude-work" {
		t.Errorf("CLAUDE_CONFIG_DIR is %v", home)
	}
}
