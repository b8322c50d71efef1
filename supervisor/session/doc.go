// Package session runs one child process in a pty and knows how it is doing.
//
//	keys ──Write──► queue ──writer──► pty ──► child
//	                  ▲ replies        │
//	                  │              reader ──► vt (the screen) ──► OnOutput
//	                  └───── vt ◄──────┘
//	hooks (Hook), status file, screen words, title, time ──► machine ──► Info, OnEvent
//
// # API
//
// Start makes a Session of a Spec, Adopt makes one of a descriptor, a pid and a
// start time. Screen is the emulator; Write and Interrupt type; Resize changes
// the size; Hook takes a hook's word; Info is the state now, and OnEvent tells
// of its changes; Done and Exit tell the end; Stop brings it about and reports
// what survived. Recognise reads a dialog from lines of text and MoveTo computes
// the keys to a row of it. Slot owns the start, stop and restart of one name,
// with Backoff between crashes and ResumeArgs to decide how claude is called.
// Package transcript reads what claude wrote down; package proc reads processes.
//
// # What it guarantees
//
// No call blocks on the child: a child that does not read gives ErrBusy. Replies
// of the emulator never hold up the reader. A resize is applied between what
// was written at the old size and what comes after. Two sources, hooks and
// claude's status file, correct each other within 5 s; the screen is a third
// opinion. One Slot has at most one child, whatever is called at once. A panic in a
// goroutine of a session becomes the failed state of that session. The end of
// a session is waited for by its pid alone, never by a general wait, and Done
// closes after the last goroutine and the last event.
//
// # What it does not
//
// It knows no messages, rooms or rules. It presses no key by itself, in no dialog.
// A process that left the child's process session with setsid is not ended by
// Stop; it is found as far as it can be and reported. It cannot tell what claude
// does while hooks, status file and screen all say nothing.
//
// # Who may call it from where
//
// Any goroutine may call any method. OnEvent runs on a goroutine of the
// session's own, one event at a time, and may call Info, Hook, Write and Resize but
// must not wait for Done or call Stop. OnOutput runs on the reader's goroutine
// and must return at once. The supervisor is the only user.
//
// # How it is tested
//
// The state machine by tables and by a virtual clock; dialogs by recordings of
// both versions of claude fed through vt; the process side with shell children
// and a helper program that floods, does not read, ignores signals and
// daemonises; all under the race detector, with a check for leaked goroutines.
package session
