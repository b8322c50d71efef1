// Package pane shows one session's terminal.
//
// It guarantees that Lines returns exactly the rows and columns asked for, cell
// by cell what the emulator holds, that rows which did not change are not drawn
// again, and that what is typed reaches the child in the encoding it asked for.
//
//	vt ──Refresh (event loop, changed rows)──► rows ──Lines (pure)──► screen
//	tea.KeyPressMsg ──Key──► vt.EncodeKey ──► child
//
// A Model belongs to one screen's event loop. It starts nothing and does no I/O:
// what it encodes is sent by its caller. Tests feed a real emulator.
package pane
