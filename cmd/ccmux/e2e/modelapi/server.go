package modelapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Unscripted is what the model says in a turn that no rule wants.
const Unscripted = "(no rule of the script fits this turn)"

// Subagents is added to a session's name for the persona of its subagents.
const Subagents = "/agent"

// Server is the service. Make one with [New] and close it at the end.
type Server struct {
	http *httptest.Server
	name *regexp.Regexp

	mu        sync.Mutex
	personas  map[string]*Persona
	convs     map[string]string // conversation id → session name, as learned
	fallback  *Persona
	requests  []*Request
	changed   chan struct{}     // closed and replaced at each new request
	sideParts map[string][]Part // replaced answers, by kind of side request
	others    []string          // "METHOD path" of what is not the Messages API
}

// New starts a server on a free port of 127.0.0.1. The first group of name
// finds a session's name in a system prompt.
func New(name *regexp.Regexp) *Server {
	s := &Server{name: name, personas: map[string]*Persona{}, convs: map[string]string{}, sideParts: map[string][]Part{}, changed: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", s.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", countTokens)
	mux.HandleFunc("/", s.other)
	s.http = httptest.NewServer(mux)
	return s
}

// URL is for ANTHROPIC_BASE_URL.
func (s *Server) URL() string { return s.http.URL }

// Close hangs up on every client and stops.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Persona is the model of the session of that name, made when it is new.
func (s *Server) Persona(session string) *Persona {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.personas[session]; ok {
		return p
	}
	p := &Persona{name: session, server: s}
	s.personas[session] = p
	return p
}

// Fallback is the model of whoever has no persona of its own.
func (s *Server) Fallback() *Persona {
	p := s.Persona("")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fallback = p
	return p
}

// messages answers one request: recorded first, then played.
func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	req, err := readRequest(body, r.Header)
	if err != nil {
		fail(w, Fail(http.StatusBadRequest, "invalid_request_error", err.Error()))
		return
	}
	play(r.Context(), w, req, s.take(req)())
}

// take records the request and chooses its reply, to be made without the lock.
func (s *Server) take(req *Request) func() []Part {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.Seq = len(s.requests) + 1
	req.Session = s.sessionOf(req)
	reply := s.answer(req)
	s.requests = append(s.requests, req)
	close(s.changed)
	s.changed = make(chan struct{})
	return reply
}

// answer chooses the reply and notes in the request who gave it. The caller
// holds mu.
func (s *Server) answer(req *Request) func() []Part {
	if side := sideRequest(req); side != nil {
		req.Side = side.name
		parts := s.sideReply(side)
		return func() []Part { return parts }
	}
	if rule := s.ruleFor(req); rule != nil {
		req.Rule = rule.name
		return func() []Part { return rule.reply(req) }
	}
	return func() []Part { return []Part{Text(Unscripted)} }
}

func (s *Server) ruleFor(req *Request) *Rule {
	p, ok := s.personas[req.Session]
	if !ok {
		p = s.fallback
	}
	if p == nil {
		return nil
	}
	return p.choose(req)
}

// sessionOf names the persona: the session, or its subagents together. The
// caller holds mu.
func (s *Server) sessionOf(req *Request) string {
	name := s.nameOf(req)
	if name != "" && req.Agent != "" {
		name += Subagents
	}
	return name
}

// nameOf tells the session by its prompt, else by a conversation seen before
// with such a prompt.
func (s *Server) nameOf(req *Request) string {
	if m := s.name.FindStringSubmatch(req.System); len(m) > 1 {
		if req.ConvID != "" {
			s.convs[req.ConvID] = m[1]
		}
		return m[1]
	}
	return s.convs[req.ConvID]
}

// readRequest takes a body apart.
func readRequest(body []byte, header http.Header) (*Request, error) {
	var wire struct {
		Model    string          `json:"model"`
		Stream   bool            `json:"stream"`
		System   json.RawMessage `json:"system"`
		Tools    []Tool          `json:"tools"`
		Messages []Message       `json:"messages"`
		Metadata struct {
			UserID string `json:"user_id"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return nil, fmt.Errorf("read request: %w", err)
	}
	system, err := readBlocks(wire.System)
	if err != nil {
		return nil, fmt.Errorf("read system prompt: %w", err)
	}
	texts := make([]string, len(system))
	for i, b := range system {
		texts[i] = b.Text
	}
	return &Request{
		At: time.Now(), Model: wire.Model, Stream: wire.Stream, System: strings.Join(texts, "\n"),
		Tools: wire.Tools, Messages: wire.Messages, Header: header.Clone(), Raw: body,
		Agent:  header.Get("X-Claude-Code-Agent-Id"),
		ConvID: conversation(header, wire.Metadata.UserID),
	}, nil
}

var uuid = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// conversation finds claude's session id in a header or, in older versions,
// at the end of the metadata.
func conversation(header http.Header, userID string) string {
	if id := header.Get("X-Claude-Code-Session-Id"); id != "" {
		return id
	}
	ids := uuid.FindAllString(userID, -1)
	if len(ids) == 0 {
		return ""
	}
	return ids[len(ids)-1]
}

func countTokens(w http.ResponseWriter, r *http.Request) {
	n, _ := io.Copy(io.Discard, r.Body)
	writeJSON(w, http.StatusOK, map[string]any{"input_tokens": n/4 + 1})
}

func (s *Server) other(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.others = append(s.others, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	writeJSON(w, http.StatusNotFound, map[string]any{
		"type": "error", "error": map[string]string{"type": "not_found_error", "message": "no such path in the test double"},
	})
}

// wait blocks until look is satisfied; look is called with mu held.
func (s *Server) wait(ctx context.Context, look func() bool) error {
	for {
		s.mu.Lock()
		ok, changed := look(), s.changed
		s.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
