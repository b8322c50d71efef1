// Package client is the human's end of the socket: it finds the ccmux of a
// project, starts it in the background when there is none, and lends it the
// terminal.
//
//	ccmux up ──Ensure──► running ccmux?  ──no──► start `ccmux serve`, wait for "ready"
//	    │
//	    └──Attach──► descriptors over the socket ──► ccmux draws on them
//	                 and this process waits, forwards resize and stop, and
//	                 mends the terminal however the connection ends
//
// It guarantees that the terminal is usable after Attach returns, and that a
// ccmux which fails to start is reported with its own words. It holds no facts
// about sessions. It is for the commands in cmd/ccmux; it is tested with a real
// pty and a scripted other side.
package client
