package codex

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/BurntSushi/toml"

	"github.com/sidefork/sidefork/sessions/agent"
)

func TestTrustIsGivenOnlyWhereTheParentItselfHasIt(t *testing.T) {
	app := agent.Repository{Path: "/src/app", Parent: "/src/wt"}
	bare := agent.Repository{Path: "/src/app/.bare", Bare: true, Parent: "/src/app/main"}
	project := func(path, level string) string {
		return "[projects." + `"` + path + `"]` + "\ntrust_level = \"" + level + "\"\n"
	}
	newest := agent.Version{0, 171, 0}
	for name, test := range map[string]struct {
		settings string
		where    agent.Repository
		version  agent.Version
		child    string
		want     agent.Trust
	}{
		"the main checkout is trusted":       {project("/src/app", "trusted"), app, newest, "/c", agent.Inherited},
		"the parent's own folder is":         {project("/src/wt", "trusted"), app, newest, "/c", agent.Given},
		"the child's own folder is":          {project("/src/wt", "trusted"), app, newest, "/src/wt", agent.Inherited},
		"the same of a child with an ü":      {project("/src/wt", "trusted"), app, newest, `/c "ü" \ d`, agent.Given},
		"the main checkout was refused":      {project("/src/app", "untrusted") + project("/src/wt", "trusted"), app, newest, "/c", agent.Asks},
		"the parent was":                     {project("/src/wt", "untrusted"), app, newest, "/c", agent.Asks},
		"a folder above is trusted":          {project("/src", "trusted"), app, newest, "/c", agent.Asks},
		"a bare repository is":               {project("/src/app/.bare", "trusted"), bare, newest, "/c", agent.Asks},
		"a worktree of a bare repository is": {project("/src/app/main", "trusted"), bare, newest, "/c", agent.Given},
		"an older Codex":                     {project("/src/wt", "trusted"), app, agent.Version{0, 159, 3}, "/c", agent.Asks},
		"a name with control characters":     {project("/src/wt", "trusted"), app, newest, "/c\x1b[31m", agent.Asks},
		"nothing is known of it":             {"model = \"x\"\n", app, newest, "/c", agent.Asks},
		"no settings":                        {"", app, newest, "/c", ""},
		"settings that cannot be read":       {"[projects", app, newest, "/c", ""},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			if test.settings != "" {
				if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(test.settings), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r := agent.ForkRequest{
				Parent: agent.Session{ID: agent.ID{Agent: name, ID: parentID}, Home: home}, Child: test.child, Where: test.where,
				Program: "/bin/codex", Version: test.version, Prompt: "go on",
			}
			l, err := fork(r)
			if err != nil || l.Trust != test.want {
				t.Fatalf("%q, %v", l.Trust, err)
			}
			at := slices.IndexFunc(l.Argv, func(word string) bool { return len(word) > 9 && word[:9] == "projects=" })
			if (at >= 0) != (test.want == agent.Given) {
				t.Fatalf("%q", l.Argv)
			}
			if at < 0 {
				return
			}
			var given struct {
				Projects map[string]struct {
					Level string `toml:"trust_level"`
				}
			}
			if err := toml.Unmarshal([]byte(l.Argv[at]), &given); err != nil || len(given.Projects) != 1 || given.Projects[test.child].Level != "trusted" || l.Argv[at-1] != "-c" {
				t.Errorf("%q: %+v, %v", l.Argv, given, err)
			}
		})
	}
}
