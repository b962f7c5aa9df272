// Package terminal runs agents on terminals of ours, and keeps what they show: for agents whose conversations nobody else
// can fork, what the terminal showed is what a fork is given.
//
// Run runs an agent on a pseudo-terminal inside the terminal that it is called in. Nothing of what goes either way is
// changed; a copy of what the agent writes goes through a terminal emulator, and the text that it makes of it is kept as the
// transcript of a record (record.go), bounded, with what looks like a secret masked. List and Find read the records; they
// write nothing.
//
// A draft (draft.go) is a text that is put into an agent's prompt and not sent: as one bracketed paste, by Run, once the
// agent has said that it knows what that is, and shows no question.
//
// Tmux (tmux.go) runs agents that need no window, in a server of our own; what runs there is Run again. What the screen of
// an agent says of its start is read in question.go.
package terminal

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// names are what agents may be called: a program's name, also as a part of a path.
var names = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$`)

// ValidName says whether an agent may be called so.
func ValidName(name string) bool { return names.MatchString(name) }

// NameOf is what the agent of a program is called: the name of its file, with what may not be in a name as dashes.
func NameOf(program string) string {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	name = strings.Map(func(r rune) rune {
		if names.MatchString("x" + string(r)) {
			return r
		}
		return '-'
	}, name)
	if name = name[:min(len(name), 64)]; !ValidName(name) {
		return "agent"
	}
	return name
}

// writeFile puts a file of this user's alone in place of the one that is there, in one step.
func writeFile(path string, content []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // not there any more where all went well
	_, err = temp.Write(content)
	if closing := temp.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
