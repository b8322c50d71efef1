package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

const (
	someMessage = router.MessageID("0196f1c2-7a53-7bd4-9d5e-3f2a51c0aa10")
	someShort   = "0196f1c2-7a53-7bd4"
)

// told are events with their sentences.
func told() map[string]router.Body {
	you := router.Actor{Kind: router.ByHuman, PID: 7, Exe: "/bin/ccmux", TTY: "pts/1"}
	rule := router.Actor{Kind: router.ByRule, Rule: "rule-1"}
	m := router.Message{
		ID: someMessage, From: "p-0", To: []router.PeerID{"p-1", "p-2"}, Thread: "t-1", Kind: wire.KindTask, Room: "ui",
		Subject: "About it", Content: "first\nsecond \x1b[31m", Replaces: someMessage, By: &you,
	}
	what := "task t-1 [" + someShort + "]"
	return map[string]router.Body{
		"api joined, in /api":              router.PeerJoined{ID: "p-1", Name: "api", Dir: "/api"},
		"api left":                         router.PeerLeft{ID: "p-1"},
		"api is named back now":            router.PeerRenamed{ID: "p-1", Old: "api", New: "back"},
		"api made #ui with api, web":       router.RoomCreated{Room: "ui", By: "p-1", Members: []router.PeerID{"p-1", "p-2"}},
		"api joined #ui":                   router.RoomJoined{Room: "ui", Peer: "p-1"},
		"api left #ui":                     router.RoomLeft{Room: "ui", Peer: "p-1"},
		"#ui is archived: nobody is in it": router.RoomArchived{Room: "ui"},
		"you → #ui (api, web), " + what + ": About it: first second [31m (in place of " + someShort + ", by you (process 7 /bin/ccmux pts/1))": router.Posted{Message: m},
		"you → api, " + what + ", a reminder by ccmux: do it": router.Posted{Message: router.Message{
			ID: someMessage, From: "p-0", To: []router.PeerID{"p-1"}, Thread: "t-1", Kind: wire.KindTask, Content: "do it", Reminder: true,
		}},
		what + " to api was offered by channel":           router.Offered{Message: someMessage, Peer: "p-1", Route: wire.RouteChannel},
		"api saw " + what + " (gate)":                     router.Seen{Message: someMessage, Peer: "p-1", Proof: "gate"},
		"api answered " + what:                            router.Answered{Message: someMessage, Peer: "p-1", Reply: "x"},
		what + " to api waits: api is busy":               router.Waiting{Message: someMessage, Peer: "p-1", For: "api is busy"},
		"everything in #ui is held by you: wait":          router.Held{Room: "ui", By: router.Actor{Kind: router.ByHuman}, Why: "wait"},
		"everything to api was released by ccmux":         router.Released{Peer: "p-1", By: router.Actor{Kind: router.ByCcmux}},
		what + " to api expired":                          router.Expired{Message: someMessage, Peer: "p-1"},
		what + " to api was refused: api left":            router.Refused{Message: someMessage, Peer: "p-1", Why: "api left"},
		what + " to api was withdrawn by web":             router.Withdrawn{Message: someMessage, Peer: "p-1", By: router.Actor{Kind: router.ByPeer, Peer: "p-2"}},
		"api read " + what:                                router.MailRead{Message: someMessage, Peer: "p-1"},
		"api archived " + what:                            router.MailArchived{Message: someMessage, Peer: "p-1"},
		"r-1 api asks to use Bash: ls":                    router.PermissionAsked{Permission: router.Permission{ID: "r-1", Peer: "p-1", Tool: "Bash", Input: []byte(`{"command":"ls"}`)}},
		"r-1 deny by rule rule-1: deny Bash":              router.PermissionAnswered{ID: "r-1", Behavior: wire.Deny, By: rule, Why: "rule-1: deny Bash"},
		"r-1 its time was over":                           router.PermissionMoved{ID: "r-1", Why: "its time was over"},
		"r-1 void":                                        router.PermissionClosed{ID: "r-1", How: "void"},
		"api was denied Bash: rm x, by rule-1: deny":      router.ToolDenied{Peer: "p-1", Tool: "Bash", What: "rm x", By: rule, Why: "rule-1: deny"},
		"rule-1: deny Bash rm * for api (card), by ccmux": router.RuleAdded{Rule: router.Rule{ID: "rule-1", Effect: "deny", Tool: "Bash", Pattern: "rm *", Peer: "p-1", Source: "card"}, By: router.Actor{Kind: router.ByCcmux}},
		"rule-1 by ccmux":                                 router.RuleRemoved{ID: "rule-1", By: router.Actor{Kind: router.ByCcmux}},
		"none: only you answer requests, by ccmux":        router.ApproversSet{By: router.Actor{Kind: router.ByCcmux}},
		"up by api: no":                                   router.AccessRefused{Who: router.Actor{Kind: router.ByPeer, Peer: "p-1"}, Verb: "up", Why: "no"},
		"/p by you":                                       router.ConfigTrusted{Path: "/p", By: router.Actor{Kind: router.ByHuman}},
		"api runs as process 9":                           router.SessionStarted{Peer: "p-1", PID: 9},
		"api is busy: Bash":                               router.SessionStateChanged{Peer: "p-1", State: router.Busy, Detail: "Bash"},
		"api was stopped, and left 1 processes behind":    router.SessionEnded{Peer: "p-1", State: router.Stopped, Survivors: []int{3}},
		"api is reached by channel: the probe":            router.RouteProven{Peer: "p-1", Route: wire.RouteChannel, How: "the probe"},
		"api → web, outside ccmux: psst":                  router.SaidOutside{Peer: "p-1", To: "web", Text: "psst"},
		"api is not reached by channel any more: gone":    router.RouteLost{Peer: "p-1", Route: wire.RouteChannel, Why: "gone"},
	}
}

