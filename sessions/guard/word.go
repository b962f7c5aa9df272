package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sidefork/sidefork/sessions/agent"
)

// word is the text that a shell makes of a word, where that can be told: quotes are taken away, nothing is replaced.
func (r *reader) word(w *syntax.Word) agent.Word {
	var text strings.Builder
	known := true
	brace, several := false, false // {a,b} and {1..3} become more words
	for i, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			raw := part.Value
			if i == 0 && (strings.HasPrefix(raw, "=") || strings.HasPrefix(raw, "~") && !strings.HasPrefix(raw, "~/")) {
				known = false // zsh's =command; a folder that may be called anything
			}
			plain, bare := unescape(raw)
			text.WriteString(plain)
			brace = brace || strings.Contains(bare, "{")
			several = several || strings.ContainsAny(bare, ",") || strings.Contains(bare, "..")
			known = known && !strings.ContainsAny(bare, "*?[")
		case *syntax.SglQuoted:
			text.WriteString(part.Value)
			known = known && !part.Dollar
		case *syntax.DblQuoted:
			known = quoted(part, &text) && known
		default:
			known = false
		}
	}
	return agent.Word{Text: text.String(), Known: known && !(brace && several)}
}

// unescape takes the backslashes of unquoted text away. bare is the text without the characters that had one.
func unescape(raw string) (plain, bare string) {
	if !strings.Contains(raw, `\`) {
		return raw, raw
	}
	var p, b strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) {
			i++
			if raw[i] != '\n' {
				p.WriteByte(raw[i])
			}
			continue
		}
		p.WriteByte(raw[i])
		b.WriteByte(raw[i])
	}
	return p.String(), b.String()
}

// quoted writes what a text in double quotes holds. false: a part of it is replaced.
func quoted(q *syntax.DblQuoted, into *strings.Builder) bool {
	known := !q.Dollar
	for _, part := range q.Parts {
		l, ok := part.(*syntax.Lit)
		if !ok {
			known = false
			continue
		}
		for i := 0; i < len(l.Value); i++ {
			if l.Value[i] == '\\' && i+1 < len(l.Value) && strings.IndexByte("$`\"\\\n", l.Value[i+1]) >= 0 {
				if i++; l.Value[i] == '\n' {
					continue
				}
			}
			into.WriteByte(l.Value[i])
		}
	}
	return known
}
