package codex

import (
	"slices"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
)

// resumes reads Codex's arguments: `resume`, also of `exec`, writes into a session, and so do the commands that move or
// delete one; `fork` writes into none. Behind an option that is not known every word counts for what is worse.
func resumes(arguments []agent.Word) (targets []string, clear bool) {
	writes := slices.IndexFunc(arguments, func(w agent.Word) bool { return w.Known && writing(w.Text) })
	for i := 0; i < len(arguments); i++ {
		word := arguments[i]
		switch {
		case !word.Known:
			return named(arguments, writes), false
		case word.Text == "--":
			return named(arguments, writes), true
		case !strings.HasPrefix(word.Text, "-"):
			switch word.Text {
			case "exec", "e":
				continue
			case "fork":
				return nil, true // whatever follows: an id, a prompt, options of the fork
			}
			return named(arguments, writes), true
		case takesNext(word.Text):
			if i++; i < len(arguments) && !arguments[i].Known {
				return named(arguments, writes), false
			}
		case !alone(word.Text):
			return named(arguments, writes), true
		}
	}
	return nil, true
}

func writing(word string) bool {
	return slices.Contains([]string{"resume", "archive", "delete", "agents", "migrate-rollouts"}, strings.ToLower(word))
}

// named gives the sessions that stand behind the writing command at i; -1: there is none, and so nothing is written.
func named(arguments []agent.Word, i int) []string {
	if i < 0 {
		return nil
	}
	var targets []string
	sure := true // every option so far is known
	for i++; i < len(arguments); i++ {
		word := strings.ToLower(arguments[i].Text)
		switch {
		case !arguments[i].Known, word == "--last":
			return append(targets, "")
		case agent.IsUUID(word):
			targets = append(targets, word)
			if sure {
				return targets // the next word is a prompt
			}
		case !strings.HasPrefix(word, "-"):
			return append(targets, "") // a name
		case takesNext(arguments[i].Text):
			i++
		case !alone(arguments[i].Text):
			sure = false
		}
	}
	if len(targets) == 0 || !sure {
		targets = append(targets, "")
	}
	return targets
}

// takesNext says whether an option is known to take the word behind it.
func takesNext(word string) bool {
	return slices.Contains([]string{
		"-c", "--config", "--enable", "--disable", "--remote", "--remote-auth-token-env", "-m", "--model", "--local-provider",
		"-p", "--profile", "-s", "--sandbox", "-C", "--cd", "--add-dir", "-a", "--ask-for-approval", "--thread-source",
		"--cyber-access-program", "--output-schema", "--color", "-o", "--output-last-message",
	}, word)
}

// alone says whether an option is known to take no other word. Behind -i every word may be an image.
func alone(word string) bool {
	if strings.HasPrefix(word, "--") && strings.Contains(word, "=") {
		return true
	}
	if len(word) > 2 && !strings.HasPrefix(word, "--") {
		return strings.Contains("cmpsCao", word[1:2]) // its value is in the word
	}
	return slices.Contains([]string{
		"--strict-config", "--oss", "--approve-for-me", "--dangerously-bypass-approvals-and-sandbox",
		"--dangerously-bypass-hook-trust", "--worktree", "--search", "--no-alt-screen", "--no-daemon", "-h", "--help", "-V",
		"--version", "--last", "--all", "--include-non-interactive", "--skip-git-repo-check", "--trust", "--ephemeral",
		"--ignore-user-config", "--ignore-rules", "--json", "--full-auto", "--yolo",
	}, word)
}

// resume gives `codex resume ID`. The setting keeps it from asking which folder is meant: it is run in the session's own.
func resume(s agent.Session) (arguments []string, env map[string]*string) {
	return []string{"resume", "-c", "tui.resume_cwd=current", s.ID.ID}, map[string]*string{"CODEX_HOME": agent.Pin(s)}
}
