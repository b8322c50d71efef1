package tui_test
import ("testing";"time";"os";"os/exec";"strconv";"context";"io";"github.com/creack/pty";"github.com/ccmux/ccmux/tui")
func BenchmarkZNoScreen(b *testing.B) {
	const rate = 1 << 20
	h := newHouse(b, rate, rate, rate, rate)
	for _,id := range h.order { h.panes[id].Show(1,80,26) }
	<-time.After(time.Second)
	var cpu, wall time.Duration
	for b.Loop() { began, before := time.Now(), used(); <-time.After(time.Second); cpu, wall = cpu+used()-before, wall+time.Since(began) }
	b.ReportMetric(cpu.Seconds()/wall.Seconds()*100, "%core")
}
func BenchmarkZRaw(b *testing.B) {
	const rate = 1 << 20
	for range 4 {
		cmd := newCmd(rate); f,err := pty.Start(cmd); if err!=nil {b.Fatal(err)}
		go io.Copy(struct{io.Writer}{io.Discard},struct{io.Reader}{f})
		b.Cleanup(func(){f.Write([]byte("qq"));cmd.Process.Kill();cmd.Wait();f.Close()})
	}
	<-time.After(time.Second)
	var cpu, wall time.Duration
	for b.Loop() { began, before := time.Now(), used(); <-time.After(time.Second); cpu, wall = cpu+used()-before, wall+time.Since(began) }
	b.ReportMetric(cpu.Seconds()/wall.Seconds()*100, "%core")
}
var _=os.Args; var _=context.Background; var _ tui.Door
func newCmd(rate int) *exec.Cmd { c:=exec.Command("/bin/sh","-c","stty raw -echo; exec "+os.Args[0]); c.Env=append(os.Environ(), floodEnv+"="+strconv.Itoa(rate)); return c }
