// Package approvals is the card at the bottom of the screen: one request for
// permission, or one dialog that needs the human, out of a queue.
//
//	View.Permissions, dialogs of sessions that need you ──Update──► queue ──Lines──► card
//	                                     key ──Armed?──► the screen answers
//
// It guarantees that the whole input of a request can be read (what is not on
// screen is announced, and Unseen counts it: the screen allows nothing before it
// is 0), that some of it is on screen whenever the card is, that hidden characters in it are written out and marked,
// that a card which just opened or changed is not armed before it has stood
// still, and that drawing changes nothing. Answers are given by the screen, not
// here; nothing is preselected. Several sessions with the same dialog are one
// card only if all that their dialogs say is the same; the rows that have a key
// are on screen.
//
// A Model belongs to one screen's event loop. It does no I/O: a file a request
// would change is read by the screen and handed in. Tests: goldens of each kind
// of input, and tables of keys with a clock of their own.
package approvals
