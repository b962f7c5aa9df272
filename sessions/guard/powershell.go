package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sidefork/sidefork/sessions/agent"
)

// powerShell reads the line as Windows PowerShell 5.1 and PowerShell 7 do in argument mode: commands of words, plain or in
// quotes, and the setting of an environment variable. Expressions and script blocks are not read
// (https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_parsing, about_quoting_rules).
func (r *reader) powerShell() {
	p := &powerShellLine{reader: r, rest: r.source}
	for p.rest != "" && r.found.Unclear == "" {
		p.next()
	}
	p.endStatement()
}

type powerShellLine struct {
	*reader
	rest  string
	words []agent.Word
	begun int // where the statement begins
	// The word that is being read: bare holds what of it is in no quotes.
	text, bare strings.Builder
	open       bool // there is one
	replaced   bool // a part of it is replaced
}

func (p *powerShellLine) next() {
	c, size := utf8.DecodeRuneInString(p.rest)
	at := len(p.source) - len(p.rest)
	p.rest = p.rest[size:]
	switch {
	case c == ' ' || unicode.IsSpace(c) && c != '\n':
		p.endWord()
	case c == '\n', c == ';':
		p.endStatement()
	case c == '|', c == '&' && strings.HasPrefix(p.rest, "&"):
		double := strings.HasPrefix(p.rest, string(c))
		p.rest = strings.TrimPrefix(p.rest, string(c))
		p.endStatement()
		if !double {
			p.feed(at + 1)
		}
	case c == '&':
		p.endWord()
		if len(p.words) > 0 { // else it calls what follows
			p.endStatement()
		}
	case c == '.' && !p.open && len(p.words) == 0 && strings.HasPrefix(p.rest, " "): // it runs what follows, too
	case c == '#' && !p.open:
		_, p.rest, _ = strings.Cut(p.rest, "\n")
		p.endStatement()
	case isSingleQuote(c):
		p.quoted(isSingleQuote, false)
	case isDoubleQuote(c):
		p.quoted(isDoubleQuote, true)
	case strings.ContainsRune("(){}<>`@", c):
		p.unclear("an expression of PowerShell")
	default:
		p.begin(at)
		p.text.WriteRune(c)
		p.bare.WriteRune(c)
	}
}

// PowerShell takes the curly quotes for quotes, too.
func isSingleQuote(c rune) bool { return strings.ContainsRune("'‘’‚‛", c) }
func isDoubleQuote(c rune) bool { return strings.ContainsRune(`"“”„`, c) }

func (p *powerShellLine) begin(at int) {
	if !p.open && len(p.words) == 0 {
		p.begun = at
	}
	p.open = true
}

// quoted reads up to the closing quote; a doubled one is one of the text.
func (p *powerShellLine) quoted(isQuote func(rune) bool, expands bool) {
	p.begin(len(p.source) - len(p.rest) - 1)
	for p.rest != "" {
		c, size := utf8.DecodeRuneInString(p.rest)
		p.rest = p.rest[size:]
		switch {
		case isQuote(c):
			again, size := utf8.DecodeRuneInString(p.rest)
			if !isQuote(again) {
				return
			}
			p.rest = p.rest[size:]
			c = again
		case expands && c == '`', expands && c == '$' && strings.HasPrefix(p.rest, "("):
			p.unclear("an expression of PowerShell")
			return
		case expands && c == '$':
			p.replaced = true
		}
		p.text.WriteRune(c)
	}
	p.unclear("a quote that is not closed")
}

func (p *powerShellLine) endWord() {
	if !p.open {
		return
	}
	bare := p.bare.String()
	// A dash that is none, a number or name that is taken apart, a list, a wildcard, a variable.
	known := !p.replaced && !strings.ContainsAny(bare, "$,*?[]") &&
		!(strings.HasPrefix(bare, "-") && strings.ContainsAny(bare, ".:")) && !strings.ContainsAny(bare, "–—―") &&
		!(strings.HasPrefix(bare, "~") && !strings.HasPrefix(bare, "~/") && !strings.HasPrefix(bare, `~\`))
	if bare == "--%" {
		p.unclear("--%, behind which nothing is read")
	}
	p.words = append(p.words, agent.Word{Text: p.text.String(), Known: known})
	p.text.Reset()
	p.bare.Reset()
	p.open, p.replaced = false, false
}

func (p *powerShellLine) endStatement() {
	p.endWord()
	words := p.words
	p.words = nil
	if len(words) == 3 && !words[0].Known && words[1].Text == "=" {
		if name, ok := strings.CutPrefix(strings.ToLower(words[0].Text), "$env:"); ok && isName(name) {
			value := words[2]
			if value.Text == "$null" {
				value = agent.Word{Known: true}
			}
			p.variable(name, value)
			return
		}
	}
	p.command(words, p.begun)
}
