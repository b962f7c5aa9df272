// Package guard reads a command line and says which sessions it would write into: whether it starts an agent in a way that
// resumes a conversation, rather than forking it or beginning a new one. It runs nothing and looks at no file.
//
// Read is the one entry. A line is read as its shell would read it: quotes, chains, pipelines, subshells, functions, and
// the usual programs that start another (env, sudo, npx, sh -c). Only what is understood to the end is taken for
// harmless. What is not (a variable as a command or as an argument that counts, eval, an alias, a program that may start
// another) is Unclear: never harmless, and never a session that it does not name.
//
// What the line does not say is not seen: aliases, functions and variables that the shell has already, a PATH that puts
// another program in an agent's place, and what a program that the line starts by a plain name then starts by itself
// (make, npm run, a script of the user's).
package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sidefork/sidefork/sessions/agent"
)

// Shell is the kind of shell that a line is for.
type Shell string

// The kinds of shell. POSIX is sh, dash, bash, ksh and zsh, at a terminal or behind -c; where they differ, the line counts
// for what is worse.
const (
	POSIX      Shell = "posix"
	PowerShell Shell = "powershell"
	Cmd        Shell = "cmd"
)

// Agent is what has to be known of an agent to find it in a line.
type Agent struct {
	Name     string
	Programs []string // base names of its program, without an extension
	Package  string   // its package on npm, in lower case
	Resumes  func(arguments []agent.Word) (targets []string, clear bool)
}

// Reading is what a line would do.
type Reading struct {
	// Targets are the sessions that the line would write into, each once. One that is not named (the newest, one that is
	// picked) has an empty id.
	Targets []agent.ID
	// Unclear is a part of the line that cannot be understood, in words; "" where all of it is.
	Unclear string
}

// limit is how long a line may be, in bytes: the longest argument that Linux hands to a program is twice that.
const limit = 64 << 10

// nesting is how many lines may be inside each other (sh -c "sh -c …").
const nesting = 8

// Read reads one line, of up to 64 KiB, in time and space that grow with its length.
func Read(shell Shell, line string, agents []Agent) Reading {
	r := &reader{programs: programsOf(shell, agents), found: new(Reading), seen: map[agent.ID]bool{}, shell: shell, fed: -1}
	r.read(line)
	return *r.found
}

// reader reads one line, or one that is inside another.
type reader struct {
	*programs
	shell  Shell
	source string
	depth  int
	found  *Reading
	seen   map[agent.ID]bool // what is in found.Targets

	// What only counts together with something else; settle judges it. Offsets are those of source.
	commands  int
	others    int          // programs that nothing is known of
	lastOther int          // where the last one of them stands
	fed       int          // from where on a command may get its input from the line itself; -1: nowhere
	commented map[int]bool // where the comments are that were read
	writes    bool         // it writes a file
	loose     bool         // a variable is set to something that a program may run
}

func (r *reader) unclear(what string) {
	if r.found.Unclear == "" {
		r.found.Unclear = what
	}
}

func (r *reader) target(name, id string) {
	if one := (agent.ID{Agent: name, ID: id}); !r.seen[one] {
		r.seen[one] = true
		r.found.Targets = append(r.found.Targets, one)
	}
}

func (r *reader) read(line string) {
	line = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(line) // a terminal takes both for Enter
	switch {
	case len(line) > limit:
		r.unclear("more than 64 KiB")
		return
	case r.depth > nesting:
		r.unclear("too many lines inside each other")
		return
	case !utf8.ValidString(line), strings.ContainsFunc(line, func(c rune) bool { return c != '\n' && unicode.IsControl(c) }):
		r.unclear("a control character, which edits the line at a terminal")
		return
	}
	r.source = line
	switch r.shell {
	case POSIX:
		r.posix()
	case PowerShell:
		r.powerShell()
	case Cmd:
		r.cmd()
	default:
		r.unclear("text for a shell that is not known")
	}
	r.settle()
}

// settle judges what only counts together: a program that nothing is known of may run what it is fed, a file that the
// line has just written, or what a variable holds.
func (r *reader) settle() {
	switch {
	case r.others == 0:
	case r.fed >= 0 && r.lastOther >= r.fed:
		r.unclear("a program that is fed by the line")
	case r.writes && r.commands > 1:
		r.unclear("a file that the line writes, and a program that may run it")
	case r.loose:
		r.unclear("a variable that a program may run")
	}
}

// within reads a line that is inside this one, at an offset of it.
func (r *reader) within(line string, offset int) {
	inner := &reader{programs: r.programs, found: r.found, seen: r.seen, shell: r.shell, depth: r.depth + 1, fed: -1}
	inner.read(line)
	r.writes, r.loose, r.commands = r.writes || inner.writes, r.loose || inner.loose, r.commands+inner.commands
	if inner.others > 0 {
		r.other(offset)
	}
}

func (r *reader) other(offset int) {
	r.others++
	r.lastOther = max(r.lastOther, offset)
}
