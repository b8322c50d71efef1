package supervisor

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// peerPID returns the process at the other end, which must be of this user.
func peerPID(c *net.UnixConn) (int, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, fmt.Errorf("who connects: %w", err)
	}
	var cred *unix.Ucred
	var credErr error
	err = raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	switch {
	case err != nil:
		return 0, fmt.Errorf("who connects: %w", err)
	case credErr != nil:
		return 0, fmt.Errorf("who connects: %w", credErr)
	case int(cred.Uid) != os.Getuid():
		return 0, fmt.Errorf("who connects: user %d, not %d", cred.Uid, os.Getuid())
	}
	return int(cred.Pid), nil
}
