package channel

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/ccmux/ccmux/channel/wire"
)

// The schemas below are built anew for each tool, so that none shares a part
// with another.

func str(about string) *schema { return &schema{Type: "string", About: about} }

func text(about string) *schema { return &schema{Type: "string", About: about, MinLength: 1} }

// name is that of a peer or room, perhaps qualified by where it comes from; ccmux
// knows which names are good ones.
func name(about string) *schema {
	return &schema{Type: "string", About: about, MinLength: 1, MaxLength: 2*wire.MaxName + 1}
}

func count(least, most int64, about string) *schema {
	return &schema{Type: "integer", About: about, Minimum: &least, Maximum: &most}
}

func boolean(about string) *schema { return &schema{Type: "boolean", About: about} }

func list(least int, about string) *schema {
	return &schema{Type: "array", About: about, Items: text(""), MinItems: least, MaxItems: wire.MaxTargets}
}

func oneOf[T ~string](about string, values ...T) *schema {
	s := &schema{Type: "string", About: about}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

// data is JSON that goes along with the text.
func data() *schema {
	return &schema{
		About: fmt.Sprintf("structured data for the receiver, at most %d KiB", wire.MaxData>>10),
		AnyOf: []*schema{{Type: "object"}, {Type: "array"}},
	}
}

// args are the arguments of a tool.
type args map[string]*schema

// sendArgs holds what every send has in common, and to what goes where.
func sendArgs(about, key string, to *schema) args {
	return args{
		key:              to,
		"content":        text("the message; Markdown; at most 1 MiB"),
		"kind":           oneOf("task: do this and answer. note: for your information, no answer due (default). "+about, wire.KindTask, wire.KindNote),
		"task_id":        str("to go on in an existing thread"),
		"parent_task_id": str("the task this one serves, when you delegate a part of it"),
		"subject":        &schema{Type: "string", MaxLength: wire.MaxMeta, About: "one line"},
		"data":           data(),
		"expects_reply":  boolean("whether you wait for an answer; a task always has one"),
		"expires_in":     count(0, 365*24*3600, "seconds after which it is not delivered any more; 0: never"),
		"await_reply":    count(0, wire.MaxAwait, "seconds to wait here for the answer; if it comes later it comes as an event"),
	}
}

// tool describes one tool. Required arguments are named in need.
type tool struct {
	name, about string
	args        args
	need        []string
	reads       bool // changes nothing
}

// schema is that of the arguments.
func (t tool) schema() *schema {
	closed := false
	return &schema{Type: "object", Properties: t.args, Required: t.need, Closed: &closed}
}

// mcpTool turns t into the library's form.
func (t tool) mcpTool() (mcp.Tool, error) {
	raw, err := json.Marshal(t.schema())
	if err != nil {
		return mcp.Tool{}, fmt.Errorf("write the schema of %s: %w", t.name, err)
	}
	out := mcp.NewToolWithRawSchema(t.name, t.about, raw)
	out.Annotations = mcp.ToolAnnotation{Title: strings.ReplaceAll(t.name, "_", " "), ReadOnlyHint: &t.reads}
	return out, nil
}

// tools lists every tool of the protocol.
func tools() []tool {
	return slices.Concat(sendTools(), roomTools(), peerTools(), mailTools())
}

func sendTools() []tool {
	return []tool{
		{
			name: wire.ToolSendToPeer, about: "Send a task or a note to one peer. The result says what became of it.",
			args: sendArgs("In doubt: task.", "to", name("the peer's name; \"you\" is the human")),
			need: []string{"to", "content"},
		}, {
			name: wire.ToolSendToPeers, about: "Send the same task or note to several peers at once; all get one task_id, and their replies come in one thread. Better than a loop.",
			args: sendArgs("In doubt: task.", "to", &schema{About: "names, or \"*\" for every peer", AnyOf: []*schema{list(1, ""), name("")}}),
			need: []string{"to", "content"},
		}, {
			name: wire.ToolSendToRoom, about: "Post to a room you are a member of. Members that are offline get it when they return.",
			args: sendArgs("In a room a task asks every member.", "room", name("the room's name")),
			need: []string{"room", "content"},
		}, {
			name: wire.ToolRespondToPeer, about: "Answer a task. It goes to the peer that set it, privately, also when the task came through a room.",
			args: args{
				"task_id":     text("the task_id of the event you answer"),
				"content":     text("the answer: what was done, and what was found"),
				"status":      oneOf("complete (default); needs_context: you ask back and the task stays open; failed", wire.StatusComplete, wire.StatusNeedsContext, wire.StatusFailed),
				"data":        data(),
				"in_reply_to": str("the message_id, when several tasks are open in the thread"),
			},
			need: []string{"task_id", "content"},
		},
	}
}

func roomTools() []tool {
	room := func() args { return args{"room": name("the room's name")} }
	return []tool{
		{
			name: wire.ToolCreateRoom, about: "Make a room with you in it.",
			args: args{"name": name("letters, digits, _ . -"), "members": list(0, "peers to put in from the start")},
			need: []string{"name"},
		},
		{name: wire.ToolJoinRoom, about: "Join a room; it is made when there is none.", args: room(), need: []string{"room"}},
		{name: wire.ToolLeaveRoom, about: "Leave a room. The last one to leave archives it.", args: room(), need: []string{"room"}},
		{name: wire.ToolListRooms, about: "List the rooms and their members.", reads: true},
	}
}

func peerTools() []tool {
	return []tool{
		{name: wire.ToolListPeers, about: "List the peers: name, what each is doing, how it can be reached.", reads: true},
		{name: wire.ToolWhoami, about: "Your own name, folder, rooms and open tasks.", reads: true},
		{
			name: wire.ToolRegister, about: "Take another name for this session. The human is told.",
			args: args{"name": &schema{Type: "string", MinLength: 1, MaxLength: wire.MaxName, About: "letters, digits, _ . -"}},
			need: []string{"name"},
		},
		{
			name: wire.ToolRespondPermission, about: "Answer a perm-request event that was sent to you as an approver. High trust: when in doubt deny, and say why.",
			args: args{
				"peer":       name("who asks"),
				"request_id": text("the request_id of the event"),
				"behavior":   oneOf("the answer", wire.Allow, wire.Deny),
				"reason":     str("why; the peer reads it"),
			},
			need: []string{"peer", "request_id", "behavior"},
		},
	}
}

func mailTools() []tool {
	ids := func() args { return args{"message_ids": list(1, "message_id of each")} }
	page := func() *schema {
		return count(1, 200, fmt.Sprintf("how many; %d when left out", wire.PageSize))
	}
	return []tool{
		{
			name: wire.ToolInbox, about: "Read your mail, newest first. Use it when you are told that you have mail.",
			args: args{"unread": boolean("only what you did not read yet"), "limit": page()},
		},
		{
			name: wire.ToolWatch, about: "Wait until there is mail and return it. Only when you have nothing else to do: mail also comes by itself.",
			args: args{"timeout": count(0, wire.MaxWatch, "seconds; 60 when left out")},
		},
		{name: wire.ToolAck, about: "Mark mail as read.", args: ids(), need: []string{"message_ids"}},
		{name: wire.ToolArchive, about: "Take mail out of the inbox. History keeps it.", args: ids(), need: []string{"message_ids"}},
		{
			name: wire.ToolHistory, about: "Search past messages, newest first. All that is given must match.",
			args: args{
				"peer": str("from or to this peer"), "room": str("in this room"), "task_id": str("in this thread"),
				"text": str("words"), "limit": page(), "before": str("a message_id: only what is older"),
			},
			reads: true,
		},
	}
}
