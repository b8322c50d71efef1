package router

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

func pick[T any](list []T, b byte) T {
	var zero T
	if len(list) == 0 {
		return zero
	}
	return list[int(b)%len(list)]
}

func (tw *twins) pid(b byte) PeerID {
	if b%16 == 15 {
		return PeerID(fmt.Sprintf("p-%d", b))
	}
	return PeerID(fmt.Sprintf("p-%d", b%5))
}

func (tw *twins) mid(b byte) MessageID {
	if b == 255 || len(tw.posted) == 0 {
		return "m-none"
	}
	if b%4 == 0 {
		return pick(tw.posted, b/4) // also an old one
	}
	last := tw.posted[max(0, len(tw.posted)-12):]
	return pick(last, b)
}

func (tw *twins) tid(b byte) ThreadID {
	n := tw.full.next.Thread
	switch {
	case b%3 == 0 || n == 0:
		return ""
	case b%3 == 1:
		return ThreadID(fmt.Sprintf("t-%d", max(1, n-int(b/3)%4)))
	}
	return ThreadID(fmt.Sprintf("t-%d", int(b)%(n+2)))
}

func (tw *twins) nextID() MessageID { return tw.lean.newID() }

// choose makes a command of an op.
func (tw *twins) choose(o op) Command {
	a, b, c, e := o[1], o[2], o[3], o[4]
	switch o[0] % 32 {
	case 2:
		return AddPeer{Name: pick(propNames, a), Dir: "/" + pick(propNames, a)}
	case 3, 4, 5, 6, 7:
		return tw.chooseSend(o)
	case 8, 9:
		return tw.chooseRespond(o)
	case 11, 12:
		return tw.chooseOffer(a, b)
	case 13, 14:
		return Admit{Peer: tw.target(a, c), Message: tw.mid(c), MidTurn: b%3 == 0}
	case 10:
		return AdmitAll{Peer: tw.pid(a), Messages: tw.offered(tw.pid(a)), MidTurn: b%3 == 0}
	case 15:
		return Observe{Peer: tw.target(a, c), Message: tw.mid(c), Proof: "transcript", Background: b%2 == 0}
	case 16:
		return Read{Peer: tw.target(a, c), Messages: []MessageID{tw.mid(c), tw.mid(e)}, Proof: "tool"}
	case 17:
		return tw.chooseMail(o)
	case 18:
		return Remind{Peer: tw.pid(a), NewID: tw.nextID}
	case 19:
		return tw.chooseHold(o)
	case 20, 21, 22, 23:
		return tw.chooseSession(o)
	case 24, 25:
		return tw.chooseRoom(o)
	case 26, 27, 28, 29:
		return tw.choosePermission(o)
	case 30:
		return tw.choosePeer(o)
	}
	return Tick{}
}

// offered is what a peer was offered and has not seen.
func (tw *twins) offered(id PeerID) []MessageID {
	var out []MessageID
	if p := tw.full.peers[id]; p != nil {
		p.queue.each(func(del *delivery) bool {
			if del.State == wire.Offered {
				out = append(out, del.m.ID)
			}
			return true
		})
	}
	return out
}

// target is the receiver of a message, mostly.
func (tw *twins) target(a, c byte) PeerID {
	if m := tw.full.messages[tw.mid(c)]; m != nil && a%8 != 0 {
		return pick(m.To, a)
	}
	return tw.pid(a)
}

func (tw *twins) chooseSend(o op) Command {
	s := Send{
		ID: tw.nextID(), From: tw.pid(o[1]), TaskID: tw.tid(o[3]), Kind: pick([]wire.Kind{"task", "note", "task", "note", "", "reply"}, o[4]),
		Content: fmt.Sprintf("text %d <&>", o[2]),
	}
	switch o[2] % 8 {
	case 0:
		s.Room = pick([]string{"x", "#y", "z"}, o[4])
	case 1:
		s.To = []string{"*"}
	case 2:
		s.To = []string{pick(propNames, o[4]), pick(propNames, o[3])}
	default:
		s.To = []string{pick(propNames, o[2]/8)}
	}
	if o[4]%4 == 0 {
		s.ParentTaskID = tw.tid(o[2])
	}
	if o[4]%16 == 5 {
		s.ExpiresAt = tw.lean.at.Add(time.Duration(o[3]) * time.Second)
	}
	if o[4]%32 == 7 {
		yes := o[3]%2 == 0
		s.WantsReply, s.Data = &yes, json.RawMessage(`{"b": "<1>" }`)
	}
	return s
}

