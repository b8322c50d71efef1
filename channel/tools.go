package channel

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/ccmux/ccmux/channel/wire"
)

// schema is a JSON schema, as far as tools need it.
type schema map[string]any

func str(about string) schema { return schema{"type": "string", "description": about} }

func text(about string) schema {
	return schema{"type": "string", "minLength": 1, "description": about}
}

func name(about string) schema {
	return schema{"type": "string", "minLength": 1, "maxLength": 2*wire.MaxName + 1, "description": about}
}

func seconds(most int, about string) schema {
	return schema{"type": "integer", "minimum": 0, "maximum": most, "description": about}
}

func names(about string, least int) schema {
	return schema{"type": "array", "items": schema{"type": "string", "minLength": 1}, "minItems": least, "maxItems": wire.MaxTargets, "description": about}
}

func oneOf(about string, values ...any) schema {
	return schema{"type": "string", "enum": values, "description": about}
}

// data is JSON that goes along with the text.
func data() schema {
	return schema{"type": []string{"object", "array"}, "description": fmt.Sprintf("structured data for the receiver, at most %d KiB", wire.MaxData>>10)}
}

// message holds what every send has in common.
func message(about string) schema {
	return schema{
		"content":        text("the message; Markdown; at most 1 MiB"),
		"kind":           oneOf("task: do this and answer. note: for your information, no answer due (default). "+about, wire.KindTask, wire.KindNote),
		"task_id":        str("to go on in an existing thread"),
		"parent_task_id": str("the task this one serves, when you delegate a part of it"),
		"subject":        schema{"type": "string", "maxLength": wire.MaxMeta, "description": "one line"},
		"data":           data(),
		"expects_reply":  schema{"type": "boolean", "description": "whether you wait for an answer; a task always has one"},
		"expires_in":     seconds(365*24*3600, "seconds after which it is not delivered any more; 0: never"),
		"await_reply":    seconds(wire.MaxAwait, "seconds to wait here for the answer; if it comes later it comes as an event"),
	}
}

// with returns a and b in one.
func with(a, b schema) schema {
	for k, v := range b {
		a[k] = v
	}
	return a
}

// tool describes one tool. Required arguments are named in need.
type tool struct {
	name, about string
	args        schema
	need        []string
	reads       bool // changes nothing
}

// mcpTool turns t into the library's form.
func (t tool) mcpTool() mcp.Tool {
	s := schema{"type": "object", "properties": orEmpty(t.args), "additionalProperties": false}
	if len(t.need) > 0 {
		s["required"] = t.need
	}
	raw, err := json.Marshal(s)
	if err != nil { // the schemas are constants: a test builds them all
		panic(fmt.Sprintf("schema of %s: %v", t.name, err))
	}
	out := mcp.NewToolWithRawSchema(t.name, t.about, raw)
	out.Annotations = mcp.ToolAnnotation{Title: strings.ReplaceAll(t.name, "_", " "), ReadOnlyHint: &t.reads}
	return out
}

func orEmpty(s schema) schema {
	if s == nil {
		return schema{}
	}
	return s
}

// tools lists every tool of the protocol.
func tools() []mcp.Tool {
	var out []mcp.Tool
	for _, group := range [][]tool{sendTools(), roomTools(), peerTools(), mailTools()} {
		for _, t := range group {
			out = append(out, t.mcpTool())
		}
	}
	return out
}

func sendTools() []tool {
	return []tool{
		{
			name: wire.ToolSendToPeer, about: "Send a task or a note to one peer. The result says what became of it.",
			args: with(message("In doubt: task."), schema{"to": name("the peer's name; \"you\" is the human")}),
			need: []string{"to", "content"},
		}, {
			name: wire.ToolSendToPeers, about: "Send the same task or note to several peers at once; all get one task_id, and their replies come in one thread. Better than a loop.",
			args: with(message("In doubt: task."), schema{"to": schema{"anyOf": []schema{names("names", 1), name("one name, or \"*\" for every peer")}, "description": "names, or \"*\" for every peer"}}),
			need: []string{"to", "content"},
		}, {
			name: wire.ToolSendToRoom, about: "Post to a room you are a member of. Members that are offline get it when they return.",
			args: with(message("In a room a task asks every member."), schema{"room": name("the room's name")}),
			need: []string{"room", "content"},
		}, {
			name: wire.ToolRespondToPeer, about: "Answer a task. It goes to the peer that set it, privately, also when the task came through a room.",
			args: schema{
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
	room := schema{"room": name("the room's name")}
	return []tool{
		{
			name: wire.ToolCreateRoom, about: "Make a room with you in it.",
			args: schema{"name": name("letters, digits, _ . -"), "members": names("peers to put in from the start", 0)},
			need: []string{"name"},
		},
		{name: wire.ToolJoinRoom, about: "Join a room; it is made when there is none.", args: room, need: []string{"room"}},
		{name: wire.ToolLeaveRoom, about: "Leave a room. The last one to leave archives it.", args: room, need: []string{"room"}},
		{name: wire.ToolListRooms, about: "List the rooms and their members.", reads: true},
	}
}

func peerTools() []tool {
	return []tool{
		{name: wire.ToolListPeers, about: "List the peers: name, what each is doing, how it can be reached.", reads: true},
		{name: wire.ToolWhoami, about: "Your own name, folder, rooms and open tasks.", reads: true},
		{
			name: wire.ToolRegister, about: "Take another name for this session. The human is told.",
			args: schema{"name": schema{"type": "string", "minLength": 1, "maxLength": wire.MaxName, "description": "letters, digits, _ . -"}},
			need: []string{"name"},
		}, {
			name: wire.ToolRespondPermission, about: "Answer a perm-request event that was sent to you as an approver. High trust: when in doubt deny, and say why.",
			args: schema{
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
	ids := schema{"message_ids": names("message_id of each", 1)}
	page := schema{"type": "integer", "minimum": 1, "maximum": 200, "description": fmt.Sprintf("how many; %d when left out", wire.PageSize)}
	return []tool{
		{
			name: wire.ToolInbox, about: "Read your mail, newest first. Use it when you are told that you have mail.",
			args: schema{"unread": schema{"type": "boolean", "description": "only what you did not read yet"}, "limit": page},
		}, {
			name: wire.ToolWatch, about: "Wait until there is mail and return it. Only when you have nothing else to do: mail also comes by itself.",
			args: schema{"timeout": seconds(wire.MaxWatch, "seconds; 60 when left out")},
		},
		{name: wire.ToolAck, about: "Mark mail as read.", args: ids, need: []string{"message_ids"}},
		{name: wire.ToolArchive, about: "Take mail out of the inbox. History keeps it.", args: ids, need: []string{"message_ids"}},
		{
			name: wire.ToolHistory, about: "Search past messages, newest first. All that is given must match.",
			args: schema{
				"peer": str("from or to this peer"), "room": str("in this room"), "task_id": str("in this thread"),
				"text": str("words"), "limit": page, "before": str("a message_id: only what is older"),
			},
			reads: true,
		},
	}
}
