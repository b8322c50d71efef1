// Package fake is a door without a supervisor, for the tests of the screen and
// for looking at it (see ../preview). It keeps a view that its user sets, real
// emulators fed with bytes, and a record of what the screen asked for.
//
// Every method may be called from any goroutine. It is not part of the product.
package fake