func (tw *twins) chooseRespond(o op) Command {
	r := Respond{
		ID: tw.nextID(), From: tw.pid(o[1]), TaskID: tw.tid(o[3]), Content: "answer",
		Status: pick([]wire.Status{"", "needs_context", "failed", "complete"}, o[4]),
	}
	if p := tw.full.peers[r.From]; p != nil && len(p.owed) > 0 && o[2]%4 != 0 {
		m := pick(tw.full.Owed(r.From), o[2]/4)
		r.TaskID = m.Thread
		if o[2]%4 == 1 {
			r.InReplyTo = m.ID
		}
	} else if o[2]%4 == 1 {
		r.InReplyTo = tw.mid(o[4])
	}
	return r
}

func (tw *twins) chooseOffer(a, b byte) Command {
	id := tw.pid(a)
	if due := tw.full.Due(id, tw.lean.at); len(due) > 0 && b%8 != 0 {
		var ids []MessageID
		for _, m := range due {
			ids = append(ids, m.ID)
		}
		return Offer{Peer: id, Messages: ids, Route: tw.full.Route(id)}
	}
	switch b % 5 {
	case 0:
		return Unoffer{Peer: id, Why: "gone"}
	case 1:
		return Unoffer{Peer: id, Messages: []MessageID{tw.mid(b)}}
	}
	return Offer{Peer: id, Messages: []MessageID{tw.mid(b)}, Route: pick([]wire.Route{"channel", "hook", "inbox", "screen", "socket"}, a)}
}

func (tw *twins) chooseMail(o op) Command {
	if o[4]%4 == 2 {
		return Unsee{Peer: tw.target(o[1], o[3]), Messages: []MessageID{tw.mid(o[3]), tw.mid(o[2])}}
	}
	if o[4]%2 == 0 {
		return Archive{Peer: tw.target(o[1], o[3]), Messages: []MessageID{tw.mid(o[3])}}
	}
	by := Actor{Kind: ByHuman}
	if o[4]%4 == 1 {
		by = Actor{Kind: ByPeer, Peer: tw.pid(o[1])}
	}
	return Withdraw{Message: tw.mid(o[3]), By: by, NewID: tw.nextID}
}

func (tw *twins) chooseHold(o op) Command {
	var mid MessageID
	var id PeerID
	room := ""
	switch o[2] % 4 {
	case 0:
		mid = tw.mid(o[3])
	case 1:
		id = tw.pid(o[1])
	case 2:
		mid, id = tw.mid(o[3]), tw.target(o[1], o[3])
	case 3:
		room = pick([]string{"x", "y", "z"}, o[1])
	}
	by := Actor{Kind: pick([]ActorKind{ByHuman, ByHuman, ByHuman, ByPeer}, o[4]/2)}
	if o[4]%3 == 0 {
		return Hold{Message: mid, Peer: id, Room: room, By: by, Why: "look"}
	}
	return Release{Message: mid, Peer: id, Room: room, By: by, NewID: tw.nextID}
}

func (tw *twins) chooseSession(o op) Command {
	id := tw.pid(o[1])
	route := pick([]wire.Route{wire.RouteChannel, wire.RouteChannel, wire.RouteSocket, wire.RouteHook}, o[3])
	running := tw.full.peers[id] != nil && tw.full.peers[id].Session.State.Running()
	if !running || o[2]%16 == 0 {
		return StartSession{SessionStarted{Peer: id, PID: 1 + int(o[3]), Started: tw.lean.at, Conversation: "c", Version: "v"}}
	}
	switch o[2] % 8 {
	case 0:
		return EndSession{SessionEnded{Peer: id, State: pick([]SessionState{Exited, Failed, Stopped}, o[3]), Detail: "code 1"}}
	case 1, 2:
		return ProveRoute{RouteProven{Peer: id, Route: route, How: "probe"}}
	case 3:
		return LoseRoute{RouteLost{Peer: id, Route: route, Why: "channels are off"}}
	}
	return SetSession{SessionStateChanged{Peer: id, State: pick([]SessionState{Idle, Busy, Idle, Busy, Asks, NeedsYou, Starting, Idle}, o[3]), Detail: pick([]string{"", "trust"}, o[4])}}
}

