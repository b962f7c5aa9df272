package guard

import (
	"strings"
	"unicode"
)

// programs are what is known of the programs and builtins of a shell, by their names.
type programs struct {
	agents   []Agent
	byName   map[string]*Agent // in lower case
	wrappers map[string]wrapper
	// inert start nothing of what they are given, and write no file of a name that they are given.
	inert map[string]bool
	// opaque run a text that they are given, or one that stands elsewhere; defining only where they are given one.
	opaque, defining map[string]bool
	folded           bool   // names are compared in lower case
	special          string // characters by which a shell makes another text of one
}

func programsOf(shell Shell, agents []Agent) *programs {
	p := &programs{
		agents: agents, byName: map[string]*Agent{}, wrappers: wrappers(shell),
		inert: set(inert(shell)), opaque: set(opaque), defining: set(defining), folded: shell != POSIX, special: "$`{}[]*?",
	}
	if shell == POSIX {
		p.special += `\`
	}
	for i, a := range agents {
		for _, name := range a.Programs {
			p.byName[strings.ToLower(name)] = &agents[i]
		}
	}
	return p
}

func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

func inert(shell Shell) string {
	switch shell {
	case PowerShell:
		return `set-location cd chdir sl push-location pushd pop-location popd get-location pwd get-childitem ls dir gci get-content gc
			cat type write-output write-host echo clear-host cls clear start-sleep sleep get-date get-process ps get-command gcm
			test-path resolve-path join-path split-path whoami hostname exit`
	case Cmd:
		return "cd chdir pushd popd dir echo type cls rem title ver vol pause where whoami hostname exit tasklist"
	}
	return `: true false echo cd pwd pushd popd dirs exit return break continue shift set shopt umask ulimit wait fg bg disown kill
		sleep clear reset unalias ls cat head tail grep egrep fgrep wc cut tr date id whoami uname hostname basename dirname
		realpath readlink stat du df ps which type whence mkdir rmdir rm touch chmod`
}

const (
	opaque = `eval source . fc r xargs parallel at batch repeat invoke-expression iex invoke-command icm start-process saps start cmd
		powershell pwsh call for if wsl`
	defining = "alias trap bind complete jobs function filter set-alias sal new-alias nal setx doskey"
)

// fold is a program's name as this shell compares it.
func (p *programs) fold(name string) string {
	if p.folded {
		return strings.ToLower(name)
	}
	return name
}

// agent is the agent whose program a word names; nil where it names none.
func (p *programs) agent(word string) *Agent { return p.byName[strings.ToLower(baseName(word))] }

// packaged is the agent whose npm package a word names, with or without a version.
func (p *programs) packaged(word string) *Agent {
	for i, a := range p.agents {
		if rest, ok := strings.CutPrefix(strings.ToLower(word), a.Package); ok && (rest == "" || rest[0] == '@') {
			return &p.agents[i]
		}
	}
	return nil
}

// plain says whether a text holds nothing by which a shell would make another text of it, and names no agent.
func (p *programs) plain(text string) bool {
	return !strings.ContainsAny(text, p.special) && !p.mentions(text)
}

// mentions says whether a text names an agent's program or package, as a command would be named.
func (p *programs) mentions(text string) bool {
	text = strings.ToLower(text)
	for _, quote := range []string{"'", `"`} {
		text = strings.ReplaceAll(text, quote, "")
	}
	for _, a := range p.agents {
		if strings.Contains(text, a.Package) {
			return true
		}
	}
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune(`_.-/\`, c)
	}) {
		if p.byName[baseName(word)] != nil {
			return true
		}
	}
	return false
}

// baseName is a program's name without its folder and extension.
func baseName(word string) string {
	base := word[strings.LastIndexAny(word, `/\`)+1:]
	for _, extension := range []string{".exe", ".cmd", ".bat", ".ps1", ".com", ".js"} {
		if len(base) > len(extension) && strings.EqualFold(base[len(base)-len(extension):], extension) {
			return base[:len(base)-len(extension)]
		}
	}
	return base
}
