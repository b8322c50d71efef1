// Package soak runs ccmux under load while random processes are killed, and
// judges what came of it. The load is a project of demo agents: real sessions
// with real ptys, channel and hook processes, which send each other tasks,
// replies, notes, room posts and fan-outs. The kills are SIGKILL to ccmux
// itself, to channel processes, to hooks in the middle of their work, and to
// agents.
//
//	senders ──► ccmux ──► agents ──► transcripts ─┐
//	faults ──KILL──► any of them                   ├─► judge
//	                    └──► journal ──────────────┘
//
// The judge believes only what the agents wrote down: a message counts as seen
// when it stands in the transcript as what the model was given. It finds what was
// lost, what was seen twice in one conversation, what came in another order than
// it was sent, what is on record and never arrived, and tasks without an answer.
//
// Race is the same with other load: tasks for agents that go busy at any moment
// by themselves, also between ccmux's look at their state and its push.
//
// It does not judge speed, the screen, or permission requests. It needs /proc to
// find the processes to kill. Run may be called by tests only, once per
// folder; the judge by itself is tested with made-up records, each wrong in one way.
package soak
