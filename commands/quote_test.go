package commands

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/guard"
)

// hostile are words that some shell takes for more than words, and random ones, most of their characters such as shells
// read in ways of their own.
func hostile() []string {
	words := []string{
		"", "a b", "it's", `"`, "$HOME", "`id`", "$(id)", "a\nb", "!x", "!!", "*", "~", "~root", "-n", "\\", "ü", "%s", "%PATH%", "a;b", "'\"'", "\t",
		"=ls", "{a,b}", "#x", "^a^b", "a\\", `a\"b`, `a"&calc`, "it’s", "‘x’; y", "“q”", "a%b", "--%", "$env:PATH", "@x", "a,b", "(x)", "[x]", "<x", "x>y", "|", "&", "\u00a0",
	}
	random := rand.New(rand.NewPCG(1, 2))
	special := []rune("'\"\\$`!^%&|<>();,*?[]{}~#=@ -ax\n\t’‘“")
	for i := range 400 {
		b := make([]rune, random.IntN(12))
		for at := range b {
			b[at] = special[random.IntN(len(special))]
			if i%4 == 0 {
				b[at] = rune(1 + random.IntN(0x24f))
			}
		}
		words = append(words, string(b))
	}
	return words
}

// TestPOSIXLineGivesBackTheSameArgv lets the shells themselves read what posixLine wrote.
func TestPOSIXLineGivesBackTheSameArgv(t *testing.T) {
	value := "a'b $X"
	for _, shell := range []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "busybox"} {
		t.Run(shell, func(t *testing.T) {
			program, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(shell + " is not installed")
			}
			run := func(line string, env ...string) string {
				argv := []string{program, "-c", line}
				if shell == "busybox" {
					argv = []string{program, "sh", "-c", line}
				}
				cmd := exec.Command(argv[0], argv[1:]...)
				cmd.Env = append(cmd.Environ(), env...)
				out, err := cmd.Output()
				if err != nil {
					t.Fatal(err)
				}
				return string(out)
			}
			folder := filepath.Join(t.TempDir(), "it's a $folder")
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			l := agent.Launch{Argv: append([]string{"printf", `%s\0`}, hostile()...), Cwd: folder, Env: map[string]*string{"SF_SET": &value, "SF_GONE": nil}}
			got := strings.Split(strings.TrimSuffix(run(commandLine(l).POSIX), "\x00"), "\x00")
			if diff := cmp.Diff(hostile(), got); diff != "" {
				t.Error(diff)
			}
			l.Argv = []string{"sh", "-c", `printf '%s|%s|%s' "$PWD" "$SF_SET" "${SF_GONE-gone}"`}
			if got, want := run(commandLine(l).POSIX, "SF_GONE=still here"), folder+"|"+value+"|gone"; got != want {
				t.Errorf("folder and environment: %q, want %q", got, want)
			}
		})
	}
}

func TestCmdQuotingFollowsTheMicrosoftRules(t *testing.T) {
	for in, want := range map[string]string{
		`plain`:       `plain`,
		`C:\x\y`:      `C:\x\y`,
		``:            `""`,
		`a b`:         `"a b"`,
		`a b\`:        `"a b\\"`,
		`say "hi"`:    `^"say \^"hi\^"^"`,
		`back\"quote`: `^"back\\\^"quote^"`,
		`100%`:        `^"100^%^"`,
		`a"&calc`:     `^"a\^"^&calc^"`,
		`a & b`:       `"a & b"`,
		"two\nlines":  `"two lines"`,
	} {
		if got := cmdQuote(in, 1); got != want {
			t.Errorf("cmdQuote(%q) = %s, want %s", in, got, want)
		}
	}
}

// cmdReads is what cmd starts at its prompt when a line is entered, by the order that its documents give: variables are
// replaced wherever they stand; then a caret takes the meaning from the next character unless quotes are open, a quote opens
// or closes, and what is bare parts commands; each program takes its own line apart. batch: its first word is a batch file,
// which hands all that follows to a program, so that it is read again.
func cmdReads(line string, variables map[string]string, batch bool) (commands [][]string) {
	for name, value := range variables {
		line = strings.ReplaceAll(line, "%"+name+"%", value)
	}
	for _, command := range cmdSplits(line) {
		if batch {
			name, rest, _ := strings.Cut(command, " ")
			again := cmdSplits(rest)
			for i := 1; i < len(again); i++ {
				commands = append(commands, []string{again[i]})
			}
			command = name + " " + again[0]
		}
		commands = append(commands, crtReads(command))
	}
	return commands
}

func cmdSplits(line string) []string {
	parts, quoted := []string{""}, false
	for i := 0; i < len(line); i++ {
		last := &parts[len(parts)-1]
		switch c := line[i]; {
		case c == '^' && !quoted && i+1 < len(line):
			i++
			*last += line[i : i+1]
		case c == '"':
			quoted = !quoted
			*last += `"`
		case !quoted && strings.IndexByte("&|<>()", c) >= 0:
			parts = append(parts, "")
		default:
			*last += line[i : i+1]
		}
	}
	return parts
}

