package guard

import (
	"slices"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
)

// command judges one simple command, which stands at an offset of the line.
func (r *reader) command(words []agent.Word, offset int) {
	if len(words) == 0 {
		return
	}
	r.commands++
	for range nesting {
		if len(words) == 0 {
			return
		}
		name := words[0]
		if !name.Known {
			r.unclear("a command whose name is not written out")
			return
		}
		base := baseName(name.Text)
		if a := r.agent(name.Text); a != nil {
			r.start(a, words[1:])
			return
		}
		wrapper, known := r.wrappers[r.fold(base)]
		switch {
		case known:
			words = r.unwrap(wrapper, words[1:], offset)
			continue
		case slices.Contains(inert(r.shell), r.fold(base)):
			return
		case slices.Contains(opaque(), r.fold(base)), slices.Contains(defining(), r.fold(base)) && len(words) > 1:
			r.unclear(name.Text + ", which runs what it is given")
			return
		}
		if a := r.packaged(name.Text); a != nil {
			r.start(a, words[1:])
			return
		}
		for _, word := range words {
			if !word.Known || !r.plain(word.Text) {
				r.unclear("what " + name.Text + " is given")
				return
			}
		}
		r.other(offset)
		return
	}
	r.unclear("too many programs that start another")
}

func (r *reader) start(a *Agent, arguments []agent.Word) {
	targets, clear := a.Resumes(arguments)
	for _, id := range targets {
		r.target(a.Name, id)
	}
	if !clear {
		r.unclear("an argument of " + a.Name + " that is not written out")
	}
}

// packaged is the agent whose npm package a word names, with or without a version.
func (r *reader) packaged(word string) *Agent {
	for i, a := range r.agents {
		if rest, ok := strings.CutPrefix(strings.ToLower(word), strings.ToLower(a.Package)); ok && (rest == "" || rest[0] == '@') {
			return &r.agents[i]
		}
	}
	return nil
}

// fold is a program's name as this shell compares it.
func (r *reader) fold(name string) string {
	if r.shell == POSIX {
		return name
	}
	return strings.ToLower(name)
}

// inert are the programs and builtins that start nothing of what they are given and write no file of a name that they are
// given; those that only take files away or make folders are among them.
func inert(shell Shell) []string {
	switch shell {
	case PowerShell:
		return []string{
			"set-location", "cd", "chdir", "sl", "push-location", "pushd", "pop-location", "popd", "get-location", "pwd",
			"get-childitem", "ls", "dir", "gci", "get-content", "gc", "cat", "type", "write-output", "write-host", "echo",
			"clear-host", "cls", "clear", "start-sleep", "sleep", "get-date", "get-process", "ps", "get-command", "gcm",
			"test-path", "resolve-path", "join-path", "split-path", "whoami", "hostname", "exit",
		}
	case Cmd:
		return []string{"cd", "chdir", "pushd", "popd", "dir", "echo", "type", "cls", "rem", "title", "ver", "vol", "pause", "where", "whoami", "hostname", "exit", "tasklist"}
	}
	return []string{
		":", "true", "false", "echo", "cd", "pwd", "pushd", "popd", "dirs", "exit", "return", "break", "continue", "shift",
		"set", "shopt", "umask", "ulimit", "wait", "fg", "bg", "disown", "kill", "sleep", "clear", "reset", "unalias",
		"ls", "cat", "head", "tail", "grep", "egrep", "fgrep", "wc", "cut", "tr", "date", "id", "whoami", "uname", "hostname",
		"basename", "dirname", "realpath", "readlink", "stat", "du", "df", "ps", "which", "type", "whence",
		"mkdir", "rmdir", "rm", "touch", "chmod",
	}
}

// opaque are those that run a text that they are given, or one that stands elsewhere.
func opaque() []string {
	return []string{
		"eval", "source", ".", "fc", "r", "xargs", "parallel", "at", "batch", "repeat", "invoke-expression", "iex",
		"invoke-command", "icm", "start-process", "saps", "start", "cmd", "powershell", "pwsh", "call", "for", "if", "wsl",
	}
}

// defining are those that keep a text to be run later, or run it, where they are given one.
func defining() []string {
	return []string{"alias", "trap", "bind", "complete", "jobs", "function", "filter", "set-alias", "sal", "new-alias", "nal", "setx", "doskey"}
}
