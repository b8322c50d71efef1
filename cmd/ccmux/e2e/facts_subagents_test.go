//go:build e2e

package e2e

import "testing"

// supervisor/session/machine_background.go rests on this: for a subagent in the
// background the hook runs before any dialog, while the status file says busy,
// and the dialog opens when the hook has no opinion.
func TestFactABackgroundSubagentAsksTheHookFirst(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		twoSubagents(r, "frontend", true)
		dir := r.Folder("frontend")
		hooks := r.hooks("PermissionRequest", "Stop")
		hooks.hold("PermissionRequest")
		s := r.claude(dir, "frontend", "--permission-mode", v.Manual, "--settings", hooks.settings)
		r.ready(dir, s)
		s.Submit("split it")
		hooks.wait("PermissionRequest", 2)
		hooks.wait("Stop", 1)
		s.settle()
		if st, _ := r.StatusOf(dir); st.Status != "busy" || s.Has("Do you want to proceed?") {
			t.Errorf("the status is %q, the screen:\n%s", st.Status, s.Text())
		}
		hooks.release("PermissionRequest")
		s.Wait("Do you want to proceed?", "from the general-purpose agent")
		r.WaitsFor(dir, "permission prompt")
		for range 2 {
			s.Wait("Do you want to proceed?")
			s.Answer("Enter")
		}
		for _, job := range []string{"one", "two"} {
			if got := r.told("frontend", job); got.IsError {
				t.Errorf("job %s was told %+v", job, got)
			}
		}
	})
}
