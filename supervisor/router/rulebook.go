package router

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// autoYes is one allow that a rule gave, so that loops can be seen.
type autoYes struct {
	Request string `json:"request"` // a digest of tool and input
	At      int64  `json:"at"`      // unix milliseconds
}

// lately returns the allows of the last minute.
func lately(list []autoYes, at time.Time) []autoYes {
	out := make([]autoYes, 0, len(list)+1)
	for _, a := range list {
		if age := at.UnixMilli() - a.At; age >= 0 && age < time.Minute.Milliseconds() {
			out = append(out, a)
		}
	}
	return out
}

func requestKey(r *Permission) string {
	input := []byte(r.Input)
	var v any
	if json.Unmarshal(input, &v) == nil {
		if canonical, err := json.Marshal(v); err == nil {
			input = canonical
		}
	}
	sum := sha256.Sum256(append([]byte(r.Tool+"\x00"), input...))
	return hex.EncodeToString(sum[:8])
}

// allowedLately counts how often rules allowed the same request within a minute.
func (s *State) allowedLately(r *Permission, at time.Time) int {
	p := s.peers[r.Peer]
	if p == nil {
		return 0
	}
	n, key := 0, requestKey(r)
	for _, a := range lately(p.Auto, at) {
		if a.Request == key {
			n++
		}
	}
	return n
}

// Rules returns the rules in force, in the order of adding. Their peers are ids,
// but for names that nobody has yet.
func (s *State) Rules() []Rule { return slices.Clone(s.rules) }

// Approvers returns who may answer for whom.
func (s *State) Approvers() []Approver { return slices.Clone(s.approvers) }

func (s *State) rule(id string) *Rule {
	if i := s.ruleIndex(id); i >= 0 {
		return &s.rules[i]
	}
	return nil
}

func (s *State) ruleIndex(id string) int {
	return slices.IndexFunc(s.rules, func(r Rule) bool { return r.ID == id })
}

// mayRule says whether an actor may change the rules: the human, or ccmux for
// the team file that the human trusted.
func mayRule(a Actor) error {
	if a.Kind != ByHuman && a.Kind != ByCcmux {
		return denied("only the human can change the rules")
	}
	return nil
}

func (c AddRule) decide(d *decision) error {
	r := c.Rule
	if err := mayRule(c.By); err != nil {
		return err
	}
	switch r.Effect {
	case "allow", "deny", "ask":
	default:
		return wrong("%s is not an effect of a rule: use allow, deny or ask", shown(r.Effect))
	}
	if r.MaxAge < 0 {
		return wrong("a rule's age cannot be negative")
	}
	if r.Effect == "allow" && r.Tool == "" && r.Pattern == "" {
		return wrong("a rule that allows names a tool or a pattern")
	}
	if r.ID == "" {
		r.ID = fmt.Sprintf("rule-%d", d.s.next.Rule+1)
	}
	d.res.Rule = r.ID
	r.Peer = d.s.bind(r.Peer)
	if old := d.s.rule(r.ID); old != nil {
		same := *old
		same.Added = r.Added
		if same == r {
			return nil
		}
		return wrong("there is a rule %s already: remove it first", shown(r.ID))
	}
	if r.Added.IsZero() {
		r.Added = d.at
	}
	r.Added = stamp(r.Added)
	d.emit(RuleAdded{Rule: r, By: c.By})
	return nil
}

// bind makes of a peer's name, also a former one, its id, so that a rule stays
// with the peer when it takes another name. A name nobody has yet stays one.
func (s *State) bind(name string) string {
	if id, known := s.names[name]; known {
		return string(id)
	}
	return name
}

// rebind gives the rules that wait for a name the id of its new bearer.
func (s *State) rebind() {
	if !slices.ContainsFunc(s.rules, func(r Rule) bool { return s.bind(r.Peer) != r.Peer }) {
		return
	}
	s.rules = slices.Clone(s.rules) // views hold the old list
	for i := range s.rules {
		s.rules[i].Peer = s.bind(s.rules[i].Peer)
	}
	s.markRules()
}

// viewRules returns the rules with the names their peers have now.
func (s *State) viewRules() []Rule {
	out := slices.Clone(s.rules)
	for i := range out {
		if p := s.peers[PeerID(out[i].Peer)]; p != nil {
			out[i].Peer = p.Name
		}
	}
	return out
}

func (e RuleAdded) apply(s *State, _ Event) {
	if s.ruleIndex(e.Rule.ID) >= 0 {
		return
	}
	r := e.Rule
	r.Peer = s.bind(r.Peer)
	if !r.Added.IsZero() {
		r.Added = stamp(r.Added)
	}
	s.rules = append(slices.Clip(s.rules), r) // views hold the old list
	if number(r.ID) > 0 && r.ID == fmt.Sprintf("rule-%d", number(r.ID)) {
		raise(&s.next.Rule, r.ID)
	}
	s.markRules()
}

func (c RemoveRule) decide(d *decision) error {
	if err := mayRule(c.By); err != nil {
		return err
	}
	if d.s.rule(c.ID) == nil {
		return unknown("there is no rule %s", shown(c.ID))
	}
	d.emit(RuleRemoved(c))
	return nil
}

func (e RuleRemoved) apply(s *State, _ Event) {
	var left []Rule
	for _, r := range s.rules {
		if r.ID != e.ID {
			left = append(left, r)
		}
	}
	s.rules = left
	s.markRules()
}

func (c SetApprovers) decide(d *decision) error {
	if err := mayRule(c.By); err != nil {
		return err
	}
	for _, a := range c.Approvers {
		if _, err := d.s.peer(a.Session); err != nil {
			return err
		}
		if _, err := d.s.peer(a.By); err != nil {
			return err
		}
		switch {
		case a.Session == a.By:
			return wrong("%s cannot approve for itself", d.s.Name(a.By))
		case d.s.classOf(a.By) == wire.ClassHuman:
			return wrong("the human approves anyway")
		case a.Rule == "" || a.Tool == "" && a.Pattern == "":
			return wrong("the approver %s for %s needs a tool or a pattern that bounds it", d.s.Name(a.By), d.s.Name(a.Session))
		}
	}
	if slices.Equal(c.Approvers, d.s.approvers) {
		return nil
	}
	d.emit(ApproversSet(c))
	return nil
}

func (e ApproversSet) apply(s *State, _ Event) {
	s.approvers = slices.Clone(e.Approvers)
	s.markRules()
}
