package session

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func BenchmarkMachineStep(b *testing.B) {
	m := newMachine(zero, "")
	signs := []any{prompt("p"), tool(PreToolUse, "Bash", "1"), status("busy", 1), tool(PostToolUse, "Bash", "1"), hook(Stop)}
	b.ReportAllocs()
	for i := range b.N {
		m = m.step(ms(i), signs[i%len(signs)])
	}
}

func BenchmarkRecognise(b *testing.B) {
	raw, err := os.ReadFile(filepath.Join("testdata", "screens", "permission-write-332.txt"))
	if err != nil {
		b.Fatal(err)
	}
	lines := strings.Split(string(raw), "\n")
	b.ReportAllocs()
	for range b.N {
		if _, ok := Recognise(lines); !ok {
			b.Fatal("not recognised")
		}
	}
}

// BenchmarkKeyToScreen is the way of a key: queue, pty, echo, parser, cells.
func BenchmarkKeyToScreen(b *testing.B) {
	changed := make(chan struct{}, 1)
	s, err := Start(Spec{Name: "b", Argv: shell("cat"), Dir: b.TempDir(), Env: environ(), OnOutput: func() { poke(changed) }})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		s.Stop(b.Context(), Grace{})
		<-s.Done()
	}()
	for range b.N {
		if err := s.Write([]byte("\x15k")); err != nil { // kill the line, type
			b.Fatal(err)
		}
		<-changed
	}
}

// BenchmarkIdle reports the share of one core that ten idle sessions with a
// status file take.
func BenchmarkIdle(b *testing.B) {
	dir := b.TempDir()
	for range 10 {
		s, err := Start(Spec{Name: "b", Argv: shell("cat"), Dir: dir, Env: environ(), StatusDir: dir})
		if err != nil {
			b.Fatal(err)
		}
		s.Hook(HookSign{Event: SessionStart})
		defer func() {
			s.Stop(b.Context(), Grace{})
			<-s.Done()
		}()
	}
	before, began := cpu(b), time.Now()
	for range b.N {
		<-time.After(time.Second)
	}
	b.ReportMetric(float64(cpu(b)-before)/float64(time.Since(began))*100, "%core")
}

func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
