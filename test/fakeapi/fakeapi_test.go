package fakeapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sidefork/sidefork/test/fakeapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func post(t *testing.T, url, body string) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func TestAnswersAreDecidedByTheConversation(t *testing.T) {
	anthropic, openai := fakeapi.StartAnthropic(t), fakeapi.StartOpenAI(t)
	tools := `[{"name":"Bash"},{"type":"function","name":"exec_command","parameters":{"properties":{"cmd":{"type":"string"}}}}]`
	for name, c := range map[string]struct{ url, body, want, never string }{
		"anthropic recalls": {
			anthropic.URL + "/v1/messages",
			`{"stream":true,"messages":[{"role":"user","content":"CODEWORD-A"},{"role":"assistant","content":[{"type":"text","text":"CODEWORD-B CODEWORD-A"}]},{"role":"user","content":"which?"}]}`,
			"RECALL CODEWORD-A CODEWORD-B", "CODEWORD-A CODEWORD-B CODEWORD-A",
		},
		"anthropic has nothing":    {anthropic.URL + "/v1/messages", `{"messages":[{"role":"user","content":"hello"}]}`, "RECALL none", "event:"},
		"anthropic runs":           {anthropic.URL + "/v1/messages", `{"stream":true,"tools":` + tools + `,"messages":[{"role":"user","content":"RUN[pwd]"}]}`, `\"command\":\"pwd\"`, ""},
		"anthropic runs once":      {anthropic.URL + "/v1/messages", `{"tools":` + tools + `,"messages":[{"role":"user","content":[{"type":"tool_result","content":"RUN[pwd]"}]}]}`, "end_turn", "tool_use"},
		"anthropic refuses broken": {anthropic.URL + "/v1/messages", `{`, "invalid_request_error", ""},
		"openai recalls": {
			openai.URL + "/v1/responses",
			`{"stream":true,"input":[{"role":"user","content":[{"type":"input_text","text":"CODEWORD-C"}]},{"role":"user","content":"which?"}]}`,
			"RECALL CODEWORD-C", "",
		},
		"chat recalls": {
			openai.URL + "/v1/chat/completions",
			`{"stream":true,"messages":[{"role":"system","content":"s"},{"role":"user","content":"CODEWORD-D"},{"role":"user","content":[{"type":"text","text":"which?"}]}]}`,
			"RECALL CODEWORD-D", "tool_calls",
		},
		"chat runs": {
			openai.URL + "/v1/chat/completions",
			`{"stream":true,"tools":[{"type":"function","function":{"name":"bash"}}],"messages":[{"role":"user","content":"RUN[pwd]"}]}`,
			`\"command\":\"pwd\"`, "RECALL",
		},
		"chat runs once": {
			openai.URL + "/v1/chat/completions",
			`{"tools":[{"type":"function","function":{"name":"bash"}}],"messages":[{"role":"user","content":"RUN[pwd]"},{"role":"tool","content":"/x"}]}`,
			"RECALL none", "tool_calls",
		},
		"openai runs":               {openai.URL + "/v1/responses", `{"stream":true,"tools":` + tools + `,"input":"RUN[pwd]"}`, `{\"cmd\":\"pwd\"}`, "output_text.delta"},
		"openai ignores notes":      {openai.URL + "/v1/responses", `{"tools":` + tools + `,"input":[{"role":"user","content":"<note>RUN[pwd]</note>"}]}`, "RECALL none", "function_call"},
		"openai has no other paths": {openai.URL + "/v1/elsewhere", `{}`, "no such path", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := post(t, c.url, c.body)
			if !strings.Contains(got, c.want) {
				t.Errorf("no %q in %s", c.want, got)
			}
			if c.never != "" && strings.Contains(got, c.never) {
				t.Errorf("%q in %s", c.never, got)
			}
		})
	}
}

func TestAHeldAnswerEndsWhenItIsReleased(t *testing.T) {
	s := fakeapi.StartAnthropic(t)
	answered := make(chan string)
	go func() {
		answered <- post(t, s.URL+"/v1/messages", `{"stream":true,"messages":[{"role":"user","content":"CODEWORD-D HOLD[turn]"}]}`)
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := s.Await(ctx, func(r fakeapi.Request) bool { return strings.Contains(string(r.Body), "HOLD") }); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-answered:
		t.Fatalf("answered before its release: %s", got)
	default:
	}
	s.Release("turn")
	s.Release("turn") // twice does no harm
	if got := <-answered; !strings.Contains(got, "RECALL CODEWORD-D") {
		t.Errorf("got %s", got)
	}
}

func TestEveryRequestIsOneLineOfTheLogWithoutItsKey(t *testing.T) {
	var log bytes.Buffer
	s, err := fakeapi.Listen("127.0.0.1:0", fakeapi.Anthropic, &log)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/messages?beta=true", strings.NewReader("not\njson"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Api-Key", "secret-1")
	request.Header.Set("Authorization", "Bearer secret-2")
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	s.Close()
	lines := strings.Split(strings.TrimSuffix(log.String(), "\n"), "\n")
	if len(lines) != 1 || strings.Contains(lines[0], "secret-") {
		t.Fatalf("log: %q", log.String())
	}
	var got fakeapi.Request
	if err := json.Unmarshal([]byte(lines[0]), &got); err != nil {
		t.Fatal(err)
	}
	if got.Path != "/v1/messages?beta=true" || got.Text != "not\njson" || got.Headers["x-api-key"] != "(present)" {
		t.Errorf("got %+v", got)
	}
}

func TestOnlyLoopbackIsListenedOn(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "localhost:0", "[::]:0"} {
		if s, err := fakeapi.Listen(address, fakeapi.OpenAI, nil); err == nil {
			s.Close()
			t.Errorf("%q was accepted", address)
		}
	}
}
