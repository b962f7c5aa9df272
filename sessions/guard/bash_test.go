//go:build unix

package guard_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sidefork/sidefork/sessions/guard"
)

// bash is a world in which a line is really run: nothing is on PATH but agents that write their arguments down, some
// programs that start others, and shells.
type bash struct {
	program  string
	bin, log string
}

func newBash(t testing.TB) *bash {
	t.Helper()
	program, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	b := &bash{program: program, bin: t.TempDir()}
	b.log = filepath.Join(t.TempDir(), "log")
	agent := `printf '%s\0' "${0##*/}" "$#" "$@" >> '` + b.log + "'\n"
	for name, script := range map[string]string{
		"claude": agent, "codex": agent,
		"sudo": `while [ $# -gt 0 ]; do case $1 in -u) shift 2;; -*) shift;; *=*) shift;; *) exec "$@";; esac; done`,
		"npx":  `while [ $# -gt 0 ]; do case $1 in -p) shift 2;; -*) shift;; @anthropic-ai/claude-code*) shift; exec claude "$@";; @openai/codex*) shift; exec codex "$@";; *) exec "$@";; esac; done`,
	} {
		if err := os.WriteFile(filepath.Join(b.bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, also := range map[string]string{"sh": "dash", "bash": "", "env": "", "nohup": "", "nice": "", "timeout": "", "cat": "", "xargs": "", "bunx": "npx"} {
		if also == "" {
			also = name
		}
		path := filepath.Join(b.bin, also)
		if _, err := os.Stat(path); err != nil {
			if path, err = exec.LookPath(also); err != nil {
				continue // what is not there cannot start anything
			}
		}
		if err := os.Symlink(path, filepath.Join(b.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// resumes runs a line and says whether an agent was started that would write into the session that is live. The line is
// run by dash too.
func (b *bash) resumes(t testing.TB, line string) (bool, string) {
	t.Helper()
	ran := b.run(t, b.program, line)
	if dash, err := exec.LookPath("dash"); err == nil {
		ran = append(ran, b.run(t, dash, line)...)
	}
	for _, argv := range ran {
		if argv[0] == "claude" && claudeResumes(argv[1:]) || argv[0] == "codex" && codexResumes(argv[1:]) {
			return true, strings.Join(argv, " ")
		}
	}
	return false, ""
}

func (b *bash) run(t testing.TB, shell, line string) (ran [][]string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second) // a line may be a loop without an end
	defer cancel()
	if err := os.Remove(b.log); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp(filepath.Dir(b.log), "")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, shell, "-c", line)
	cmd.Dir, cmd.Env = folder, []string{"PATH=" + b.bin, "FUNCNEST=3"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	// A line may leave processes behind, which hold the pipe: what they write ends with the last of them.
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &said, &said, time.Second
	_ = cmd.Run() // most lines fail
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	data, err := os.ReadFile(b.log)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for words := strings.Split(string(data), "\x00"); len(words) > 2; {
		n, err := strconv.Atoi(words[1])
		if err != nil {
			t.Fatalf("log %q", data)
		}
		ran = append(ran, append([]string{words[0]}, words[2:2+n]...))
		words = words[2+n:]
	}
	return ran
}

// claudeResumes reads arguments as Claude Code does (commander), knowing only the options of the words below.
func claudeResumes(args []string) bool {
	var resumed, forked bool
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		name, value, attached := strings.Cut(args[i], "=")
		if !strings.HasPrefix(name, "--") && strings.HasPrefix(name, "-") && len(name) > 1 {
			for at, letter := range args[i][1:] {
				rest := args[i][1+at+1:]
				if letter == 'c' {
					resumed = true
				} else if letter == 'r' || letter == 'n' || letter == 'd' || letter == 'w' {
					name, value, attached = "-"+string(letter), rest, rest != ""
					break
				} else if letter != 'p' {
					return false // no such option: it says so and ends
				}
			}
		}
		optional := i+1 < len(args) && !attached && !strings.HasPrefix(args[i+1], "-")
		switch name {
		case "--model", "--name", "-n":
			if !attached {
				i++
			}
		case "--fork-session":
			forked = true
		case "--continue":
			resumed = true
		case "--resume", "-r":
			if optional {
				i++
				value = args[i]
			}
			resumed = resumed || value != other
		}
	}
	return resumed && !forked
}

// codexResumes reads arguments as Codex does (clap).
func codexResumes(args []string) bool {
	var positional []string
	last, ended := false, false
	for i := 0; i < len(args); i++ {
		switch {
		case ended, !strings.HasPrefix(args[i], "-"):
			if ended && len(positional) == 0 {
				return false // a prompt
			}
			positional = append(positional, args[i])
		case args[i] == "--":
			ended = true
		case args[i] == "-c", args[i] == "-m":
			i++
		case args[i] == "--last":
			last = true
		}
	}
	if len(positional) > 1 && (positional[0] == "exec" || positional[0] == "e") {
		positional = positional[1:]
	}
	return len(positional) > 0 && positional[0] == "resume" && (last || len(positional) == 1 || positional[1] != other)
}

// mustNotPass fails where the guard takes a line for harmless that resumes the live session.
func (b *bash) mustNotPass(t *testing.T, line string) {
	t.Helper()
	if judged(guard.POSIX, line) != "allowed" {
		return
	}
	if resumed, argv := b.resumes(t, line); resumed {
		t.Errorf("allowed: %q; it ran: %s", line, argv)
	}
}

func TestBashResumesNothingThatIsAllowed(t *testing.T) {
	b := newBash(t)
	refused := 0
	for i, s := range shapesOfPOSIX() {
		if testing.Short() && i%4 != 0 {
			continue
		}
		line := strings.NewReplacer("LIVE", live, "OTHER", other).Replace(s.line)
		if strings.ContainsAny(line, "\t\x15") {
			continue // for a terminal
		}
		resumed, argv := b.resumes(t, line)
		if resumed {
			refused++
		}
		if resumed && s.want == "allowed" {
			t.Errorf("allowed: %q; it ran: %s", line, argv)
		}
	}
	if refused < 80 && !testing.Short() {
		t.Errorf("only %d lines of the table resumed the session", refused)
	}
}

// words are what random lines are made of: nothing in them leaves its folder, ends a process or multiplies.
func words() []string {
	return []string{
		"claude", "codex", "resume", "fork", "exec", "--resume", "--resume=", "-r", "-c", "--continue", "--last", "--fork-session", live, other,
		" ", " ", " ", " ", " ", " ", "--", "-", "'", "'", `"`, `"`, `\`, "$(", ")", "(", "`", ";", "&&", "||", "|", "&", "\n", "{ ", "}", "=", "+=", ",",
		"env ", "nohup ", "time ", "command ", "builtin ", "eval ", "sh -c ", "bash -c ", "sudo ", "npx ", "xargs ", "nice ", "timeout 1 ", "cat ",
		"X", "X=", "$X", "${X}", `"$@"`, "$1", "$'", `\x63`, "cl", "aude", "de", "co", "x -c", "!", "! ", "#", " #", "<<<", "<<E\n", "E\n", ">x", "<x", "<(", "2>&1",
		"if ", "then ", "fi", "for X in ", "do ", "done", "case X in ", "X) ", ";;", "esac", "f() ", "f", "function f ", "alias ", "alias x=", "x", "shopt -s expand_aliases\n",
		"echo ", "printf '%s' ", "printf -v ", "set -- ", "set -x", "PS4=", "trap ", " EXIT", "~", "*", "?", "[", "]", "{a,b}", "{", "-p", "--model ", "--name ", "read X", "unset ",
		"export ", "local ", "declare -i ", "declare ", "$((", "))", "[[ ", " ]]", " -eq ", "source ", ". ", "/dev/stdin", "/dev/fd/0", "coproc ", "-E", "test ", "-v ", "let ",
		"@anthropic-ai/claude-code ", "@openai/codex@1 ", ".exe", "./", "a", "0", "X[", "PROMPT_COMMAND=", "IFS=a ", "-u X ", "-i ", "-a x ", "chmod +x x", "command_not_found_handle() ",
	}
}

func lineOf(choice []byte) string {
	all := words()
	var line strings.Builder
	for _, b := range choice[:min(len(choice), 60)] {
		line.WriteString(all[int(b)%len(all)])
	}
	return line.String()
}

// FuzzBashResumesNothingThatIsAllowed lets bash and dash run what the guard takes for harmless.
func FuzzBashResumesNothingThatIsAllowed(f *testing.F) {
	all := words()
	for _, s := range [][]string{
		{"claude", " ", "--resume", " ", live, " ", "--fork-session"},
		{"X=", "claude", "\n", "$X", " ", "-c"},
		{"f() ", "{ ", "claude", " ", `"$@"`, ";", "}", ";", "f", " ", "-c"},
		{"echo ", "'", "claude", " ", "-c", "'", ">x", ";", ". ", "./", "x"},
		{"claude", " ", "--fork-session", " ", "--resume", " ", live, " ", "'", ";", "'"},
	} {
		var choice []byte
		for _, word := range s {
			choice = append(choice, byte(slices.Index(all, word)))
		}
		f.Add(choice)
	}
	random := rand.New(rand.NewPCG(3, 5))
	seeds := 60
	if testing.Short() {
		seeds = 15
	}
	for range seeds {
		choice := make([]byte, 3+random.IntN(14))
		for i := range choice {
			choice[i] = byte(random.IntN(256))
		}
		f.Add(choice)
	}
	b := newBash(f)
	f.Fuzz(func(t *testing.T, choice []byte) { b.mustNotPass(t, lineOf(choice)) })
}
