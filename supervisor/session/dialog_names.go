package session

import (
	"errors"
	"strings"
)

// words tells dialogs apart by what they say, first match first. The rows are
// searched apart from the text: a command that is asked about stands in the
// text and may say anything.
var words = []struct {
	name DialogName
	text []string // any of these above the rows
	rows []string // any of these in a row
	help []string // any of these in the line of keys
}{
	{name: DialogTrust, rows: []string{"trust this folder", "trust the files"}},
	{name: DialogAPIKey, text: []string{"custom API key in your environment"}},
	{name: DialogChannels, rows: []string{"I am using this for local development"}},
	{name: DialogMCPServer, rows: []string{"this MCP server", "these MCP servers", "MCP servers in this project"}},
	{name: DialogAutoMode, text: []string{"Auto mode can't check", "so this one needs your approval"}},
	{name: DialogQuestion, rows: []string{"Type something", "Chat about this"}},
	{name: DialogPermission, text: []string{"Do you want to ", "Would you like to proceed"}},
	{name: DialogQuestion, help: []string{"Enter to select"}},
	{name: DialogOnboarding, text: []string{"Choose the text style", "Select login method", "Welcome to Claude Code"}},
	{name: DialogTrust, text: []string{"Quick safety check:"}},
	{name: DialogChannels, text: []string{"Loading development channels"}},
	{name: DialogMCPServer, text: []string{"New MCP server", "new MCP servers"}},
}

// nameDialog names d. A dialog without rows must at least wait for Enter or
// say that Esc cancels it.
func nameDialog(d Dialog) DialogName {
	text := strings.Join(d.Text, " ")
	var rows strings.Builder
	for _, r := range d.Rows {
		rows.WriteString(r.Text + "\n")
	}
	for _, w := range words {
		if contains(text, w.text) || contains(rows.String(), w.rows) || contains(d.Help, w.help) {
			return w.name
		}
	}
	if len(d.Rows) == 0 {
		if strings.Contains(d.Help, "Enter to ") {
			return DialogNotice
		}
		return ""
	}
	return DialogUnknown
}

func contains(s string, any []string) bool {
	for _, a := range any {
		if strings.Contains(s, a) {
			return true
		}
	}
	return false
}

// Key is a key that moves the highlight.
type Key string

// The keys of a Move.
const (
	KeyUp   Key = "up"
	KeyDown Key = "down"
)

// Move is the way from the highlighted row to another: Count times Key. Press
// it once, read the screen again, and ask MoveTo again; a dialog may have gone
// or changed in between, and a highlight may skip or wrap.
type Move struct {
	Key   Key
	Count int // 0: it is there
}

// Errors of MoveTo.
var (
	ErrNoSuchRow      = errors.New("the dialog has no such row")
	ErrNothingMarked  = errors.New("no row of the dialog is highlighted")
	ErrDialogNotThere = errors.New("no dialog is open")
)

// MoveTo computes how the highlight of d gets to row (an index into d.Rows).
func MoveTo(d Dialog, row int) (Move, error) {
	switch {
	case d.Name == "":
		return Move{}, ErrDialogNotThere
	case row < 0 || row >= len(d.Rows):
		return Move{}, ErrNoSuchRow
	case d.Highlighted < 0 || d.Highlighted >= len(d.Rows):
		return Move{}, ErrNothingMarked
	case row < d.Highlighted:
		return Move{Key: KeyUp, Count: d.Highlighted - row}, nil
	}
	return Move{Key: KeyDown, Count: row - d.Highlighted}, nil
}
