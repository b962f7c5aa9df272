package sessions

import (
	"slices"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/sessions/agent"
)

func TestArgumentsOfOpencodeAndPiNameTheSessionsTheyWriteInto(t *testing.T) {
	id := "0199a0f0-0000-7000-8000-000000000001"
	for line, want := range map[string][]string{
		"opencode":                           nil,
		"opencode run hello":                 nil,
		"opencode --session ses_1":           {"ses_1"},
		"opencode --session=ses_1":           {"ses_1"},
		"opencode -s ses_1":                  {"ses_1"},
		"opencode -c":                        {""},
		"opencode run -cs ses_1":             {""},
		"opencode --continue":                {""},
		"opencode --session ses_1 --fork":    nil,
		"opencode --session ses_1 --no-fork": {"ses_1"},
		"opencode session delete ses_1":      {""},
		"pi":                                 nil,
		"pi --fork " + id:                    nil,
		"pi --session " + id:                 {id},
		"pi --session=" + id:                 {id},
		"pi --session 0199":                  {""},
		"pi -c":                              {""},
		"pi --resume":                        {""},
		"pi -r":                              {""},
	} {
		program, rest, _ := strings.Cut(line, " ")
		var words []agent.Word
		for word := range strings.FieldsSeq(rest) {
			words = append(words, agent.Word{Text: word, Known: true})
		}
		for _, a := range Agents() {
			if a.Program != program {
				continue
			}
			if got, clear := a.Resumes(words); !clear || !slices.Equal(got, want) {
				t.Errorf("%s: %q, %v; want %q", line, got, clear, want)
			}
			if _, clear := a.Resumes(append(words, agent.Word{})); clear {
				t.Errorf("%s and a word that is not known: clear", line)
			}
		}
	}
}
