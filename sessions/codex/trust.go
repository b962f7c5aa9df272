package codex

import (
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
)

// settingsLimit bounds config.toml, in bytes.
const settingsLimit = 4 << 20

// trust reads whether Codex will trust a child, and gives the arguments that make it do so for this start where it trusts
// the parent's own folder and says nothing of the repository. The main checkout's entry counts for all its linked
// worktrees; a bare repository's counts for none. Nothing is written into config.toml.
func trust(r agent.ForkRequest) (found agent.Trust, arguments []string) {
	text, err := jsonl.Small(filepath.Join(r.Parent.Home, "config.toml"), settingsLimit)
	var settings struct {
		Projects map[string]struct {
			Level string `toml:"trust_level"`
		} `toml:"projects"`
	}
	if err != nil || r.Where.Path == "" || toml.Unmarshal(text, &settings) != nil {
		return "", nil
	}
	whole, named := settings.Projects[r.Where.Path]
	switch {
	case !r.Where.Bare && whole.Level == "trusted", settings.Projects[r.Child].Level == "trusted":
		return agent.Inherited, nil
	case !r.Where.Bare && named, // it was asked, and said no
		settings.Projects[r.Where.Parent].Level != "trusted",
		r.Version.Before(agent.Version{0, 171, 0}): // with which it was seen
		return agent.Asks, nil
	}
	key, plain := quoted(r.Child)
	if !plain {
		return agent.Asks, nil
	}
	return agent.Given, []string{"-c", `projects={` + key + `={trust_level="trusted"}}`}
}

// quoted is a path as a string of TOML; not plain where it holds control characters.
func quoted(path string) (text string, plain bool) {
	if strings.ContainsFunc(path, func(c rune) bool { return c < ' ' || c == 0x7f || c == '\uFFFD' }) {
		return "", false
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`, true
}
