// Package router holds every rule of ccmux about messages, rooms, threads,
// permissions and delivery, as pure functions:
//
//	Command ──► Decide(state, command) ──► events + result
//	                                         │
//	              journal makes them durable │
//	                                         ▼
//	                              Apply(event) ──► state ──► Due, View
//
// It guarantees that applying the events of a journal to an empty State gives
// the state that produced them, that nothing changes when Decide returns an
// error, and that no sequence of commands makes a delivery claim more than was
// reported of it, or makes a permission allowed that neither the human, nor a
// rule, nor a named approver allowed.
//
// It does no I/O, reads no clock and starts no goroutine: time and identifiers
// come in with the command. A State belongs to one goroutine, the supervisor's
// loop; a View is immutable and may be read by anyone.
package router
