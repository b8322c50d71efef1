package line

import (
	"strings"
	"testing"

	"github.com/ccmux/ccmux/tui/cells"
)

func TestEditing(t *testing.T) {
	for _, c := range []struct {
		keys string
		want string // | is the cursor
	}{
		{"abc left X", "abX|c"},
		{"abc home X", "X|abc"},
		{"abc left left end X", "abcX|"},
		{"abc backspace", "ab|"},
		{"abc home delete", "|bc"},
		{"one_two ctrl+w", "one_|"},
		{"one_two alt+left X", "one_X|two"},
		{"one_two home alt+right X", "oneX|_two"},
		{"one_two left ctrl+u", "|o"},
		{"one_two home right ctrl+k", "o|"},
		{"👩‍💻日 backspace backspace", "|"},
		{"e\u0301x left left X", "X|e\u0301x"},
		{"left right backspace delete ctrl+w", "|"},
	} {
		var m Model
		for _, k := range strings.Fields(c.keys) {
			if !m.Key(k, "") {
				m.Insert(strings.ReplaceAll(k, "_", " "))
			}
		}
		if got := strings.ReplaceAll(m.before+"|"+m.after, " ", "_"); got != c.want {
			t.Errorf("%s gives %q, want %q", c.keys, got, c.want)
		}
	}
}

func TestPastedControlsAreDropped(t *testing.T) {
	var m Model
	m.Insert("a\x1b[31mb\r\nc\rd\u202e")
	if m.Text() != "a[31mb\nc\nd" {
		t.Errorf("%q", m.Text())
	}
}

func FuzzLines(f *testing.F) {
	f.Add("abc 日本語 👩‍💻\nx", 5, 3, 2)
	f.Fuzz(func(t *testing.T, s string, w, h, left int) {
		if w < 3 || w > 100 || h < 1 || h > 20 || left < 0 || left > 50 {
			t.Skip()
		}
		var m Model
		m.Insert(s)
		for range left {
			m.Key("left", "")
		}
		rows, x, y := m.Lines(w, h)
		if len(rows) == 0 || len(rows) > h || x < 0 || x >= w || y < 0 {
			t.Fatalf("%d rows, cursor %d,%d in %dx%d", len(rows), x, y, w, h)
		}
		for _, r := range rows {
			if cells.Width(r) != w {
				t.Errorf("%q has %d columns of %d", r, cells.Width(r), w)
			}
		}
	})
}