// crtReads takes a command line apart as the Microsoft C runtime does
// (https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments).
func crtReads(line string) (argv []string) {
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		word, quoted := "", false
		for line != "" && (quoted || line[0] != ' ' && line[0] != '\t') {
			slashes := len(line) - len(strings.TrimLeft(line, `\`))
			rest := line[slashes:]
			switch {
			case slashes > 0 && strings.HasPrefix(rest, `"`):
				word += strings.Repeat(`\`, slashes/2)
				if slashes%2 == 1 {
					word, rest = word+`"`, rest[1:]
				}
			case slashes > 0:
				word += line[:slashes]
			case rest[0] == '"':
				quoted, rest = !quoted, rest[1:]
			default:
				word, rest = word+rest[:1], rest[1:]
			}
			line = rest
		}
		argv = append(argv, word)
	}
	return argv
}

func TestCmdLineGivesBackTheSameArgvAndRunsNothingElse(t *testing.T) {
	var words []string
	for _, word := range hostile() {
		words = append(words, cmdLines(word))
	}
	for program, batch := range map[string]bool{"claude": false, `C:\x\claude.cmd`: true} {
		for _, word := range words {
			l := agent.Launch{Cwd: `C:\x`, Argv: []string{program, word, "end"}}
			line, _ := strings.CutPrefix(commandLine(l).Cmd, `cd /d C:\x && `)
			got := cmdReads(line, map[string]string{"PATH": "replaced", "": "%"}, batch)
			if diff := cmp.Diff([][]string{l.Argv}, got); diff != "" {
				t.Fatalf("%q as %s:\n%s", word, line, diff)
			}
		}
	}
}

// TestTheGuardTakesOurOwnLinesForForks: whatever a prompt holds, the line that starts a fork of a running session is read as
// just that.
func TestTheGuardTakesOurOwnLinesForForks(t *testing.T) {
	const parent = "3309aa6e-79d4-40b8-818f-70e5ac72c124"
	var known []guard.Agent
	for _, a := range sessions.Agents() {
		known = append(known, guard.Agent{Name: a.Name, Programs: []string{a.Program}, Package: a.Package, Resumes: a.Resumes})
	}
	home := "/home/u/it's ${x}"
	for _, prompt := range hostile() {
		if strings.ContainsFunc(prompt, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
			continue // a terminal would take it for an editing key
		}
		if strings.Contains(prompt, "\n^") {
			continue // bash looks there for a substitution in its history, whatever quotes are open
		}
		for _, argv := range [][]string{
			{"/usr/bin/claude", "--resume", parent, "--fork-session", "--name", "x", "--", prompt + " "},
			{"/usr/bin/codex", "fork", "-c", "tui.resume_cwd=current", parent, prompt},
		} {
			l := agent.Launch{Argv: argv, Cwd: "/w/a b", Env: map[string]*string{"CLAUDE_CONFIG_DIR": &home, "CLAUDECODE": nil}}
			line := commandLine(l)
			for shell, text := range map[guard.Shell]string{guard.POSIX: line.POSIX, guard.PowerShell: line.PowerShell, guard.Cmd: line.Cmd} {
				got := guard.Read(shell, text, known)
				unreadable := shell == guard.Cmd && strings.Contains(text, "^") // cmd's carets and variables are not read
				if len(got.Targets) > 0 || got.Unclear != "" && !unreadable {
					t.Errorf("%s: %s: %+v", shell, text, got)
				}
			}
		}
	}
}

