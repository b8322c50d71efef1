// Package vt is a terminal emulator without a window: it takes the bytes a
// program writes to its pty and keeps the screen they make.
//
// # What it guarantees
//
// Write never fails, never blocks on a reader of replies and costs bounded time
// and memory whatever the bytes are. Sequences it does not know are swallowed
// whole and never printed. The result does not depend on how the bytes are cut
// into writes. The input is UTF-8: bytes 0x80–0x9F are never control codes, so a
// title that holds the character ✳ (E2 9C B3) does not end early. Text is kept as
// grapheme clusters with the widths of github.com/clipperhouse/displaywidth,
// which is what Bubble Tea measures with.
//
// # What it does not
//
// It draws no pixels and shows no images, starts no process, opens no file and
// reads no clock but Config.Now. Sixel, ReGIS and kitty graphics are swallowed.
//
// # Who may call it from where
//
// One goroutine writes (Write); any number read (Frame, Text, Search, CopyText,
// EncodeKey and so on) and any may Resize. One mutex guards the cells and is
// never held while a callback runs. Callbacks of Config run on the writer's
// goroutine after the bytes that caused them were applied and must not call
// Write; Config.Reply alone runs on a goroutine of its own behind a bounded
// queue, so a child that does not read its input can never stop Write. That
// goroutine ends when the queue is empty or the Terminal is closed.
//
// # How a screen is drawn
//
//	pty ──Write──► cells ──Frame (changed rows only)──► Frame ──AppendRow──► your screen
//	                 │ scrolls off
//	                 ▼
//	             scrollback (packed) ──Frame, Search, CopyText
//
// Generation is one atomic load: while it stands still there is nothing to draw.
//
// # How it is tested
//
// Cell by cell against tmux and xterm.js over recordings of real programs, whole
// and in pieces of 1, 3 and 4096 bytes, at a quarter, half, three quarters and the
// end; where the two differ the test says who is right and why. Clusters and
// widths against the libraries over random text. By fuzzing with resizes in the
// middle:
//
//	go test -run xxx -fuzz FuzzTerminal -fuzzminimizetime 10x ./supervisor/vt
//
// Under the race detector with readers, a writer and a resizer; with tests that
// count allocations and the heap; and with benchmarks that feed tmux the same
// bytes through the same kind of pty:
//
//	go test -run xxx -bench 'Pty|Parse|Frame' ./supervisor/vt
package vt
