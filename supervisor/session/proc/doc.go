// Package proc reads facts about processes of this machine: who is whose
// parent, in which process session, on which terminal, started when.
//
// It guarantees that an Identity names one process for good: a pid that the
// kernel has handed out again has another start time and does not match. It
// guarantees that FromSession fails closed: what cannot be read is refused.
//
// It does not guarantee completeness. A tree of processes changes while it is
// read, a child that called setsid and whose parents are gone can be found only
// through the subreaper (Linux), and a process of the same user that sets out
// to deceive (ptrace, writing our files) is outside what it can see.
//
// Linux reads /proc and is tried; macOS reads sysctl and is compiled only: no
// macOS machine has run it.
//
// The supervisor uses it to tell the human's commands from those of a process
// that descends from a session; package session uses it to end a session whole.
// Nothing here starts a goroutine.
//
// Tested with real children: forks, zombies, a grandchild that daemonised with
// setsid, a process that changed its name to something that looks like a stat
// line; the ancestry rules also against made-up process tables.
package proc
