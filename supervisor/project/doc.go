// Package project knows where a project begins, what its ccmux.toml says, and
// which folders of the machine belong to it: the state folder and the socket.
//
// It guarantees that a configuration with an unknown key is refused with the
// line shown, that no two sessions get one name, that every session's folder
// exists, and that the socket's folder belongs to this user alone. It does not
// decide whether a configuration is trusted: it only says what in it needs the
// human's yes, and under which hash.
//
// Any goroutine may call it; it keeps nothing. Tests: tables over temporary
// folders.
package project
