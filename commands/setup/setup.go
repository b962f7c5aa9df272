// Package setup is what a repository says is to run in a new workspace of it, and before that goes: where that is written, which content it
// covers, whether the user has trusted that content, and the running of it.
//
// Find reads it from a View, which is a workspace as the child will have it or has it: first of the parent, before
// anything exists, and again of the child right before Run. Trust is for a hash, which covers the file that the setup is
// written in and those files of the repository that its commands name by their path; it is kept by Store in the user's own
// state folder. What the commands reach in other ways (a package manager's own files, a script that a script runs) is
// covered by reading them, not by the hash.
//
// Nothing of a repository runs here without a hash that the user has approved, and no file of a repository can approve one
// or set anything but what Setup holds.
package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sidefork/sidefork/carry/worktree"
)

// Setup is what a repository's file says.
type Setup struct {
	Source    string     // the file, from the top level: one of Sources
	Commands  []string   // each for a shell, run one after the other until one fails
	Teardown  []string   // what runs in a workspace before its folder goes
	Terminals []Terminal // that are to open in the new workspace
	Policy    string     // run, ask, skip; "" where the file does not say
	Hash      string     // of what is to be trusted: 64 hex digits
	Covered   []Content  // what the hash is of, by path
	Ignored   []Ignored  // what files say that a repository cannot set
}

// Terminal is a terminal that is to open in a new workspace. Without a command it is a plain shell.
type Terminal struct {
	Title   string `json:"title"`
	Command string `json:"command,omitempty"`
}

// Ignored is a name in a file of the repository that sets nothing.
type Ignored struct{ File, Name string }

// Sources are the files in which a repository says its setup. The first that has one counts.
func Sources() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.file)
	}
	return names
}

const (
	maxFile     = 1 << 20 // bytes of a setup's own file
	maxCommands = 200
)

// Find reads the setup of a workspace: nil where it has none. A *worktree.Refusal setupBroken says that the first file which
// could have one cannot be read, is a link, or holds a command that cannot be shown as it is.
func Find(ctx context.Context, v View) (*Setup, error) {
	kinds, err := v.kinds(ctx, Sources())
	if err != nil || len(kinds) == 0 {
		return nil, err
	}
	found := new(Setup)
	for _, f := range formats() {
		kind, there := kinds[f.file]
		if !there {
			continue
		}
		if kind != file {
			return nil, broken(f.file, "it is not a file")
		}
		text, err := v.read(ctx, f.file, maxFile)
		if errors.Is(err, errTooBig) {
			return nil, broken(f.file, "it is larger than 1 MiB")
		}
		if err != nil {
			return nil, err
		}
		said, err := f.parse(text)
		if err != nil {
			return nil, broken(f.file, oneLine(err))
		}
		for _, name := range said.ignored {
			found.Ignored = append(found.Ignored, Ignored{f.file, name})
		}
		found.Policy = Stricter(found.Policy, said.policy)
		if len(said.commands)+len(said.terminals)+len(said.script)+len(said.teardown) == 0 {
			continue
		}
		found.Source, found.Commands, found.Terminals, found.Teardown = f.file, said.commands, said.terminals, said.teardown
		if said.script != "" {
			if found.Commands, err = scriptOrCommand(ctx, v, said.script); err != nil {
				return nil, err
			}
		}
		return found, found.check(ctx, v)
	}
	if len(found.Ignored) > 0 || found.Policy != "" {
		return found, nil
	}
	return nil, nil
}

// check refuses what a person could not judge by what is shown, and takes the hash.
func (s *Setup) check(ctx context.Context, v View) (err error) {
	s.Commands, s.Teardown = trimmed(s.Commands), trimmed(s.Teardown)
	all := slices.Concat(s.Commands, s.Teardown)
	for _, t := range s.Terminals {
		all = append(all, t.Command)
	}
	if len(all) > maxCommands {
		return broken(s.Source, fmt.Sprintf("it has more than %d commands", maxCommands))
	}
	for _, command := range all {
		if !shown(command) {
			return broken(s.Source, "a command holds characters that cannot be shown")
		}
	}
	s.Hash, s.Covered, err = cover(ctx, v, s.Source, all)
	return err
}

// trimmed is the commands without what surrounds them, and without empty ones.
func trimmed(commands []string) []string {
	for i := range commands {
		commands[i] = strings.TrimSpace(strings.ReplaceAll(commands[i], "\r\n", "\n"))
	}
	return slices.DeleteFunc(commands, func(c string) bool { return c == "" })
}

// shown says whether a command is what it looks like.
func shown(command string) bool {
	return utf8.ValidString(command) && !strings.ContainsFunc(command, func(r rune) bool {
		return unicode.Is(unicode.Cc, r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
	})
}

// Stricter gives the stricter of two policies. "" is none.
func Stricter(a, b string) string {
	order := []string{"", "run", "ask", "skip"}
	return order[max(slices.Index(order, a), slices.Index(order, b), 0)]
}

func broken(file, what string) *worktree.Refusal {
	return worktree.Refuse("setupBroken", "file", file, "what", what)
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
