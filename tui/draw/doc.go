// Package draw is what the parts of the screen draw with: the context of one
// frame, boxes with straight borders, ages and the words for states.
//
// It guarantees that Box returns exactly the rows and columns asked for,
// whatever it is given. Everything is a pure function; the parts of the screen
// use it from the event loop. It keeps no state and does no I/O.
package draw
