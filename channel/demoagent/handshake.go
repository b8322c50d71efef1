package demoagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// The versions that are played.
const (
	newVersion = "2.1.332"
	oldVersion = "2.1.197"
)

// errModern is the state claude gets into when server/discover is answered:
// the server then runs without channels.
var errModern = errors.New("the server answered server/discover: channels are off in that protocol")

// startLimit is how long claude waits for a server to start.
const startLimit = 30 * time.Second

func clientInfo(old bool) map[string]any {
	version := newVersion
	if old {
		version = oldVersion
	}
	return map[string]any{
		"name": "claude-code", "title": "Claude Code", "version": version,
		"description": "Anthropic's agentic coding tool", "websiteUrl": "https://claude.com/claude-code",
	}
}

// handshake does what claude does before the first call: the new version's
// probe, initialize, initialized, tools/list. It returns the tools' names and
// whether channels may be used. An error means that the server is of no use.
func (s *mcpServer) handshake(ctx context.Context, old bool) (tools []string, channels bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	channels = old || s.probe(ctx, old) == nil
	res, err := s.call(ctx, "", "initialize", map[string]any{
		"protocolVersion": "2025-11-25",
		"capabilities":    map[string]any{"roots": map[string]any{"listChanged": true}, "elicitation": map[string]any{}},
		"clientInfo":      clientInfo(old),
	})
	if err != nil {
		return nil, false, fmt.Errorf("initialize: %w", err)
	}
	var init struct {
		Capabilities struct {
			Experimental map[string]json.RawMessage `json:"experimental"`
		} `json:"capabilities"`
	}
	if err := json.Unmarshal(res, &init); err != nil {
		return nil, false, fmt.Errorf("initialize: %w", err)
	}
	s.notify("notifications/initialized", nil)
	tools, err = s.listTools(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("tools/list: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.caps, s.ready = init.Capabilities.Experimental, time.Now()
	_, has := s.caps["claude/channel"]
	return tools, channels && has, nil
}

// probe is the new version's first question. The right answer is -32601; none
// in 3 s passes for it, anything else turns channels off.
func (s *mcpServer) probe(ctx context.Context, old bool) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	_, err := s.call(ctx, "server-discover-probe-1", "server/discover", map[string]any{"_meta": map[string]any{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientInfo":         clientInfo(old),
		"io.modelcontextprotocol/clientCapabilities": map[string]any{"roots": map[string]any{"listChanged": true}},
	}})
	var refused *rpcError
	if err == nil || errors.As(err, &refused) && refused.Code != -32601 {
		return errModern
	}
	return nil
}

func (s *mcpServer) listTools(ctx context.Context) ([]string, error) {
	res, err := s.call(ctx, "", "tools/list", nil)
	if err != nil {
		return nil, err
	}
	var list struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(res, &list); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(list.Tools))
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	return names, nil
}

// relays says whether the server takes permission requests.
func (s *mcpServer) relays() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.caps["claude/channel/permission"]
	return ok
}
