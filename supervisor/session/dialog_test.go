package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ccmux/ccmux/supervisor/vt"
)

// rows writes the choices of d in one line, the marked one in brackets.
func rows(d Dialog) string {
	var out []string
	for _, r := range d.Rows {
		text := r.Text
		if r.Number > 0 {
			text = fmt.Sprintf("%d %s", r.Number, text)
		}
		if r.Highlighted {
			text = "[" + text + "]"
		}
		out = append(out, text)
	}
	return strings.Join(out, " | ")
}

func TestRecogniseScreens(t *testing.T) {
	const fetch = "[1 Yes] | 2 Yes, and don't ask again for example.com | 3 No, and tell Claude what to do differently (esc)"
	for file, want := range map[string]struct {
		name  DialogName
		title string
		rows  string
	}{
		"trust-332":       {DialogTrust, "Accessing workspace:", "[No, exit] | Yes, I trust this folder"},
		"trust-197":       {DialogTrust, "Accessing workspace:", "[1 Yes, I trust this folder] | 2 No, exit"},
		"trust-197-moved": {DialogTrust, "Accessing workspace:", "1 Yes, I trust this folder | [2 No, exit]"},
		"mcp-server-332": {
			DialogMCPServer, "New MCP server found in this project: foo",
			"Use this MCP server | Use this and all future MCP servers in this project | [Continue without using this MCP server]",
		},
		"permission-write-332": {
			DialogPermission, "Create file",
			"[1 Yes] | 2 Yes, and switch to accept edits (auto-approve file edits and common file commands) for this | 3 No",
		},
		"permission-write-197": {DialogPermission, "Create file", "[1 Yes] | 2 Yes, allow all edits during this session (shift+tab) | 3 No"},
		"permission-fetch-332": {DialogPermission, "Fetch", fetch},
		"permission-fetch-197": {DialogPermission, "Fetch", fetch},
		"question-332":         {DialogQuestion, "☐ DB", "[1 pg] | 2 my | 3 Type something. | 4 Chat about this"},
		"question-197":         {DialogQuestion, "☐ DB", "[1 pg] | 2 my | 3 Type something. | 4 Chat about this"},
		"auto-mode-332":        {DialogAutoMode, "Bash command", "[No] | Yes"},
		"idle-332":             {},
		"idle-197":             {},
		"answered-332":         {},
		"answered-197":         {},
		"forged":               {},
	} {
		t.Run(file, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join("testdata", "screens", file+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			d, ok := Recognise(strings.Split(string(raw), "\n"))
			if ok != (want.name != "") || d.Name != want.name || d.Title != want.title || rows(d) != want.rows {
				t.Errorf("name %q, title %q, rows %q", d.Name, d.Title, rows(d))
			}
		})
	}
}

// replay feeds a recording in small pieces and returns every dialog that was
// on the screen, half drawn ones too, and the one at the end.
func replay(t *testing.T, file string, cols, lines int) (seen map[string]DialogName, last Dialog) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "recordings", file))
	if err != nil {
		t.Fatal(err)
	}
	term := vt.New(cols, lines, vt.Config{})
	defer term.Close()
	seen = map[string]DialogName{}
	for len(raw) > 0 {
		n := min(64, len(raw))
		_, _ = term.Write(raw[:n])
		raw = raw[n:]
		if last, _ = Recognise(strings.Split(term.Text(), "\n")); last.Name != "" {
			seen[last.Title+": "+rows(last)] = last.Name
		}
	}
	return seen, last
}

