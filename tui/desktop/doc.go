// Package desktop hands text and addresses to the desktop a terminal is on: the
// system's clipboard tool and its opener of links.
//
// It guarantees that nothing is started for a terminal that is on another
// machine (ssh) or on no desktop, that what is started ends with the context or
// by itself, has no terminal and gets its data on stdin, never in a shell, and
// that only http and https addresses are opened. It does not say whether the
// human sees the result.
//
// The screen calls it beside its event loop; it blocks. Tests run tools of their
// own from a PATH of their own.
package desktop
