package fake

import (
	"encoding/json"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// Names of the peers of the scene, with their ids.
const (
	Frontend router.PeerID = "p-1"
	Backend  router.PeerID = "p-2"
	Docs     router.PeerID = "p-3"
	Ops      router.PeerID = "p-4"
)

// Scene is a picture of a project at work at the time now: four sessions, a tree
// of tasks, a room and two requests.
func Scene(now time.Time) *router.View {
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	v := &router.View{Seq: 1, PerMinute: 14}
	v.Peers = []router.PeerView{
		{ID: router.Human, Name: "you", Class: wire.ClassHuman, Online: true},
		session(Frontend, "frontend", router.SessionView{State: router.Busy, Since: ago(2 * time.Minute), Mode: "default", Route: wire.RouteChannel}),
		session(Backend, "backend", router.SessionView{State: router.Asks, Detail: "Bash", Since: ago(12 * time.Second), Mode: "default", Route: wire.RouteChannel}),
		session(Docs, "docs", router.SessionView{State: router.Idle, Since: ago(25 * time.Minute), Mode: "default", RouteWhy: "channels are off"}),
		session(Ops, "ops", router.SessionView{State: router.Exited, Detail: "code 1", Since: ago(3 * time.Hour)}),
	}
	v.Peers[4].Online = false
	v.Threads = threads(now)
	v.Rooms = []router.RoomView{{
		Name: "ui", Members: []router.PeerID{Frontend, Docs, router.Human}, Updated: ago(time.Minute),
		Messages: []router.MessageView{
			message("m-20", Frontend, "t-216", wire.KindNote, "The cart page is **done**; please look at the wording.", ago(90*time.Second), "ui", Docs, router.Human),
			message("m-21", Docs, "t-216", wire.KindNote, "日本語テスト: 文言を確認します ✅", ago(60*time.Second), "ui", Frontend, router.Human),
		},
	}}
	v.Permissions = []router.PermissionView{
		Bash("r-12", Backend, "go test ./cart/...", "t-215", ago(12*time.Second)),
		Edit("r-13", Frontend, ago(4*time.Second)),
	}
	return v
}

func session(id router.PeerID, name string, s router.SessionView) router.PeerView {
	return router.PeerView{ID: id, Name: name, Class: wire.ClassSession, Dir: "/home/u/code/" + name, Session: s, Online: true}
}

func message(id router.MessageID, from router.PeerID, t router.ThreadID, k wire.Kind, text string, at time.Time, room string, to ...router.PeerID) router.MessageView {
	m := router.MessageView{Message: router.Message{ID: id, From: from, Thread: t, Kind: k, Content: text, At: at, Room: room, To: to}}
	for _, p := range to {
		m.Deliveries = append(m.Deliveries, router.Delivery{Peer: p, State: wire.Seen, Since: at, Route: wire.RouteChannel, Proof: "gate"})
	}
	return m
}

func threads(now time.Time) []router.ThreadView {
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	first := message("m-1", router.Human, "t-214", wire.KindTask, "Make the cart survive a reload.\n\n* keep it in the **session**\n* see `cart/store.go`\n\n```go\nfunc (s *Store) Load(id string) (Cart, error)\n```", ago(9*time.Minute), "", Frontend)
	sub := message("m-2", Frontend, "t-215", wire.KindTask, "Add `GET /cart` that returns the stored cart.", ago(5*time.Minute), "", Backend)
	docs := message("m-3", Backend, "t-217", wire.KindTask, "Describe GET /cart in api.md", ago(4*time.Minute), "", Docs)
	docs.Deliveries[0].State = wire.Answered
	reply := message("m-4", Docs, "t-217", wire.KindReply, "Done, see api.md §3.", ago(3*time.Minute), "", Backend)
	room := message("m-20", Frontend, "t-216", wire.KindNote, "The cart page is done", ago(90*time.Second), "ui", Docs, router.Human)
	return []router.ThreadView{
		{ID: "t-214", Children: []router.ThreadID{"t-215", "t-216"}, Title: "Make the cart survive a reload.", From: router.Human, To: []router.PeerID{Frontend}, State: wire.Seen, Open: true, Since: ago(8 * time.Minute), Updated: ago(9 * time.Minute), Owes: []router.Obligation{{Message: "m-1", By: Frontend, To: router.Human, Since: ago(9 * time.Minute)}}, Messages: []router.MessageView{first}},
		{ID: "t-215", Parent: "t-214", Children: []router.ThreadID{"t-217"}, Depth: 1, Title: "Add GET /cart", From: Frontend, To: []router.PeerID{Backend}, State: wire.Seen, Open: true, Since: ago(5 * time.Minute), Updated: ago(5 * time.Minute), Owes: []router.Obligation{{Message: "m-2", By: Backend, To: Frontend, Since: ago(5 * time.Minute)}}, Messages: []router.MessageView{sub}},
		{ID: "t-217", Parent: "t-215", Depth: 2, Title: "Describe GET /cart", From: Backend, To: []router.PeerID{Docs}, State: wire.Answered, Since: ago(3 * time.Minute), Updated: ago(3 * time.Minute), Messages: []router.MessageView{docs, reply}},
		{ID: "t-216", Parent: "t-214", Depth: 1, Title: "The cart page is done", From: Frontend, To: []router.PeerID{Docs, router.Human}, Room: "ui", State: wire.Seen, Since: ago(time.Minute), Updated: ago(time.Minute), Messages: []router.MessageView{room}},
	}
}

// Bash is a request to run a command.
func Bash(id string, p router.PeerID, command string, t router.ThreadID, asked time.Time) router.PermissionView {
	in, _ := json.Marshal(map[string]string{"command": command, "description": "Run the tests of the cart"})
	return router.PermissionView{Permission: router.Permission{
		ID: id, Peer: p, Tool: "Bash", Input: in, Dir: "/home/u/code/api", Asked: asked, Source: "hook", Threads: []router.ThreadID{t, "t-214"}, Lasting: true,
	}}
}

// Edit is a request to change a file.
func Edit(id string, p router.PeerID, asked time.Time) router.PermissionView {
	in, _ := json.Marshal(map[string]any{
		"file_path":  "/home/u/code/frontend/cart.ts",
		"old_string": "export function load() {\n  return {}\n}\n",
		"new_string": "export async function load(id: string) {\n  const r = await fetch(`/cart/${id}`)\n  return r.json()\n}\n",
	})
	return router.PermissionView{Permission: router.Permission{
		ID: id, Peer: p, Tool: "Edit", Input: in, Dir: "/home/u/code/frontend", Asked: asked, Source: "hook", Threads: []router.ThreadID{"t-214"}, Lasting: true,
	}}
}

// Text is what a session's terminal shows in the scene: words, colours, emoji
// and wide characters.
func Text(name string) string {
	return "\x1b[38;5;174m ▐▛███▜▌\x1b[m   \x1b[1mClaude Code\x1b[m (" + name + ", not a real one)\r\n" +
		"\x1b[38;5;174m▝▜█████▛▘\x1b[m  ~/code/" + name + "\r\n\r\n" +
		"● I will look at the cart first. ➡️ ⚠️ 1️⃣ 👩‍💻 👨‍👩‍👧‍👦 🇩🇪 👍🏽\r\n" +
		"● \x1b[1mBash\x1b[m(go test ./cart/...)\r\n  ⎿  ok  日本語テスト ABC 한국어 ｆｕｌｌ\r\n\r\n" +
		"\x1b[2m────────────────────────────────────────\x1b[m\r\n> \x1b[7m \x1b[m\r\n"
}

// Fill runs terminals for the sessions of the scene.
func (d *Door) Fill() {
	for _, p := range d.View().Peers {
		if p.Class == wire.ClassSession {
			pane := d.Run(p.ID, 80, 24)
			pane.Feed(Text(p.Name))
		}
	}
}

// Answered returns v without the request id, and with its session busy.
func Answered(v *router.View, id string, now time.Time) *router.View {
	next := *v
	next.Seq++
	next.Permissions = nil
	next.Peers = append([]router.PeerView(nil), v.Peers...)
	for _, p := range v.Permissions {
		if p.ID != id {
			next.Permissions = append(next.Permissions, p)
			continue
		}
		for i := range next.Peers {
			if next.Peers[i].ID == p.Peer {
				next.Peers[i].Session.State, next.Peers[i].Session.Since = router.Busy, now
			}
		}
	}
	return &next
}
