package session

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// helperEnv makes the test binary play a program in a pane.
const helperEnv = "SESSION_TEST_HELPER"

func TestMain(m *testing.M) {
	// Under nohup SIGHUP is ignored, and so it would be in every child: a caught
	// signal is not inherited.
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	if role := os.Getenv(helperEnv); role != "" {
		os.Exit(helper(role))
	}
	goleak.VerifyTestMain(m)
}

// counted is how many lines a "counter" prints.
const counted = 1000

// helper is the program in the pane.
func helper(role string) int {
	switch role {
	case "deaf": // never reads
		ignore(syscall.SIGINT)
		raw()
		fmt.Println("deaf")
		forever()
	case "stubborn": // ignores what can be ignored
		ignore(syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT)
		fmt.Println("stubborn")
		forever()
	case "polite": // ends at TERM, not at HUP
		ignore(syscall.SIGHUP)
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		fmt.Println("polite")
		<-c
		return 7
	case "flood":
		line := strings.Repeat("0123456789", 7) + "\n"
		for {
			if _, err := os.Stdout.WriteString(line); err != nil {
				return 0
			}
		}
	case "counter": // prints numbered lines, then stands still
		for i := range counted {
			fmt.Printf("%8d %s\n", i, strings.Repeat("word ", 1+i%20))
		}
		forever()
	case "asker": // asks for replies without end and reads none
		raw()
		for {
			if _, err := os.Stdout.WriteString("\x1b[c\x1b[6n"); err != nil {
				return 0
			}
		}
	case "sizes": // reports its size at start and at each change
		return sizes()
	}
	fmt.Println("unknown role", role)
	return 99
}
