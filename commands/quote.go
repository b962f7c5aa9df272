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
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	parts := []string{"Set-Location -LiteralPath " + quote(l.Cwd)}
	for _, name := range slices.Sorted(maps.Keys(l.Env)) {
		value := "$null"
		if v := l.Env[name]; v != nil {
			value = quote(*v)
		}
		parts = append(parts, "$env:"+name+" = "+value)
	}
	call := "&"
	for _, a := range l.Argv {
		call += " " + quote(a)
	}
	return strings.Join(append(parts, call), "; ")
}

func cmdLine(l agent.Launch) string {
	parts := []string{"cd /d " + cmdQuote(l.Cwd)}
	for _, name := range slices.Sorted(maps.Keys(l.Env)) {
		value := ""
		if v := l.Env[name]; v != nil {
			value = *v
		}
		parts = append(parts, `set "`+name+"="+value+`"`)
	}
	words := make([]string, 0, len(l.Argv))
	for _, a := range l.Argv {
		words = append(words, cmdQuote(a))
	}
	return strings.Join(append(parts, strings.Join(words, " ")), " && ")
}

// cmdQuote quotes by the rules of the Microsoft C runtime: backslashes double only before a quote. Line breaks cannot be
// said in a cmd line and become blanks.
func cmdQuote(s string) string {
	s = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(s)
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return notPlain(r) && r != '\\' }) < 0 {
		return s
	}
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
