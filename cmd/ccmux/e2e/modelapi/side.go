package modelapi

import "strings"

// side is a kind of request claude makes beside the conversation.
type side struct {
	name   string
	is     func(*Request) bool
	answer string
}

// Names of side requests in [Request.Side].
const (
	SideTitle      = "title"      // a name for the conversation
	SideClassifier = "classifier" // auto mode: may this action run?
	SideOther      = "no tools"   // what a later version may invent; a turn always offers tools
)

// sides is read top down.
var sides = []side{
	{SideTitle, systemHas("title (3-7 words)"), `{"title":"Scripted session"}`},
	{SideClassifier, systemHas("security monitor for autonomous AI coding agents"), "<severity>5</severity>"},
	{SideOther, func(r *Request) bool { return len(r.Tools) == 0 }, "ok"},
}

func sideRequest(r *Request) *side {
	for i := range sides {
		if sides[i].is(r) {
			return &sides[i]
		}
	}
	return nil
}

func systemHas(s string) func(*Request) bool {
	return func(r *Request) bool { return strings.Contains(r.System, s) }
}

// AnswerSide replaces the harmless answer to one kind of side request, for a
// test of what claude does when its classifier fails, say.
func (s *Server) AnswerSide(side string, parts ...Part) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sideParts[side] = parts
}

// sideReply is what the side request gets. The caller holds mu.
func (s *Server) sideReply(k *side) []Part {
	if parts, ok := s.sideParts[k.name]; ok {
		return parts
	}
	return []Part{Text(k.answer)}
}
