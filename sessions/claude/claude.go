// Package claude knows Claude Code's store of sessions: which there are, which run, and how one is forked.
//
// A session is the file <home>/projects/<encoded folder>/<session id>.jsonl, where home is $CLAUDE_CONFIG_DIR or
// ~/.claude; a running process says so in <home>/sessions/<pid>.json. Both are read, neither is ever written. All that is
// said here about files and flags was seen with Claude Code 2.1.197 to 2.1.332.
package claude

import (
	"path/filepath"

	"github.com/sidefork/sidefork/sessions/agent"
)

const name = "claude"

// Agent is Claude Code's line in the table of agents.
func Agent() agent.Agent {
	return agent.Agent{
		Name: name, Program: "claude", Oldest: agent.Version{2, 1, 197},
		Valid: agent.IsUUID, Homes: homes, List: list, Find: find, Turns: turns, Fork: fork, AwaitStart: awaitStart,
		Package: "@anthropic-ai/claude-code", Variable: "CLAUDE_CONFIG_DIR", Inherited: inherited(), Resumes: resumes, Resume: resume, At: at,
	}
}

func homes(env func(string) string, configured []string) agent.Homes {
	return agent.FindHomes(env, "CLAUDE_CONFIG_DIR", ".claude", configured)
}

func projects(home string) string { return filepath.Join(home, "projects") }
