package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func lines(t testing.TB, text string, limit int64) (got []string) {
	t.Helper()
	if err := Lines(strings.NewReader(text), limit, func(line []byte, end int64) bool {
		if end < int64(len(line)) || end > int64(len(text)) {
			t.Errorf("a line of %d bytes ends at %d", len(line), end)
		}
		got = append(got, string(line))
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestLinesGivesWhatIsWhole(t *testing.T) {
	tests := []struct {
		name, text string
		limit      int64
		want       []string
	}{
		{"nothing", "", 100, nil},
		{"lines", "a\nb\n", 100, []string{"a", "b"}},
		{"the last without an end", "a\nb", 100, []string{"a", "b"}},
		{"cut by the limit", "aaaa\nbbbb\n", 7, []string{"aaaa"}},
		{"the limit is the end", "aaaa\n", 5, []string{"aaaa"}},
		{"blank lines and carriage returns", "\n \r\na\r\n\n", 100, []string{"a"}},
		{"NULs before what was appended", strings.Repeat("\x00", 500) + "{}\n\x00\x00\n{}", 1000, []string{"{}", "{}"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := lines(t, test.text, test.limit); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestLinesStopsWhenTold(t *testing.T) {
	var seen int
	if err := Lines(strings.NewReader("a\nb\nc\n"), 100, func([]byte, int64) bool { seen++; return seen < 2 }); err != nil || seen != 2 {
		t.Errorf("saw %d, %v", seen, err)
	}
}

func TestLinesTellsThatReadingFailed(t *testing.T) {
	if err := Lines(iotest.ErrReader(os.ErrPermission), 100, func([]byte, int64) bool { return true }); err == nil {
		t.Error("no error")
	}
}

func TestALongLineStaysValidWithItsStringsCut(t *testing.T) {
	for name, piece := range map[string]string{
		"plain": "A", "escapes": `\\`, "quotes": `\"`, "unicode escapes": `\u00e9`, "characters of four bytes": "\U0001F600", "mixed": `é\u00e9\\\"x`,
	} {
		t.Run(name, func(t *testing.T) {
			for shift := range 8 { // so that the cut falls on every byte of a piece
				long := strings.Repeat("x", shift) + strings.Repeat(piece, 2*Window/len(piece))
				text := `{"a":"` + long + `","b":{"c":["` + long + `","short"]},"d":"end"}`
				got := lines(t, "first\n"+text+"\nlast\n", 1<<30)
				if len(got) != 3 || got[0] != "first" || got[2] != "last" {
					t.Fatalf("got %d lines", len(got))
				}
				if line := got[1]; !json.Valid([]byte(line)) || !utf8.ValidString(line) || len(line) > 3*longest || !strings.HasSuffix(line, `,"short"]},"d":"end"}`) {
					t.Fatalf("shift %d: %d bytes: …%s", shift, len(line), line[max(len(line)-60, 0):])
				}
			}
		})
	}
}

func TestALineThatStaysTooLongIsPassedOver(t *testing.T) {
	text := "{" + strings.Repeat(`"a":1,`, widest/4) + `"b":2}`
	if got := lines(t, text+"\nnext\n", 1<<30); !slices.Equal(got, []string{"next"}) {
		t.Errorf("got %d lines", len(got))
	}
}

func TestTailGivesWholeLinesAndWhatIsCut(t *testing.T) {
	text := "first\nsecond\nthird"
	for limit := range int64(len(text) + 2) {
		data, whole, err := Tail(strings.NewReader(text), int64(len(text)), limit)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		cut := TailLines(data, whole, func(line []byte) { got = append(got, string(line)) })
		all := strings.Split(text, "\n")
		if len(got) > 0 && !slices.Equal(got, all[3-len(got):]) {
			t.Errorf("limit %d: %q", limit, got)
		}
		if !whole && !strings.HasSuffix(text, string(cut)+strings.Join(got, "\n")) {
			t.Errorf("limit %d: cut %q before %q", limit, cut, got)
		}
	}
	if data, _, err := Tail(strings.NewReader("short"), 100, 98); err != nil || string(data) != "ort" {
		t.Errorf("of a file that was shortened: %q, %v", data, err)
	}
}

func members(data string) (got []string, whole bool) {
	whole = Fields([]byte(data), func(name, value []byte) bool {
		got = append(got, fmt.Sprintf("%s=%s", name, value))
		return true
	})
	return got, whole
}

func TestFieldsGivesTheMembersBeforeACut(t *testing.T) {
	const text = ` {"a" : "x\"}", "b":{"c":["]",{}]} ,"d":-1.5e3,"e":null,"f":[]} `
	want := []string{`a="x\"}"`, `b={"c":["]",{}]}`, `d=-1.5e3`, `e=null`, `f=[]`}
	if got, whole := members(text); !whole || !slices.Equal(got, want) {
		t.Fatalf("got %q, whole %v", got, whole)
	}
	for cut := range len(text) - 1 {
		got, whole := members(text[:cut])
		if whole {
			t.Errorf("%q is called whole", text[:cut])
		}
		for i, member := range got {
			last := i == len(got)-1 && strings.ContainsAny(want[i][2:3], "{[")
			if member != want[i] && !(last && strings.HasPrefix(want[i], member)) {
				t.Errorf("cut at %d: %q", cut, got)
			}
		}
	}
}

func TestFieldsTakesNothingElseForAnObject(t *testing.T) {
	for _, text := range []string{"", "x", "[]", `"a"`, "{x}", `{"a"}`, `{"a":}`, `{"a":1}x`, `{"a":1}{}`, "\x00{}", `{"a":1]`} {
		if _, whole := members(text); whole {
			t.Errorf("%q is called whole", text)
		}
	}
}

func TestTextIsCutBetweenCharacters(t *testing.T) {
	tests := []struct {
		value string
		limit int
		want  string
	}{
		{`"plain"`, 100, "plain"},
		{`"a\nb\u00e9"`, 100, "a\nbé"},
		{`"äöü"`, 3, "ä"},
		{`"äöü"`, 4, "äö"},
		{`"ä"`, 1, ""},
		{"\"a\xff\"", 100, "a\uFFFD"},
		{`"\x"`, 100, ""},
		{`12`, 100, ""},
		{`null`, 100, ""},
		{``, 100, ""},
		{`"`, 100, ""},
	}
	for _, test := range tests {
		if got := Text([]byte(test.value), test.limit); got != test.want {
			t.Errorf("%s (%d): %q, want %q", test.value, test.limit, got, test.want)
		}
	}
}

func TestOpenTakesRegularFilesOnly(t *testing.T) {
	folder := t.TempDir()
	if _, _, err := Open(folder); err == nil {
		t.Error("a folder was opened")
	}
	path := filepath.Join(folder, "file")
	if err := os.WriteFile(path, []byte("1234"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := Small(path, 4); err != nil || string(data) != "1234" {
		t.Errorf("got %q, %v", data, err)
	}
	if _, err := Small(path, 3); err == nil {
		t.Error("more than the limit was read")
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("{\"a\":\"b\"}\n\x00\x00{}\r\n"), int64(100))
	f.Add([]byte(`\u00e9\\\"","b":"ä"}`), int64(1<<20))
	f.Fuzz(func(t *testing.T, data []byte, limit int64) {
		// A line may be long only if it was long, and what was JSON stays it.
		whole := bytes.Split(data, []byte("\n"))
		for _, source := range [][]byte{data, append(append([]byte(`{"a":"`), bytes.Repeat([]byte(`x\\`), Window)...), data...)} {
			valid := len(whole) == 1 && json.Valid(source)
			err := Lines(bytes.NewReader(source), limit, func(line []byte, _ int64) bool {
				if len(line) > max(Window, widest) || valid && int64(len(source)) < limit && !json.Valid(line) {
					t.Errorf("a line of %d bytes", len(line))
				}
				return true
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
}

func FuzzFields(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1,"x\"",null]},"c":""}`))
	f.Add([]byte(`{"a":[}],"b":"\\`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var names int
		whole := Fields(data, func(name, value []byte) bool {
			names++
			Text(value, 10)
			Items(value, func([]byte) bool { return true })
			return true
		})
		var object map[string]json.RawMessage
		if err := json.Unmarshal(data, &object); err == nil && object != nil && (!whole || names < len(object)) {
			t.Errorf("whole %v, %d of %d members", whole, names, len(object))
		}
	})
}
