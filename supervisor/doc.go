// Package supervisor is ccmux itself, without a screen: the loop that owns the
// state, the socket at which sessions and the human come in, the sessions it
// runs, and the door through which a screen in the same process looks and acts.
//
//	hook, channel ──► conn ──► command ─┐
//	ccmux send ─────► conn ──► command ─┤► loop ──► journal
//	screen ─────────► Submit ─► command ┘    │ settled
//	                                         ▼
//	          watchers ◄── View     mail ──► channel ──► claude
//
// It guarantees that nothing is answered, published or pushed before it is
// durable; that a message goes to a session only by a route that was proven,
// and through the gate only once; and that whoever comes in is who the
// connection's credential and process say, never what a payload says.
//
// It holds no rule about messages (router), no SQL (journal) and no pixels
// (vt), and must not import Bubble Tea, Lip Gloss or mcp-go. Submit, View and
// the other exported methods may be called from any goroutine. `go` statements
// stand in supervisor.go, loop.go, conn.go and sessions.go. It is tested with
// the demo agent, and end to end with the real claude.
package supervisor
