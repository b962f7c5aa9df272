package codex

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/sessions/agent"
)

func briefly(all []agent.Turn) (got []string) {
	for _, t := range all {
		words := t.Text
		if t.Role != "user" {
			words = t.Role
		}
		if t.NotForkable != nil {
			words += " !" + t.NotForkable.Code
		}
		got = append(got, words)
	}
	return got
}

func TestTurnsAreThoseOfTheWholeLineOfForks(t *testing.T) {
	_, homes := newHome(t, "home")
	sessions, _ := list(t.Context(), nil, homes, nil)
	for start, want := range map[string][]string{
		"01a22b74-de30": {"codeword is ZEBRA-ALPHA-1; remember it"},
		"01a22b76-52f5": {"codeword is ZEBRA-ALPHA-1; remember it", "what was the codeword?"}, // the first is its parent's
		"01a22b78-f5c0": {"first turn codeword OKAPI-33", "SLEEP12 second turn codeword LEMUR-44"},
		// Its parent's second turn had not ended when it was forked, and was broken off here.
		"01a22b79-0175": {"first turn codeword OKAPI-33", "SLEEP12 second turn codeword LEMUR-44", "live midturn fork"},
		"01a22b7c-b43b": {"codeword QUOKKA-0.121.0; remember"},
		"01a22b7c-e557": {"codeword QUOKKA-0.121.0; remember", "fork by new"},
	} {
		s := lookFor(sessions, start)
		if s == nil {
			t.Fatalf("%s is not there", start)
		}
		all, err := turns(t.Context(), *s)
		if err != nil {
			t.Fatal(err)
		}
		if got := briefly(all); !slices.Equal(got, want) {
			t.Errorf("%s: got %q", start, got)
		}
		for _, turn := range all {
			if turn.At.IsZero() || !agent.IsUUID(turn.ID) {
				t.Errorf("%s: %+v", start, turn)
			}
		}
	}
}

func TestATurnThatHasNotEndedOrSumsUpIsNoneToForkAt(t *testing.T) {
	home := filepath.Join(t.TempDir(), ".codex")
	const id = "01a22b74-0000-7000-8000-000000000001"
	turnID := func(n string) string { return "01a22b74-0000-7000-8000-00000000000" + n }
	line := func(kind, payload string) string {
		return `{"timestamp":"2026-05-01T10:00:00Z","type":"` + kind + `","payload":` + payload + "}\n"
	}
	begin := func(n string) string { return line("event_msg", `{"type":"task_started","turn_id":"`+turnID(n)+`"}`) }
	end := func(n string) string { return line("event_msg", `{"type":"task_complete","turn_id":"`+turnID(n)+`"}`) }
	said := func(text string) string {
		return line("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"`+text+`"}]}`)
	}
	tokens := func(n string) string {
		return line("event_msg", `{"type":"token_count","info":{"total_token_usage":{"total_tokens":999},"last_token_usage":{"total_tokens":`+n+`}}}`)
	}
	path := put(t, home, "2026/05/01", id, []byte(line("session_meta", `{"id":"`+id+`","cwd":"/x","source":"cli"}`)+
		begin("2")+said("<environment>")+said("one")+tokens("15")+end("2")+
		begin("3")+line("compacted", `{"message":"summed up"}`)+end("3")+
		begin("4")+said("two")+line("compacted", `{"message":"summed up"}`)+tokens("20")+end("4")+
		"not JSON\n"+line("event_msg", `{"type":"token_count","info":null}`)+
		begin("5")+said("three")))
	s := agent.Session{ID: agent.ID{Agent: name, ID: id}, Home: home, Source: path}
	all, err := turns(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := briefly(all), []string{"one", "compaction !turnIsCompaction", "two", "three !turnOpen"}; !slices.Equal(got, want) {
		t.Fatalf("got %q", got)
	}
	if all[0].Tokens != 15 || all[2].Tokens != 20 || all[3].Tokens != 0 {
		t.Errorf("tokens %d, %d, %d", all[0].Tokens, all[2].Tokens, all[3].Tokens)
	}
	r := agent.ForkRequest{Parent: s, Child: t.TempDir(), Program: "/bin/codex", Version: agent.Version{0, 171, 0}, Prompt: "-go on", Arguments: []string{"--oss"}}
	for at, code := range map[string]string{turnID("3"): "turnIsCompaction", turnID("5"): "turnOpen", turnID("9"): "turnUnknown"} {
		r.At = at
		if _, err := fork(r); err == nil || err.Error() != code {
			t.Errorf("%s: %v", at, err)
		}
	}
	r.At = turnID("2")
	l, err := fork(r)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"/bin/codex", "--oss", "resume", "-c", "tui.resume_cwd=current", agent.Pending, "--", "-go on"}; !slices.Equal(l.Argv, want) {
		t.Errorf("%q", l.Argv)
	}
	if want := []string{"/bin/codex", "app-server"}; !slices.Equal(l.Import.Argv, want) {
		t.Errorf("%q", l.Import.Argv)
	}
	r.Version = agent.Version{0, 159, 3}
	if _, err := fork(r); err == nil || err.Error() != "turnsTooOld" {
		t.Errorf("an old version: %v", err)
	}
}

func TestTheServerIsAskedForAForkBehindATurn(t *testing.T) {
	r := agent.ForkRequest{Parent: agent.Session{ID: agent.ID{Agent: name, ID: parentID}}, Child: t.TempDir(), At: "the turn"}
	const started = `{"id":1,"result":{"userAgent":"x"}}` + "\n"
	for name, test := range map[string]struct {
		answers, id, failed string
	}{
		"made": {
			`{"method":"configWarning","params":{}}` + "\n" + started + "what is this\n" + `{"id":2,"method":"askUser","params":{}}` + "\n" + `{"id":2,"result":{"thread":{"id":"NEW-ID"}}}` + "\n",
			"NEW-ID", "",
		},
		"refused":        {started + `{"error":{"code":-32600,"message":"turn not found: the turn"},"id":2}` + "\n", "", "turn not found"},
		"never answered": {started, "", ""},
		"mute":           {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var to bytes.Buffer
			id, err := askForFork(&to, strings.NewReader(test.answers), r)
			if id != test.id || (err == nil) != (test.failed == "") || err != nil && !strings.Contains(err.Error(), test.failed) {
				t.Errorf("%q, %v", id, err)
			}
			if name != "made" {
				return
			}
			var asked []map[string]any
			for d := json.NewDecoder(&to); ; {
				var m map[string]any
				if err := d.Decode(&m); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				asked = append(asked, m)
			}
			child, err := filepath.EvalSymlinks(r.Child)
			if err != nil || len(asked) != 3 {
				t.Fatalf("%v, %v", asked, err)
			}
			p := asked[2]["params"].(map[string]any)
			if asked[2]["method"] != "thread/fork" || p["threadId"] != parentID || p["lastTurnId"] != "the turn" || p["cwd"] != child {
				t.Errorf("asked for %v", asked[2])
			}
		})
	}
}

func TestTheForecastIsTheRecordOfTheLastAnswer(t *testing.T) {
	_, homes := newHome(t, "home")
	sessions, _ := list(t.Context(), nil, homes, nil)
	for start, want := range map[string]int64{
		"01a22b78-f5c0": 15, // of the last answer alone, not the sum
		"01a22b7c-b43b": 15, // written by 0.121
		"01a22b78-1915": 0,  // nothing was said in it yet
	} {
		s := lookFor(sessions, start)
		var got int64
		if s.Forecast != nil {
			got = s.Forecast.Tokens
		}
		if got != want {
			t.Errorf("%s: %d", start, got)
		}
	}
}
