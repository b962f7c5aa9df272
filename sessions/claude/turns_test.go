package claude

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
)

// brief is a turn in a few words: its text, its role where that is no person's, why no fork can begin there.
func brief(t agent.Turn) string {
	words := t.Text
	if t.Role != "user" {
		words = t.Role
	}
	if t.NotForkable != nil {
		words += " !" + t.NotForkable.Code
	}
	return words
}

func TestTurnsAreThoseOfEveryFixture(t *testing.T) {
	for file, want := range map[string][]string{
		"print-three-turns.jsonl":                             {"turn one CODEWORD-ONE", "turn two CODEWORD-TWO", "turn three CODEWORD-THREE"},
		"compacted.jsonl":                                     {"one CODEWORD-CMP", "two", "three", "compaction !turnIsCompaction", "four", "! echo bang"},
		"tool-use.jsonl":                                      {"first CODEWORD-CCC", "second RUN[touch /home/dev/src/main/yyy]"},
		"tool-use-pending.jsonl":                              {"first CODEWORD-CCC", "second RUN[touch /home/dev/src/main/yyy] !turnOpen"},
		"branched-in-session.jsonl":                           {"first CODEWORD-BR", "after"},
		"old-2.1.197-print.jsonl":                             {"please remember CODEWORD-MAIN"},
		"broken-last-line-cut.jsonl":                          {"turn one CODEWORD-ONE", "turn two CODEWORD-TWO", "turn three CODEWORD-THREE"},
		"clear-only.jsonl":                                    nil,
		"broken-empty.jsonl":                                  nil,
		"subagent/58fa1ab1-819b-4092-ab18-50fd5f7ffd2a.jsonl": {"remember CODEWORD-AGT AGENT[look around]", "RUN[seq 1 20000] and"},
	} {
		t.Run(file, func(t *testing.T) {
			path := filepath.Join(fixtures, file)
			all, err := turns(t.Context(), agent.Session{Source: path})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, turn := range all {
				got = append(got, brief(turn))
				if turn.At.IsZero() || turn.NotForkable == nil && turn.Tokens == 0 {
					t.Errorf("%+v", turn)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %q", got)
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i, turn := range all {
				if turn.NotForkable == nil {
					checkCut(t, content, all, i, path)
				}
			}
		})
	}
}

// checkCut holds the start of a transcript to what a fork at a turn needs: whole lines, the turn and all before it, nothing
// of the turn after it, and of each tool both the call and the result.
func checkCut(t *testing.T, content []byte, all []agent.Turn, i int, path string) {
	t.Helper()
	last, err := findTurn(t.Context(), agent.Session{Source: path}, all[i].ID)
	if err != nil {
		t.Fatal(err)
	}
	start := string(content[:last.end])
	if !strings.HasSuffix(start, "\n") && last.end != int64(len(content)) {
		t.Errorf("turn %d ends in the middle of a line", i)
	}
	for j, turn := range all {
		if has := strings.Contains(start, `"uuid":"`+turn.ID+`"`); has != (j <= i) {
			t.Errorf("cut at turn %d: has turn %d: %v", i, j, has)
		}
	}
	if calls, results := strings.Count(start, `"type":"tool_use"`), strings.Count(start, `"type":"tool_result"`); calls != results {
		t.Errorf("cut at turn %d: %d calls of tools, %d results", i, calls, results)
	}
}

// id is the n-th message's.
func messageID(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// said is a line of a transcript: a message's id, its type, the rest of its members.
func said(n int, kind, more string) string {
	return fmt.Sprintf(`{"uuid":%q,"type":%q,"timestamp":"2026-05-01T10:00:%02dZ",%s}`+"\n", messageID(n), kind, n, more)
}

func user(n int, text string) string {
	return said(n, "user", fmt.Sprintf(`"message":{"role":"user","content":%q}`, text))
}

func answer(n int, text string) string {
	return said(n, "assistant", fmt.Sprintf(`"message":{"role":"assistant","content":[{"type":"text","text":%q}],"usage":{"input_tokens":3,"cache_read_input_tokens":100,"output_tokens":7}}`, text))
}

func call(n int, id string) string {
	return said(n, "assistant", fmt.Sprintf(`"message":{"content":[{"type":"tool_use","id":%q,"name":"Bash","input":{}}]}`, id))
}

func result(n int, id string) string {
	return said(n, "user", fmt.Sprintf(`"message":{"content":[{"tool_use_id":%q,"type":"tool_result","content":"done"}]}`, id))
}

func TestNothingIsCutBetweenACallAndItsResult(t *testing.T) {
	const side = `"isSidechain":true,"message":{"content":"of a subagent"}`
	for name, test := range map[string]struct {
		lines string
		want  []string
	}{
		"a result that comes in the next turn": {
			user(1, "one") + call(2, "a") + user(3, "two") + result(4, "a") + answer(5, "done"),
			[]string{"one !turnOpen", "two"},
		},
		"a result that comes two turns later": {
			user(1, "one") + call(2, "a") + user(3, "two") + answer(4, "x") + user(5, "three") + result(6, "a") + answer(7, "done"),
			[]string{"one !turnOpen", "two !turnOpen", "three"},
		},
		"a call that nobody has answered, and the person went on": {
			user(1, "one") + call(2, "a") + user(3, "two") + answer(4, "done"),
			[]string{"one", "two"},
		},
		"a call that is at work": {
			user(1, "one") + answer(2, "x") + user(3, "two") + call(4, "a"), []string{"one", "two !turnOpen"},
		},
		"no answer": {
			user(1, "one") + user(2, "two") + answer(3, "x") + user(4, "three"), []string{"one !turnOpen", "two", "three !turnOpen"},
		},
		"interrupted": {
			user(1, "one") + call(2, "a") + result(3, "a") + said(4, "user", `"message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}`) + user(5, "two") + answer(6, "x"),
			[]string{"one", "two"},
		},
		"a subagent's messages": {
			user(1, "one") + said(2, "user", side) + said(3, "assistant", side) + answer(4, "x"), []string{"one"},
		},
		"a command that is answered, and one that is not": {
			user(1, "<command-name>/clear</command-name>") + user(2, "<command-name>/review</command-name><command-args>all  of\nit</command-args>") +
				said(3, "user", `"isMeta":true,"message":{"content":"expanded"}`) + answer(4, "x"),
			[]string{"/review all of it"},
		},
		"a message that is told again": {
			user(1, "one") + answer(2, "x") + user(3, "two") + user(1, "one") + answer(4, "x"), []string{"one", "two"},
		},
		"lines that are damaged": {
			"{\n" + user(1, "one") + "\x00\x00\xff\n" + answer(2, "x") + `{"uuid":"x","type":"user","message":{"content":"no id"}}` + "\n" + `{"type":"assis`, []string{"one"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := put(t, t.TempDir(), "/x", "00000000-0000-4000-8000-000000000000", []byte(test.lines))
			all, err := turns(t.Context(), agent.Session{Source: path})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, turn := range all {
				got = append(got, brief(turn))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestForkAtATurnForksACopyOfTheStart(t *testing.T) {
	home, homes := newHome(t)
	id := putFixture(t, home, "compacted.jsonl", "/home/dev/src/main")
	found, _ := find(t.Context(), homes, id)
	if len(found) != 1 {
		t.Fatal(found)
	}
	r := agent.ForkRequest{Parent: found[0], Child: "/child", Name: "n", Program: "/bin/claude", Version: agent.Version{2, 1, 332}, State: "/state"}
	all, err := turns(t.Context(), r.Parent)
	if err != nil {
		t.Fatal(err)
	}
	r.At = all[1].ID
	l, err := fork(r)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join("/state", "turns", l.Session.ID+".jsonl")
	if l.Forecast == nil || *l.Forecast != (agent.Forecast{Tokens: 14434, Source: "turn"}) {
		t.Errorf("forecast %+v", l.Forecast)
	}
	if c := l.Import.Copy; c == nil || c.From != r.Parent.Source || c.To != to || l.Import.Argv != nil {
		t.Errorf("%+v", l.Import)
	}
	if want := []string{"/bin/claude", "--resume", to, "--fork-session", "--session-id", l.Session.ID, "--name", "n"}; !slices.Equal(l.Argv, want) {
		t.Errorf("%q", l.Argv)
	}
	for at, code := range map[string]string{
		all[3].ID: "turnIsCompaction", messageID(77): "turnUnknown", "../x": "turnUnknown", "344766a6-e0ea-475c-a867-3ae4527af99f": "turnUnknown",
	} {
		r.At = at
		if _, err := fork(r); err == nil || err.Error() != code {
			t.Errorf("%s: %v", at, err)
		}
	}
	r.At, r.State = all[1].ID, ""
	if _, err := fork(r); err == nil || err.Error() != "noStateFolder" {
		t.Errorf("without a folder: %v", err)
	}
}

func TestTurnsOfATranscriptWithHugeLinesAreRead(t *testing.T) {
	huge := bytes.Repeat([]byte("x"), 3<<20)
	content := user(1, "one") + answer(2, string(huge)) + user(3, string(huge)) + answer(4, "x")
	path := put(t, t.TempDir(), "/x", messageID(0), []byte(content))
	all, err := turns(t.Context(), agent.Session{Source: path})
	if err != nil || len(all) != 2 || len(all[1].Text) != agent.TurnText || all[1].Tokens != 110 || !all[0].At.Equal(time.Date(2026, 5, 1, 10, 0, 1, 0, time.UTC)) {
		t.Errorf("%d turns, %v", len(all), err)
	}
}

func TestTheForecastIsTheRecordOfTheLastAnswer(t *testing.T) {
	compacted, err := os.ReadFile(filepath.Join(fixtures, "compacted.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(compacted), "\n")
	long := said(50, "attachment", fmt.Sprintf(`"attachment":%q`, strings.Repeat("x", 2*tailLimit)))
	for name, test := range map[string]struct {
		content string
		tokens  int64
	}{
		"an answer":                          {user(1, "one") + answer(2, "x"), 110},
		"none yet":                           {user(1, "one"), 0},
		"compacted, and answered since":      {string(compacted), 14783},
		"compacted since":                    {strings.Join(lines[:50], ""), 0},
		"a subagent's":                       {user(1, "one") + answer(2, "x") + said(3, "assistant", `"isSidechain":true,"message":{"usage":{"input_tokens":9000}}`), 110},
		"numbers that are none":              {user(1, "one") + said(2, "assistant", `"message":{"usage":{"input_tokens":-5,"output_tokens":1e99,"cache_read_input_tokens":"7"}}`), 0},
		"an answer that the tail has not":    {user(1, "one") + answer(2, "x") + long, 0},
		"an answer behind what is very long": {user(1, "one") + long + answer(2, "x"), 110},
	} {
		t.Run(name, func(t *testing.T) {
			home, homes := newHome(t)
			put(t, home, "/x", messageID(0), []byte(test.content))
			found, _ := list(t.Context(), nil, homes, nil)
			if len(found) != 1 {
				t.Fatal(found)
			}
			var got int64
			if f := found[0].Forecast; f != nil {
				got = f.Tokens
			}
			if got != test.tokens {
				t.Errorf("got %d", got)
			}
		})
	}
}
