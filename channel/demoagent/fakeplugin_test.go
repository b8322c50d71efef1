package demoagent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
)

func (r *rig) writePlugin() {
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	hooks := object{}
	for _, e := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "Stop", "SessionEnd"} {
		hooks[e] = []any{object{"hooks": []any{object{"type": "command", "command": self, "args": []string{"fake-hook", r.sock()}}}}}
	}
	for path, v := range map[string]any{
		".claude-plugin/plugin.json": object{"name": "ccmux", "version": "0"},
		".mcp.json":                  object{"mcpServers": object{"peers": object{"command": self, "args": []string{"fake-server", r.sock()}, "env": object{"FROM_ROOT": "${CLAUDE_PLUGIN_ROOT}/x"}}}},
		"hooks/hooks.json":           object{"hooks": hooks},
	} {
		b, _ := json.Marshal(v)
		path = filepath.Join(r.dir, "plug in", path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *rig) sock() string { return filepath.Join(r.dir, "s") }

func (r *rig) listen() {
	l, err := net.Listen("unix", r.sock())
	if err != nil {
		r.t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			r.mu.Lock()
			r.conns = append(r.conns, c)
			r.mu.Unlock()
			wg.Go(func() { defer c.Close(); r.serve(c) })
		}
	})
	r.t.Cleanup(func() {
		l.Close()
		r.mu.Lock()
		for _, c := range r.conns { // ends the processes that outlived the agent
			c.Close()
		}
		r.mu.Unlock()
		wg.Wait()
	})
}

func (r *rig) serve(c net.Conn) {
	in := bufio.NewReader(c)
	first, err := in.ReadBytes('\n')
	if err != nil {
		return
	}
	var h hello
	_ = json.Unmarshal(first, &h)
	if h.Role == "hook" {
		event, _ := h.Input["hook_event_name"].(string)
		r.add(call{"hook " + event, h.Input, h.Env})
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			if line, _ := in.ReadString('\n'); line != "" {
				r.add(call{what: "SIGTERM " + event})
			}
		}()
		r.mu.Lock()
		answer := r.onHook
		r.mu.Unlock()
		fmt.Fprintln(c, answer(event, h.Input))
		c.Close()
		<-gone
		return
	}
	r.mu.Lock()
	r.server = c
	r.mu.Unlock()
	r.add(call{what: "server", env: h.Env})
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		r.request(c, line)
	}
}

func (r *rig) request(c net.Conn, line []byte) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params object          `json:"params"`
		Signal string          `json:"signal"`
	}
	_ = json.Unmarshal(line, &m)
	if m.Signal != "" {
		r.add(call{what: "signal " + m.Signal})
		return
	}
	r.add(call{what: "rpc " + m.Method, in: m.Params})
	if m.ID == nil {
		return
	}
	var result any
	switch m.Method {
	case "server/discover":
		result = r.discover
	case "initialize":
		result = object{"protocolVersion": "2025-11-25", "capabilities": object{"tools": object{}, "experimental": r.caps}, "serverInfo": object{"name": "x", "version": "1"}}
	case "tools/list":
		result = object{"tools": []any{}}
	case "tools/call":
		r.mu.Lock()
		answer := r.onTool
		r.mu.Unlock()
		args, _ := m.Params["arguments"].(object)
		result = answer(m.Params["name"].(string), args)
	}
	reply := object{"jsonrpc": "2.0", "id": m.ID}
	if result == nil {
		reply["error"] = object{"code": -32601, "message": "Method not found"}
	} else {
		reply["result"] = result
	}
	b, _ := json.Marshal(reply)
	fmt.Fprintf(c, "%s\n", b)
}
