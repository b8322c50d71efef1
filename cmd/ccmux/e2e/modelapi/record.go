package modelapi

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Requests are the turns of one session so far, oldest first. Side requests
// are left out; [Server.All] has them.
func (s *Server) Requests(session string) []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var turns []*Request
	for _, r := range s.requests {
		if r.Session == session && r.Side == "" {
			turns = append(turns, r)
		}
	}
	return turns
}

// All is every request so far, oldest first.
func (s *Server) All() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Others are the calls that were none of the Messages API, "METHOD path".
func (s *Server) Others() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.others)
}

// Unmatched are the turns that no rule wanted.
func (s *Server) Unmatched() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var turns []*Request
	for _, r := range s.requests {
		if r.Side == "" && r.Rule == "" {
			turns = append(turns, r)
		}
	}
	return turns
}

// Wait returns the first turn of the session that matches, at once when it
// was already made. The error says what the session sent instead.
func (s *Server) Wait(ctx context.Context, session string, match Match) (*Request, error) {
	var hit *Request
	err := s.wait(ctx, func() bool {
		for _, r := range s.requests {
			if r.Session == session && r.Side == "" && match(r) {
				hit = r
				return true
			}
		}
		return false
	})
	if err != nil {
		return nil, fmt.Errorf("wait for a turn of %q: %w; seen so far:\n%s", session, err, s.Digest())
	}
	return hit, nil
}

// Digest is one line per request, for the message of a failed test.
func (s *Server) Digest() string {
	var b strings.Builder
	for _, r := range s.All() {
		fmt.Fprintf(&b, "%3d %-10s %-22s %s\n", r.Seq, r.Session, label(r), r.summary())
	}
	if b.Len() == 0 {
		return "(no request)\n"
	}
	return b.String()
}

func label(r *Request) string {
	switch {
	case r.Side != "":
		return "side:" + r.Side
	case r.Rule != "":
		return "rule:" + r.Rule
	}
	return "no rule"
}

func (r *Request) summary() string {
	var parts []string
	if t := r.UserText(); t != "" {
		parts = append(parts, "user: "+clip(t))
	}
	for _, res := range r.ToolResults() {
		parts = append(parts, fmt.Sprintf("result of %s: %s", res.Tool, clip(res.Text)))
	}
	if t := r.NoteText(); t != "" {
		parts = append(parts, "system: "+clip(t))
	}
	return strings.Join(parts, " | ")
}

func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 160 {
		return string(r[:160]) + "…"
	}
	return s
}
