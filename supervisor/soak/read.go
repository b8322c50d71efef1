package soak

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/journal"
	"github.com/ccmux/ccmux/supervisor/router"
)

// record is what the journal says.
type record struct {
	names    map[router.PeerID]string
	posts    []router.Message // in the order of the timeline
	answered map[delivery]bool
	ended    map[delivery]string // why a delivery is over without having been seen
	held     map[delivery]string // by a guard, and why
}

func newRecord() *record {
	return &record{
		names: map[router.PeerID]string{}, answered: map[delivery]bool{},
		ended: map[delivery]string{}, held: map[delivery]string{},
	}
}

func readJournal(ctx context.Context, dir string) (*record, error) {
	j, err := journal.Open(ctx, dir, journal.Options{Build: "soak"})
	if err != nil {
		return nil, fmt.Errorf("soak: %w", err)
	}
	r := newRecord()
	err = j.Replay(ctx, 0, func(e router.Event) error {
		r.take(e.Body)
		return nil
	})
	if err = errors.Join(err, j.Check(ctx), j.Close()); err != nil {
		return nil, fmt.Errorf("soak: %w", err)
	}
	return r, nil
}

func (r *record) take(body router.Body) {
	switch b := body.(type) {
	case router.PeerJoined:
		r.names[b.ID] = b.Name
	case router.Posted:
		r.posts = append(r.posts, b.Message)
	case router.Answered:
		r.answered[delivery{b.Message, b.Peer}] = true
	case router.Expired:
		r.ended[delivery{b.Message, b.Peer}] = "expired"
	case router.Refused:
		r.ended[delivery{b.Message, b.Peer}] = "refused: " + b.Why
	case router.Withdrawn:
		r.ended[delivery{b.Message, b.Peer}] = "withdrawn"
	case router.Held:
		r.held[delivery{b.Message, b.Peer}] = b.Why
	case router.Released:
		delete(r.held, delivery{b.Message, b.Peer})
	}
}

// conversation is one transcript.
type conversation struct {
	agent  string
	file   string
	sights []sight  // in the order in which the model was given them
	acked  []string // ids of what the agent sent, as its tools said
	said   []string // by the agent, to its user
	turned int      // events turned away at the gate because a turn ran
}

// sight is one message that the model was given.
type sight struct {
	message router.MessageID
	// background: beside a tool's result, as text that is no instruction.
	background bool
}

// readTranscripts reads every conversation beneath claude's folder.
func readTranscripts(config string) ([]conversation, error) {
	files, err := filepath.Glob(filepath.Join(config, "projects", "*", "*.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("soak: %w", err)
	}
	var all []conversation
	for _, path := range files {
		folder := filepath.Base(filepath.Dir(path))
		c := conversation{agent: folder[strings.LastIndexByte(folder, '-')+1:], file: path}
		if err := c.read(); err != nil {
			return nil, fmt.Errorf("soak: %w", err)
		}
		all = append(all, c)
	}
	return all, nil
}

// line is what counts of a transcript's line.
type line struct {
	Type    string `json:"type"`
	IsMeta  bool   `json:"isMeta"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	Content    string                `json:"content"` // of a system line
	Origin     struct{ Kind string } `json:"origin"`
	Attachment struct {
		Type   string
		Prompt string
		Origin struct{ Kind string }
	} `json:"attachment"`
	Tool string `json:"demoTool"`
}

func (c *conversation) read() error {
	f, err := os.Open(c.file)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	for {
		raw, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // a last line that was torn by a kill was never read by a model
		}
		if err != nil {
			return err
		}
		var l line
		if err := json.Unmarshal(raw, &l); err == nil {
			c.take(l)
		}
	}
}

const stopFeedback = "Stop hook feedback:"

func (c *conversation) take(l line) {
	var text string
	switch {
	case l.Type == "attachment" && l.Attachment.Type == "queued_command" && l.Attachment.Origin.Kind == "channel":
		c.saw(l.Attachment.Prompt, true)
	case l.Type == "assistant":
		c.spoke(l)
	case l.Type == "system" && busyAtGate.MatchString(l.Content):
		c.turned++
	case l.Type != "user":
	case l.Tool != "":
		c.used(l)
	case json.Unmarshal(l.Message.Content, &text) != nil:
	case l.IsMeta && strings.HasPrefix(text, stopFeedback):
		c.sawAll(text, false)
	case l.Origin.Kind == "channel":
		c.saw(text, false)
	}
}

// spoke takes in what the agent said.
func (c *conversation) spoke(l line) {
	var blocks []struct{ Type, Text string }
	if json.Unmarshal(l.Message.Content, &blocks) == nil && len(blocks) > 0 && blocks[0].Type == "text" {
		c.said = append(c.said, blocks[0].Text)
	}
}

var (
	busyAtGate = regexp.MustCompile(`(?m)^UserPromptSubmit operation blocked by hook:\nccmux: \S+ is busy$`)

	openTag  = regexp.MustCompile(`(?m)^<channel source="[^"]*"[^>]*>`)
	idOfTag  = regexp.MustCompile(` message_id="([^"]*)"`)
	taskTag  = regexp.MustCompile(` task_id="`)
	bundleID = regexp.MustCompile(`(?m)^\[\d+\] (?:task|reply|note|perm-request) .*, message_id ([0-9a-f-]{36})$`)
	sentID   = regexp.MustCompile(`"message_id":"([0-9a-f-]{36})"`)
)

// saw takes in a text the model was given: events, one of which may stand for
// many messages. Bodies of this soak hold neither tags nor headings.
func (c *conversation) saw(text string, background bool) {
	tags := openTag.FindAllStringIndex(text, -1)
	for i, at := range tags {
		end := len(text)
		if i+1 < len(tags) {
			end = tags[i+1][0]
		}
		head, body := text[at[0]:at[1]], text[at[1]:end]
		if !taskTag.MatchString(head) { // a bundle belongs to no thread
			c.sawAll(body, background)
		} else if m := idOfTag.FindStringSubmatch(head); m != nil {
			c.sights = append(c.sights, sight{router.MessageID(m[1]), background})
		}
	}
}

// sawAll takes in many messages that came as one text.
func (c *conversation) sawAll(text string, background bool) {
	for _, m := range bundleID.FindAllStringSubmatch(text, -1) {
		c.sights = append(c.sights, sight{router.MessageID(m[1]), background})
	}
}

// sends are the tools whose result names a message that ccmux took.
var sends = map[string]bool{
	wire.ToolSendToPeer: true, wire.ToolSendToPeers: true, wire.ToolSendToRoom: true, wire.ToolRespondToPeer: true,
}

// used takes in the result of a tool: what it says was sent must be on record.
func (c *conversation) used(l line) {
	if !sends[l.Tool[strings.LastIndex(l.Tool, "__")+len("__"):]] {
		return
	}
	var results []struct {
		Content string `json:"content"`
		IsError bool   `json:"is_error"`
	}
	if json.Unmarshal(l.Message.Content, &results) != nil || len(results) == 0 || results[0].IsError {
		return
	}
	if m := sentID.FindStringSubmatch(results[0].Content); m != nil {
		c.acked = append(c.acked, m[1])
	}
}
