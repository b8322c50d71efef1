package supervisor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session/proc"
)

// Claude's own messaging socket, the route for a session whose channels are off.
// What is written there begins a turn as a channel's event does, and comes by the
// same prompt hook: the gate, its receipt and the probe are those of the channel.
// Claude drops without a word what comes too fast or is too long, so that nothing
// does: what waits for its turn goes as one text.
const (
	socketBurst  = 25                      // messages at once; claude takes 30 of a sender
	socketRefill = 2500 * time.Millisecond // for one more; claude's is 2 s
	socketLine   = 1<<20 - 1024            // bytes of a line; claude takes 1 MiB
	socketShort  = 64 << 10                // bytes of a content that is too long for it
	socketTime   = 5 * time.Second         // for a connection and what is written
	socketProof  = 15 * time.Second        // for the probe to come back
	bypassMode   = "bypassPermissions"     // such a session would open a dialog for each message
)

// bySocket probes claude's own socket, for a session that the channel does not
// reach.
func (r *run) bySocket() {
	nonce, err := newSecret()
	if err != nil {
		return
	}
	if r.sess.Info().PermissionMode != bypassMode {
		r.socket.probe(nonce[:16])
	}
}

// socketProven takes the probe that came back as the proof of the route.
func (r *run) socketProven(ctx context.Context) (wire.HookVerdict, error) {
	proven := router.RouteProven{Peer: r.peer, Route: wire.RouteSocket, How: "a probe came back through claude's own messaging socket"}
	if _, err := r.entry.s.loop.submit(ctx, router.ProveRoute{RouteProven: proven}); err != nil {
		return wire.HookVerdict{}, err
	}
	return block("ccmux: messages reach this session"), nil
}

// serveSocket writes to the socket what it is given; it ends with ctx.
func (r *run) serveSocket(ctx context.Context) {
	defer r.entry.s.survive("messaging socket of " + r.entry.label())
	m := r.socket
	for {
		select {
		case <-m.poke:
		case <-ctx.Done():
			return
		}
		for wait := m.pause(time.Now()); wait > 0; wait = m.pause(time.Now()) {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			}
		}
		nonce, ids := m.take()
		if err := r.overSocket(ctx, nonce, ids); err != nil && ctx.Err() == nil {
			r.entry.s.log.Info("claude's own messaging socket", "session", r.entry.label(), "err", err)
			r.loseSocket(ctx, err.Error())
		}
	}
}

// overSocket writes a probe, or messages as one text.
func (r *run) overSocket(ctx context.Context, nonce string, ids []router.MessageID) error {
	text := ""
	if len(ids) > 0 {
		r.entry.s.loop.read(func(s *router.State) { text = r.socketText(s, ids) })
	} else if nonce != "" {
		text = wire.TagText("probe of ccmux: it is blocked before the model is called", map[string]string{wire.MetaProbe: nonce})
	}
	if text == "" {
		return nil
	}
	if err := r.writeSocket(ctx, text); err != nil {
		return err
	}
	if len(ids) == 0 {
		time.AfterFunc(socketProof, func() { r.socketSilent(ctx, nonce) })
	}
	return nil
}

// socketText is what of ids is still offered over the socket.
func (r *run) socketText(s *router.State, ids []router.MessageID) string {
	var list []router.Message
	for _, id := range ids {
		d, open := s.Delivery(id, r.peer)
		if m, known := s.Message(id); known && open && d.State == wire.Offered && d.Route == wire.RouteSocket {
			if len(m.Content) > socketLine/8 { // with what JSON makes of it
				m.Content = wire.Cut(m.Content, socketShort) + fmt.Sprintf(
					"\n\n[Of %d bytes this is the beginning. Read all of it with history, thread %s.]", len(m.Content), m.Thread)
			}
			list = append(list, m)
		}
	}
	switch len(list) {
	case 0:
		return ""
	case 1:
		return wire.TagText(contentOf(list[0]), r.entry.s.meta(s, list[0]))
	}
	for {
		content, meta := r.bundle(s, list)
		text := wire.TagText(content, meta)
		if len(text) < socketLine/3 || len(list) == 1 {
			return text
		}
		half := len(list) / 2
		r.socket.give(idsOf(list[half:])) // they go next
		list = list[:half]
	}
}

func (r *run) writeSocket(ctx context.Context, text string) error {
	m := r.socket
	m.mu.Lock()
	path, token := m.path, m.token
	m.mu.Unlock()
	var lines []byte
	for _, v := range []any{
		map[string]any{"type": "auth", "token": token},
		map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": text}},
	} {
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false) // it makes six bytes of one
		if err := enc.Encode(v); err != nil {
			return err
		}
		if line.Len() > socketLine {
			return fmt.Errorf("a message of %d bytes is longer than claude's own socket takes", line.Len())
		}
		lines = append(lines, line.Bytes()...)
	}
	ctx, cancel := context.WithTimeout(ctx, socketTime)
	defer cancel()
	var d net.Dialer
	nc, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return fmt.Errorf("reach claude's own messaging socket: %w", err)
	}
	defer nc.Close()
	if err := r.belongs(nc); err != nil {
		return err
	}
	if deadline, ok := ctx.Deadline(); ok {
		_ = nc.SetDeadline(deadline) // a deadline that cannot be set shows in the write
	}
	_, err = nc.Write(lines)
	return err
}

// belongs makes sure that who listens is of the session: its environment could
// name any socket of this user's.
func (r *run) belongs(nc net.Conn) error {
	uc, ok := nc.(*net.UnixConn)
	if !ok {
		return errors.New("claude's own messaging socket is no unix socket")
	}
	pid, err := peerPID(uc)
	if err != nil {
		return err
	}
	id, err := proc.Identify(pid)
	if err != nil {
		return err
	}
	return r.entry.s.guard.member(caller{id: id}, r.root())
}

// socketSilent gives the socket up when its probe did not come back.
func (r *run) socketSilent(ctx context.Context, nonce string) {
	if ctx.Err() == nil && r.socket.missing(nonce) {
		r.loseSocket(ctx, fmt.Sprintf("no probe came back over claude's own messaging socket within %v", socketProof))
	}
}

func (r *run) loseSocket(ctx context.Context, why string) {
	r.socket.mu.Lock()
	r.socket.nonce, r.socket.proven = "", false
	r.socket.mu.Unlock()
	e := router.RouteLost{Peer: r.peer, Route: wire.RouteSocket, Why: wire.CleanLine(why, wire.MaxMeta)}
	if _, err := r.entry.s.loop.submit(ctx, router.LoseRoute{RouteLost: e}); err != nil {
		r.entry.s.log.Debug("record a lost route", "session", r.entry.label(), "err", err)
	}
}
