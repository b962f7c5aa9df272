package terminal

import (
	"strings"
	"testing"
)

func TestSecretsAreMasked(t *testing.T) {
	const value = "Zy9-very/own+value"
	for _, test := range []struct{ text, want string }{
		{"key sk-ant-api03-abcdefghijklmnop-qrst end", "key [masked] end"},
		{"ghp_0123456789abcdefghijABCDEFGHIJ", "[masked]"},
		{"AKIAIOSFODNN7EXAMPLE and more", "[masked] and more"},
		{"Authorization: Bearer abcdef.ghijkl-0123", "Authorization: Bearer [masked]"},
		{"postgres://me:hunter22@db/x", "postgres://me:[masked]@db/x"},
		{`"apiKey": "a1b2c3d4e5"`, `"apiKey": "[masked]"`},
		{"PASSWORD=correct8horse\nnext", "PASSWORD=[masked]\nnext"},
		{"the value is " + value + ".", "the value is [masked]."},
		{"this line goes on sk-ant-api03-abcdefghi\n  mnopqrstuvwx end", "this line goes on [masked]\n   end"},
		{"-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----\nafter", "[masked]\nafter"},
		{"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", "[masked]\n"},
		{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN", "[masked]"},
		{"token := nextToken(line)\nif secret == nil {", "token := nextToken(line)\nif secret == nil {"},
		{"a task-list, sketching, desk-top: nothing", "a task-list, sketching, desk-top: nothing"},
	} {
		if got := mask(test.text, []string{value}, 40); got != test.want {
			t.Errorf("%q is masked as %q, not as %q", test.text, got, test.want)
		}
	}
}

func TestValuesOfSecretVariablesAreKnown(t *testing.T) {
	got := secretValues([]string{"PATH=/usr/bin:/bin", "ANTHROPIC_API_KEY=abcdefgh1", "X_TOKEN=abcdefgh1", "DB_PASSWORD=longer-than-that", "SHORT_KEY=abc", "HOME=/home/me"})
	if strings.Join(got, " ") != "abcdefgh1 longer-than-that" {
		t.Errorf("%q", got)
	}
}

func BenchmarkMask(b *testing.B) {
	text := strings.Repeat("│ 	some text of a line that an agent at work might print, with a path /src/app/main.go:42\n", 3000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		mask(text, []string{"value-of-a-variable", "and-of-another"}, 130)
	}
}
