package terminal

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// masked stands in a transcript where a secret stood.
const masked = "[masked]"

// keys are the keys and tokens that are known by their beginnings, with how long what follows is at least. (The public
// documents of those who give them out.)
var keys = []struct {
	begin string
	least int
}{
	{"sk-", 16},                                                          // Anthropic, OpenAI and those who copy them
	{"ghp_", 20}, {"gho_", 20}, {"ghu_", 20}, {"ghs_", 20}, {"ghr_", 20}, // GitHub
	{"github_pat_", 20}, {"glpat-", 16}, // GitLab
	{"xoxb-", 10}, {"xoxp-", 10}, {"xoxa-", 10}, {"xoxe-", 10}, {"xoxs-", 10}, // Slack
	{"AKIA", 16}, {"ASIA", 16}, // AWS
	{"AIza", 30}, {"ya29.", 20}, // Google
	{"npm_", 30}, {"hf_", 30}, // npm, Hugging Face
	{"sk_live_", 16}, {"rk_live_", 16}, {"sk_test_", 16}, {"rk_test_", 16}, {"eyJ", 40}, // Stripe; JSON web tokens
}

// told are secrets that the words before them tell of: what is captured goes. A value has a digit: code calls many things so.
var told = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\bbearer[ \t]+([\w.~+/=-]{12,})`,
	`\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{0,64}:([^\s/@]{3,})@`,
	`(?:pass(?:word|wd|phrase)|secret|token|api[_-]?key|access[_-]?key)["']?[ \t]*[:=][ \t]*["']?([^\s"',;(){}\[\]<>]*\d[^\s"',;(){}\[\]<>]*)`,
}, "|"))

// tellers are in every line that told can match, in lower case.
var tellers = []string{"bearer", "://", "pass", "secret", "token", "key"}

const (
	pemBegins, pemEnds = "-----BEGIN ", "-----END "
	pemKey             = "PRIVATE KEY-----"
)

// secretName says of a variable of the environment that its value is nobody's business.
var secretName = regexp.MustCompile(`(?i)(?:key|token|secret|passw(?:or)?d|passphrase|credentials?)$`)

// secretValues are the values of the variables whose names say that they are secret.
func secretValues(environment []string) []string {
	var values []string
	for _, pair := range environment {
		name, value, _ := strings.Cut(pair, "=")
		if secretName.MatchString(name) && len(value) >= 8 && !strings.ContainsAny(value, "\n ") {
			values = append(values, value)
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// Masker gives what takes out of a text whatever has the shape of a secret, and the values of the variables of an environment
// whose names say that they are secret.
func Masker(environment []string) func(text string) string {
	values := secretValues(environment)
	return func(text string) string { return mask(text, values, len(text)+mostColumns) }
}

// mask takes out of what a screen of so many columns showed whatever has the shape of a secret, and values. One that goes
// on in the next line, since it came to the last columns, is taken out there too.
func mask(text string, values []string, columns int) string {
	joined, places := unbroken(text, columns)
	hidden := make([]bool, len(text)) // by byte of text
	hide := func(from, to int) {
		for _, at := range places[from:to] {
			hidden[at] = true
		}
	}
	hideKeys(joined, hide)
	hideTold(joined, hide)
	hidePEM(joined, hide)
	for _, value := range values {
		for at := range all(joined, value) {
			hide(at, at+len(value))
		}
	}
	if !slices.Contains(hidden, true) {
		return text
	}
	var out strings.Builder
	inside := false
	for i := range len(text) {
		switch {
		case !hidden[i]: // a line break inside of a secret stays, and what the next line begins with
			out.WriteByte(text[i])
			inside = inside && (text[i] == '\n' || text[i] == ' ')
		case !inside:
			out.WriteString(masked)
			inside = true
		}
	}
	return out.String()
}

// all are the places of a word in a text.
func all(text, word string) func(yield func(at int) bool) {
	return func(yield func(int) bool) {
		for from := 0; ; {
			at := strings.Index(text[from:], word)
			if at < 0 || !yield(from+at) {
				return
			}
			from += at + len(word)
		}
	}
}

func hideKeys(text string, hide func(from, to int)) {
	for _, key := range keys {
		for at := range all(text, key.begin) {
			if at > 0 && ofKey(text[at-1]) && text[at-1] != '=' && text[at-1] != '/' {
				continue // inside of a word, as in "task-list"
			}
			end := at + len(key.begin)
			for end < len(text) && ofKey(text[end]) {
				end++
			}
			if end-at-len(key.begin) >= key.least {
				hide(at, end)
			}
		}
	}
}

func hideTold(text string, hide func(from, to int)) {
	at := 0
	for line := range strings.Lines(text) {
		lower := strings.ToLower(line)
		if slices.ContainsFunc(tellers, func(word string) bool { return strings.Contains(lower, word) }) {
			for _, found := range told.FindAllStringSubmatchIndex(line, -1) {
				for i := 2; i+1 < len(found); i += 2 {
					if found[i] >= 0 {
						hide(at+found[i], at+found[i+1])
					}
				}
			}
		}
		at += len(line)
	}
}

// hidePEM hides private keys in PEM; of one whose end is not to be seen, all that follows.
func hidePEM(text string, hide func(from, to int)) {
	for at := range all(text, pemBegins) {
		head, _, _ := strings.Cut(text[at:], "\n")
		if !strings.Contains(head, pemKey) {
			continue
		}
		end := len(text)
		if found := strings.Index(text[at:], pemEnds); found >= 0 {
			end = at + found
			if last := strings.Index(text[end:], pemKey); last >= 0 {
				end += last + len(pemKey)
			}
		}
		hide(at, end)
	}
}

// margin is how near to its last column a program breaks its lines, and how far from the first it goes on.
const margin = 8

// unbroken is a text without the line breaks, and the blanks after them, that may stand inside of a key, and where in the
// text each of its bytes is.
func unbroken(text string, columns int) (joined string, places []int) {
	out := make([]byte, 0, len(text))
	places = make([]int, 0, len(text))
	start := 0 // of the line
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			long := utf8.RuneCountInString(text[start:i]) >= columns-margin
			start = i + 1
			next := start
			for next < len(text) && next < start+margin && text[next] == ' ' {
				next++
			}
			if long && i > 0 && ofKey(text[i-1]) && next < len(text) && ofKey(text[next]) {
				i = next - 1
				continue
			}
		}
		out, places = append(out, text[i]), append(places, i)
	}
	return string(out), places
}

// ofKey says whether a byte may be inside of a key or token.
func ofKey(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || strings.IndexByte("_-+/=.~", b) >= 0
}
