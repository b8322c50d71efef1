package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/project"
)

// ErrNotRunning says that no ccmux runs for the project.
var ErrNotRunning = errors.New("no ccmux runs for this project: start one with ccmux up")

// Dial connects to the project's running ccmux as the human.
func Dial(ctx context.Context, p project.Project, build string, push func(wire.Frame)) (*wire.Client, wire.Welcome, error) {
	socket, err := p.Socket()
	if err != nil {
		return nil, wire.Welcome{}, err
	}
	c, w, err := wire.Dial(ctx, socket, wire.Hello{Role: wire.RoleHuman, Build: build}, push)
	var fail *wire.Failure
	switch {
	case err == nil:
		return c, w, nil
	case errors.As(err, &fail) && fail.Code == wire.CodeVersion:
		return nil, w, fmt.Errorf("%w: run ccmux down --all with that version first, or use it", err)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, wire.ErrGone):
		return nil, w, ErrNotRunning // one that hangs up at hello is dying
	}
	return nil, w, err
}
