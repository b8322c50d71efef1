// Package rooms is the view of the rooms: their list, and one room opened to its
// members, online or not, and its timeline.
//
// It guarantees that Lines returns exactly the rows and columns asked for. A
// Model belongs to one screen's event loop, does no I/O and holds no facts. How
// messages are drawn is handed in, since the parts of the screen do not know
// each other. Tests: goldens and tables of keys.
package rooms
