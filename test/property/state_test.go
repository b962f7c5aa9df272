//go:build unix

package property

import (
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
)

// form is what a path is: in the base commit, in the index, on the disk.
type form struct {
	kind string // "", file, executable, link, announced (index only); gone, folder, pipe (disk only)
	text string // content, or link text
}

// state is one path in three layers that know nothing of each other.
type state struct {
	name              string
	base, index, disk form
	flag              string // assume-unchanged, skip-worktree; "" for none
	stages            string // of an unmerged path: some of "123"; its index is not used then
}

func (s state) String() string {
	text := fmt.Sprintf("%q: base %v, index %v, disk %v", s.name, s.base, s.index, s.disk)
	if s.flag != "" {
		text += ", " + s.flag
	}
	if s.stages != "" {
		text += ", stages " + s.stages
	}
	return text
}

func (f form) String() string {
	if f.kind == "" {
		return "none"
	}
	return fmt.Sprintf("%s %q", f.kind, short(f.text))
}

func short(text string) string {
	if len(text) > 24 {
		return fmt.Sprintf("%s… (%d)", text[:24], len(text))
	}
	return text
}

// attributes are rules by the end of a name, so that each path has its own.
const attributes = `*.auto text=auto
*.crlf text eol=crlf
*.lf text eol=lf
*.raw -text
*.id ident
*.quoted filter=quote
*.wide text working-tree-encoding=UTF-16LE
`

var endings = map[string]string{
	".auto": "text=auto", ".crlf": "eol=crlf", ".lf": "eol=lf", ".raw": "-text", ".id": "ident", ".quoted": "filter",
	".wide": "working-tree-encoding", ".log": "ignored",
}

type generator struct {
	*rand.Rand
	next  int
	whole bool // nothing is skipped on disk: of such a repository the clean files are copied instead of checked out
}

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

// name is a new one each time: bytes of all kinds, folders that others share, an ending that a rule is about.
func (g *generator) name() string {
	g.next++
	folder := pick(g, "", "", "d", "d/e", "d/e/f", "sp ace", "\xff\xfe", "caf\u00e9", "nl\nin", "-dash", "ign", "[a]*")
	ending := pick(g, "", "", "", "", ".auto", ".crlf", ".lf", ".raw", ".id", ".wide", ".log")
	if g.IntN(40) == 0 {
		ending = ".quoted" // a process for each, wherever git looks into it
	}
	return path.Join(folder, pick(g, "", "", "", "-", " ", "\xe2\x82", "\"", "\\", "\t", "é")+fmt.Sprint("p", g.next)+ending)
}

func (g *generator) text(name string) string {
	if strings.HasSuffix(name, ".wide") {
		letters := pick(g, "", "a\n", "wide\nwords\n") + fmt.Sprint(g.IntN(9))
		return strings.ReplaceAll(letters, "", "\x00")[1:]
	}
	return pick(g, "", "x", "x\n", "x\r\ny\r\n", "x\ny\r\n", "> quoted\n", "$Id$\n", "$Id: old $\n", "\x00\x01\xff", strings.Repeat("long\n", 3000)) +
		pick(g, "", fmt.Sprint(g.IntN(9)))
}

func (g *generator) content(name string) form {
	switch g.IntN(6) {
	case 0:
		return form{"executable", g.text(name)}
	case 1:
		return form{"link", pick(g, "p1", "no/such", ".", "/etc/hostname", "d/e")}
	}
	return form{"file", g.text(name)}
}

// state draws the three layers, so that all combinations of them come.
func (g *generator) state() state {
	s := state{name: g.name()}
	if g.IntN(3) > 0 {
		s.base = g.content(s.name)
	}
	switch g.IntN(8) {
	case 0, 1, 2, 3:
		s.index = s.base
	case 4:
		s.index = form{}
	case 5:
		s.index = form{"announced", ""}
	default:
		s.index = g.content(s.name)
	}
	switch g.IntN(9) {
	case 0, 1:
		s.disk = s.base
	case 2, 3:
		s.disk = s.index
	case 4:
		s.disk = form{"gone", ""}
	case 5:
		s.disk = pick(g, form{"folder", "in"}, form{"pipe", ""}, form{"gone", ""})
	default:
		s.disk = g.content(s.name)
	}
	if s.index.kind == "announced" && s.disk.kind != "file" && s.disk.kind != "gone" {
		s.disk = form{"file", g.text(s.name)} // of another type than announced is refused, in a test of its own
	}
	if s.disk.kind == "" || s.disk.kind == "announced" {
		s.disk = form{"gone", ""}
	}
	if s.index.kind != "" && s.index.kind != "announced" && g.IntN(8) == 0 {
		if s.flag = pick(g, "assume-unchanged", "skip-worktree"); g.whole {
			s.flag = "assume-unchanged"
		}
	}
	return s
}

// unmerged is a path in one of the seven ways of a conflict.
func (g *generator) unmerged(way int) state {
	g.next++
	return state{
		name: fmt.Sprint("conflict", g.next), base: form{"file", "base\n"}, disk: form{"file", "<<<<<<<\n"},
		stages: []string{"1", "2", "3", "12", "13", "23", "123"}[way%7],
	}
}
