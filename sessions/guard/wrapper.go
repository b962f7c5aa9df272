package guard

import (
	"slices"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
)

// wrapper is how a program that starts another is called: its options, what else it takes, then the other's command.
type wrapper struct {
	flags       string // single letters and long options that stand alone, parted by blanks
	values      string // those that take the next word
	assignments bool   // NAME=VALUE may come before the command
	skip        int    // how many words come before the command
	// subcommand is the word that makes it start another; without it, it does something else. "" where there is none.
	subcommand []string
	// script is set for a shell, whose -c takes a line. queries are options with which it starts nothing.
	script  bool
	queries string
}

// wrappers are those that are understood, by name. One that is not is a program like any other: it must not name an agent.
func wrappers(shell Shell) map[string]wrapper {
	run := wrapper{flags: "-y --yes --no --no-install -q --quiet --silent -s --bun --verbose", values: "-p --package"}
	runner := func(words ...string) wrapper { w := run; w.subcommand = words; return w }
	common := map[string]wrapper{
		"npx": run, "bunx": run, "pnpx": run, "bun": runner("x"), "pnpm": runner("dlx", "exec"),
		"yarn": runner("dlx", "exec"), "npm": runner("exec", "x"),
		"sidefork": {subcommand: []string{"run"}},
	}
	if shell != POSIX {
		return common
	}
	sh := wrapper{flags: "-e -u -x -l -i -f -v -h -p -n --login --posix --norc --noprofile +x +e", values: "-o -O +o +O", script: true}
	for name, w := range map[string]wrapper{
		"env":   {flags: "-i - -0 -v --ignore-environment --null --debug", values: "-u --unset -C --chdir", assignments: true},
		"sudo":  {flags: "-E -H -n -S -b -k -A --non-interactive --preserve-env", values: "-u -g -h -p -C -T -R -D -U --user --group --chdir", assignments: true},
		"doas":  {flags: "-n", values: "-u -C"},
		"nohup": {}, "builtin": {}, "noglob": {}, "nocorrect": {}, "-": {},
		"command": {flags: "-p", queries: "-v -V"},
		"exec":    {flags: "-c -l", values: "-a"},
		"setsid":  {flags: "-c -f -w --ctty --fork --wait"},
		"nice":    {values: "-n --adjustment"},
		"ionice":  {flags: "-t", values: "-c -n"},
		"time":    {flags: "-p -v -a", values: "-f -o"},
		"timeout": {flags: "-v --foreground --preserve-status --verbose", values: "-k -s --kill-after --signal", skip: 1},
		"stdbuf":  {values: "-i -o -e"}, "caffeinate": {flags: "-d -i -m -s -u", values: "-t -w"},
		"sh": sh, "bash": sh, "dash": sh, "zsh": sh, "ksh": sh, "ash": sh,
	} {
		common[name] = w
	}
	return common
}

// unwrap gives the command that a wrapper starts with these arguments; nothing where it starts none, or where that cannot
// be told, which it says.
func (r *reader) unwrap(w wrapper, words []agent.Word, offset int) []agent.Word {
	all := words
	sub, script := w.subcommand != nil, false
	for len(words) > 0 {
		word := words[0]
		switch {
		case !word.Known:
			r.unclear("what a program is to start")
			return nil
		case sub && !strings.HasPrefix(word.Text, "-"):
			if !slices.Contains(w.subcommand, word.Text) {
				return r.elsewhere(all, offset)
			}
			sub = false
		case w.assignments && assigns(word.Text):
			name, value, _ := strings.Cut(word.Text, "=")
			r.variable(name, agent.Word{Text: value, Known: true})
		case word.Text == "--" && !w.script:
			return r.skip(w, words[1:])
		case w.script && word.Text == "--", word.Text == "" || word.Text[0] != '-' && (word.Text[0] != '+' || !w.script):
			if !w.script {
				return r.skip(w, words)
			}
			if word.Text == "--" {
				words = words[1:]
			}
			return r.script(script, words, offset)
		case slices.Contains(strings.Fields(w.queries), word.Text):
			return nil
		case slices.Contains(strings.Fields(w.values), word.Text):
			if len(words) < 2 || !words[1].Known {
				r.unclear("what a program is to start")
				return nil
			}
			words = words[1:]
		case slices.Contains(strings.Fields(w.flags), word.Text), w.attached(word.Text):
		case w.script && word.Text[0] == '-' && !strings.HasPrefix(word.Text, "--") && strings.Trim(word.Text[1:], "ceuxlifvhp") == "":
			script = script || strings.Contains(word.Text, "c")
		default:
			r.unclear("the option " + word.Text)
			return nil
		}
		words = words[1:]
	}
	if w.script {
		return r.script(script, nil, offset)
	}
	return nil
}

func (r *reader) skip(w wrapper, words []agent.Word) []agent.Word {
	for range w.skip {
		if len(words) == 0 {
			return nil
		}
		if !words[0].Known {
			r.unclear("what a program is to start")
			return nil
		}
		words = words[1:]
	}
	return words
}

// elsewhere judges a package manager that does something else than to start a program by name.
func (r *reader) elsewhere(words []agent.Word, offset int) []agent.Word {
	for _, word := range words {
		if !word.Known || !r.plain(word.Text) {
			r.unclear("what a package manager is given")
			return nil
		}
	}
	r.other(offset)
	return nil
}

// script judges a shell: the first word is its line where -c was given, else the file that it reads; without one it reads
// its input.
func (r *reader) script(line bool, words []agent.Word, offset int) []agent.Word {
	switch {
	case !line || len(words) == 0:
		r.unclear("a shell that reads its commands elsewhere")
	case !words[0].Known:
		r.unclear("the line that a shell is to run")
	default:
		r.within(words[0].Text, offset)
	}
	return nil
}

// attached says whether a word is an option with its value in it: --name=value, or -nvalue.
func (w wrapper) attached(word string) bool {
	values := strings.Fields(w.values)
	if name, _, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "--") {
		return slices.Contains(values, name)
	}
	return len(word) > 2 && word[1] != '-' && slices.Contains(values, word[:2])
}

// assigns says whether a word is NAME=VALUE.
func assigns(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && isName(name)
}

func isName(name string) bool {
	for i, c := range []byte(name) {
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// variable judges a variable that is set: some change what a shell runs, any may hold what a program then runs.
func (r *reader) variable(name string, value agent.Word) {
	upper := strings.ToUpper(name)
	if slices.Contains([]string{"PATH", "PATHEXT", "COMSPEC", "HOME", "ENV", "BASH_ENV", "ZDOTDIR", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "IFS", "NODE_OPTIONS", "PROMPT", "PROMPT2", "RPROMPT", "RPS1", "POSTEDIT", "FCEDIT", "HISTCMD"}, upper) ||
		len(upper) == 3 && strings.HasPrefix(upper, "PS") || strings.HasPrefix(upper, "LD_") || strings.HasPrefix(upper, "DYLD_") || strings.HasPrefix(upper, "BASH_") {
		r.unclear("the variable " + name + ", which changes what is run")
		return
	}
	if !value.Known || !r.plain(value.Text) {
		r.loose = true
	}
}
