// Package line is a line to type into: a message, a command, a reason.
//
// It guarantees that what it holds is plain text (pasted controls are dropped),
// that the cursor never stands inside a grapheme cluster, and that Lines returns
// exactly the width asked for.
//
// A Model belongs to one screen's event loop, does no I/O and knows nothing of
// what its text means: completion comes from its owner. Tests: tables of keys.
package line
