package channel

import "github.com/ccmux/ccmux/channel/wire"

// SessionFile says how the processes of one session reach ccmux. See
// [wire.SessionFile], where ccmux itself finds it too.
type SessionFile = wire.SessionFile

// ReadSessionFile reads a session file that only its owner can touch.
func ReadSessionFile(path string) (SessionFile, error) { return wire.ReadSessionFile(path) }

// WriteSessionFile writes a session file, whole and with mode 0600.
func WriteSessionFile(path string, f SessionFile) error { return wire.WriteSessionFile(path, f) }
