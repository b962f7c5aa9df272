package claude

import (
	"encoding/json"
	"path/filepath"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
)

// settingsLimit bounds the file of settings, in bytes: it holds something of every project.
const settingsLimit = 64 << 20

// trust reads whether Claude Code trusts the repository: it keeps that under the main checkout's top level, or the bare
// repository's folder, and every linked worktree inherits it. A worktree's own entry helps only itself, so there is nothing
// narrower than the whole repository that could be given to a child: where that is not trusted Claude Code asks.
func trust(r agent.ForkRequest) agent.Trust {
	file := filepath.Join(r.Parent.Home, ".claude.json")
	if r.Parent.DefaultHome {
		file = filepath.Join(filepath.Dir(r.Parent.Home), ".claude.json") // beside it
	}
	text, err := jsonl.Small(file, settingsLimit)
	var settings struct {
		Projects map[string]struct {
			Accepted bool `json:"hasTrustDialogAccepted"`
		} `json:"projects"`
	}
	if err != nil || r.Where.Path == "" || json.Unmarshal(text, &settings) != nil {
		return ""
	}
	if settings.Projects[r.Where.Path].Accepted || settings.Projects[r.Child].Accepted {
		return agent.Inherited
	}
	return agent.Asks
}
