package supervisor

import (
	"fmt"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// recipientData is what became of a message for one recipient.
type recipientData struct {
	Peer   string        `json:"peer"`
	State  wire.Delivery `json:"state"`
	Since  time.Time     `json:"since"`
	Route  wire.Route    `json:"route,omitempty"`
	Proof  string        `json:"proof,omitempty"`
	Online bool          `json:"online"`
	Reason string        `json:"reason,omitempty"`
}

func recipientOf(s *router.State, d router.Delivery) recipientData {
	return recipientData{
		Peer: s.Name(d.Peer), State: d.State, Since: d.Since, Route: d.Route, Proof: d.Proof, Reason: d.Reason,
		Online: d.Peer == router.Human || s.Session(d.Peer).State.Running(),
	}
}

// String says what became of it, and why where there is something to say.
func (r recipientData) String() string {
	words := r.Peer + ": " + string(r.State)
	switch {
	case r.Reason != "":
		return words + " (" + wire.CleanLine(r.Reason, wire.MaxMeta) + ")"
	case !r.Online && !r.State.Ended() && r.State != wire.Seen:
		return words + " (offline: gets it on return)"
	}
	return words
}

// postedData is the structure beside the words of a send.
type postedData struct {
	MessageID  router.MessageID `json:"message_id"`
	TaskID     router.ThreadID  `json:"task_id"`
	Kind       wire.Kind        `json:"kind"`
	Room       string           `json:"room,omitempty"`
	Recipients []recipientData  `json:"recipients"`
	Replies    []mailData       `json:"replies,omitempty"` // that came while its sender waited
}

func postedOf(s *router.State, m router.Message, list []router.Delivery) postedData {
	data := postedData{MessageID: m.ID, TaskID: m.Thread, Kind: m.Kind, Room: m.Room}
	for _, d := range list {
		data.Recipients = append(data.Recipients, recipientOf(s, d))
	}
	return data
}

// postedAs has out filled with the words for a message that was just posted; it
// runs on the loop, where names and states are at hand.
func (c *conn) postedAs(out *wire.ToolResult) func(*router.State, router.Result) {
	return func(s *router.State, res router.Result) {
		data := postedOf(s, *res.Message, res.Recipients)
		*out = wire.ToolResult{Text: data.String(), Data: data}
		if data.Kind == wire.KindTask && c.role == wire.RoleChannel {
			out.Text += "\nThe answer comes as an event: tell the user, then wait; do not poll."
		}
	}
}

// String says what became of a message, recipient by recipient, and claims no
// more than is on record at this moment.
func (d postedData) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", d.Kind, d.TaskID)
	if d.Room != "" {
		fmt.Fprintf(&b, " to #%s", d.Room)
	}
	fmt.Fprintf(&b, " (message_id %s)", d.MessageID)
	for _, r := range d.Recipients {
		b.WriteString("\n" + r.String())
	}
	if len(d.Recipients) == 0 {
		b.WriteString("\nnobody else is in the room")
	}
	return b.String()
}

// posted is what became of a message by now, as far as it is in memory still.
func (c *conn) posted(id router.MessageID) (data postedData, ok bool) {
	c.s.loop.read(func(s *router.State) {
		m, there := s.Message(id)
		if !there {
			return
		}
		var list []router.Delivery
		for _, to := range m.To {
			if d, known := s.Delivery(id, to); known {
				list = append(list, d)
			}
		}
		data, ok = postedOf(s, m, list), true
	})
	return data, ok
}

type roomData struct {
	Name     string   `json:"name"`
	Members  []string `json:"members"`
	Offline  []string `json:"offline,omitempty"`
	Member   bool     `json:"member"`
	Archived bool     `json:"archived,omitempty"`
}

func roomOf(v *router.View, r router.RoomView, me router.PeerID) roomData {
	d := roomData{Name: r.Name, Members: names(v, r.Members), Archived: r.Archived}
	for _, id := range r.Members {
		if p, ok := v.Peer(id); ok && !p.Online {
			d.Offline = append(d.Offline, p.Name)
		}
		d.Member = d.Member || id == me
	}
	return d
}

