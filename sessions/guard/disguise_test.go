//go:build unix

package guard_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/sessions/guard"
)

// disguise writes a resume of the live session as a shell would still read it: words quoted in any way, inside other
// commands, beside forks. Now and then a piece is cut out or put in, so that not all of them are resumes any more.
type disguise struct{ *rand.Rand }

func (d disguise) pick(of ...string) string { return of[d.IntN(len(of))] }

func (d disguise) line() string {
	resume := [][]string{
		{"claude", "--resume", live},
		{"claude", "-r", live},
		{"claude", "--resume=" + live},
		{"claude", "-c"},
		{"claude", "--continue", "go on"},
		{"claude", "--model", "--fork-session", "--resume", live},
		{"claude", "--resume", live, "--", "--fork-session"},
		{"claude", "-p", "--resume"},
		{"codex", "resume", live},
		{"codex", "resume", "--last"},
		{"codex", "exec", "resume", live, "fork"},
		{"codex", "-m", "fork", "resume", live},
		{"npx", "-y", "@anthropic-ai/claude-code", "-c"},
		{"claude", "--fork-session", "--resume", live},
		{"codex", "fork", live},
		{"claude", "--resume", other},
	}
	var words []string
	for _, word := range resume[d.IntN(len(resume))] {
		words = append(words, d.quote(word))
	}
	line := strings.Join(words, " ")
	for range d.IntN(4) {
		line = d.wrap(line)
	}
	if d.IntN(4) == 0 {
		at := d.IntN(len(line) + 1)
		piece := d.pick("'", `"`, `\`, "$", "`", ";", "&", "|", "#", "(", ")", "{", "}", "\n", " ", "$X", "''", `""`, "!", "*", "=", "<", ">x", "")
		line = line[:at] + piece + line[min(len(line), at+d.IntN(2)):]
	}
	return line
}

// quote is a word in one of the ways to write it.
func (d disguise) quote(word string) string {
	at := d.IntN(len(word) + 1)
	before, after := word[:at], word[at:]
	switch d.IntN(14) {
	case 0:
		return "'" + word + "'"
	case 1:
		return `"` + word + `"`
	case 2:
		return before + "'" + after + "'"
	case 3:
		return `"` + before + `"` + after
	case 4:
		if after != "" {
			return before + `\` + after
		}
	case 5:
		return before + "\\\n" + after
	case 6:
		return "$(echo " + word + ")"
	case 7:
		return before + "${X-" + after + "}"
	case 8:
		return before + "`echo " + after + "`"
	case 9:
		return "$'" + word + "'"
	case 10:
		return before + "$X" + after
	}
	return word
}

func single(line string) string { return "'" + strings.ReplaceAll(line, "'", `'\''`) + "'" }

func double(line string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(line) + `"`
}

// wrap puts a line into a place where it is run.
func (d disguise) wrap(line string) string {
	fork := d.pick("claude --resume "+live+" --fork-session", "codex fork "+live, "echo 'a'", "true", `echo "it's"`, "false")
	return fmt.Sprintf(d.pick(
		"env A=b %s", "nohup %s", "command %s", "exec %s", "nice %s", "timeout 5 %s", "sudo -u me %s", "time %s", "! %s", "A=b %s", "builtin command %s",
		"( %s )", "{ %s; }", "{ %s\n}", "if true; then %s; fi", "if false; then :; else %s; fi", "f() { %s; }; f", "function f { %s; }\nf", "for x in a; do %s; done",
		"case x in x) %s;; esac", "until %s; do break; done", "echo a | %s", "%s | cat", "%s & wait", "%s > x", "%s 2>&1", "%s # x", "# x\n%s", "x=$(%s)", "echo \"$(%s)\"",
		"cat <<E\n$(%s)\nE\n", "cat <(%s)", "echo `%s`", "echo ${Y:-$(%s)}", "[[ -n $(%s) ]]", "trap '' INT; %s", "set -- a; %s", "alias a=b; %s",
		strings.ReplaceAll(fork, "%", "%%")+"; %s", strings.ReplaceAll(fork, "%", "%%")+" && %s", strings.ReplaceAll(fork, "%", "%%")+" || %s", strings.ReplaceAll(fork, "%", "%%")+"\n%s", strings.ReplaceAll(fork, "%", "%%")+" | %s", "%s; "+strings.ReplaceAll(fork, "%", "%%"),
		"sh -c "+strings.ReplaceAll(single(line), "%", "%%")+" #%.0s", "bash -c "+strings.ReplaceAll(double(line), "%", "%%")+" #%.0s", "eval "+strings.ReplaceAll(single(line), "%", "%%")+" #%.0s",
		"echo "+strings.ReplaceAll(single(line), "%", "%%")+" | sh #%.0s", "echo "+strings.ReplaceAll(single(line), "%", "%%")+" > x; sh x #%.0s", "sh <<'E'\n%s\nE\n", "sh -c 'eval \"$1\"' x "+strings.ReplaceAll(single(line), "%", "%%")+" #%.0s",
		"X="+strings.ReplaceAll(single(line), "%", "%%")+"; eval \"$X\" #%.0s", "X="+strings.ReplaceAll(single(line), "%", "%%")+"; $X #%.0s", "echo %s", "printf %%s %s", "claude -p %s",
	), line)
}

// TestNoDisguiseOfAResumePasses runs in bash and dash whatever is allowed.
func TestNoDisguiseOfAResumePasses(t *testing.T) {
	b := newBash(t)
	d := disguise{rand.New(rand.NewPCG(7, 11))}
	lines, allowed, most := 4000, 0, 60
	if testing.Short() {
		lines, most = 1000, 10
	}
	for range lines {
		line := d.line()
		if judged(guard.POSIX, line) != "allowed" {
			continue
		}
		if allowed++; allowed <= most {
			b.mustNotPass(t, line)
		}
	}
	if allowed < lines/40 {
		t.Errorf("only %d of %d lines were allowed: that proves nothing", allowed, lines)
	}
	t.Logf("%d of %d lines were allowed", allowed, lines)
}
