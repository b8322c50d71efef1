package router

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
)

// permission is one request. It is kept after its end so that a late answer can
// be told who was first.
type permission struct {
	Permission
	Answered *PermissionAnswered `json:"answered,omitempty"`
	Closed   string              `json:"closed,omitempty"` // how it ended

	ended bool // stands in the line of ended ones
}

// The sources of a request.
const (
	SourceHook   = "hook"
	SourceRelay  = "relay"
	SourceStatus = "status file"
)

// openPermissions returns the open requests, oldest first.
func (s *State) openPermissions() []*permission {
	var out []*permission
	for _, r := range s.perms {
		if r.Closed == "" {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *permission) int { return number(a.ID) - number(b.ID) })
	return out
}

// Permission returns an open request.
func (s *State) Permission(id string) (PermissionView, bool) {
	r := s.perms[id]
	if r == nil || r.Closed != "" {
		return PermissionView{}, false
	}
	return PermissionView{Permission: r.Permission, Answered: r.Answered}, true
}

func (c AskPermission) decide(d *decision) error {
	r := c.Permission
	p, err := d.s.peer(r.Peer)
	switch {
	case err != nil:
		return err
	case !p.Session.State.Running():
		return wrong("no session of %s runs", p.Name)
	case r.Source != SourceHook && r.Source != SourceRelay && r.Source != SourceStatus:
		return wrong("%s is not a source of permission requests", shown(r.Source))
	case r.Tool == "" && r.Source != SourceStatus:
		return wrong("a permission request names its tool")
	case len(r.Input) > 0 && !json.Valid(r.Input):
		return wrong("the tool's input is not valid JSON")
	}
	r.Input = stored(r.Input)
	r.InPane = r.InPane || r.Source == SourceStatus
	if r.Asked.IsZero() {
		r.Asked = d.at
	}
	r.Asked = stamp(r.Asked)
	if len(r.Threads) == 0 {
		r.Threads = d.s.serves(p)
	}
	open := d.s.sameRequest(&r)
	if open != nil {
		d.res.Permission, d.res.Joined = open.ID, true
		r = open.joined(&r)
	} else {
		r.ID = fmt.Sprintf("r-%d", d.s.next.Permission+1)
		d.res.Permission = r.ID
	}
	verdict := d.verdict(c, &r, open)
	if verdict == nil {
		d.notice(c.Notice, &r, p)
	}
	d.emit(PermissionAsked{Permission: r})
	if verdict != nil {
		d.emit(*verdict)
		if open != nil {
			d.unnotice(open)
		}
	}
	return nil
}

// verdict is the answer that comes along with a request, where it may be given:
// so nobody is asked what a rule has said already. Where it may not, the result
// says why, and the human is asked.
func (d *decision) verdict(c AskPermission, r *Permission, open *permission) *PermissionAnswered {
	if c.Verdict == nil || r.InPane || open != nil && open.Answered != nil {
		return nil
	}
	a := *c.Verdict
	a.ID = r.ID
	if err := d.mayAnswer(&permission{Permission: *r}, a); err != nil {
		d.res.Reason = err.Error()
		return nil
	}
	e := PermissionAnswered(a)
	return &e
}

// maxNotice is how much of a tool's input a notice quotes.
const maxNotice = 32 << 10

// notice tells the session's approvers of a request that ccmux can answer.
func (d *decision) notice(id MessageID, r *Permission, p *peer) {
	var to []PeerID
	for _, a := range d.s.approvers {
		if a.Session == p.ID && !slices.Contains(to, a.By) && d.s.peers[a.By] != nil {
			to = append(to, a.By)
		}
	}
	if id == "" || len(to) == 0 || r.InPane || r.Notice != "" || d.s.messages[id] != nil {
		return
	}
	input := unescape.Replace(string(r.Input))
	if len(input) > maxNotice {
		input = strings.ToValidUTF8(input[:maxNotice], "") + fmt.Sprintf("… (%d bytes in all; the rest is not shown: deny if you need it)", len(r.Input))
	}
	text, err := wire.CleanBody(fmt.Sprintf(
		"%s asks for permission to use %s in %s. Its input:\n%s\n\nIf that is within what you may allow, answer with respond_permission: peer %s, request_id %s, behavior allow or deny. In doubt deny, or leave it to the human.",
		p.Name, r.Tool, r.Dir, input, p.Name, r.ID))
	if err != nil {
		return // the human is asked anyway
	}
	m := &Message{
		ID: id, From: p.ID, Thread: ThreadID(fmt.Sprintf("t-%d", d.s.next.Thread+1)), Opens: true,
		Kind: wire.KindPermRequest, To: to, Content: text, Subject: wire.CleanLine("permission: "+r.Tool, wire.MaxMeta), At: d.at,
	}
	r.Notice = id
	d.post(m, newThread(m, nil))
}

