//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Mux is a ccmux with its sessions, on a screen.
type Mux struct {
	*Screen
	names []string
}

// Listed is one session as `ccmux ls --json` shows it.
type Listed struct {
	Name         string `json:"name"`
	Dir          string `json:"dir"`
	State        string `json:"state"`
	Detail       string `json:"detail"`
	Route        string `json:"route"`
	RouteWhy     string `json:"route_why"`
	Unread       int    `json:"unread"`
	PID          int    `json:"pid"`
	Conversation string `json:"conversation"`
	Mode         string `json:"permission_mode"`
}

// work is the project: the folder whose subfolders are the sessions'.
func (r *Rig) work() string { return filepath.Join(r.root, "work") }

// dir is a session's folder.
func (r *Rig) dir(session string) string { return filepath.Join(r.work(), session) }

// Up has the sessions running with their channels proven: `ccmux up`, and one
// key of the human's for all the channels dialogs. The folders are made and
// trusted.
func (r *Rig) Up(names ...string) *Mux {
	r.T.Helper()
	for _, name := range names {
		r.Folder(name)
	}
	return r.UpAgain(names...)
}

// UpAgain is Up for folders that are there.
func (r *Rig) UpAgain(names ...string) *Mux {
	r.T.Helper()
	proven := len(r.Facts(of("RouteProven", "").with("route", "channel")))
	width, height := 160, 45
	if len(names) > 2 {
		width, height = 220, 60
	}
	r.configure(names)
	m := &Mux{r.StartSized(width, height, r.work(), r.upCommand(names)...), names}
	m.confirm(names...)
	r.NthFact("the proof of a route", proven+len(names), of("RouteProven", "").with("route", "channel"))
	r.Eventually("all sessions idle", func() bool {
		for _, name := range names {
			if r.listed(name).State != "idle" {
				return false
			}
		}
		return true
	})
	return m
}

// upCommand agrees to the ccmux.toml of the test, which has names and modes.
func (r *Rig) upCommand(names []string) []string {
	argv := []string{"ccmux", "up"}
	if r.mode != "" {
		argv = append(argv, "--trust")
	}
	return append(argv, names...)
}

// confirm answers the channels dialogs of the sessions with one key, once all
// show theirs: the human reads the card and chooses its first row.
func (m *Mux) confirm(names ...string) {
	m.rig.T.Helper()
	open := func() (n int) {
		for _, s := range m.rig.list() {
			if slices.Contains(names, s.Name) && strings.Contains(s.Detail, "development channels") {
				n++
			}
		}
		return n
	}
	m.rig.Eventually(fmt.Sprintf("the channels dialogs of %v", names), func() bool { return open() == len(names) })
	who := names[0] + " asks"
	if len(names) > 1 {
		who = fmt.Sprintf("%d sessions ask", len(names))
	}
	m.Card(who+": load development channels", "I am using this for local development")
	m.Keys("1")
	m.rig.Eventually("the dialogs to go", func() bool { return open() == 0 })
}

// Enter goes into session i's pane (from 0), where keys are the session's.
func (m *Mux) Enter(i int) {
	m.rig.T.Helper()
	if m.Has("every other key goes to") { // a card was answered in between: one types on
		m.Leave()
	}
	// Numbers and Enter belong to a card, if there is one.
	m.Keys("Up", "Left", "Left")
	for range i {
		m.Keys("Right")
	}
	m.Keys("i")
	m.Wait("typing")
}

// Leave gives the keys back to ccmux.
func (m *Mux) Leave() {
	m.rig.T.Helper()
	m.Keys("C-]")
	m.Wait("watching")
}

// Prompt types a prompt into session i's pane and submits it.
func (m *Mux) Prompt(i int, text string) {
	m.rig.T.Helper()
	m.Enter(i)
	m.Submit(text)
	m.Leave()
}

// command runs ccmux as the human would from another terminal, and gives back
// what it printed and its error.
func (r *Rig) command(args ...string) (string, error) {
	r.T.Helper()
	r.seed()
	cmd := exec.Command(ccmuxPath, args...)
	cmd.Dir = r.work()
	for key, value := range r.Env {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// ccmux is command for what has to work.
func (r *Rig) ccmux(args ...string) string {
	r.T.Helper()
	out, err := r.command(args...)
	if err != nil {
		r.T.Fatalf("ccmux %s: %v: %s\n%s", strings.Join(args, " "), err, out, r.Report())
	}
	return out
}

// list is `ccmux ls --json`; nothing while ccmux does not run.
func (r *Rig) list() []Listed {
	r.T.Helper()
	out, err := r.command("ls", "--json")
	if err != nil {
		return nil
	}
	var l struct{ Sessions []Listed }
	if err := json.Unmarshal([]byte(out), &l); err != nil {
		r.T.Fatalf("ccmux ls --json: %v: %s", err, out)
	}
	return l.Sessions
}

// listed is one session of the list, empty when it is not there.
func (r *Rig) listed(name string) Listed {
	r.T.Helper()
	for _, s := range r.list() {
		if s.Name == name {
			return s
		}
	}
	return Listed{}
}

// back brings a stopped session back from another terminal, as a human would,
// and answers its dialog on the screen.
func (m *Mux) back(name string) {
	m.rig.T.Helper()
	proven := len(m.rig.Facts(of("RouteProven", name).with("route", "channel")))
	m.rig.ccmux("up", "-d", name)
	m.confirmAgain(name, proven)
}

// confirmAgain answers the dialog of a session that was started once more, and
// waits for its proof after the first so many.
func (m *Mux) confirmAgain(name string, proven int) {
	m.rig.T.Helper()
	m.confirm(name)
	m.rig.NthFact("the proof of a route", proven+1, of("RouteProven", name).with("route", "channel"))
}

// UpWithoutChannels is Up where claude's channels are off: no dialog, no
// proof, and the sessions say so.
func (r *Rig) UpWithoutChannels(names ...string) *Mux {
	r.T.Helper()
	for _, name := range names {
		r.Folder(name)
	}
	r.configure(names)
	m := &Mux{r.StartSized(160, 45, r.work(), r.upCommand(names)...), names}
	for _, name := range names {
		r.Eventually(name+" idle", func() bool { return r.listed(name).State == "idle" })
	}
	return m
}

// Card waits until a card with the texts has been on the screen long enough
// to take keys.
func (m *Mux) Card(texts ...string) {
	m.rig.T.Helper()
	const takesKeys = 700 * time.Millisecond
	var since time.Time
	m.rig.Eventually(fmt.Sprintf("a card with %q", texts), func() bool {
		if !m.Has(texts...) || since.IsZero() {
			since = time.Now()
		}
		return time.Since(since) >= takesKeys
	})
}

// inTranscript waits until claude has written the user's side of a turn with
// that text: only then does it outlive a kill.
func (r *Rig) inTranscript(text string) {
	r.T.Helper()
	r.Eventually(fmt.Sprintf("%q in a transcript", text), func() bool {
		paths, _ := filepath.Glob(filepath.Join(r.Home, ".claude", "projects", "*", "*.jsonl"))
		for _, path := range paths {
			raw, _ := os.ReadFile(path)
			for line := range strings.Lines(string(raw)) {
				var entry struct {
					Type string
				}
				if json.Unmarshal([]byte(line), &entry) == nil && entry.Type == "user" && strings.Contains(line, text) && strings.Contains(line, "kind=") {
					return true
				}
			}
		}
		return false
	})
}
