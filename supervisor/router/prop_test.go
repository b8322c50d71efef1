package router

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// An op is one random step. It means something in every state, so that a failing
// list of ops can be shrunk by leaving some out.
type op [6]byte

// twins drives two states with the same commands: full never forgets and never
// restarts; lean forgets at every commit, is rebuilt from its open docs now and
// then, and loads what it needs. Whatever they are asked, they must agree.
type twins struct {
	lean     *world
	full     *State
	posted   []MessageID
	admitted map[string]int
	restarts int
}

func newTwins(t testing.TB) *twins {
	w := emptyWorld(t)
	w.s.keepThreads, w.s.keepMessages = 2, 3
	tw := &twins{lean: w, full: NewState(), admitted: map[string]int{}}
	limits := DefaultLimits()
	limits.Batch, limits.PerMinute, limits.Echo, limits.Depth, limits.RulePerMinute = 4, 5, 3, 2, 2
	w.s.SetLimits(limits)
	tw.full.SetLimits(limits)
	return tw
}

var propNames = []string{"you", "a", "b", "c", "d"}

// step runs one op and returns what is wrong, if anything.
func (tw *twins) step(o op) error {
	w := tw.lean
	w.at = w.at.Add(time.Duration(o[5]) * time.Duration(o[5]) * 3 * time.Millisecond)
	if o[5] == 255 {
		w.at = w.at.Add(-time.Hour) // the clock is set back
	}
	if o[5] > 250 {
		w.at = w.at.Add(6 * time.Minute)
	}
	switch o[0] % 32 {
	case 0:
		w.commit()
		return nil
	case 1:
		w.restart()
		tw.restarts++
		return nil
	}
	return tw.command(tw.choose(o))
}