// unnotice takes back a notice that its approvers have not seen, because the
// request needs no answer any more.
func (d *decision) unnotice(r *permission) {
	m := d.s.messages[r.Notice]
	if m == nil {
		return
	}
	for _, del := range m.dels {
		if del.unseen() {
			d.emit(Withdrawn{Message: m.ID, Peer: del.Peer, By: Actor{Kind: ByCcmux}})
		}
	}
}

// joined is the request as it stands once another source reported it too: the
// hook knows most, and can answer where the pane alone could.
func (r *permission) joined(other *Permission) Permission {
	merged := r.Permission
	if other.Source == SourceHook || r.Source == SourceStatus && other.Source == SourceRelay {
		merged = *other
		merged.ID, merged.Asked, merged.Notice = r.ID, r.Asked, r.Notice
	}
	merged.Also = append(slices.Clone(r.Also), r.Source, other.Source)
	slices.Sort(merged.Also)
	merged.Also = slices.DeleteFunc(slices.Compact(merged.Also), func(s string) bool { return s == merged.Source })
	return merged
}

// sameRequest finds the open request that r reports from another source.
func (s *State) sameRequest(r *Permission) *permission {
	for _, open := range s.openPermissions() {
		if open.Peer != r.Peer || open.reportedBy(r.Source) {
			continue
		}
		if r.Source == SourceStatus || open.Source == SourceStatus {
			if open.Tool == r.Tool || open.Tool == "" || r.Tool == "" {
				return open
			}
			continue
		}
		if open.Tool == r.Tool && (sameJSON(open.Input, r.Input) || previews(open.Input, r.Input) || previews(r.Input, open.Input)) {
			return open
		}
	}
	return nil
}

func (r *permission) reportedBy(source string) bool {
	return r.Source == source || slices.Contains(r.Also, source)
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return len(a) == 0 && len(b) == 0
	}
	ax, err1 := json.Marshal(x)
	by, err2 := json.Marshal(y)
	return err1 == nil && err2 == nil && bytes.Equal(ax, by)
}

// previewCut is from which length on a relayed preview may have been cut.
const previewCut = 190

// previews says whether short is the relay's preview, a JSON string, of the
// whole input: its JSON text or its command, cut only when it is long.
func previews(short, whole json.RawMessage) bool {
	var text string
	if json.Unmarshal(short, &text) != nil || text == "" {
		return false
	}
	cut := strings.TrimSuffix(strings.TrimSuffix(text, "…"), "...")
	isCut := len(cut) < len(text) || len(text) >= previewCut
	want := squeeze(cut)
	texts := []string{unescape.Replace(string(whole))}
	var fields map[string]any
	if json.Unmarshal(whole, &fields) == nil {
		for _, v := range fields {
			if s, ok := v.(string); ok {
				texts = append(texts, s)
			}
		}
	}
	for _, t := range texts {
		t = squeeze(t)
		if t == want || isCut && len(cut) >= previewCut/2 && strings.HasPrefix(t, want) {
			return true
		}
	}
	return false
}

// unescape undoes what encoding/json does to input on its way through a journal.
var unescape = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// squeeze drops white space, which differs between writers of JSON.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// serves returns the work a peer is doing: the thread of the task it saw last
// and has not answered, and the threads that one serves, nearest first.
func (s *State) serves(p *peer) []ThreadID {
	var last *delivery
	for del := range p.owed {
		if del.State != wire.Seen || del.Context != "" {
			continue
		}
		if last == nil || del.Since.After(last.Since) || del.Since.Equal(last.Since) && del.m.seq > last.m.seq {
			last = del
		}
	}
	var out []ThreadID
	if last == nil {
		return nil
	}
	for id := last.m.Thread; id != "" && len(out) < 32 && !slices.Contains(out, id); {
		out = append(out, id)
		th := s.threads[id]
		if th == nil {
			break
		}
		id = th.Parent
	}
	return out
}

func (e PermissionAsked) apply(s *State, _ Event) {
	r := s.perms[e.Permission.ID]
	if r == nil {
		r = &permission{}
		s.perms[e.Permission.ID] = r
	}
	if r.Closed != "" {
		return
	}
	r.Permission = e.Permission
	r.Asked = stamp(r.Asked)
	raise(&s.next.Permission, r.ID)
	s.mark(docPermission, r.ID)
}
