package codex

import (
	"strings"
	"testing"
	"time"
)

func TestATurnIsReadOffTheEndOfARollout(t *testing.T) {
	line := func(second int, kind, payload string) string {
		at := time.Date(2026, 1, 2, 3, 4, second, 0, time.UTC).Format(time.RFC3339)
		return `{"timestamp":"` + at + `","type":"` + kind + `","payload":{` + payload + "}}\n"
	}
	begins := line(20, "event_msg", `"turn_id":"1","type":"task_started"`)
	asked := line(21, "response_item", `"type":"message","role":"user"`)
	call := line(22, "response_item", `"type":"function_call","call_id":"a"`)
	other := line(22, "response_item", `"type":"custom_tool_call","call_id":"b"`)
	output := line(23, "response_item", `"type":"function_call_output","call_id":"a","output":"{}"`)
	ends := line(24, "event_msg", `"type":"task_complete"`)
	settings := line(40, "event_msg", `"type":"thread_settings_applied"`)
	at := func(second int) time.Time { return time.Date(2026, 1, 2, 3, 4, second, 0, time.UTC) }
	for name, test := range map[string]struct {
		lines   string
		started time.Time
		want    string
	}{
		"nothing was said yet":                     {settings, at(10), "idle"},
		"a turn that has ended":                    {begins + asked + ends + settings, at(10), "idle"},
		"one that was interrupted":                 {begins + asked + line(24, "event_msg", `"type":"turn_aborted"`), at(10), "idle"},
		"one that goes on":                         {ends + begins + asked, at(10), "busy"},
		"a tool runs, or leave is asked for":       {begins + asked + call, at(10), ""},
		"a tool has run":                           {begins + asked + call + output, at(10), "busy"},
		"one of two has run":                       {begins + asked + call + other + output, at(10), ""},
		"it was killed in a turn, and taken up":    {begins + asked + settings, at(30), "idle"},
		"it was killed in a tool, and taken up":    {begins + asked + call + settings, at(30), "idle"},
		"it began in the moment of its start":      {begins + asked, at(21), ""},
		"nobody knows when it was started":         {begins + asked, time.Time{}, ""},
		"an old version that marks no turns":       {asked, at(10), ""},
		"a turn whose last line is being written":  {begins + asked + strings.TrimSuffix(ends, "}}\n"), at(10), "busy"},
		"what a tool has printed is no mark of it": {begins + line(23, "response_item", `"type":"message","content":"\"type\":\"task_complete\""`), at(10), "busy"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := readStory(strings.NewReader(test.lines), int64(len(test.lines)))
			if err != nil {
				t.Fatal(err)
			}
			if got := s.work.status(test.started); got != test.want {
				t.Errorf("got %q of %+v", got, s.work)
			}
		})
	}
}
