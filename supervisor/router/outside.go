package router

import (
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// SaidOutside says that a session sent something by claude's own messenger, past
// ccmux: nobody proves that it arrived, and no rule was asked. To is as claude
// names it: a session, an address, or an agent inside of the same session.
type SaidOutside struct {
	Peer PeerID `json:"peer"`
	To   string `json:"to"`
	Text string `json:"text,omitempty"` // the beginning of it, in one line
}

// RecordOutside records it. What is too long is cut.
type RecordOutside struct{ SaidOutside }

// OutsideView is the last thing a session said past ccmux since it started.
type OutsideView struct {
	To   string    `json:"to"`
	Text string    `json:"text,omitempty"`
	At   time.Time `json:"at"`
}

func (c RecordOutside) decide(d *decision) error {
	p, err := d.s.peer(c.Peer)
	if err != nil {
		return err
	}
	to := wire.CleanLine(c.To, wire.MaxMeta)
	if to == "" {
		return wrong("what was said outside of ccmux names no receiver")
	}
	d.emit(SaidOutside{Peer: p.ID, To: to, Text: wire.CleanLine(c.Text, wire.MaxMeta)})
	return nil
}

func (e SaidOutside) apply(s *State, ev Event) {
	if p := s.peers[e.Peer]; p != nil {
		p.Session.Outside = &OutsideView{To: e.To, Text: e.Text, At: ev.At}
		s.touchPeer(p)
	}
}
