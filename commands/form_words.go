package commands

import "strings"

// formWords are the sentences of the form. {name} is filled as in reasons.go.
var formWords = map[string]string{
	"session":       "Session to fork",
	"sessionNone":   "Session to fork (the newest cannot be forked: {why})",
	"transcript":    "A new {agent}, with what the terminal showed as a draft in its prompt",
	"noAgent":       "No agent: a workspace without a conversation",
	"sessionGone":   "The session is gone: {id}. Choose another one, or no agent.",
	"tokens":        "sends {count} tokens again",
	"live":          "live",
	"name":          "Name of the new branch",
	"nameMissing":   "A fork needs a name.",
	"child":         "Create as a child of {name}",
	"carry":         "Bring uncommitted changes ({counts})",
	"carryPending":  "Bring uncommitted changes (counting …)",
	"noChanges":     "There are no uncommitted changes.",
	"carryOff":      "Only with the uncommitted changes.",
	"base":          "Start from",
	"parentCommit":  "The commit of {name} ({commit})",
	"parentPending": "The commit of {name}",
	"standard":      "The repository's default branch ({name})",
	"noStandard":    "The repository has no default branch.",
	"commit":        "The commit {name}",
	"setup":         "Run the setup of {file} in the new workspace: {commands}",
	"setupChanged":  "Run the setup of {file} in the new workspace, which has changed since you approved it: {commands}",
	"setupNone":     "Run the repository's setup in the new workspace",
	"noSetup":       "There is none where the new workspace starts from.",
	"setupSkip":     "Do not run it",
	"setupRun":      "Run it ({trust})",
	"trusted":       "approved",
	"notTrusted":    "not approved yet: this once",
	"setupGone":     "The setup is not what was shown: read it again.",
	"cut":           " … and more: read {file} first",
	"staged":        "What is staged",
	"keep":          "stays staged",
	"unstage":       "comes unstaged",
	"include":       "Ignored files to bring too, as lines of a .gitignore",
	"copies":        "How many children (1 to 16; with a number behind the name where it is more than one)",
	"copiesRange":   "A number from 1 to 16, please.",
	"where":         "Where it works",
	"whereNew":      "In a new worktree",
	"whereNewAt":    "In a new worktree: {path}",
	"whereSame":     "In the same folder, {path}: no branch, nothing is copied; both conversations share its files, index and branch",
	"whereExisting": "In the worktree {path}, on {branch}, if it is clean: it keeps its branch",
	"whereAgent":    "In the same folder there is only the conversation to fork: choose a session.",
	"notHere":       "Only with a new worktree.",
	"sameChanges":   "They are in the folder already.",
	"prompt":        "First message in the fork",
	"promptAgent":   "A first message needs a session.",
	"modified":      "{count} modified",
	"new":           "{count} new",
	"stagedCount":   "{count} staged",
	"conflicted":    "{count} in conflict",
	"none":          "none",
	"tag":           "{name} (tag)",
	"wrongKind":     "The answer is of the wrong kind.",
	"notOffered":    "Choose one of those that are offered.",
}

// inWords is a sentence of the form in the client's language, with name, value, name, value… filled in.
func (e *Env) inWords(word string, args ...string) string {
	var pairs []string
	for i := 0; i+1 < len(args); i += 2 {
		pairs = append(pairs, "{"+args[i]+"}", Printable(args[i+1]))
	}
	return strings.NewReplacer(pairs...).Replace(e.Language().Text(formWords[word]))
}

// why is a reason of the form in the client's language: what it says, and what to do about it.
func (e *Env) why(r Reason) string {
	r = r.In(e.Language())
	return strings.TrimSpace(r.Message + " " + r.Remedy)
}
