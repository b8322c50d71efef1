// Package doctor tries, one after the other, the things ccmux needs, and says
// in a line each what it found and what to do about it.
//
// It guarantees that what it ticks was tried at that moment: a claude that was
// run, a plugin that claude validated, a process that was started and spoke, a
// file that was written. What it cannot try without disturbing somebody's
// session (channels need a running one) it reports from the running ccmux, or
// says that it was not tried. It changes nothing and answers no dialog.
//
// It is for `ccmux doctor`; tests run it against programs made for the purpose.
package doctor
