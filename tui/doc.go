// Package tui is the screen: one Screen for each attached terminal.
//
//	keyboard ──► Bubble Tea ──► model.Update ──► picture ──► bridge ──► writer ──► terminal
//	                              │      ▲                      ▲
//	        wishes, beside the loop      frames                 when the terminal has
//	                              ▼      │                      taken the last one
//	                             Door: View, Watch, Pane
//
// It guarantees that
//   - a screen holds no facts: it reads the immutable View and asks for changes
//     through the Door, in the order the human had them;
//   - the event loop does no I/O, drawing changes nothing, and a fault in one
//     screen ends that screen only, with ErrPanic;
//   - at idle nothing is drawn and nothing wakes but a clock once a second;
//   - a terminal that takes no output for five seconds is let go (ErrStalled), and
//     no method of Screen waits longer than that for one; Resize and Quit only
//     take note;
//   - the flags of the descriptors it is given do not change, and when Run
//     returns every goroutine it started has ended.
//
// It does not know the supervisor, never presses a key that the human did not
// press, and starts no process but the desktop's clipboard and link opener, when
// the human copies or opens something.
//
// Run is called once, by the goroutine that owns the attached terminal; the
// other methods may be called from any goroutine. The parts (pane, sidebar,
// threads, rooms, approvals, line) belong to the event loop and do not know each
// other; keys, theme, layout, cells, draw and markdown are what they share.
//
// Tests: goldens at several sizes in which every line is measured, a model driven
// with a clock of its own, the bridge under a virtual clock, and real programs on
// real pseudo-terminals with the emulator as the terminal. To look at it by hand:
// go run ./tui/internal/preview.
package tui