func (d roomData) String() string {
	text := fmt.Sprintf("#%s: %s", d.Name, strings.Join(d.Members, ", "))
	if len(d.Members) == 0 {
		text = fmt.Sprintf("#%s: nobody", d.Name)
	}
	if len(d.Offline) > 0 {
		text += " (offline: " + strings.Join(d.Offline, ", ") + ")"
	}
	if d.Archived {
		text += " (archived)"
	}
	return text
}

func roomResult(v *router.View, res router.Result) wire.ToolResult {
	if res.Room == nil {
		return wire.ToolResult{Text: "done"}
	}
	d := roomOf(v, *res.Room, "")
	text := d.String()
	if res.Reason != "" {
		text = res.Reason + " " + text
	}
	return wire.ToolResult{Text: text, Data: d}
}

func roomList(v *router.View, me router.PeerID) wire.ToolResult {
	var lines []string
	data := []roomData{}
	for _, r := range v.Rooms {
		if r.Archived {
			continue
		}
		d := roomOf(v, r, me)
		data = append(data, d)
		line := d.String()
		if d.Member {
			line += " (you are a member)"
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		how := "tool create_room"
		if me == router.Human {
			how = "ccmux rooms create"
		}
		lines = []string{"no rooms yet (" + how + " makes one)"}
	}
	return wire.ToolResult{Text: strings.Join(lines, "\n"), Data: map[string]any{"rooms": data}}
}

type peerData struct {
	Name   string              `json:"name"`
	Class  wire.Class          `json:"class"`
	Online bool                `json:"online"`
	State  router.SessionState `json:"state,omitempty"`
	Detail string              `json:"detail,omitempty"`
	Dir    string              `json:"dir,omitempty"`
	Rooms  []string            `json:"rooms,omitempty"`
	Owes   int                 `json:"owes,omitempty"`
	Self   bool                `json:"self,omitempty"`
}

func peerOfView(p router.PeerView, me router.PeerID) peerData {
	return peerData{
		Name: p.Name, Class: p.Class, Online: p.Online, State: p.Session.State, Detail: p.Session.Detail,
		Dir: p.Dir, Rooms: p.Rooms, Owes: p.Owes, Self: p.ID == me,
	}
}

func peerList(v *router.View, me router.PeerID) wire.ToolResult {
	var lines []string
	data := []peerData{}
	for _, p := range v.Peers {
		d := peerOfView(p, me)
		data = append(data, d)
		line := d.Name
		switch {
		case d.Self:
			line += " (this is you)"
		case d.Class == wire.ClassHuman:
			line += ": the human"
		default:
			line += ": " + strings.TrimSpace(string(d.State)+" "+d.Detail)
		}
		if d.Dir != "" && d.Class == wire.ClassSession {
			line += ", in " + d.Dir
		}
		lines = append(lines, line)
	}
	return wire.ToolResult{Text: strings.Join(lines, "\n"), Data: map[string]any{"peers": data}}
}

func identity(v *router.View, me router.PeerID, project string) wire.ToolResult {
	p, _ := v.Peer(me)
	d := peerOfView(p, me)
	text := fmt.Sprintf("you are %s, in %s, project %s", d.Name, d.Dir, project)
	if len(d.Rooms) > 0 {
		text += "; rooms: " + strings.Join(d.Rooms, ", ")
	}
	return wire.ToolResult{Text: text, Data: d}
}

// unknownPeer says who there is instead.
func unknownPeer(v *router.View, name string) error {
	var known []string
	for _, p := range v.Peers {
		known = append(known, p.Name)
	}
	return &wire.Failure{Code: wire.CodeUnknown, Message: fmt.Sprintf(
		"there is no peer %q; there are: %s", wire.CleanLine(name, wire.MaxName), strings.Join(known, ", "))}
}