func (tw *twins) command(c Command) error {
	w := tw.lean
	first := w.ids
	fullBodies, fullRes, fullErr := Decide(tw.full, w.at, c)
	w.ids = first // both must draw the same ids
	w.load(c)
	bodies, res, err := Decide(w.s, w.at, c)
	if fmt.Sprint(err) != fmt.Sprint(fullErr) {
		return fmt.Errorf("%T %+v: errors differ: %q and %q", c, c, fmt.Sprint(err), fmt.Sprint(fullErr))
	}
	if !reflect.DeepEqual(jsonOf(bodies), jsonOf(fullBodies)) {
		return fmt.Errorf("%T %+v: events differ:\n%s\n%s", c, c, jsonOf(bodies), jsonOf(fullBodies))
	}
	if jsonOf(res.Recipients) != jsonOf(fullRes.Recipients) || res.Reason != fullRes.Reason || res.Admitted != fullRes.Admitted {
		return fmt.Errorf("%T %+v: results differ:\n%s\n%s", c, c, jsonOf(res), jsonOf(fullRes))
	}
	if err != nil && len(bodies) > 0 {
		return fmt.Errorf("%T: events beside an error", c)
	}
	if err := tw.claims(c, bodies, res); err != nil {
		return fmt.Errorf("%T %+v: %w", c, c, err)
	}
	for _, b := range bodies {
		tw.full.Apply(w.apply(b))
		if p, ok := b.(Posted); ok {
			tw.posted = append(tw.posted, p.Message.ID)
		}
	}
	return tw.agree()
}

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// claims holds the promises of single commands.
func (tw *twins) claims(c Command, bodies []Body, res Result) error {
	for _, b := range bodies {
		switch b := b.(type) {
		case Seen:
			switch c.(type) {
			case Admit, AdmitAll, Observe, Read, Archive:
			default:
				return errors.New("something was seen that nobody proved")
			}
		case Offered:
			switch c.(type) {
			case Offer, Send, Respond, Release, Remind, AskPermission:
			default:
				return errors.New("something was offered that nobody offered")
			}
		case PermissionAnswered:
			if b.Behavior == wire.Allow && !tw.mayAllow(b, bodies) {
				return fmt.Errorf("allowed by %+v", b.By)
			}
		}
	}
	if !res.Admitted {
		return nil
	}
	switch c := c.(type) {
	case Admit:
		return tw.admission(c, nil)
	case AdmitAll:
		for i, id := range c.Messages {
			if err := tw.admission(Admit{c.Peer, id, c.MidTurn}, c.Messages[:i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (tw *twins) mayAllow(b PermissionAnswered, with []Body) bool {
	r := tw.full.perms[b.ID]
	for _, other := range with { // the answer may come with the request
		if a, ok := other.(PermissionAsked); ok && a.Permission.ID == b.ID {
			r = &permission{Permission: a.Permission}
		}
	}
	switch b.By.Kind {
	case ByHuman:
		return true
	case ByRule:
		return slices.ContainsFunc(tw.full.Rules(), func(rule Rule) bool {
			return rule.ID == b.By.Rule && rule.Effect == "allow" && about(rule, r, tw.lean.at)
		})
	case ByPeer:
		return slices.ContainsFunc(tw.full.Approvers(), func(a Approver) bool {
			return a.Session == r.Peer && a.By == b.By.Peer && a.Rule == b.By.Rule && a.By != a.Session && a.Tool+a.Pattern != ""
		})
	case ByCcmux:
	}
	return false
}

// about says, in words of its own, whether a rule concerns a request: whose it
// is, which tool, and whether the rule is still in force. What a pattern says of
// the input, and a wildcard of the tool, is held by the tests of package rules.
func about(rule Rule, r *permission, at time.Time) bool {
	whose := rule.Peer == "" || rule.Peer == "*" || PeerID(rule.Peer) == r.Peer
	tool := rule.Tool == "" || rule.Tool == r.Tool || rule.Tool == "B*"
	return whose && tool && (rule.MaxAge == 0 || !at.After(rule.Added.Add(rule.MaxAge)))
}

// admission holds the gate: once only, in order, no task into a running turn.
func (tw *twins) admission(a Admit, before []MessageID) error {
	m := tw.full.messages[a.Message]
	del := m.to(a.Peer)
	if del.State == wire.Seen && !del.Background || del.State.Ended() || del.State == wire.Held {
		return fmt.Errorf("admitted although %s", del.State)
	}
	if a.MidTurn && m.Kind != wire.KindNote {
		return errors.New("a task was admitted into a running turn")
	}
	for _, other := range tw.full.messages {
		if o := other.to(a.Peer); o != nil && other.From == m.From && other.seq < m.seq && o.unseen() && o.State != wire.Held && !other.expiredAt(tw.lean.at) && !del.Background && !slices.Contains(before, other.ID) {
			return fmt.Errorf("%s overtakes %s", m.ID, other.ID)
		}
	}
	return nil
}

// finish compares the journal with a replay of all events.
func (tw *twins) finish() error {
	tw.lean.commit()
	s := NewState()
	for _, e := range tw.lean.events {
		version, data, err := EncodeBody(e.Body)
		if err != nil {
			return err
		}
		if e.Body, err = DecodeBody(e.Type(), version, data); err != nil {
			return err
		}
		s.Apply(e)
	}
	s.keepThreads, s.keepMessages = 1<<30, 1<<30
	replayed := map[DocKey]Doc{}
	for _, d := range s.TakeDirty() {
		replayed[d.Key()] = d
	}
	for k, d := range replayed {
		have := tw.lean.journal[k]
		if string(have.JSON) != string(d.JSON) || have.Open != d.Open {
			return fmt.Errorf("%s %s: in the journal %v %s, by replay %v %s", k.Kind, k.ID, have.Open, have.JSON, d.Open, d.JSON)
		}
	}
	if len(replayed) != len(tw.lean.journal) {
		return fmt.Errorf("%d docs in the journal, %d by replay", len(tw.lean.journal), len(replayed))
	}
	return nil
}

func runOps(t testing.TB, ops []op) (err error) {
	tw := newTwins(t)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
			if testing.Verbose() {
				panic(p)
			}
		}
	}()
	if err := tw.begin(); err != nil {
		return err
	}
	for i, o := range ops {
		if err := tw.step(o); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	if err := tw.drain(); err != nil {
		return err
	}
	return tw.finish()
}

// begin makes three sessions that can be reached.
func (tw *twins) begin() error {
	cmds := []Command{AddPeer{Name: wire.You, Class: wire.ClassHuman}}
	for i, n := range []string{"a", "b", "c"} {
		id := PeerID(fmt.Sprintf("p-%d", i+1))
		cmds = append(cmds, AddPeer{Name: n, Dir: "/" + n},
			StartSession{SessionStarted{Peer: id, PID: 1, Started: tw.lean.at}},
			ProveRoute{RouteProven{Peer: id, Route: wire.RouteChannel, How: "probe"}},
			SetSession{SessionStateChanged{Peer: id, State: Idle}},
			JoinRoom{Peer: id, Room: "x"})
	}
	for _, c := range cmds {
		if err := tw.command(c); err != nil {
			return err
		}
	}
	return nil
}

func TestReplayEqualsLiveEqualsRestored(t *testing.T) {
	rounds, length := 150, 250
	if testing.Short() || raceDetector {
		rounds = 20
	}
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 1))
		ops := make([]op, length)
		for i := range ops {
			for j := range ops[i] {
				ops[i][j] = byte(r.UintN(256))
			}
		}
		if err := runOps(t, ops); err != nil {
			report(t, seed, ops, err)
		}
	}
}

func FuzzCommands(f *testing.F) {
	f.Add([]byte("ccmux"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var ops []op
		for len(data) >= 6 && len(ops) < 200 {
			ops = append(ops, op(data[:6]))
			data = data[6:]
		}
		if err := runOps(t, ops); err != nil {
			t.Fatal(err)
		}
	})
}
