package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/project"
)

// ReadyFD is the descriptor on which a background ccmux reports: one line,
// "ready", or why it could not start.
const ReadyFD = 3

// readyWord is what a started ccmux writes to ReadyFD.
const readyWord = "ready"

// startTimeout bounds how long a start may take, a long journal included.
const startTimeout = 30 * time.Second

// Ensure connects to the project's ccmux and starts it in the background first
// when none runs; started says that it did. binary is this program's absolute path.
func Ensure(ctx context.Context, p project.Project, binary, build string, push func(wire.Frame)) (c *wire.Client, started bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	var startErr error
	for {
		c, _, err := Dial(ctx, p, build, push)
		if err != nil && ctx.Err() != nil && startErr != nil {
			return nil, false, fmt.Errorf("%w: it did not end within %v", startErr, startTimeout)
		}
		if !errors.Is(err, ErrNotRunning) {
			return c, started, err
		}
		if startErr != nil && !errors.Is(startErr, errOwned) {
			return nil, false, startErr
		}
		startErr = start(ctx, p, binary)
		started = startErr == nil
		if errors.Is(startErr, errOwned) { // somebody else starts it at this moment, or it is going down
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
				return nil, false, startErr
			}
		}
	}
}

// Dismiss ends a ccmux that was started for something that was then refused,
// unless somebody else uses it by now.
func Dismiss(ctx context.Context, c *wire.Client) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTimeout)
	defer cancel()
	var l wire.List
	if err := c.Call(ctx, wire.TypeList, nil, &l); err != nil {
		return err
	}
	for _, s := range l.Sessions {
		if s.PID != 0 {
			return nil
		}
	}
	if l.Screens > 0 {
		return nil
	}
	if err := c.Call(ctx, wire.TypeStop, nil, nil); err != nil {
		return err
	}
	return AwaitEnd(ctx, l.PID)
}

// AwaitEnd waits until the ccmux with this pid has ended.
func AwaitEnd(ctx context.Context, pid int) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for syscall.Kill(pid, 0) == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("process %d is still ending its sessions: %w", pid, ctx.Err())
		}
	}
	return nil
}

// errOwned says that another process holds the project's lock.
var errOwned = errors.New("another ccmux holds this project")

// start runs `ccmux serve` in a process session of its own and waits for its
// word.
func start(ctx context.Context, p project.Project, binary string) error {
	state, err := p.StateDir()
	if err != nil {
		return err
	}
	logFile, err := OpenLog(state)
	if err != nil {
		return err
	}
	defer logFile.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start ccmux: %w", err)
	}
	defer r.Close()
	cmd := exec.Command(binary, "serve", "--project", p.Root)
	cmd.Dir = p.Root
	cmd.Stdout, cmd.Stderr = logFile, logFile // stdin: /dev/null
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	w.Close()
	if err != nil {
		return fmt.Errorf("start ccmux: %w", err)
	}
	go func() { _ = cmd.Wait() }() // it outlives us; if it ends first it must not stay a zombie
	return awaitReady(ctx, r, logFile.Name())
}

// OpenLog opens the log of the project with this state folder, and makes it when
// there is none. The caller closes it.
func OpenLog(state string) (*os.File, error) {
	dir := filepath.Dir(state)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	f, err := os.OpenFile(state+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	return f, nil
}

func awaitReady(ctx context.Context, r *os.File, logName string) error {
	stop := context.AfterFunc(ctx, func() { _ = r.SetReadDeadline(time.Now()) })
	defer stop()
	line, err := bufio.NewReader(r).ReadString('\n')
	line = strings.TrimSpace(line)
	switch {
	case line == readyWord:
		return nil
	case strings.HasPrefix(line, ownedPrefix):
		return fmt.Errorf("%w: %s", errOwned, strings.TrimPrefix(line, ownedPrefix))
	case line != "":
		return errors.New(line)
	case errors.Is(err, io.EOF):
		return fmt.Errorf("ccmux ended while starting: its log is %s", logName)
	case ctx.Err() != nil:
		return fmt.Errorf("ccmux did not get ready within %v: its log is %s", startTimeout, logName)
	}
	return fmt.Errorf("start ccmux: %w", err)
}

// ownedPrefix marks the report of a ccmux that found the project owned.
const ownedPrefix = "owned: "

// ReportReady tells the starter that ccmux listens. Without a starter it does
// nothing. It must be called once at most, and not after ReportFailure.
func ReportReady() { report(readyWord) }

// ReportFailure tells the starter why ccmux does not start; owned says that
// another process holds the project.
func ReportFailure(err error, owned bool) {
	line := strings.ReplaceAll(err.Error(), "\n", " ")
	if owned {
		line = ownedPrefix + line
	}
	report(line)
}

func report(line string) {
	f := os.NewFile(ReadyFD, "ready")
	if f == nil {
		return
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return // started by hand: descriptor 3 is somebody else's, or nobody's
	}
	_, _ = io.WriteString(f, line+"\n") // a starter that is gone needs no word
	_ = f.Close()
}
