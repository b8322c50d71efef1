package supervisor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/project"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/router/rules"
)

// fromTeamFile is the source of rules that the trusted team file brought.
const fromTeamFile = "team file"

// rulebook is the rules in force, for the hooks to read without the loop.
type rulebook struct{ list atomic.Pointer[[]router.Rule] }

func (b *rulebook) rules() []router.Rule {
	if l := b.list.Load(); l != nil {
		return *l
	}
	return nil
}

// denies says whether a rule that denies is in force.
func (b *rulebook) denies() bool {
	return slices.ContainsFunc(b.rules(), func(r router.Rule) bool { return r.Effect == rules.Deny })
}

// ruled takes changes of the rules over; it runs on the loop's goroutine.
func (s *Supervisor) ruled(state *router.State, events []router.Event) {
	changed := slices.ContainsFunc(events, func(e router.Event) bool {
		switch e.Body.(type) {
		case router.RuleAdded, router.RuleRemoved:
			return true
		}
		return false
	})
	if changed {
		s.takeRules(state)
	}
}

// takeRules reads the rules anew and marks every session's folder, for hooks
// that get no answer.
func (s *Supervisor) takeRules(state *router.State) {
	list := state.Rules()
	s.rules.list.Store(&list)
	for _, e := range s.sessions.all() {
		if f := e.sessionFile(); f != "" {
			if err := wire.SetDenyRules(f, s.rules.denies()); err != nil {
				s.log.Error("mark rules that deny", "err", err)
			}
		}
	}
}

// match asks the rules about what a tool is about to do.
func (s *Supervisor) match(peer router.PeerID, in hookInput) (verdict string, rule *router.Rule, why string) {
	list := s.rules.rules()
	if len(list) == 0 {
		return rules.None, nil, ""
	}
	return rules.Match(list, s.subject(peer, in))
}

// subject is what a tool is about to do, in the words of the rules.
func (s *Supervisor) subject(peer router.PeerID, in hookInput) rules.Request {
	p, _ := s.loop.look().Peer(peer)
	dir := in.CWD
	if dir == "" {
		dir = p.Dir
	}
	return rules.Request{
		Peer: peer, Name: p.Name, Tool: in.ToolName, Input: in.ToolInput, Dir: dir,
		Home: s.sessions.home(peer), At: time.Now(), Resolve: resolve,
	}
}

// resolve follows the symbolic links of a path as far as it exists.
func resolve(path string) (string, error) {
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("resolve %s: %w", path, err)
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// before judges a tool before it runs, by the rules that deny alone: a deny holds
// in every permission mode, and what might be denied is asked about. Rules that
// allow or ask act on requests only.
func (c *conn) before(in hookInput) wire.HookVerdict {
	if !c.s.rules.denies() {
		return wire.HookVerdict{}
	}
	switch verdict, rule, why := rules.Denies(c.s.rules.rules(), c.s.subject(c.peer, in)); verdict {
	case rules.Deny:
		c.s.denials.record(c, in, rule.ID, why)
		return wire.HookVerdict{Action: wire.HookDeny, Reason: fmt.Sprintf("ccmux: denied by %s (%s)", rule.ID, why)}
	case rules.Ask:
		return wire.HookVerdict{Action: wire.HookAsk, Reason: "ccmux: " + why}
	}
	return wire.HookVerdict{}
}

// byRule is a rule's answer to a request, if there is one; the router may leave
// the request to the human all the same, as when it was allowed too often.
func (c *conn) byRule(in hookInput) *router.AnswerPermission {
	verdict, rule, why := c.s.match(c.peer, in)
	if rule == nil || verdict != rules.Allow && verdict != rules.Deny {
		return nil
	}
	return &router.AnswerPermission{Behavior: wire.Behavior(verdict), By: router.Actor{Kind: router.ByRule, Rule: rule.ID}, Why: why}
}

// applyTeamFile has exactly the file's rules in force, beside those the human
// made from cards. It must be trusted.
func (s *Supervisor) applyTeamFile(ctx context.Context, f *project.File) error {
	s.setLimits(f.Config)
	by := router.Actor{Kind: router.ByCcmux}
	var want []router.Rule
	for i, r := range f.Rules {
		rule, err := teamRule(r)
		if err == nil {
			err = rules.Check(rule)
		}
		if err != nil {
			return fmt.Errorf("%s: rule %d: %w", f.Path, i+1, err)
		}
		want = append(want, rule)
	}
	for _, have := range s.rules.rules() {
		if have.Source != fromTeamFile && have.Source != fromApprover {
			continue
		}
		if i := slices.IndexFunc(want, func(r router.Rule) bool { return sameRule(r, have) }); i >= 0 {
			want = slices.Delete(want, i, i+1)
			continue
		}
		if _, err := s.loop.submit(ctx, router.RemoveRule{ID: have.ID, By: by}); err != nil {
			return err
		}
	}
	for _, r := range want {
		if _, err := s.loop.submit(ctx, router.AddRule{Rule: r, By: by}); err != nil {
			return err
		}
	}
	return s.applyApprovers(ctx, f)
}

func teamRule(r project.Rule) (router.Rule, error) {
	rule := router.Rule{Effect: r.Effect, Peer: r.Session, Tool: r.Tool, Pattern: r.Match, Dir: r.Dir, Source: fromTeamFile}
	var err error
	rule.MaxAge, err = maxAge(r.MaxAge)
	return rule, err
}

// maxAge reads how long a rule speaks; "" is for ever.
func maxAge(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	age, err := time.ParseDuration(text)
	if err != nil || age <= 0 {
		return 0, fmt.Errorf("max_age is %q: use a duration such as 8h", wire.CleanLine(text, 40))
	}
	return age, nil
}

// sameRule compares what a rule says, not which it is.
func sameRule(a, b router.Rule) bool {
	a.ID, b.ID, a.Added, b.Added = "", "", time.Time{}, time.Time{}
	return a == b
}

// teamFile applies the project's file when its content is trusted already; the
// rules of a file that changed or went are out of force.
func (s *Supervisor) teamFile(ctx context.Context) error {
	f := s.TeamFile()
	if f == nil {
		return s.applyTeamFile(ctx, &project.File{})
	}
	trusted := false
	if !s.loop.read(func(st *router.State) { trusted = st.Trusted(f.Path) == f.Hash }) {
		return errStopping
	}
	if !trusted {
		return s.applyTeamFile(ctx, &project.File{Path: f.Path})
	}
	return s.applyTeamFile(ctx, f)
}

// agreed applies a file whose content the human has just agreed to; what stands
// in it now must be what they saw.
func (s *Supervisor) agreed(ctx context.Context, path, hash string) error {
	f, err := project.ReadConfig(path)
	if err != nil {
		return err
	}
	if f.Hash != hash {
		return errors.New("the file changed after you saw it: read it again")
	}
	if err := s.applyTeamFile(ctx, f); err != nil {
		return err
	}
	s.team.Store(f)
	if s.news.set(aboutTeamFile, "", time.Time{}) {
		s.watchers.tell()
	}
	return nil
}
