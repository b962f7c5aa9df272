// Package codex knows the Codex CLI's store of sessions: which there are, which are loaded, and how one is forked.
//
// A session is a rollout, <home>/sessions/YYYY/MM/DD/rollout-<local time>-<id>.jsonl, or below archived_sessions once it
// is archived; home is $CODEX_HOME or ~/.codex. Its id, folder and descent stand in line 1 and nowhere else. The
// databases beside it are caches and are not read; nothing is ever written. All that is said here about files and flags
// was seen with codex-cli 0.121.0 to 0.171.0.
package codex

import "github.com/sidefork/sidefork/sessions/agent"

const name = "codex"

// Agent is Codex's line in the table of agents.
func Agent() agent.Agent {
	return agent.Agent{
		Name: name, Program: "codex", Oldest: agent.Version{0, 121, 0},
		Valid: agent.IsUUID, Homes: homes, List: list, Find: find, Turns: turns, Fork: fork, AwaitStart: awaitStart,
		Package: "@openai/codex", Variable: "CODEX_HOME", Resumes: resumes, Resume: resume, At: at,
	}
}

func homes(env func(string) string, configured []string) agent.Homes {
	return agent.FindHomes(env, "CODEX_HOME", ".codex", configured)
}
