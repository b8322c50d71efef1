package channel

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// Main runs `ccmux channel …` and `ccmux hook EVENT …`; args begins with that
// word. It returns the exit code. It is called before any other part of the
// program is set up, because claude waits for these processes, and it does not
// use 2, which claude takes for a veto of a hook.
func Main(args []string, build string) (exit int) {
	if len(args) == 0 {
		return usage(errors.New("no command"))
	}
	switch args[0] {
	case "channel":
		file, err := sessionFileFlag(args[0], args[1:])
		if err != nil {
			return usage(err)
		}
		return mainChannel(file, build)
	case "hook":
		if len(args) < 2 {
			return usage(errors.New("no event"))
		}
		file, err := sessionFileFlag(args[0], args[2:])
		if err != nil {
			return usage(err)
		}
		// SIGTERM is left as it is: it ends the process, and nothing is said.
		return RunHook(context.Background(), HookConfig{
			SessionFile: file, Build: build, Event: args[1], In: os.Stdin, Out: os.Stdout,
		})
	default:
		return usage(fmt.Errorf("unknown command %q", args[0]))
	}
}

func mainChannel(file, build string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// claude keeps what an MCP server says on stderr in its debug log.
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	err := RunServer(ctx, ServerConfig{SessionFile: file, In: os.Stdin, Out: os.Stdout, Build: build, Log: log})
	if err != nil {
		log.Error("channel process ends", "err", err)
		return 1
	}
	return 0
}

func sessionFileFlag(command string, args []string) (string, error) {
	flags := flag.NewFlagSet("ccmux "+command, flag.ContinueOnError)
	file := flags.String("session-file", "", "the session's `file` with socket and credential")
	flags.SetOutput(io.Discard)
	if err := flags.Parse(args); err != nil {
		return "", fmt.Errorf("%s: %w", command, err)
	}
	if *file == "" || flags.NArg() > 0 {
		return "", fmt.Errorf("%s: want --session-file FILE and nothing else", command)
	}
	return *file, nil
}

// usage complains to a person: claude always calls it right.
func usage(err error) int {
	fmt.Fprintf(os.Stderr, "ccmux: %v\nclaude starts these from the plugin of a session:\n  ccmux channel --session-file FILE\n  ccmux hook EVENT --session-file FILE\n", err)
	return 1
}
