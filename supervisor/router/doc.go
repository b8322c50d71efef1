// Package router holds every rule of ccmux about messages, rooms, threads,
// permissions and delivery, as pure functions:
//
//	Command ──► Decide(state, command) ──► events + result
//	               ▲                         │
//	     Needs ──► Restore                   ├──► Apply(event) ──► state ──► Due, View
//	               │                         ▼
//	            journal ◄── TakeDirty ── made durable
//
// It guarantees that applying the events of a journal to an empty State gives
// the state that produced them, that restoring the open docs of a journal gives
// a state which decides the same, that nothing changes when Decide returns an
// error, and that no sequence of commands makes a delivery claim more than was
// reported of it, or makes a permission allowed that neither the human, nor a
// rule, nor a named approver allowed. A message is admitted to a conversation
// once, after the earlier ones of the same sender; a task never into a running
// turn; and every message that nothing stops is due until it was seen.
//
// It does not guarantee that a route works: it believes what it is told was
// proven. The match of a rule's pattern is package rules' part; here an answer by
// rule is only held against the rule's being in force.
//
// It does no I/O, reads no clock and starts no goroutine: time and identifiers
// come in with the command. A State belongs to one goroutine, the supervisor's
// loop; a View is immutable and may be read by anyone. What ended is forgotten
// by TakeDirty once it is durable, and comes back through Needs and Restore.
//
// Tests: the known ways of losing, doubling and misdirecting messages by name,
// and random commands that drive a state which forgets and restarts beside one
// that does neither; the two must agree in all they decide, show and write.
package router
