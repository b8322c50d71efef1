// Package demoagent is a scripted agent that stands in for claude. It is the
// agent of `ccmux demo`, which needs no login and no network, and the test
// double of claude in tests. It says on its screen what it is.
//
//	keys ──► loop ──► queue ──► turns ──► behaviour (the "model")
//	           ▲                  │ say, bash, call …
//	server ────┘ pushes           ├──► hooks   (a process per event)
//	           screen ◄───────────┴──► server  (tools/call)
//
// It is started with claude's own arguments and does towards the plugin what
// claude does: it starts the MCP server and the hooks the plugin names, with
// the same handshake, the same dead time for pushes, the same hook fields, the
// same order of hooks, queues and turns, the same status file and transcript.
// Where the two known versions of claude differ, the option version=old chooses.
// Only the model is missing: a behaviour (see Scripts) decides what is said and
// which tools are called. It never talks to ccmux but through the plugin.
//
// What it does not do: context limits, subagents, slash commands but /exit
// and /mcp reconnect,
// tools other than Bash, Write and the plugin's, and typing in the middle of a
// line. It does not look for claude's settings.
//
// Main may be called from `ccmux demo-agent` and from tests. One loop goroutine
// owns the screen, the queue and the dialogs; one goroutine runs the turns; what
// else is started is waited for before Main returns. Tests run it in a pty
// against a small plugin of their own; a table in cmd/ccmux/e2e holds what it
// imitates against both versions of claude.
package demoagent
