// Package channel is what claude starts of ccmux: the MCP server that carries
// messages (`ccmux channel`) and the hook command (`ccmux hook EVENT`).
//
//	claude ─stdin──► reader ─► tools/call ─► in the order of the calls ─► ccmux
//	       ◄─stdout─ locked ◄─ answers    ◄──────────────────────────────┘
//	                 writer ◄─ outbox ◄─ gate ◄─ pushes of ccmux
//	claude ─exec───► hook ─► one call to ccmux ─► verdict in claude's own format
//
// The server guarantees: no torn or interleaved line on stdout; nothing pushed
// before claude listens (see gate); pushes in the order ccmux sent them, each at
// most once, and acknowledged after they are written; calls reach ccmux in the
// order claude made them, while no call waits for the answer of another; every
// tool call gets an answer, also when ccmux cannot be reached; it ends when
// claude does, and [Patience] after it lost ccmux for good. It does not know
// whether a push was read by the model: that is for the hooks to say.
//
// The hook guarantees: no answer of ccmux in time is the same as no hook, but
// for a PreToolUse while rules deny, which then asks the human; its exit code is
// never 2, which claude would take for a veto.
//
// Only cmd/ccmux calls this package, and no package of ccmux but channel/wire
// is imported, so that both processes stay small. Tests play both neighbours: a
// scripted client that talks as claude does, over pipes, and a ccmux on a unix
// socket. Both real versions of claude run against it in the end-to-end tests.
package channel
