//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

// patience bounds every wait. It is generous: it only decides how long a
// failing test takes.
const patience = 60 * time.Second

// Rig is the world of one test: a home, projects, a model service, terminals.
type Rig struct {
	T       *testing.T
	Version *Version
	API     *modelapi.Server
	Home    string
	Env     map[string]string // of every program started; change it before Start

	root    string
	tmux    string // the name of this rig's tmux server
	flags   map[string]any
	trusted []string
	seeded  bool
	mode    string
	screens []*Screen
}

// Option changes a rig before anything runs in it.
type Option func(*Rig)

// WithoutFlags is the rig of a user whose claude never fetched its feature
// flags: no channels, and auto mode cannot check actions.
func WithoutFlags() Option {
	return func(r *Rig) {
		r.flags = nil
		delete(r.Env, "CLAUDE_CODE_GB_DISK_CACHE_WHEN_TELEMETRY_OFF")
	}
}

// sessionName finds a session's name in a system prompt: the line the tests
// append when they run claude by itself, or the first sentence ccmux appends.
var sessionName = regexp.MustCompile("(?:e2e session name: |You are the session `)([A-Za-z0-9_.-]+)")

var rigs atomic.Int64

// newRig makes an empty world and takes it down when the test ends.
func newRig(t *testing.T, v *Version, options ...Option) *Rig {
	t.Helper()
	// Not t.TempDir: its long path would push sockets over their limit.
	root, err := os.MkdirTemp("", "ccmux-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	r := &Rig{
		T: t, Version: v, root: root, Home: filepath.Join(root, "home"),
		API:   modelapi.New(sessionName),
		tmux:  fmt.Sprintf("ccmux-e2e-%d-%d", os.Getpid(), rigs.Add(1)),
		flags: map[string]any{"tengu_harbor": true, "tengu_harbor_permissions": true},
	}
	t.Cleanup(r.close)
	r.mkdir(r.Home, 0o755)
	r.mkdir(filepath.Join(root, "run"), 0o700)
	r.mkdir(r.bin(), 0o755)
	for name, path := range map[string]string{"claude": v.path, "ccmux": ccmuxPath} {
		if err := os.Symlink(path, filepath.Join(r.bin(), name)); err != nil {
			t.Fatal(err)
		}
	}
	r.Env = r.environment()
	if v == oldest {
		r.oldEnvironment()
	}
	for _, o := range options {
		o(r)
	}
	return r
}

// environment is all that a program in the rig inherits.
func (r *Rig) environment() map[string]string {
	return map[string]string{
		"HOME": r.Home, "USER": "tester", "SHELL": "/bin/bash", "LANG": "C.UTF-8", "TERM": "xterm-256color",
		"PATH":            r.bin() + ":/usr/local/bin:/usr/bin:/bin",
		"XDG_RUNTIME_DIR": filepath.Join(r.root, "run"),

		"ANTHROPIC_BASE_URL": r.API.URL(), "ANTHROPIC_AUTH_TOKEN": "dummy", "DISABLE_AUTOUPDATER": "1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
		// Channels are a feature flag; with telemetry off claude reads its
		// cached flags only if told to.
		"CLAUDE_CODE_GB_DISK_CACHE_WHEN_TELEMETRY_OFF": "1",
	}
}

// oldEnvironment is what the old version needs to believe its cached flags:
// any switch that turns telemetry off turns the flags off too, so its calls
// to the outside are sent to a port where nobody listens instead.
func (r *Rig) oldEnvironment() {
	delete(r.Env, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC")
	delete(r.Env, "CLAUDE_CODE_GB_DISK_CACHE_WHEN_TELEMETRY_OFF")
	r.Env["HTTPS_PROXY"], r.Env["NO_PROXY"] = "http://127.0.0.1:9", "127.0.0.1"
}

func (r *Rig) bin() string { return filepath.Join(r.root, "bin") }

func (r *Rig) mkdir(path string, mode os.FileMode) {
	r.T.Helper()
	if err := os.MkdirAll(path, mode); err != nil {
		r.T.Fatal(err)
	}
}

// Folder makes a project folder whose trust dialog was answered before.
func (r *Rig) Folder(name string) string {
	r.T.Helper()
	path := r.NewFolder(name)
	r.trusted = append(r.trusted, path)
	return path
}

// NewFolder makes a project folder claude has never seen.
func (r *Rig) NewFolder(name string) string {
	r.T.Helper()
	if r.seeded {
		r.T.Fatalf("folder %q comes too late: claude's settings were written at the first start", name)
	}
	path := filepath.Join(r.root, "work", name)
	r.mkdir(path, 0o755)
	return path
}

// Write puts a file into the rig, folders included.
func (r *Rig) Write(path, content string, mode os.FileMode) {
	r.T.Helper()
	r.mkdir(filepath.Dir(path), 0o755)
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		r.T.Fatal(err)
	}
}

