package guard

import (
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
)

// cmd reads the line as cmd.exe does at its prompt: quotes hide what parts commands, whatever stands before them; then
// each program takes its own arguments apart, by the rules of the Microsoft C runtime. Variables are replaced before
// anything else, so that a line with one is not read
// (https://learn.microsoft.com/windows-server/administration/windows-commands/cmd).
func (r *reader) cmd() {
	if strings.Contains(r.source, "%") {
		r.unclear("a variable of cmd")
		return
	}
	base := 0
	for line := range strings.SplitAfterSeq(r.source, "\n") {
		quoted, from := false, 0
		for i := range len(line) {
			c := line[i]
			switch {
			case c == '"':
				quoted = !quoted
			case c == '\n':
				quoted = false
				r.cmdCommand(line[from:i], base+from)
				from = i + 1
			case quoted:
			case c == '&', c == '|':
				r.cmdCommand(line[from:i], base+from)
				from = i + 1
				if c == '|' {
					r.feed(base + i)
				}
			case strings.IndexByte("^()<>", c) >= 0:
				r.unclear("what cmd reads in a way of its own")
				return
			}
		}
		r.cmdCommand(line[from:], base+from)
		base += len(line)
	}
}

// cmdCommand judges one command of the line.
func (r *reader) cmdCommand(text string, offset int) {
	text = strings.TrimLeft(text, " ,;=@")
	if text == "" {
		return
	}
	if strings.Count(text, `"`)%2 != 0 {
		r.unclear("a quote that is not closed")
		return
	}
	name, rest := text, ""
	if strings.HasPrefix(text, `"`) {
		name, rest, _ = strings.Cut(text[1:], `"`)
	} else if i := strings.IndexByte(text, ' '); i >= 0 {
		name, rest = text[:i], text[i:]
	}
	if strings.ContainsAny(name, `",;=`) || rest != "" && rest[0] != ' ' {
		r.unclear("the name of a command")
		return
	}
	if strings.EqualFold(name, "set") {
		r.commands++
		r.cmdSet(strings.TrimSpace(rest))
		return
	}
	r.command(append([]agent.Word{{Text: name, Known: true}}, arguments(rest)...), offset)
}

// cmdSet judges set NAME=VALUE and set "NAME=VALUE".
func (r *reader) cmdSet(text string) {
	if inside, ok := strings.CutPrefix(text, `"`); ok {
		text, _ = strings.CutSuffix(inside, `"`)
	}
	name, value, ok := strings.Cut(text, "=")
	if !ok || strings.ContainsAny(text, `"!`) || !isName(name) {
		r.unclear("set in an unusual form")
		return
	}
	r.variable(name, agent.Word{Text: value, Known: true})
}

// arguments takes a program's arguments apart, as its C runtime does. Where runtimes differ (two quotes beside each other
// inside of quotes), or where delayed expansion might replace something, a word is not known.
func arguments(text string) (words []agent.Word) {
	for i := 0; ; {
		for i < len(text) && text[i] == ' ' {
			i++
		}
		if i == len(text) {
			return words
		}
		var b strings.Builder
		known, quoted, begun := true, false, i
		for ; i < len(text) && (quoted || text[i] != ' '); i++ {
			switch text[i] {
			case '\\':
				slashes := len(text[i:]) - len(strings.TrimLeft(text[i:], `\`))
				i += slashes
				if i == len(text) || text[i] != '"' {
					b.WriteString(strings.Repeat(`\`, slashes))
					i--
					continue
				}
				b.WriteString(strings.Repeat(`\`, slashes/2))
				if slashes%2 == 1 {
					b.WriteByte('"')
				} else {
					i--
				}
			case '"':
				if quoted && i+1 < len(text) && text[i+1] == '"' || i > begun && text[i-1] == '"' && !quoted {
					known = false
				}
				quoted = !quoted
			case '!':
				known = false
				b.WriteByte('!')
			default:
				b.WriteByte(text[i])
			}
		}
		words = append(words, agent.Word{Text: b.String(), Known: known})
	}
}
