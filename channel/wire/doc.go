// Package wire is the language that every part of ccmux speaks: the names of
// peers and rooms, the kinds and states of messages, the frames on the unix
// socket, the limits, and the cleaning of text that comes from a model.
//
//	claude ──stdio──► ccmux channel ─┐
//	claude ──exec───► ccmux hook ────┤ one line of JSON a frame
//	you ────────────► ccmux up, send ┘──► unix socket ──► ccmux (the supervisor)
//
// It guarantees that what it decodes is within the limits below, and that text
// which passed CleanBody or CleanMeta holds no control character, no bidi
// override, no invisible tag character and no forged channel tag. It does not
// know who may say what: that is the router's.
//
// Any package may import it; it imports nothing but the standard library, so
// that the channel and hook processes stay small and quick to start. A Conn may
// be written to by several goroutines and read by one. Tests: tables, and fuzz
// targets for cleaning and for frames.
package wire
