package supervisor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
	"github.com/ccmux/ccmux/supervisor/vt"
)

const (
	// keyWait is how long a dialog may take to show the effect of one key.
	keyWait = 3 * time.Second
	// maxKeys bounds the way to a row; a highlight that does not arrive is given up.
	maxKeys = 32
)

// Dialog is the dialog a session's pane shows at this moment.
func (s *Supervisor) Dialog(peer router.PeerID) (session.Dialog, bool) {
	r := s.sessions.current(peer)
	if r == nil || r.sess == nil {
		return session.Dialog{}, false
	}
	return r.sess.Dialog()
}

// errDialogGone says that what the human answered is not on the screen any more.
var errDialogGone = errors.New("the dialog is gone or has changed: look at the pane")

// AnswerDialog chooses a row of a dialog as the human who saw it would: it moves
// the highlight one key at a time, reads the screen after each, and confirms
// only when the wanted row is highlighted. seen is the dialog the human saw; on
// any other nothing is pressed.
func (s *Supervisor) AnswerDialog(ctx context.Context, peer router.PeerID, seen session.Dialog, row int) error {
	e, r := s.sessions.entry(peer), s.sessions.current(peer)
	if e == nil || r == nil {
		return session.ErrEnded
	}
	if row < 0 || row >= len(seen.Rows) {
		return fmt.Errorf("the dialog has no row %d", row+1)
	}
	changed := make(chan struct{}, 1)
	cancel := e.pane.Changed(func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	defer cancel()
	for range maxKeys {
		now, open := r.sess.Dialog()
		if !open || !now.Same(seen) {
			return errDialogGone
		}
		move, err := session.MoveTo(now, row)
		if err != nil {
			return fmt.Errorf("%s: %w: answer it in the pane", wire.CleanLine(string(now.Name), 40), err)
		}
		if move.Count == 0 {
			return r.sess.Write([]byte("\r"))
		}
		if err := r.sess.Write(arrow(r.sess.Screen(), move.Key)); err != nil {
			return err
		}
		if err := awaitMove(ctx, r.sess, now, changed); err != nil {
			return err
		}
	}
	return errors.New("the highlight does not reach that row: answer it in the pane")
}

// arrow is a cursor key as the program in the pane asked for it.
func arrow(t *vt.Terminal, k session.Key) []byte {
	code := vt.KeyDown
	if k == session.KeyUp {
		code = vt.KeyUp
	}
	return t.EncodeKey(vt.Key{Code: code})
}

// awaitMove waits until the dialog shows another highlight than before, or is
// gone.
func awaitMove(ctx context.Context, s *session.Session, before session.Dialog, changed <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, keyWait)
	defer cancel()
	for {
		now, open := s.Dialog()
		if !open || now.Highlighted != before.Highlighted {
			return nil
		}
		select {
		case <-changed:
		case <-s.Done():
			return session.ErrEnded
		case <-ctx.Done():
			return errors.New("the dialog does not follow the keys: answer it in the pane")
		}
	}
}
