package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
)

// stateFolder writes and removes a file where the journal is or will be.
func (p Patient) stateFolder() Finding {
	return timed(func() Finding {
		f := Finding{What: "state folder", Verdict: Problem}
		dir, err := p.Project.StateDir()
		if err != nil {
			f.Words = err.Error()
			return f
		}
		at := existing(dir)
		probe, err := os.CreateTemp(at, ".ccmux-doctor-")
		if err != nil {
			f.Words, f.Do = err.Error(), "make the folder writable, or set XDG_STATE_HOME to one that is"
			return f
		}
		_, err = probe.WriteString("probe")
		if err == nil {
			err = probe.Sync()
		}
		probe.Close()
		os.Remove(probe.Name())
		if err != nil {
			f.Words, f.Do = err.Error(), "make room on that disk"
			return f
		}
		f.Verdict, f.Words = OK, fmt.Sprintf("%s, %s", dir, size(dir))
		return f
	})
}

// existing is dir, or the nearest folder above it that is there.
func existing(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// size is how much a folder holds, in words.
func size(dir string) string {
	var bytes int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	switch {
	case err != nil:
		return "not made yet"
	case bytes < 1<<20:
		return fmt.Sprintf("%d KB", bytes>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
}

// socketFolder checks that nobody else can reach the socket.
func (p Patient) socketFolder() Finding {
	return timed(func() Finding {
		path, err := p.Project.Socket()
		if err != nil {
			return Finding{What: "socket folder", Verdict: Problem, Words: err.Error()}
		}
		return Finding{What: "socket folder", Verdict: OK, Words: filepath.Dir(path) + " is yours alone"}
	})
}

// sessions reports what the running ccmux has proven of each session.
func (p Patient) sessions(ctx context.Context) []Finding {
	l, err := p.List(ctx)
	if err != nil {
		return []Finding{{
			What: "channels", Verdict: Untried, Words: "they can be tried in a running session only",
			Do: "ccmux up, then ccmux doctor again",
		}}
	}
	out := []Finding{{What: "ccmux", Verdict: OK, Words: fmt.Sprintf("runs as process %d, build %s, %s", l.PID, l.Build, attached(l.Screens))}}
	for _, s := range l.Sessions {
		f := Finding{What: wire.CleanLine(s.Name, 16), Verdict: OK}
		switch {
		case s.PID == 0 && s.State == "exited" && s.Detail != "":
			f.Verdict, f.Words = Warning, "ended by itself: "+s.Detail
			f.Do = "look at its pane (ccmux attach), then ccmux up " + s.Name
		case s.PID == 0 && s.State != "failed":
			f.Verdict, f.Words = Untried, "does not run: "+s.State
		case s.Route != "" && s.Route != wire.RouteChannel:
			f.Verdict, f.Words = Warning, fmt.Sprintf("mail goes by %s only: %s", s.Route, s.RouteWhy)
			f.Do = "permission requests work all the same; tasks arrive when a turn ends"
		case s.State == "failed":
			f.Verdict, f.Words = Problem, "failed: "+s.Detail
			f.Do = "look at its pane (ccmux attach), then ccmux restart " + s.Name
		case s.Route != "":
			f.Words = fmt.Sprintf("mail goes by %s: %s", s.Route, s.RouteWhy)
		case s.RouteWhy != "":
			f.Verdict, f.Words = Warning, "no route can wake it: "+s.RouteWhy
			f.Do = "permission requests work all the same; its mail waits, and the inbox tool reads it"
		default:
			f.Verdict, f.Words = Untried, fmt.Sprintf("the channel is not proven yet (%s)", strings.TrimSpace(s.State+" "+s.Detail))
		}
		out = append(out, f)
	}
	return out
}

// attached says how many screens show the sessions.
func attached(n int) string {
	switch n {
	case 0:
		return "no screen attached"
	case 1:
		return "1 screen attached"
	}
	return fmt.Sprintf("%d screens attached", n)
}

// terminal judges the caller's terminal by what it says of itself.
func (p Patient) terminal() Finding {
	f := Finding{What: "terminal", Verdict: OK}
	if p.Terminal == nil {
		f.Verdict, f.Words = Untried, "the output is not a terminal"
		return f
	}
	env := map[string]string{}
	for _, kv := range p.Env {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	colours := "16 or 256 colours"
	if c := env["COLORTERM"]; c == "truecolor" || c == "24bit" {
		colours = "24-bit colour"
	}
	if env["NO_COLOR"] != "" {
		colours = "no colour (NO_COLOR)"
	}
	f.Words = fmt.Sprintf("%s, %d×%d, %s", env["TERM"], p.Terminal.Cols, p.Terminal.Rows, colours)
	locale := env["LC_ALL"] + env["LC_CTYPE"] + env["LANG"]
	switch {
	case p.Terminal.Cols < 40 || p.Terminal.Rows < 10:
		f.Verdict, f.Do = Problem, "a screen needs 40×10; 80×24 is comfortable"
	case !strings.Contains(strings.ToUpper(locale), "UTF-8") && !strings.Contains(strings.ToUpper(locale), "UTF8"):
		f.Verdict, f.Do = Warning, "the locale is not UTF-8: borders and other scripts may look wrong; set LANG, to C.UTF-8 say"
	}
	return f
}
