package demoagent

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
)

// mind is what the "model" knows of its threads. It is made of the conversation
// only, so that a resumed session knows what the transcript holds and no more.
type mind struct {
	threads map[string]*thread
	parent  map[string]string // sub-task → the thread it serves; "" is the human's
}

// thread is one piece of work somebody gave.
type thread struct {
	from     string
	results  []string
	open     map[string]bool // sub-tasks that are not answered
	answered bool
	failed   bool
}

func newMind() *mind {
	return &mind{threads: map[string]*thread{}, parent: map[string]string{}}
}

func (m *mind) thread(task string) *thread {
	if m.threads[task] == nil {
		m.threads[task] = &thread{open: map[string]bool{}}
	}
	return m.threads[task]
}

// heard takes in a message that is in the conversation.
func (m *mind) heard(e event) {
	task := e.attr[wire.MetaTaskID]
	switch wire.Kind(e.attr[wire.MetaKind]) {
	case wire.KindTask:
		m.thread(task).from = e.attr[wire.MetaSender]
	case wire.KindReply:
		up, known := m.parent[task]
		if !known || !m.thread(up).open[task] {
			return
		}
		if e.attr[wire.MetaStatus] != string(wire.StatusNeedsContext) {
			delete(m.thread(up).open, task)
		}
		m.result(up, e.attr[wire.MetaSender]+" says: "+e.body, e.attr[wire.MetaStatus] == string(wire.StatusFailed))
	case wire.KindNote, wire.KindPermRequest: // nothing to remember
	}
}

func (m *mind) hearAll(list []event) {
	for _, e := range list {
		m.heard(e)
	}
}

// tool takes in the result of a tool.
func (m *mind) tool(u toolUse, result string, failed bool) {
	name := toolName(u.name)
	switch name {
	case "Bash", "Write":
		m.result(u.task, result, failed)
	case wire.ToolRespondToPeer:
		task, _ := u.input["task_id"].(string)
		if status, _ := u.input["status"].(string); !failed && status != string(wire.StatusNeedsContext) {
			m.thread(task).answered = true
		}
	case wire.ToolSendToPeer:
		sub := taskOf(result)
		if kind, _ := u.input["kind"].(string); kind != string(wire.KindTask) || failed || sub == "" {
			return
		}
		m.parent[sub] = u.task
		m.thread(u.task).open[sub] = true
	}
}

func (m *mind) result(task, text string, failed bool) {
	th := m.thread(task)
	th.results = append(th.results, text)
	th.failed = th.failed || failed
}

// forget empties a thread's results once they are told.
func (m *mind) forget(task string) { m.thread(task).results, m.thread(task).failed = nil, false }

// toolName is a tool's name without the prefix of its server.
func toolName(full string) string {
	if i := strings.LastIndex(full, "__"); i >= 0 {
		return full[i+2:]
	}
	return full
}

var taskID = regexp.MustCompile(`\bt-[0-9]+\b`)

// taskOf finds the thread's id in the result of a send.
func taskOf(result string) string {
	var r struct {
		TaskID string `json:"task_id"`
	}
	if json.Unmarshal([]byte(result), &r) == nil && r.TaskID != "" {
		return r.TaskID
	}
	return taskID.FindString(result)
}

// replay takes in the transcript of a resumed conversation and shows its end.
func (a *agent) replay(entries []entry) {
	for _, e := range entries {
		text, result, failed := e.content()
		switch {
		case e.Type == "user" && e.ToolName != "":
			var input map[string]any
			_ = json.Unmarshal(e.ToolInput, &input) // ours: an object
			a.mind.tool(toolUse{name: e.ToolName, input: input, task: e.ToolTask}, result, failed)
		case e.Type == "user" && e.Origin.Kind == "channel":
			for _, ev := range readTags(text) {
				a.mind.hearAll(unbundle(ev))
				a.past = append(a.past, line{sgrPeer, a.peerLine(ev)})
			}
		case e.Type == "user" && strings.HasPrefix(text, stopFeedback):
			a.mind.hearAll(handedOver(text))
		case e.Type == "user" && e.Origin.Kind == "human":
			a.past = append(a.past, line{sgrPrompt, a.glyph.prompt + " " + text})
		case e.Type == "assistant" && text != "":
			a.past = append(a.past, line{sgrPlain, a.glyph.said + " " + text})
		}
	}
}

// content is an entry's text, or a tool's result.
func (e *entry) content() (text, result string, failed bool) {
	if json.Unmarshal(e.Message.Content, &text) == nil {
		return text, "", false
	}
	var blocks []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Content string `json:"content"`
		IsError bool   `json:"is_error"`
	}
	if json.Unmarshal(e.Message.Content, &blocks) != nil || len(blocks) == 0 {
		return "", "", false
	}
	return blocks[0].Text, blocks[0].Content, blocks[0].IsError
}

// pastLines is how much of a resumed conversation is shown.
const pastLines = 20

// showPast shows the end of the conversation that is resumed; on the loop.
func (a *agent) showPast() {
	for _, l := range a.past[max(0, len(a.past)-pastLines):] {
		a.scr.add(l.sgr, l.text)
	}
	a.past = nil
}
