package supervisor

import (
	"fmt"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// maxRights is how many descriptors one connection may have waiting: those of
// one terminal.
const maxRights = 3

// rightsConn is a unix connection whose Read keeps the descriptors that come
// with the bytes; a plain read would lose them.
type rightsConn struct {
	*net.UnixConn
	mu  sync.Mutex
	fds []int
	oob []byte
}

func newRightsConn(c *net.UnixConn) *rightsConn {
	return &rightsConn{UnixConn: c, oob: make([]byte, unix.CmsgSpace(4*maxRights))}
}

// Read implements io.Reader.
func (c *rightsConn) Read(p []byte) (int, error) {
	n, oobn, _, _, err := c.ReadMsgUnix(p, c.oob)
	if oobn > 0 {
		c.keep(c.oob[:oobn])
	}
	return max(n, 0), err // an error comes with -1
}

func (c *rightsConn) keep(oob []byte) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			if len(c.fds) >= maxRights {
				_ = unix.Close(fd)
				continue
			}
			c.fds = append(c.fds, fd)
		}
	}
}

// take hands over the three descriptors of a terminal as files. They are never
// made non-blocking: the flag would reach the human's shell.
func (c *rightsConn) take() (in, out, errs *os.File, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.fds) != maxRights {
		return nil, nil, nil, fmt.Errorf("attach came with %d descriptors; 3 are needed", len(c.fds))
	}
	in = os.NewFile(uintptr(c.fds[0]), "terminal input")
	out = os.NewFile(uintptr(c.fds[1]), "terminal output")
	errs = os.NewFile(uintptr(c.fds[2]), "terminal errors")
	c.fds = nil
	return in, out, errs, nil
}

// Close implements io.Closer; descriptors nobody took are closed too.
func (c *rightsConn) Close() error {
	c.mu.Lock()
	for _, fd := range c.fds {
		_ = unix.Close(fd)
	}
	c.fds = nil
	c.mu.Unlock()
	return c.UnixConn.Close()
}