// TestEveryEventIsASentence: with names, on one clean line, and no colours where
// it is not looked at on a terminal.
func TestEveryEventIsASentence(t *testing.T) {
	n := newNarrator(false)
	n.coloured = false
	n.known[someMessage] = "task t-1"
	types := map[string]bool{}
	for want, body := range told() {
		_, raw, err := router.EncodeBody(body)
		if err != nil {
			t.Fatal(err)
		}
		e := wire.Event{Type: router.Event{Body: body}.Type(), Body: raw, Names: map[string]string{"p-0": "you", "p-1": "api", "p-2": "web"}}
		types[e.Type] = true
		if got := n.sentence(e); got != want {
			t.Errorf("%s:\n got %q\nwant %q", e.Type, got, want)
		}
		if line := n.line(e); strings.ContainsAny(line, "\x1b\n") {
			t.Errorf("%s: not one clean line: %q", e.Type, line)
		}
	}
	for _, typ := range eventTypes(t) {
		if !types[typ] {
			t.Errorf("no sentence is tried for %s", typ)
		}
	}
	if got := n.sentence(wire.Event{Type: "Teleported", Body: []byte(`{"peer":"p-1"}`)}); got != `{"peer":"p-1"}` {
		t.Errorf("an event of a later ccmux is %q", got)
	}
}

// eventTypes are the names of all events, as the router's own file has them.
func eventTypes(t *testing.T) (types []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../../supervisor/router/closed.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "eventType" {
			types = append(types, fn.Recv.List[0].Type.(*ast.Ident).Name)
		}
	}
	return types
}

func TestColoursAreForTerminals(t *testing.T) {
	n := newNarrator(false)
	if n.coloured {
		t.Error("the output of a test is no terminal, and gets colours")
	}
	n.coloured = true
	if line := n.line(wire.Event{Type: "SessionStateChanged", Body: []byte(`{"peer":"p-1","state":"busy"}`)}); !strings.HasPrefix(line, "\x1b[2m") || !strings.HasSuffix(line, "\x1b[22m") {
		t.Errorf("noise is not dim: %q", line)
	}
}
