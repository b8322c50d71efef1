package channel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// runHook runs one hook against the fake and returns what claude reads.
func runHook(t *testing.T, f *fakeCcmux, event, input string) string {
	t.Helper()
	return runHookIn(t, HookConfig{Socket: "fake", Event: event, In: strings.NewReader(input), dial: f.dial})
}

func runHookIn(t *testing.T, cfg HookConfig) string {
	t.Helper()
	var out bytes.Buffer
	cfg.Out = &out
	if exit := RunHook(t.Context(), cfg); exit != 0 {
		t.Errorf("%s exits with %d", cfg.Event, exit)
	}
	if s := out.String(); s != "" && (!strings.HasSuffix(s, "\n") || strings.Count(s, "\n") != 1) {
		t.Errorf("%s writes %q; want one line", cfg.Event, s)
	}
	return strings.TrimSpace(out.String())
}

func TestVerdictsAreWrittenAsClaudeReadsThem(t *testing.T) {
	for _, tt := range []struct {
		event string
		v     wire.HookVerdict
		want  string
	}{
		{"UserPromptSubmit", wire.HookVerdict{}, ``},
		{"UserPromptSubmit", wire.HookVerdict{Action: wire.HookBlock, Reason: "ccmux: channel works"}, `{"decision":"block","reason":"ccmux: channel works"}`},
		{"UserPromptSubmit", wire.HookVerdict{Action: wire.HookBlock}, `{"decision":"block","reason":"ccmux: not now"}`},
		{"UserPromptSubmit", wire.HookVerdict{Action: wire.HookInject, Reason: "mail"}, `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"mail"}}`},
		{"UserPromptSubmit", wire.HookVerdict{Action: wire.HookDeny, Reason: "x"}, ``},
		{"SessionStart", wire.HookVerdict{Action: wire.HookInject, Reason: "hi"}, `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"hi"}}`},
		{"SessionStart", wire.HookVerdict{Action: wire.HookBlock, Reason: "hi"}, ``},
		{"PreToolUse", wire.HookVerdict{Action: wire.HookDeny, Reason: "rule 3"}, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rule 3"}}`},
		{"PreToolUse", wire.HookVerdict{Action: wire.HookAsk}, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"a rule of ccmux"}}`},
		{"PreToolUse", wire.HookVerdict{Action: wire.HookAllow}, ``},
		{"PreToolUse", wire.HookVerdict{Action: wire.HookBlock, Reason: "x"}, ``},
		{"PermissionRequest", wire.HookVerdict{Action: wire.HookAllow}, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`},
		{
			"PermissionRequest",
			wire.HookVerdict{Action: wire.HookAllow, Updated: json.RawMessage(`[{"type":"addRules"}]`)},
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedPermissions":[{"type":"addRules"}]}}}`,
		},
		{"PermissionRequest", wire.HookVerdict{Action: wire.HookAllow, Updated: json.RawMessage(`{"type":"x"}`)}, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`},
		{"PermissionRequest", wire.HookVerdict{Action: wire.HookDeny, Reason: "no"}, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}`},
		{"PermissionRequest", wire.HookVerdict{Action: wire.HookDeny}, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"denied through ccmux"}}}`},
		{"PermissionRequest", wire.HookVerdict{}, ``},
		{"PermissionRequest", wire.HookVerdict{Action: wire.HookAsk}, ``},
		{"Stop", wire.HookVerdict{Action: wire.HookBlock, Reason: "mail"}, `{"decision":"block","reason":"mail"}`},
		{"Stop", wire.HookVerdict{Action: wire.HookBlock}, ``},
		{"SubagentStop", wire.HookVerdict{Action: wire.HookBlock, Reason: "mail"}, `{"decision":"block","reason":"mail"}`},
		{"PostToolUse", wire.HookVerdict{Action: wire.HookBlock, Reason: "x"}, ``},
		{"SessionEnd", wire.HookVerdict{Action: wire.HookInject, Reason: "x"}, ``},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t)
			f.hook = func(wire.HookCall) (wire.HookVerdict, error) { return tt.v, nil }
			if got := runHook(t, f, tt.event, `{}`); got != tt.want {
				t.Errorf("%s %+v:\n have %s\n want %s", tt.event, tt.v, got, tt.want)
			}
		})
	}
}

func TestHookReportsWhatClaudeSaid(t *testing.T) {
	f := newFake(t)
	calls := make(chan wire.HookCall, 1)
	f.hook = func(c wire.HookCall) (wire.HookVerdict, error) { calls <- c; return wire.HookVerdict{}, nil }
	dir := t.TempDir()
	file := filepath.Join(dir, "session.json")
	if err := WriteSessionFile(file, SessionFile{Socket: f.listen(), Credential: "secret", Peer: "frontend"}); err != nil {
		t.Fatal(err)
	}
	input := `{"hook_event_name":"PermissionRequest","n":12345678901234567890,"last_assistant_message":"a <b> & c"}`
	if got := runHookIn(t, HookConfig{SessionFile: file, Build: "1.2", Event: "PermissionRequest", In: strings.NewReader(input + "\n")}); got != "" {
		t.Errorf("it wrote %q", got)
	}
	call := <-calls
	var got, want any
	if err := errors.Join(json.Unmarshal(call.Input, &got), json.Unmarshal([]byte(input), &want)); err != nil {
		t.Fatal(err)
	}
	if call.Event != "PermissionRequest" || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("ccmux got %s %s", call.Event, call.Input)
	}
	if h := (<-f.conns).hello; h.Role != wire.RoleHook || h.Credential != "secret" || h.Protocol != wire.Protocol || h.Build != "1.2" {
		t.Errorf("hello: %+v", h)
	}
}

// ownEvent is a prompt that is one of our own channel events.
var ownEvent = func() string {
	raw, _ := json.Marshal(map[string]string{"prompt": wire.TagPrefix + ` sender="backend">` + "\nhi\n</channel>"})
	return string(raw)
}()

func TestHookWithoutAnswerStaysOpenForItsTime(t *testing.T) {
	const ask = `"permissionDecision":"ask"`
	for _, tt := range []struct {
		event, input string
		deny         bool
		want         time.Duration
		says         string
	}{
		{"UserPromptSubmit", ownEvent, false, 5 * time.Second, ""},
		{"UserPromptSubmit", `{"prompt":"by hand"}`, false, 500 * time.Millisecond, ""},
		{"PreToolUse", `{}`, false, 2 * time.Second, ""},
		{"PreToolUse", `{}`, true, 2 * time.Second, ask},
		{"PostToolUse", `{}`, true, 2 * time.Second, ""},
		{"Stop", `{}`, true, 2 * time.Second, ""},
		{"SessionEnd", `{}`, true, 2 * time.Second, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t)
			f.hook = func(wire.HookCall) (wire.HookVerdict, error) { return wire.HookVerdict{}, errSilence }
			file := filepath.Join(t.TempDir(), "session.json")
			if err := wire.SetDenyRules(file, tt.deny); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			got := runHookIn(t, HookConfig{SessionFile: file, Socket: "fake", Event: tt.event, In: strings.NewReader(tt.input), dial: f.dial})
			if d := time.Since(start); d != tt.want {
				t.Errorf("%s %s: took %v; want %v", tt.event, tt.input, d, tt.want)
			}
			if (tt.says == "") != (got == "") || !strings.Contains(got, tt.says) {
				t.Errorf("%s, deny rules %v: wrote %q", tt.event, tt.deny, got)
			}
		})
	}
}

func TestPermissionRequestWaitsAsLongAsCcmuxHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.hook = func(wire.HookCall) (wire.HookVerdict, error) {
			<-time.After(23 * time.Hour)
			return wire.HookVerdict{Action: wire.HookAllow}, nil
		}
		if got := runHook(t, f, "PermissionRequest", `{}`); !strings.Contains(got, `"allow"`) {
			t.Errorf("a day later it wrote %q", got)
		}
		start := time.Now()
		f.hook = func(wire.HookCall) (wire.HookVerdict, error) {
			<-time.After(time.Hour)
			<-f.conns // the one before
			(<-f.conns).Close()
			return wire.HookVerdict{}, errSilence
		}
		if got := runHook(t, f, "PermissionRequest", `{}`); got != "" || time.Since(start) != time.Hour {
			t.Errorf("after ccmux hung up it wrote %q, %v later", got, time.Since(start))
		}
	})
}

func TestHookThatIsToldToEndSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		ctx, cancel := context.WithCancel(t.Context())
		f.hook = func(wire.HookCall) (wire.HookVerdict, error) { cancel(); return wire.HookVerdict{}, errSilence }
		file := filepath.Join(t.TempDir(), "session.json")
		if err := wire.SetDenyRules(file, true); err != nil {
			t.Fatal(err)
		}
		for _, event := range []string{"PermissionRequest", "PreToolUse"} {
			var out bytes.Buffer
			start := time.Now()
			exit := RunHook(ctx, HookConfig{SessionFile: file, Socket: "fake", Event: event, In: strings.NewReader(`{}`), Out: &out, dial: f.dial})
			if exit != 0 || out.Len() > 0 || time.Since(start) != 0 {
				t.Errorf("%s: exit %d, %q, after %v", event, exit, out.String(), time.Since(start))
			}
		}
	})
}

func TestHookFailsOpenButNotPastRulesThatDeny(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refuse := newFake(t)
		refuse.deny = &wire.Failure{Code: wire.CodeDenied, Message: "who are you"}
		fail := newFake(t)
		fail.hook = func(wire.HookCall) (wire.HookVerdict, error) { return wire.HookVerdict{}, errors.New("disk full") }
		nobody := func(context.Context, SessionFile) (net.Conn, error) { return nil, errors.New("nobody listens") }
		for name, dial := range map[string]dialer{"refused": refuse.dial, "failed": fail.dial, "unreachable": nobody} {
			for _, event := range []string{"UserPromptSubmit", "PermissionRequest", "Stop", "PreToolUse"} {
				for _, deny := range []bool{false, true} {
					file := filepath.Join(t.TempDir(), "session.json")
					if err := wire.SetDenyRules(file, deny); err != nil {
						t.Fatal(err)
					}
					got := runHookIn(t, HookConfig{SessionFile: file, Socket: "fake", Event: event, In: strings.NewReader(`{}`), dial: dial})
					if asks := strings.Contains(got, `"ask"`); asks != (deny && event == "PreToolUse") || !asks && got != "" {
						t.Errorf("%s %s, deny rules %v: %q", name, event, deny, got)
					}
				}
			}
		}
		if got := runHookIn(t, HookConfig{SessionFile: filepath.Join(t.TempDir(), "none", "session.json"), Event: "PreToolUse", In: strings.NewReader(`{}`)}); got != "" {
			t.Errorf("without a session it wrote %q", got)
		}
	})
}

func TestInputThatIsNotClaudesIsNoVerdict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.hook = func(c wire.HookCall) (wire.HookVerdict, error) {
			if string(c.Input) != "{}" {
				t.Errorf("ccmux got %.50s", c.Input)
			}
			return wire.HookVerdict{Action: wire.HookDeny}, nil
		}
		if got := runHook(t, f, "PreToolUse", "  \n"); !strings.Contains(got, "deny") {
			t.Errorf("no input at all: %q", got)
		}
		for _, input := range []string{`{"a":`, `no`, `{} {}`} {
			if got := runHook(t, f, "PreToolUse", input); got != "" {
				t.Errorf("%s: %q", input, got)
			}
		}
		got := runHookIn(t, HookConfig{Socket: "fake", Event: "PreToolUse", In: io.MultiReader(strings.NewReader(`{"a":1`), brokenReader{}), dial: f.dial})
		if got != "" {
			t.Errorf("a broken pipe: %q", got)
		}
	})
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

func TestPanicIsNotAVeto(t *testing.T) {
	exit := RunHook(t.Context(), HookConfig{Socket: "fake", Event: "Stop", In: strings.NewReader(`{}`), dial: func(context.Context, SessionFile) (net.Conn, error) {
		panic("bug")
	}})
	if exit != 1 {
		t.Errorf("exits with %d", exit)
	}
}

func TestLongInputIsCutForReportsAndNeverForJudgement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("<", maxHookFrame/2) // six bytes each in a frame
		input := `{"hook_event_name":"x","tool_name":"Write","tool_input":{"a":1},"tool_response":"` + long + `"}`
		f := newFake(t)
		calls := make(chan wire.HookCall, 1)
		f.hook = func(c wire.HookCall) (wire.HookVerdict, error) { calls <- c; return wire.HookVerdict{}, nil }
		runHook(t, f, "PostToolUse", input)
		var got map[string]any
		if err := json.Unmarshal((<-calls).Input, &got); err != nil {
			t.Fatal(err)
		}
		if want := "map[ccmux_dropped:[tool_response] hook_event_name:x tool_input:map[a:1] tool_name:Write]"; fmt.Sprint(got) != want {
			t.Errorf("ccmux got %.200v", got)
		}
		for _, event := range []string{"PreToolUse", "PermissionRequest"} {
			file := filepath.Join(t.TempDir(), "session.json")
			if err := wire.SetDenyRules(file, true); err != nil {
				t.Fatal(err)
			}
			got := runHookIn(t, HookConfig{SessionFile: file, Socket: "fake", Event: event, In: strings.NewReader(input), dial: f.dial})
			if asks := strings.Contains(got, `"ask"`); asks != (event == "PreToolUse") {
				t.Errorf("%s: %q", event, got)
			}
		}
		if len(calls) != 0 {
			t.Errorf("half a request was reported: %.100s", (<-calls).Input)
		}
		plain := `{"tool_input":"` + strings.Repeat("x", maxHookFrame/2) + `"}`
		runHook(t, f, "PreToolUse", plain)
		if n := len((<-calls).Input); n != len(plain) {
			t.Errorf("%d of %d bytes were reported", n, len(plain))
		}
	})
}
