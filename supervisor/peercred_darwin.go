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
	var cred *unix.Xucred
	var pid int
	var credErr, pidErr error
	err = raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		pid, pidErr = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	})
	for _, e := range []error{err, credErr, pidErr} {
		if e != nil {
			return 0, fmt.Errorf("who connects: %w", e)
		}
	}
	if int(cred.Uid) != os.Getuid() {
		return 0, fmt.Errorf("who connects: user %d, not %d", cred.Uid, os.Getuid())
	}
	return pid, nil
}