func TestCmdLineSetsWhatItWasGiven(t *testing.T) {
	plain, special := `C:\a b`, `50%PATH% & "x"`
	l := agent.Launch{Cwd: `C:\a%b c`, Argv: []string{`C:\p%q r\claude.exe`}, Env: map[string]*string{"A": &plain, "B": &special, "C": nil}}
	want := `cd /d ^"C:\a^%b c^" && set "A=C:\a b" && set B=50^%PATH^% ^& ^"x^"&& set "C=" && "C:\p"^%"q r\claude.exe"`
	if got := commandLine(l).Cmd; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// powerShellReads takes a line of words in single quotes apart, as about_quoting_rules has it: any of five characters is such
// a quote, and two of them in a row are one of the text.
func powerShellReads(line string) (words []string, rest string) {
	isQuote := func(r rune) bool { return strings.ContainsRune("'‘’‚‛", r) }
	text := []rune(line)
	for i := 0; i < len(text); i++ {
		if text[i] == ' ' {
			continue
		}
		if !isQuote(text[i]) {
			return words, string(text[i:])
		}
		word := []rune{}
		for i++; i < len(text); i++ {
			if isQuote(text[i]) {
				if i+1 == len(text) || !isQuote(text[i+1]) {
					break
				}
				i++
			}
			word = append(word, text[i])
		}
		words = append(words, string(word))
	}
	return words, ""
}

func TestPowerShellLineGivesBackTheSameArgvAndRunsNothingElse(t *testing.T) {
	l := agent.Launch{Cwd: `C:\x`, Argv: append([]string{"claude"}, hostile()...)}
	line, ok := strings.CutPrefix(commandLine(l).PowerShell, `Set-Location -LiteralPath 'C:\x'; & `)
	if !ok {
		t.Fatal(line)
	}
	got, rest := powerShellReads(line)
	if diff := cmp.Diff(l.Argv, got); diff != "" || rest != "" {
		t.Errorf("%s\nand what is no word: %q", diff, rest)
	}
}

func TestPowerShellLineDoublesQuotes(t *testing.T) {
	value := "o'clock"
	l := agent.Launch{Argv: []string{"claude", "it's"}, Cwd: `C:\a b`, Env: map[string]*string{"A": &value, "B": nil}}
	want := `Set-Location -LiteralPath 'C:\a b'; $env:A = 'o''clock'; $env:B = $null; & 'claude' 'it''s'`
	if got := powerShellLine(l); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestALaunchSaysWhatItTakesAwayForClientsThatLoseANull(t *testing.T) {
	home := "/home/u/.claude-work"
	got := describeLaunch(&agent.Launch{Argv: []string{"claude"}, Env: map[string]*string{"HOME_SET": &home, "GONE": nil, "ALSO_GONE": nil}})
	if !slices.Equal(got.Unset, []string{"ALSO_GONE", "GONE"}) {
		t.Errorf("it takes away %q", got.Unset)
	}
}

func TestTheLaunchForAnEnvironmentLeavesOutWhatHoldsThere(t *testing.T) {
	home := "/home/u/.claude-work"
	l := Launch{Argv: []string{"claude"}, Cwd: "/w", Env: map[string]*string{"HOME_SET": &home, "GONE": nil, "ALSO_GONE": nil}}
	for _, test := range []struct {
		environment map[string]string
		want        string
	}{
		{map[string]string{"HOME_SET": home}, "cd /w && claude"},
		{map[string]string{"HOME_SET": "/other"}, "cd /w && env HOME_SET=/home/u/.claude-work claude"},
		{map[string]string{"GONE": "", "ALSO_GONE": "x"}, "cd /w && env -u ALSO_GONE -u GONE HOME_SET=/home/u/.claude-work claude"},
	} {
		got := l.In(func(name string) (string, bool) { value, set := test.environment[name]; return value, set })
		if got.CommandLine.POSIX != test.want {
			t.Errorf("%v: %s, want %s", test.environment, got.CommandLine.POSIX, test.want)
		}
	}
	if len(l.Env) != 3 {
		t.Error("the launch itself was changed")
	}
}