func (tw *twins) chooseRoom(o op) Command {
	name := pick([]string{"x", "#y", "z"}, o[3])
	switch o[2] % 4 {
	case 0:
		return CreateRoom{From: tw.pid(o[1]), Room: name, Members: []string{pick(propNames, o[4])}}
	case 1:
		return LeaveRoom{Peer: tw.pid(o[1]), Room: name}
	}
	return JoinRoom{Peer: tw.pid(o[1]), Room: name}
}

func (tw *twins) choosePermission(o op) Command {
	id := fmt.Sprintf("r-%d", max(1, tw.full.next.Permission-int(o[3])%3))
	rule := fmt.Sprintf("rule-%d", max(1, tw.full.next.Rule-int(o[3])%3))
	by := pick([]Actor{{Kind: ByHuman}, {Kind: ByRule, Rule: rule}, {Kind: ByPeer, Peer: tw.pid(o[1]), Rule: pick(bounds, o[3])}, {Kind: ByCcmux}, {}}, o[4])
	switch o[2] % 10 {
	case 0, 1, 2:
		var verdict *AnswerPermission
		if o[1]%3 == 0 {
			verdict = &AnswerPermission{Behavior: wire.Allow, By: by}
		}
		return AskPermission{Notice: tw.nextID(), Verdict: verdict, Permission: Permission{
			Peer: tw.pid(o[1]), Tool: pick([]string{"Bash", "Edit", ""}, o[3]), Source: pick([]string{"hook", "relay", "status file", "hook"}, o[4]),
			Input: json.RawMessage(fmt.Sprintf(`{"command": "ls %d <x>"}`, o[3]%3)),
		}}
	case 3, 4, 5:
		return AnswerPermission{ID: id, Behavior: pick([]wire.Behavior{wire.Allow, wire.Deny, wire.Allow}, o[1]), By: by}
	case 6:
		return ClosePermission{ID: id, How: "allowed by you"}
	case 7:
		return AddRule{Rule: Rule{Effect: pick([]string{"allow", "deny", "ask"}, o[1]), Tool: pick([]string{"Bash", "Edit", "", "B*"}, o[4]), Pattern: "ls *", Peer: pick([]string{"", "a", "e", "d", "*"}, o[3]), MaxAge: time.Duration(o[3]%2) * time.Minute}, By: by}
	case 8:
		if o[3]%2 == 0 {
			return MovePermission{ID: id, Why: "time-out"}
		}
		return RemoveRule{ID: rule, By: by}
	}
	if o[3]%8 == 0 {
		return VoidPermissions{}
	}
	return SetApprovers{Approvers: []Approver{{Session: tw.pid(o[1]), By: tw.pid(o[3]), Rule: pick(bounds, o[3]), Tool: "Bash"}}, By: by}
}

// bounds name what approvers may allow.
var bounds = []string{"bound-1", "bound-2"}

func (tw *twins) choosePeer(o op) Command {
	switch o[2] % 6 {
	case 0:
		return RemovePeer{Peer: tw.pid(o[1])}
	case 1:
		return Rename{Peer: tw.pid(o[1]), Name: pick([]string{"a", "e", "f", "g"}, o[3]), Taken: []string{"g"}}
	case 2:
		return TrustConfig{ConfigTrusted{Path: "/p", Hash: fmt.Sprint(o[3] % 3), By: Actor{Kind: ByHuman}}}
	case 3:
		return RefuseAccess{AccessRefused{Who: Actor{PID: 1}, Verb: "up", Why: "no"}}
	case 4:
		return RecordDenial{ToolDenied{Peer: tw.pid(o[1]), Tool: "Bash", What: "rm <x>", By: Actor{Kind: ByRule, Rule: "rule-1"}, Times: int(o[3])}}
	case 5:
		return RecordOutside{SaidOutside{Peer: tw.pid(o[1]), To: pick(propNames, o[3]), Text: "psst <&>"}}
	}
	return Tick{}
}
