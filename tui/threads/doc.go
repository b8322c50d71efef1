// Package threads is the view of who asked whom for what: the tree of threads,
// and one thread opened to its conversation.
//
// It guarantees that Lines returns exactly the rows and columns asked for and
// that a message's state is never shown as more than the view says, with its
// proof beside it. What a key asks for is returned as an Intent; the screen does
// it.
//
// A Model belongs to one screen's event loop, does no I/O and holds no facts: it
// is given the view each time. Tests: goldens and tables of keys.
package threads
