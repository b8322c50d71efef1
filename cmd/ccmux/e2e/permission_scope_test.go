//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

// settingsFiles are all files in which claude could keep a permission: the
// user's and the projects'. Their content is told apart, not read.
func (r *Rig) settingsFiles() map[string]string {
	r.T.Helper()
	found := map[string]string{}
	for _, pattern := range []string{
		filepath.Join(r.Home, ".claude", "settings*.json"), filepath.Join(r.work(), ".claude", "settings*.json"),
		filepath.Join(r.work(), "*", ".claude", "settings*.json"),
	} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			r.T.Fatal(err)
		}
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil {
				r.T.Fatal(err)
			}
			found[path] = string(raw)
		}
	}
	return found
}

// Allowed for the session, by key or from the shell: the same command asks no
// more in it, another does, and no settings file is written for it.
func TestAllowedForTheSession(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		const command = "curl -s http://127.0.0.1:9/x || touch made.txt"
		for name, allow := range map[string]func(*Mux, string){
			"by key":         func(m *Mux, _ string) { m.Keys("s") },
			"from the shell": func(m *Mux, id string) { m.rig.ccmux("approve", id, "--session") },
		} {
			r := newRig(t, v)
			r.Mode(v.Manual)
			r.Agent("backend").
				When(modelapi.Says("fetch it"), bash(command), bash(command), say("fetched twice.")).
				When(modelapi.Says("once more"), bash(command), say("fetched again.")).
				When(modelapi.Says("another"), bash("wget -q http://127.0.0.1:9/x"), say("the model goes on"))
			m := r.Up("backend")
			had := r.settingsFiles()
			m.Prompt(0, "fetch it")
			asked := r.Fact("the request", of("PermissionAsked", "backend").with("permission.source", "hook"))
			id := asked.Text("permission.id")
			m.Card("curl -s", "s allow this session")
			allow(m, id)
			m.Wait("fetched twice.")
			if how := r.endOf(id); how != "allow, seen to take effect" {
				t.Errorf("%s: the request ended as %q", name, how)
			}
			answered := r.Fact("the answer", of("PermissionAnswered", "").with("id", id))
			if answered.Text("scope") != "session" {
				t.Errorf("%s: answered %v", name, answered)
			}
			m.Prompt(0, "once more")
			m.Wait("fetched again.")
			if ids := r.requests(); len(ids) != 1 || !made(r.dir("backend")) {
				t.Errorf("%s: asked %v; ran: %v", name, ids, made(r.dir("backend")))
			}
			for path, content := range r.settingsFiles() {
				if had[path] != content {
					t.Errorf("%s: %s holds now %s", name, path, content)
				}
			}
			m.Prompt(0, "another")
			r.Eventually("another command to ask", func() bool { return len(r.requests()) == 2 })
		}
	})
}
