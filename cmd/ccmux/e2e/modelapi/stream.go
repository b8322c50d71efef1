package modelapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// play answers a request, streamed when it asked for that.
func play(ctx context.Context, w http.ResponseWriter, req *Request, parts []Part) {
	if len(parts) > 0 && parts[0].status != 0 {
		fail(w, parts[0])
		return
	}
	if req.Stream {
		playStream(ctx, w, req, parts)
		return
	}
	var content []map[string]any
	for i, p := range parts {
		if !p.hold(ctx) {
			return
		}
		if block := p.block(req.Seq, i); block != nil {
			content = append(content, block)
		}
	}
	reply := envelope(req)
	reply["content"], reply["stop_reason"] = content, stopReason(parts)
	writeJSON(w, http.StatusOK, reply)
}

// hold waits where the part says so; false means that the client has left.
func (p Part) hold(ctx context.Context) bool {
	if p.gate != nil {
		return p.gate.wait(ctx.Done())
	}
	if p.pause > 0 {
		select {
		case <-time.After(p.pause):
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// block is the part as a content block, nil when it says nothing.
func (p Part) block(seq, i int) map[string]any {
	switch {
	case p.tool != "":
		return map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%06d%02d", seq, i), "name": p.tool, "input": p.input}
	case p.text != "":
		return map[string]any{"type": "text", "text": p.text}
	}
	return nil
}

func stopReason(parts []Part) string {
	for _, p := range parts {
		if p.tool != "" {
			return "tool_use"
		}
	}
	return "end_turn"
}

func envelope(req *Request) map[string]any {
	return map[string]any{
		"id": fmt.Sprintf("msg_%06d", req.Seq), "type": "message", "role": "assistant", "model": req.Model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": map[string]any{
			"input_tokens": len(req.Raw)/4 + 1, "output_tokens": 1,
			"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
		},
	}
}

// events writes server-sent events and remembers when the client has gone.
type sse struct {
	w     http.ResponseWriter
	flush func()
	err   error
}

func (s *sse) send(kind string, data map[string]any) {
	if s.err != nil {
		return
	}
	data["type"] = kind
	raw, err := json.Marshal(data)
	if err == nil {
		_, err = fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", kind, raw)
	}
	s.err = err
	s.flush()
}

func playStream(ctx context.Context, w http.ResponseWriter, req *Request, parts []Part) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Request-Id", fmt.Sprintf("req_%06d", req.Seq))
	out := &sse{w: w, flush: func() {}}
	if f, ok := w.(http.Flusher); ok {
		out.flush = f.Flush
	}
	out.send("message_start", map[string]any{"message": envelope(req)})
	out.send("ping", map[string]any{})
	index := 0
	for i, p := range parts {
		if !p.hold(ctx) {
			return
		}
		if block := p.block(req.Seq, i); block != nil {
			out.streamBlock(index, block)
			index++
		}
	}
	out.send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": stopReason(parts), "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": 1 + index},
	})
	out.send("message_stop", map[string]any{})
}

// streamBlock sends a block as the real service does: empty first, then its
// content in deltas, so that a reader which forgets to join them is caught.
func (s *sse) streamBlock(index int, block map[string]any) {
	var deltas []map[string]any
	if block["type"] == "tool_use" {
		for _, piece := range split(string(block["input"].(json.RawMessage))) {
			deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": piece})
		}
		block["input"] = map[string]any{}
	} else {
		for _, piece := range split(block["text"].(string)) {
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": piece})
		}
		block["text"] = ""
	}
	s.send("content_block_start", map[string]any{"index": index, "content_block": block})
	for _, d := range deltas {
		s.send("content_block_delta", map[string]any{"index": index, "delta": d})
	}
	s.send("content_block_stop", map[string]any{"index": index})
}

// split cuts a text in two between runes.
func split(text string) []string {
	r := []rune(text)
	if len(r) < 2 {
		return []string{text}
	}
	return []string{string(r[:len(r)/2]), string(r[len(r)/2:])}
}

func fail(w http.ResponseWriter, p Part) {
	writeJSON(w, p.status, map[string]any{
		"type": "error", "error": map[string]string{"type": p.kind, "message": p.text},
	})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// The client may have hung up; then nobody is left to tell.
	_ = json.NewEncoder(w).Encode(v)
}
