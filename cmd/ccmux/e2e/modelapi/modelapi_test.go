package modelapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	bash = `[{"name":"Bash","input_schema":{}}]`
	conv = `"metadata":{"user_id":"{\"session_id\":\"190e8053-6a0a-4248-8391-0ea54d8aa6b4\"}"}`
)

func newServer(t *testing.T) *modelapi.Server {
	s := modelapi.New(regexp.MustCompile("you are `(\\w+)`"))
	t.Cleanup(func() {
		s.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return s
}

// post sends a request and gives back what arrived.
func post(t *testing.T, s *modelapi.Server, body string) (int, string) {
	t.Helper()
	res, err := http.Post(s.URL()+"/v1/messages", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(raw)
}

// say posts one turn of frontend's and gives back the text of the answer.
func say(t *testing.T, s *modelapi.Server, text string) string {
	t.Helper()
	_, body := post(t, s, `{"model":"m","system":"you are `+"`frontend`"+`","tools":`+bash+`,"messages":[{"role":"user","content":"`+text+`"}]}`)
	var msg struct{ Content []struct{ Text string } }
	if err := json.Unmarshal([]byte(body), &msg); err != nil || len(msg.Content) == 0 {
		t.Fatalf("answer %s: %v", body, err)
	}
	return msg.Content[0].Text
}

func TestRulesAreTriedInOrderAndUsedUp(t *testing.T) {
	s := newServer(t)
	p := s.Persona("frontend")
	p.On(modelapi.Says("hello"), modelapi.Text("first")).Times(1)
	p.On(modelapi.Says("hello"), modelapi.Text("later"))
	for i, want := range []string{"first", "later", "later"} {
		if got := say(t, s, "hello"); got != want {
			t.Errorf("turn %d: got %q, want %q", i, got, want)
		}
	}
	if got := say(t, s, "bye"); got != modelapi.Unscripted {
		t.Errorf("turn without a rule: got %q", got)
	}
	if n := len(s.Unmatched()); n != 1 {
		t.Errorf("%d unmatched turns, want 1", n)
	}
}

func TestSideRequestsUseUpNothing(t *testing.T) {
	s := newServer(t)
	s.Persona("frontend").On(modelapi.Any(), modelapi.Text("mine")).Times(1)
	side := func(system string) string {
		_, body := post(t, s, `{"system":"you are `+"`frontend`. "+system+`","messages":[{"role":"user","content":"x"}]}`)
		return body
	}
	if got := side("Generate a concise, sentence-case title (3-7 words)"); !strings.Contains(got, `{\"title\":`) {
		t.Errorf("title request got %s", got)
	}
	if got := side("You are a security monitor for autonomous AI coding agents."); !strings.Contains(got, `severity\u003e5`) {
		t.Errorf("classifier got %s", got)
	}
	s.AnswerSide(modelapi.SideOther, modelapi.Fail(529, "overloaded_error", "busy"))
	if got := side("whatever comes next"); !strings.Contains(got, "overloaded_error") {
		t.Errorf("replaced answer: got %s", got)
	}
	if got := say(t, s, "hello"); got != "mine" {
		t.Errorf("the rule was used up by a side request: got %q", got)
	}
	if n := len(s.Requests("frontend")); n != 1 {
		t.Errorf("%d turns recorded, want 1", n)
	}
}

func TestSessionIsKnownByPromptThenByConversation(t *testing.T) {
	s := newServer(t)
	s.Persona("frontend").On(modelapi.Any(), modelapi.Text("as frontend"))
	s.Fallback().On(modelapi.Any(), modelapi.Text("as nobody"))
	sub := `{"system":"you are a subagent","tools":` + bash + `,` + conv + `,"messages":[{"role":"user","content":"x"}]}`
	if _, got := post(t, s, sub); !strings.Contains(got, "as nobody") {
		t.Errorf("before the conversation is known: %s", got)
	}
	post(t, s, `{"system":[{"type":"text","text":"first"},{"type":"text","text":"you are `+"`frontend`"+`"}],"tools":`+bash+`,`+conv+`,"messages":[{"role":"user","content":"x"}]}`)
	if _, got := post(t, s, sub); !strings.Contains(got, "as frontend") {
		t.Errorf("after the conversation is known: %s", got)
	}
}

func TestSubagentsHaveAPersonaOfTheirOwn(t *testing.T) {
	s := newServer(t)
	s.Persona("frontend").On(modelapi.Any(), modelapi.Text("as frontend"))
	s.Persona("frontend"+modelapi.Subagents).On(modelapi.Any(), modelapi.Text("as its agent"))
	say(t, s, "x")
	post(t, s, `{"system":"you are `+"`frontend`"+`","tools":`+bash+`,`+conv+`,"messages":[]}`)
	req, err := http.NewRequest(http.MethodPost, s.URL()+"/v1/messages", strings.NewReader(`{"system":"sub","tools":`+bash+`,`+conv+`,"messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Claude-Code-Agent-Id", "a1")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got, _ := io.ReadAll(res.Body); !strings.Contains(string(got), "as its agent") {
		t.Errorf("got %s", got)
	}
}

func TestStreamedToolUseArrivesInPieces(t *testing.T) {
	s := newServer(t)
	s.Persona("frontend").On(modelapi.Any(), modelapi.Text("I run it ✳"), modelapi.Use("Bash", map[string]string{"command": "ls -l"}))
	_, body := post(t, s, `{"stream":true,"system":"you are `+"`frontend`"+`","tools":`+bash+`,"messages":[{"role":"user","content":"go"}]}`)
	var kinds []string
	var text, input strings.Builder
	lines := bufio.NewScanner(strings.NewReader(body))
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type  string
			Delta struct {
				Text       string
				Partial    string `json:"partial_json"`
				StopReason string `json:"stop_reason"`
			}
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatal(err)
		}
		text.WriteString(e.Delta.Text)
		input.WriteString(e.Delta.Partial)
		kinds = append(kinds, e.Type+e.Delta.StopReason)
	}
	want := "message_start ping content_block_start content_block_delta content_block_delta content_block_stop " +
		"content_block_start content_block_delta content_block_delta content_block_stop message_deltatool_use message_stop"
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("events\n%s, want\n%s", got, want)
	}
	if text.String() != "I run it ✳" || input.String() != `{"command":"ls -l"}` {
		t.Errorf("joined: %q, %q", text.String(), input.String())
	}
}

func TestGateHoldsUntilOpenedOrLeft(t *testing.T) {
	s := newServer(t)
	gate := modelapi.NewGate()
	s.Persona("frontend").On(modelapi.Says("slow"), modelapi.Hold(gate), modelapi.Text("done"))
	answer := make(chan string, 1)
	go func() { answer <- say(t, s, "slow") }()
	<-gate.Reached()
	select {
	case got := <-answer:
		t.Fatalf("answered before the gate was opened: %q", got)
	default:
	}
	gate.Open()
	if got := <-answer; got != "done" {
		t.Errorf("got %q", got)
	}

	left := modelapi.NewGate()
	s.Persona("frontend").On(modelapi.Says("never"), modelapi.Hold(left))
	ctx, hangUp := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	body := `{"stream":true,"system":"you are ` + "`frontend`" + `","tools":` + bash + `,"messages":[{"role":"user","content":"never"}]}`
	go func() {
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/v1/messages", strings.NewReader(body))
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			_, err = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
		gone <- err
	}()
	<-left.Reached()
	hangUp()
	if err := <-gone; err == nil {
		t.Error("a client that hung up got a whole answer")
	}
}

func TestWaitFindsPastAndComingTurns(t *testing.T) {
	s := newServer(t)
	say(t, s, "early")
	if _, err := s.Wait(t.Context(), "frontend", modelapi.Says("early")); err != nil {
		t.Error(err)
	}
	found := make(chan error, 1)
	go func() {
		_, err := s.Wait(t.Context(), "frontend", modelapi.Says("late"))
		found <- err
	}()
	say(t, s, "late")
	if err := <-found; err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Wait(ctx, "frontend", modelapi.Says("never")); err == nil || !strings.Contains(err.Error(), "user: late") {
		t.Errorf("the error does not say what was sent instead: %v", err)
	}
}

func TestTokensAreCountedAndTheRestIsNotFound(t *testing.T) {
	s := newServer(t)
	for path, want := range map[string]int{"/v1/messages/count_tokens": 200, "/v1/organizations": 404} {
		res, err := http.Post(s.URL()+path, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, res.StatusCode, want)
		}
	}
	if got := s.Others(); len(got) != 1 || got[0] != "POST /v1/organizations" {
		t.Errorf("others: %v", got)
	}
	if status, body := post(t, s, "{"); status != 400 || !strings.Contains(body, "invalid_request_error") {
		t.Errorf("broken body: %d %s", status, body)
	}
}
