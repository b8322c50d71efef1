package approvals

import (
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
)

// reading is something outside as it was when it was looked at.
type reading[T any] struct {
	value T
	of    string // the content of the request that it belongs to
	at    time.Time
}

// Fresh is how long a reading of the file or of the rules counts, while its card
// is on show.
const Fresh = 2 * time.Second

// content names what a request is about: when it changes, what was read for it
// counts no longer.
func content(p *router.PermissionView) string {
	return p.Tool + "\x00" + p.Dir + "\x00" + string(p.Input)
}

// current says whether a reading belongs to the request as it is, and is not old.
func (r reading[T]) current(p *router.PermissionView, now time.Time) bool {
	return r.of == content(p) && now.Sub(r.at) < Fresh
}

// Wants returns the request on show and the file it would change, when that was
// not read yet or some time ago.
func (m *Model) Wants(now time.Time) (p router.Permission, path string, ok bool) {
	c, ok := m.Current()
	if !ok || c.Perm == nil || m.files[c.ID].current(c.Perm, now) {
		return p, "", false
	}
	path = target(c.Perm)
	return c.Perm.Permission, path, path != ""
}

// Read hands in the file for a request. When it is another than was on show the
// hand must wait again.
func (m *Model) Read(p router.Permission, f File, now time.Time) {
	if m.files == nil {
		m.files = map[string]reading[File]{}
	}
	next := reading[File]{f, content(&router.PermissionView{Permission: p}), now}
	before, known := m.files[p.ID]
	m.files[p.ID] = next
	other := before.value.Text != f.Text || before.value.Exists != f.Exists || (before.value.Err == nil) != (f.Err == nil)
	if known && before.of == next.of && other && m.at == p.ID {
		m.top, m.armed = 0, now.Add(Still)
	}
}

// file is what was read for a request as it is now.
func (m *Model) file(c Card) (File, bool) {
	r, ok := m.files[c.ID]
	return r.value, ok && r.of == content(c.Perm)
}

// Says hands in what the rules would say of a request.
func (m *Model) Says(p router.Permission, text string, now time.Time) {
	if m.says == nil {
		m.says = map[string]reading[string]{}
	}
	m.says[p.ID] = reading[string]{text, content(&router.PermissionView{Permission: p}), now}
}

// said is what the rules say of a request as it is now.
func (m *Model) said(c Card) string {
	if r := m.says[c.ID]; r.of == content(c.Perm) {
		return r.value
	}
	return ""
}

// Unsaid returns the request on show when it is not known what the rules would
// say of it, or only from some time ago.
func (m *Model) Unsaid(now time.Time) (router.Permission, bool) {
	c, ok := m.Current()
	if !ok || c.Perm == nil {
		return router.Permission{}, false
	}
	return c.Perm.Permission, !m.says[c.ID].current(c.Perm, now)
}
