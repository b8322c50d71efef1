package modelapi

import "fmt"

// Persona plays the model of one session.
type Persona struct {
	name   string
	server *Server
	rules  []*Rule // guarded by server.mu
}

// On adds a rule with a fixed reply. Without a call of [Rule.Times] it
// answers as often as it matches.
func (p *Persona) On(match Match, parts ...Part) *Rule {
	return p.OnCall(match, func(*Request) []Part { return parts })
}

// OnCall adds a rule whose reply is made from the request.
func (p *Persona) OnCall(match Match, reply func(*Request) []Part) *Rule {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	r := &Rule{server: p.server, name: fmt.Sprintf("%s#%d", p.name, len(p.rules)+1), match: match, reply: reply, left: -1}
	p.rules = append(p.rules, r)
	return r
}

// Times bounds how often the rule answers.
func (r *Rule) Times(n int) *Rule {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	r.left = n
	return r
}

// Named gives the rule a name for [Request.Rule] and failure messages.
func (r *Rule) Named(name string) *Rule {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	r.name = name
	return r
}

// Reset forgets the rules, for a test that starts a second act.
func (p *Persona) Reset() {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	p.rules = nil
}

// choose finds the rule that answers and uses it up once. The caller holds
// server.mu.
func (p *Persona) choose(r *Request) *Rule {
	for _, rule := range p.rules {
		if rule.left != 0 && rule.match(r) {
			if rule.left > 0 {
				rule.left--
			}
			return rule
		}
	}
	return nil
}