// seed writes claude's own settings, once, before anything starts. Later
// claude itself owns the file.
func (r *Rig) seed() {
	r.T.Helper()
	if r.seeded {
		return
	}
	r.seeded = true
	projects := map[string]any{}
	for _, path := range r.trusted {
		projects[path] = map[string]any{"hasTrustDialogAccepted": true}
	}
	settings := map[string]any{"hasCompletedOnboarding": true, "projects": projects}
	if r.flags != nil {
		settings[r.Version.Flags] = r.flags
	}
	raw, err := json.Marshal(settings)
	if err != nil {
		r.T.Fatal(err)
	}
	r.Write(filepath.Join(r.Home, ".claude.json"), string(raw), 0o600)
}

// Eventually polls until the condition holds. On failure it prints what it
// waited for, every screen, and what the model was sent.
func (r *Rig) Eventually(what string, holds func() bool) {
	r.T.Helper()
	if poll(holds) {
		return
	}
	r.T.Fatalf("waited %s for %s\n%s", patience, what, r.Report())
}

// poll looks every few ms until the condition holds or patience ends.
func poll(holds func() bool) bool {
	late := time.NewTimer(patience)
	defer late.Stop()
	again := time.NewTicker(40 * time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-again.C:
		case <-late.C:
			return holds()
		}
	}
	return true
}

// Turn waits for a turn of the session that matches.
func (r *Rig) Turn(session string, match modelapi.Match) *modelapi.Request {
	r.T.Helper()
	ctx, cancel := context.WithTimeout(r.T.Context(), patience)
	defer cancel()
	req, err := r.API.Wait(ctx, session, match)
	if err != nil {
		r.T.Fatalf("%v\n%s", err, r.Report())
	}
	return req
}

// Reached waits until the model holds a reply at the gate.
func (r *Rig) Reached(g *modelapi.Gate) {
	r.T.Helper()
	select {
	case <-g.Reached():
	case <-time.After(patience):
		r.T.Fatalf("no reply came to the gate\n%s", r.Report())
	}
}

// Report is what there is to know when a test fails.
func (r *Rig) Report() string {
	var out string
	for _, s := range r.screens {
		out += s.framed()
	}
	out += "--- processes ---\n"
	for _, p := range r.Processes() {
		out += p.String()[:min(len(p.String()), 200)] + "\n"
	}
	return out + "--- journal ---\n" + r.timeline() + "--- sent to the model ---\n" + r.API.Digest()
}

// keepRequests writes what the model was sent beside the other files.
func (r *Rig) keepRequests() {
	for _, req := range r.API.All() {
		path := filepath.Join(r.root, "requests", fmt.Sprintf("%03d.json", req.Seq))
		r.Write(path, string(req.Raw), 0o600)
	}
}

func (r *Rig) close() {
	r.killServer()
	r.sweep()
	r.API.Close()
	if r.T.Failed() {
		r.keepRequests()
		r.T.Logf("the files of the failed test are kept in %s", r.root)
		return
	}
	if err := os.RemoveAll(r.root); err != nil {
		r.T.Errorf("remove the rig: %v", err)
	}
}

// Mode has ccmux start all sessions in a permission mode, by the project's
// ccmux.toml. (A default mode in the user's own settings makes the new version
// offer auto mode in a dialog after the first turn.)
func (r *Rig) Mode(mode string) { r.mode = mode }

// configure writes ccmux.toml when the sessions need one.
func (r *Rig) configure(names []string) {
	r.T.Helper()
	if r.mode == "" {
		return
	}
	var toml strings.Builder
	for _, name := range names {
		fmt.Fprintf(&toml, "[[session]]\nname = %q\nargs = [\"--permission-mode\", %q]\n\n", name, r.mode)
	}
	r.Write(filepath.Join(r.work(), "ccmux.toml"), toml.String(), 0o600)
}
