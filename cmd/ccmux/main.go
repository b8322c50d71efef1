// Command ccmux runs several Claude Code sessions side by side, carries every
// message and permission request between them, and shows them on one screen.
//
// This package wires: flags in, the packages beneath called, words and exit
// codes out. It holds no rule. It is tested by scripts (testdata/script) that
// run the program with the demo agent, and by the end-to-end tests in e2e.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/ccmux/ccmux/channel"
	"github.com/ccmux/ccmux/channel/demoagent"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // it could not be done; standard error says what to do
	exitUsage   = 2 // the command line was wrong
	exitNoReply = 3 // of send --wait: a reply is missing
	exitNotDone = 4 // of send --wait: a reply says that the task was not done
)

func main() { os.Exit(run(os.Args[1:])) }

// run dispatches what claude starts before anything else is set up: it waits
// for these processes.
func run(args []string) int {
	if len(args) > 0 {
		switch args[0] {
		case "channel", "hook":
			return channel.Main(args, build())
		case "demo-agent":
			return demoagent.Main(args[1:], os.Getenv, os.Stdin, os.Stdout)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if !errors.Is(err, errSilent) {
		fmt.Fprintln(os.Stderr, "ccmux: "+err.Error())
	}
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	var exit exitError
	if errors.As(err, &exit) {
		return exit.code
	}
	return exitFailure
}

// errSilent ends a command with exitFailure whose words were printed already.
var errSilent = errors.New("failed")

// exitError is an error with an exit code of its own.
type exitError struct {
	code int
	error
}

// usageError is a command line that does not fit.
type usageError struct{ error }
