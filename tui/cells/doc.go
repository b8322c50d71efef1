// Package cells measures and cuts text by the columns it takes on a terminal.
//
// It guarantees that Pad returns exactly the width asked for, that no function
// cuts a grapheme cluster or an escape sequence in two, and that Safe leaves
// only text about whose width every terminal agrees. Widths are those of
// github.com/clipperhouse/displaywidth, which the emulator of the panes and
// Bubble Tea use too.
//
// It knows nothing of ccmux, keeps no state and may be called from anywhere.
// Escape sequences it understands are SGR and hyperlinks; text from outside has
// to go through Plain or Reveal first, which leave none. Tests: tables, and fuzz
// targets that hold the widths.
package cells
