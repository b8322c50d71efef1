// Package sidebar answers at a glance: who needs me, who is working on what
// since when, what is still owed, who talks to whom.
//
// It guarantees that Lines returns exactly the rows and columns asked for, that
// each line is one fact, and that Hit names what a line stands for. Both are
// pure functions of the view. Nothing is stored here. Tests: goldens.
package sidebar
