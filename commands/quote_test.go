package commands

import (
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/sessions/agent"
)

// TestPOSIXLineGivesBackTheSameArgv lets the shells themselves read what posixLine wrote.
func TestPOSIXLineGivesBackTheSameArgv(t *testing.T) {
	folder := t.TempDir()
	hostile := []string{"", "a b", "it's", `"`, "$HOME", "`id`", "$(id)", "a\nb", "!x", "*", "~", "-n", "\\", "ü", "%s", "a;b", "'\"'", "\t"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		b := make([]rune, random.IntN(12))
		for i := range b {
			b[i] = rune(1 + random.IntN(0x24f))
		}
		hostile = append(hostile, string(b))
	}
	value := "a'b $X"
	l := agent.Launch{Argv: append([]string{"printf", `%s\0`}, hostile...), Cwd: folder, Env: map[string]*string{"SF_SET": &value, "SF_GONE": nil}}
	for _, shell := range []string{"sh", "bash", "dash"} {
		program, err := exec.LookPath(shell)
		if err != nil {
			if shell != "dash" {
				t.Fatal(err)
			}
			continue
		}
		out, err := exec.Command(program, "-c", commandLine(l).POSIX).Output()
		if err != nil {
			t.Fatalf("%s: %v", shell, err)
		}
		got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if !slices.Equal(got, hostile) {
			t.Errorf("%s gave %q\nwant %q", shell, got, hostile)
		}
	}
	l.Argv = []string{"sh", "-c", `printf '%s|%s|%s' "$PWD" "$SF_SET" "${SF_GONE-gone}"`}
	cmd := exec.Command("sh", "-c", commandLine(l).POSIX)
	cmd.Env = append(cmd.Environ(), "SF_GONE=still here")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := folder + "|" + value + "|gone"; string(out) != want {
		t.Errorf("folder and environment: %q, want %q", out, want)
	}
}

func TestCmdQuotingFollowsTheMicrosoftRules(t *testing.T) {
	for in, want := range map[string]string{
		`plain`:       `plain`,
		`C:\x\y`:      `C:\x\y`,
		``:            `""`,
		`a b`:         `"a b"`,
		`a b\`:        `"a b\\"`,
		`say "hi"`:    `"say \"hi\""`,
		`back\"quote`: `"back\\\"quote"`,
		"two\nlines":  `"two lines"`,
	} {
		if got := cmdQuote(in); got != want {
			t.Errorf("cmdQuote(%q) = %s, want %s", in, got, want)
		}
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
