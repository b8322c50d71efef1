// Package layout divides a screen into rectangles.
//
// Make is a pure function from a size and what is to be shown to the rectangles
// that show it. It guarantees that the rectangles lie within the screen, do not
// overlap and leave no gap, that the arrangement of panes depends on the size of
// the whole screen and not on what is docked below (so that nothing jumps when a
// request arrives), and that no pane is made smaller than it can be used.
//
// It is a leaf and knows nothing of ccmux; anything may call it. Tests: a
// property over all sizes, and tables at the usual ones.
package layout
