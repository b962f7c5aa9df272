package commands

import (
	"maps"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
)

// commandLine writes a launch as one line for each kind of shell: the folder, what the environment differs in, the argv.
// A terminal that takes an argv needs none of it.
func commandLine(l agent.Launch) CommandLine {
	return CommandLine{POSIX: posixLine(l), PowerShell: powerShellLine(l), Cmd: cmdLine(l)}
}

// In is the launch for one environment, whose variables lookup tells: without the differences that hold there anyway. Its
// command line is so much shorter, and right in that environment only.
func (l Launch) In(lookup func(name string) (value string, set bool)) Launch {
	differences := maps.Clone(l.Env)
	maps.DeleteFunc(differences, func(name string, wanted *string) bool {
		value, set := lookup(name)
		return wanted == nil && !set || wanted != nil && set && value == *wanted
	})
	l.Env = differences
	l.CommandLine = commandLine(agent.Launch{Argv: l.Argv, Cwd: l.Cwd, Env: differences})
	return l
}

func posixLine(l agent.Launch) string {
	words := []string{"cd", posixQuote(l.Cwd), "&&", "env"}
	var set []string
	for _, name := range slices.Sorted(maps.Keys(l.Env)) {
		if value := l.Env[name]; value == nil {
			words = append(words, "-u", name)
		} else {
			set = append(set, name+"="+posixQuote(*value))
		}
	}
	words = append(words, set...)
	if len(words) == 4 {
		words = words[:3]
	}
	for _, a := range l.Argv {
		words = append(words, posixQuote(a))
	}
	return strings.Join(words, " ")
}

// posixQuote leaves plain words as they are and puts everything else in single quotes.
func posixQuote(s string) string {
	if s != "" && strings.IndexFunc(s, notPlain) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'"
}

func notPlain(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+:,./-_", r))
}

func powerShellLine(l agent.Launch) string {
	parts := []string{"Set-Location -LiteralPath " + powerShellQuote(l.Cwd)}
	for _, name := range slices.Sorted(maps.Keys(l.Env)) {
		value := "$null"
		if v := l.Env[name]; v != nil {
			value = powerShellQuote(*v)
		}
		parts = append(parts, "$env:"+name+" = "+value)
	}
	call := "&"
	for _, a := range l.Argv {
		call += " " + powerShellQuote(a)
	}
	return strings.Join(append(parts, call), "; ")
}

// powerShellQuote puts everything in single quotes and doubles those inside; PowerShell takes the curly ones for quotes too.
// What it then hands to a program is the same text but for double quotes, which PowerShell before 7.3 drops.
func powerShellQuote(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("'‘’‚‛", r) {
			b.WriteRune(r)
		}
		b.WriteRune(r)
	}
	return "'" + b.String() + "'"
}

// cmdLine is for the prompt of cmd, where a variable that is not set stays as it is written.
func cmdLine(l agent.Launch) string {
	line := "cd /d " + cmdQuote(l.Cwd, 1)
	and := " && "
	for _, name := range slices.Sorted(maps.Keys(l.Env)) {
		value := ""
		if v := l.Env[name]; v != nil {
			value = cmdLines(*v)
		}
		if set := name + "=" + value; strings.ContainsAny(set, `"%`) {
			line += and + "set " + cmdEscape(set)
			and = "&& " // a blank before it would be part of the value
		} else {
			line += and + `set "` + set + `"`
			and = " && "
		}
	}
	times := 1
	if len(l.Argv) > 0 && isBatch(l.Argv[0]) {
		times = 2 // a batch file's arguments are read once more when it hands them on
	}
	for i, a := range l.Argv {
		if i == 0 {
			line += and + cmdProgram(a)
		} else {
			line += " " + cmdQuote(a, times)
		}
	}
	return line
}

func isBatch(program string) bool {
	extension := strings.ToLower(program[max(0, len(program)-4):])
	return extension == ".cmd" || extension == ".bat"
}

// cmdLines makes blanks of line breaks, which cannot be said in a cmd line.
func cmdLines(s string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(s)
}

// cmdEscape puts a caret before everything that cmd reads in a way of its own. It has no quotes then, and knows no variable
// of such a name.
func cmdEscape(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`()%!^"<>&|`, r) {
			b.WriteByte('^')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// cmdQuote quotes by the rules of the Microsoft C runtime: backslashes double only before a quote. What cmd itself would
// take for something else in spite of the quotes (a quote, a variable) gets carets, once for each time that cmd reads it.
func cmdQuote(s string, times int) string {
	s = cmdLines(s)
	if cmdPlain(s) {
		return s
	}
	quoted := crtQuote(s)
	if strings.ContainsAny(s, `"%`) {
		for range times {
			quoted = cmdEscape(quoted)
		}
	}
	return quoted
}

func cmdPlain(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r == '%' || r == ',' || notPlain(r) && r != '\\' }) < 0
}

// cmdProgram quotes the name of a command, which needs real quotes where it holds blanks: only what is a variable's goes
// outside of them. No name of a file on Windows holds a quote.
func cmdProgram(s string) string {
	if s = cmdLines(strings.ReplaceAll(s, `"`, "")); cmdPlain(s) {
		return s
	}
	return `"` + strings.ReplaceAll(s, "%", `"^%"`) + `"`
}

func crtQuote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	slashes := 0
	for _, r := range s {
		switch r {
		case '\\':
			slashes++
			continue
		case '"':
			b.WriteString(strings.Repeat(`\`, 2*slashes+1))
		default:
			b.WriteString(strings.Repeat(`\`, slashes))
		}
		slashes = 0
		b.WriteRune(r)
	}
	b.WriteString(strings.Repeat(`\`, 2*slashes))
	b.WriteByte('"')
	return b.String()
}

// POSIXLine is an argv as a line for a POSIX shell.
func POSIXLine(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = posixQuote(word)
	}
	return strings.Join(words, " ")
}
