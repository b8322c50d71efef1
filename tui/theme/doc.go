// Package theme holds the colours and the characters of the screen.
//
// It guarantees that a meaning is never carried by colour alone: each state has
// a word and a symbol too, and the frame of the pane that gets the keys differs
// in its lines. A Theme is immutable; another terminal, background or set of
// characters is another Theme.
//
// Lip Gloss defines the styles and the borders and chooses colours by the
// terminal's profile and background; pictures are put together by ourselves,
// because a frame may cost no more than what changed in it.
//
// It is a leaf: it knows nothing of ccmux and anything may use it. The chrome's
// colours come from the terminal's own sixteen where those are enough, so that
// it follows the user's palette. Tests: tables over profiles.
package theme
