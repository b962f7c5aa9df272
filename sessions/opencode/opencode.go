// Package opencode knows opencode's store of sessions: which there are, and how one is forked.
//
// All sessions of an account are rows of one SQLite database, <home>/opencode.db, where home is $XDG_DATA_HOME/opencode or
// ~/.local/share/opencode. It is read as it stands, with its write-ahead log, and never written or locked; opencode itself
// writes the fork into it, by its own import.
//
// opencode's --fork is not used: started in another worktree the fork stays in its parent's folder, and its tools run
// there. What does work is an export with new ids that is imported in the child. opencode does not say which session a
// process has open: while one has the database open, of none of its sessions is anything claimed. All that is said here
// about tables and flags was seen with opencode 1.18.33.
package opencode

import (
	"path/filepath"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
)

const (
	name    = "opencode"
	homeVar = "XDG_DATA_HOME" // holds the home, and other programs' too
	fileVar = "OPENCODE_DB"
)

// Agent is opencode's line in the table of agents.
func Agent() agent.Agent {
	return agent.Agent{
		Name: name, Program: "opencode", Package: "opencode-ai", Variable: "XDG_DATA_HOME", Resumes: resumes, Resume: resume, Oldest: agent.Version{1, 18, 33},
		Valid: validID, Homes: homes, List: list, Find: find, Fork: fork, AwaitStart: awaitStart,
	}
}

// homes are the folders that hold a database. One that OPENCODE_DB names counts where it is called opencode.db.
func homes(env func(string) string, configured []string) agent.Homes {
	if file := env(fileVar); filepath.IsAbs(file) && filepath.Base(file) == filepath.Base(database("")) {
		configured = append([]string{filepath.Dir(file)}, configured...)
	}
	return agent.FindHomes(func(variable string) string {
		value := env(variable)
		if variable == homeVar && value != "" {
			value = filepath.Join(value, "opencode")
		}
		return value
	}, homeVar, filepath.Join(".local", "share", "opencode"), configured)
}

func database(home string) string { return filepath.Join(home, "opencode.db") }

// validID says whether id is a session's: ses_ and letters and digits.
func validID(id string) bool { return hasShape(id, "ses_") }

// head is how much of an id behind its prefix is the time that it was made, by which opencode sorts; tail what is random.
const (
	head = 12
	tail = 14
)

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func hasShape(id, prefix string) bool {
	rest, ok := strings.CutPrefix(id, prefix)
	return ok && len(rest) == head+tail && strings.Trim(rest, letters) == ""
}

// pin is the difference of environment that makes opencode use the database of a session.
func pin(s agent.Session) map[string]*string {
	env := map[string]*string{fileVar: nil}
	above := filepath.Dir(s.Home)
	switch {
	case s.DefaultHome:
		env[homeVar] = nil
	case filepath.Base(s.Home) == "opencode":
		env[homeVar] = &above
	default:
		env[fileVar] = &s.Source
	}
	return env
}
