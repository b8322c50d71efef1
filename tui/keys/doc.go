// Package keys is the table of everything a key can do on the screen.
//
// The help bar, the cheat sheet, the dispatch of keys and the tests read the
// same table. It guarantees (by a test) that within what can be active together
// no key means two things, that each action has help words, and that an action
// that cannot be done now says why.
//
// It is a leaf: it knows no models, only the few Facts that decide what is
// possible. It keeps no state and may be read from anywhere.
package keys
