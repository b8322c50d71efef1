// Package markdown draws the Markdown that models write, as far as it matters in
// a terminal: headings, lists, quotes, code, emphasis, links.
//
// It guarantees that no row is wider than asked for, that no text is lost (what
// it does not understand is shown as it stands) and that nothing in the text can
// act on the terminal. A link's address is shown, never hidden behind its text.
//
// It is a leaf beside theme and cells, pure, and may be called from anywhere.
// Tests: tables, and a fuzz target for width and loss.
package markdown