func TestRecogniseRecordings(t *testing.T) {
	const (
		always = " | 2 Yes, and always allow access to /home/dev/src/web/demo from this project"
		auto   = " | 3 Yes, and switch to auto mode · auto mode handles these prompts for you | 4 No"
	)
	for _, c := range []struct {
		file       string
		cols, rows int
		want       map[string]DialogName
	}{
		{"trust-apikey-80x24.raw", 80, 24, map[string]DialogName{
			"Accessing workspace:: [No, exit] | Yes, I trust this folder":             DialogTrust,
			"Accessing workspace:: No, exit | [Yes, I trust this folder]":             DialogTrust,
			"Detected a custom API key in your environment: Yes | [No (recommended)]": DialogAPIKey,
			"Detected a custom API key in your environment: [Yes] | No (recommended)": DialogAPIKey,
		}},
		{"startup-turn-perm-120x40.raw", 120, 40, map[string]DialogName{"Bash command: [1 Yes]" + always + auto: DialogPermission}},
		{"startup-turn-perm-80x24.raw", 80, 24, map[string]DialogName{"Bash command: [1 Yes]" + always + auto: DialogPermission}},
		{"fullscreen-80x24.raw", 80, 24, map[string]DialogName{"Bash command: [1 Yes]" + always + auto: DialogPermission}},
		{"old197-startup-turn-perm-80x24.raw", 80, 24, map[string]DialogName{
			"Bash command: [1 Yes] | 2 Yes, and always allow access to demo/ from this project | 3 No": DialogPermission,
		}},
		{"channel-dialog-event-relay-120x40.raw", 120, 40, map[string]DialogName{
			"WARNING: Loading development channels: [1 I am using this for local development] | 2 Exit": DialogChannels,
		}},
		{"answered-120x40.raw", 120, 40, nil},
	} {
		t.Run(c.file, func(t *testing.T) {
			seen, last := replay(t, c.file, c.cols, c.rows)
			for what, name := range c.want {
				if seen[what] != name {
					t.Errorf("%q was not seen as %q", what, name)
				}
			}
			if last.Name != "" {
				t.Errorf("a dialog is left at the end: %+v", last)
			}
			if c.want == nil && len(seen) > 0 {
				t.Errorf("seen: %v", seen)
			}
			if t.Failed() {
				for what, name := range seen {
					t.Logf("seen %q: %q", name, what)
				}
			}
		})
	}
}

func TestMoveTo(t *testing.T) {
	d := Dialog{Name: DialogTrust, Rows: []Row{{Text: "a"}, {Text: "b", Highlighted: true}, {Text: "c"}}, Highlighted: 1}
	for row, want := range []Move{{KeyUp, 1}, {KeyDown, 0}, {KeyDown, 1}} {
		if got, err := MoveTo(d, row); err != nil || got != want {
			t.Errorf("row %d: %+v, %v", row, got, err)
		}
	}
	for _, row := range []int{-1, 3} {
		if _, err := MoveTo(d, row); !errors.Is(err, ErrNoSuchRow) {
			t.Errorf("row %d: %v", row, err)
		}
	}
	d.Highlighted = -1
	if _, err := MoveTo(d, 0); !errors.Is(err, ErrNothingMarked) {
		t.Errorf("nothing marked: %v", err)
	}
	if _, err := MoveTo(Dialog{Highlighted: -1}, 0); !errors.Is(err, ErrDialogNotThere) {
		t.Errorf("no dialog: %v", err)
	}
}

func FuzzRecognise(f *testing.F) {
	names, _ := filepath.Glob(filepath.Join("testdata", "screens", "*.txt"))
	for _, n := range names {
		raw, err := os.ReadFile(n)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(raw))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) { // a screen holds none
			return
		}
		lines := strings.Split(text, "\n")
		d, ok := Recognise(lines)
		if !ok {
			return
		}
		marks := 0
		for i, r := range d.Rows {
			if r.Highlighted {
				marks++
				if i != d.Highlighted {
					t.Errorf("row %d is marked, Highlighted is %d", i, d.Highlighted)
				}
			}
			if r.Text == "" && r.Number == 0 || !strings.Contains(lines[r.Line], r.Text) {
				t.Errorf("row %q is not on its line", r.Text)
			}
		}
		if len(d.Rows) > 0 && marks != 1 {
			t.Errorf("%d rows are marked", marks)
		}
	})
}
