package claude

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
)

// resumes reads Claude Code's arguments: --resume and its like write into a session, unless --fork-session stands beside
// them. Where an option might have taken a word as its value, the word counts for what is worse.
func resumes(arguments []agent.Word) (targets []string, clear bool) {
	forked, command := false, ""
	for i, word := range arguments {
		if !word.Known {
			return targets, false
		}
		taken := i > 0 && takesNext(arguments[i-1].Text)
		if word.Text == "--" && !taken {
			break // what follows is the prompt
		}
		if word.Text == "--fork-session" && !taken {
			forked = true
		}
		if !strings.HasPrefix(word.Text, "-") {
			if command == "" {
				command = word.Text
			}
			continue
		}
		name, value, attached := option(word.Text)
		switch {
		case name == "--resume":
			if next := i + 1; !attached && next < len(arguments) && arguments[next].Known && !strings.HasPrefix(arguments[next].Text, "-") {
				value = arguments[next].Text
			}
			targets = append(targets, sessionOf(value))
		case slices.Contains([]string{"--continue", "--from-pr", "--teleport"}, name):
			targets = append(targets, "")
		}
	}
	if command == "purge" {
		return append(targets, ""), true // it deletes a project's transcripts
	}
	if forked && !slices.ContainsFunc(arguments, opensOther) {
		return nil, true
	}
	return targets, true
}

// opensOther says whether a word opens a session in a way that was not seen to fork.
func opensOther(word agent.Word) bool {
	name, _, _ := option(word.Text)
	return name == "--from-pr" || name == "--teleport"
}

// option takes a word that begins with a dash apart. The short options for resuming get their long names, also out of
// several in one word.
func option(word string) (name, value string, attached bool) {
	if strings.HasPrefix(word, "--") {
		name, value, attached = strings.Cut(word, "=")
		return strings.ToLower(name), value, attached
	}
	for at, letter := range strings.ToLower(strings.TrimLeft(word, "-")) {
		switch rest := strings.TrimLeft(word, "-")[at+1:]; {
		case letter == 'c':
			return "--continue", "", false
		case letter == 'r':
			return "--resume", strings.TrimPrefix(rest, "="), rest != ""
		case !strings.ContainsRune("dhpvw", letter): // those may stand before another
			return word, "", false
		}
	}
	return word, "", false
}

// alone are the options that never take the word behind them when it begins with a dash.
func alone() []string {
	return []string{
		"--allow-dangerously-skip-permissions", "--ax-screen-reader", "--background", "--bare", "--bg", "--brief", "--chrome",
		"--cloud", "--continue", "--dangerously-skip-permissions", "--debug", "--desktop", "--disable-slash-commands",
		"--exclude-dynamic-system-prompt-sections", "--fork-session", "--forward-subagent-text", "--from-pr", "--help", "--ide",
		"--include-hook-events", "--include-partial-messages", "--no-chrome", "--no-session-persistence", "--print",
		"--prompt-suggestions", "--remote-control", "--replay-user-messages", "--restricted", "--resume", "--safe-mode",
		"--strict-mcp-config", "--teleport", "--tmux", "--verbose", "--version", "--worktree",
	}
}

// takesNext says whether an option may take the next word as its value, also one that begins with a dash.
func takesNext(word string) bool {
	switch {
	case !strings.HasPrefix(word, "-"), strings.HasPrefix(word, "--") && strings.Contains(word, "="):
		return false
	case strings.HasPrefix(word, "--"):
		return !slices.Contains(alone(), word)
	}
	return strings.Trim(word, "-cdhprvw") != ""
}

// sessionOf is the session that a value of --resume names, by its id or by its file. "" for anything else: a title, a
// search, nothing.
func sessionOf(value string) string {
	value = strings.ToLower(value)
	if file, ok := strings.CutSuffix(filepath.Base(strings.ReplaceAll(value, `\`, "/")), ".jsonl"); ok {
		value = file
	}
	if !agent.IsUUID(value) {
		return ""
	}
	return value
}

// resume gives `claude --resume ID`, which finds the session by the folder that it is run in.
func resume(s agent.Session) (arguments []string, env map[string]*string) {
	return []string{"--resume", s.ID.ID}, pin(s)
}

// pin keeps what is started in the account of a session, and from taking itself for a child of another one.
func pin(s agent.Session) map[string]*string {
	env := map[string]*string{"CLAUDE_CONFIG_DIR": agent.Pin(s)}
	for _, variable := range inherited() {
		env[variable] = nil
	}
	return env
}
