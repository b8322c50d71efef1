package router

import "github.com/ccmux/ccmux/channel/wire"

// The gate lets a message in just before claude writes it down. A claude that
// dies between the two has forgotten it, and only its transcript knows.
func (c Unsee) decide(d *decision) error {
	p, err := d.s.peer(c.Peer)
	if err != nil {
		return err
	}
	why := c.Why
	if why == "" {
		why = p.Name + " ended before it could read it"
	}
	for _, mid := range c.Messages {
		_, del, err := d.find(c.Peer, mid)
		if err != nil {
			return err
		}
		if del.State == wire.Seen && del.Proof == "gate" {
			d.emit(Waiting{Message: mid, Peer: p.ID, For: why, Unseen: true})
		}
	}
	return nil
}
