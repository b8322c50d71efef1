package demoagent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// The test binary plays the plugin's processes: they do nothing by themselves
// but ask the test, over its socket, what to do.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "fake-server":
			os.Exit(fakeServer(os.Args[2]))
		case "fake-hook":
			os.Exit(fakeHook(os.Args[2]))
		case "fake-agent":
			os.Exit(Main(os.Args[2:], os.Getenv, os.Stdin, os.Stdout))
		}
	}
	goleak.VerifyTestMain(m)
}

// hello is the first line of a process to the test.
type hello struct {
	Role  string         `json:"role"`
	PID   int            `json:"pid"`
	Input map[string]any `json:"input,omitempty"`
	Env   []string       `json:"env"`
}

func dialTest(sock, role string, input map[string]any) (net.Conn, error) {
	c, err := net.Dial("unix", sock)
	if err != nil {
		return nil, err
	}
	return c, json.NewEncoder(c).Encode(hello{role, os.Getpid(), input, os.Environ()})
}

// fakeServer passes lines between claude and the test, and reports signals.
func fakeServer(sock string) int {
	sigs := make(chan os.Signal, 4)
	signal.Notify(sigs, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	c, err := dialTest(sock, "server", nil)
	if err != nil {
		return 1
	}
	go func() {
		for s := range sigs {
			fmt.Fprintf(c, `{"signal":%q}`+"\n", s.String())
		}
	}()
	go func() { _, _ = io.Copy(os.Stdout, c); os.Exit(0) }()
	_, _ = io.Copy(c, os.Stdin)
	fmt.Fprintln(c, `{"signal":"EOF"}`)
	select {} // stays, to see the signals
}

// fakeHook prints what the test answers. A SIGTERM ends it without.
func fakeHook(sock string) int {
	var input map[string]any
	if json.NewDecoder(os.Stdin).Decode(&input) != nil {
		return 1
	}
	sigs := make(chan os.Signal, 1)
	signal.Notify(sigs, syscall.SIGTERM) // before the test can know of us
	c, err := dialTest(sock, "hook", input)
	if err != nil {
		return 1
	}
	go func() {
		<-sigs
		fmt.Fprintln(c, "SIGTERM")
		os.Exit(143)
	}()
	answer, _ := bufio.NewReader(c).ReadString('\n')
	fmt.Print(answer)
	return 0
}
