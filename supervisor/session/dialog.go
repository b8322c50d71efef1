package session

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// DialogName names the dialogs of claude that ccmux tells apart.
type DialogName string

// The dialogs. DialogUnknown is one that has a dialog's shape and words that
// are not known.
const (
	DialogTrust      DialogName = "folder trust"
	DialogAPIKey     DialogName = "API key"
	DialogChannels   DialogName = "development channels"
	DialogMCPServer  DialogName = "MCP server"
	DialogOnboarding DialogName = "onboarding"
	DialogPermission DialogName = "permission"
	DialogAutoMode   DialogName = "auto mode"
	DialogQuestion   DialogName = "question"
	DialogNotice     DialogName = "notice"
	DialogUnknown    DialogName = "dialog"
)

// Row is one choice of a dialog.
type Row struct {
	Text        string
	Number      int // as claude numbers it, 0 where it does not
	Highlighted bool
	Line        int // index into the lines it was read from
}

// Dialog is a dialog as it was read from a screen.
type Dialog struct {
	Name  DialogName // "" for no dialog
	Title string     // its first line
	Text  []string   // what it says above the rows, as it stands
	Rows  []Row
	// Highlighted is the index of the row that Enter would choose, -1 where no
	// row is marked.
	Highlighted int
	Help        string // the line of keys beneath
}

// Same reports whether o is the same dialog with the same choices; the
// highlight may differ.
func (d Dialog) Same(o Dialog) bool {
	if d.Name != o.Name || d.Title != o.Title || len(d.Rows) != len(o.Rows) {
		return false
	}
	for i := range d.Rows {
		if d.Rows[i].Text != o.Rows[i].Text || d.Rows[i].Number != o.Rows[i].Number {
			return false
		}
	}
	return true
}

var (
	// the keys of a dialog, capitalised; "esc to interrupt" is a running turn
	helpLine = regexp.MustCompile(`\b(Enter to \w+|Esc to (cancel|reject|exit|go back|skip|close))\b`)
	marked   = regexp.MustCompile(`^([ \x{00a0}│┃|]*)[❯>][ \x{00a0}]`)
	numbered = regexp.MustCompile(`^(\d{1,2})\. +`)
	ruleLine = regexp.MustCompile(`^[\s─━╌╍═▔▁╭╮╰╯]*[─━╌╍═▔▁]{8,}[\s─━╌╍═▔▁╭╮╰╯]*$`)
	solid    = regexp.MustCompile(`[─━═▔▁]{8}`)
)

// maxBelow is how many lines may stand beneath a dialog's line of keys. A
// prompt has its box there, so what a model wrote above it is no dialog.
const maxBelow = 1

// Recognise reads the dialog that is open on a screen, lines from top to
// bottom. It goes by shape first (a line of keys at the very bottom, a marked
// row above it) and by words second, so that a dialog of another version is
// still seen as one. It reads; it presses nothing.
func Recognise(lines []string) (Dialog, bool) {
	help := findHelp(lines)
	if help < 0 {
		if help = findEnd(lines); help < 0 {
			return Dialog{}, false
		}
	}
	d := Dialog{Highlighted: -1}
	if help < len(lines) {
		d.Help = strings.TrimSpace(lines[help])
	}
	top := help
	if at, col := findMark(lines, help); at >= 0 {
		d.Rows = readRows(lines, at, col, help)
		top = d.Rows[0].Line
		for i, r := range d.Rows {
			if r.Highlighted {
				d.Highlighted = i
			}
		}
	}
	d.Text = textAbove(lines, top)
	if len(d.Text) > 0 {
		d.Title = d.Text[0]
	}
	d.Name = nameDialog(d)
	if d.Name == "" {
		return Dialog{}, false
	}
	return d, true
}

// findHelp returns the line of keys at the bottom of the screen, -1 for none.
func findHelp(lines []string) int {
	below := 0
	for i := len(lines) - 1; i >= 0 && below <= maxBelow; i-- {
		if strings.TrimSpace(lines[i]) == "" {
			continue
		}
		if helpLine.MatchString(lines[i]) {
			return i
		}
		below++
	}
	return -1
}

// findEnd returns the line behind a dialog that has no line of keys: numbered
// rows, one of them marked, are the last thing on the screen. -1 for none.
func findEnd(lines []string) int {
	end := len(lines)
	for end > 0 && strings.TrimSpace(lines[end-1]) == "" {
		end--
	}
	at, col := findMark(lines, end)
	if at < 0 || rowAt(lines[at], col).Number == 0 {
		return -1
	}
	rows := readRows(lines, at, col, end)
	if len(rows) < 2 || rows[0].Number != 1 {
		return -1
	}
	for _, l := range lines[rows[len(rows)-1].Line+1 : end] { // only the rest of the last row
		if indent := len(l) - len(strings.TrimLeft(l, " ")); indent <= col {
			return -1
		}
	}
	return end
}

// findMark returns the marked row nearest above the keys and the column where
// its text begins. A notice has none.
func findMark(lines []string, help int) (line, col int) {
	for i := help - 1; i >= 0; i-- {
		m := marked.FindString(lines[i])
		if m == "" {
			continue
		}
		if col = utf8.RuneCountInString(m); rowAt(lines[i], col).Text == "" { // an empty prompt
			return -1, 0
		}
		return i, col
	}
	return -1, 0
}

// readRows reads the choices around the marked line. Their texts stand in one
// column; what is indented further explains the row above it.
func readRows(lines []string, at, col, help int) []Row {
	first := rowAt(lines[at], col)
	first.Highlighted, first.Line = true, at
	rows := []Row{first}
	for i := at - 1; i >= 0 && rows[0].Number != 1; i-- {
		r := rowAt(lines[i], col)
		if r.Text == "" {
			if first.Number == 0 || i < at-40 || solid.MatchString(lines[i]) {
				break
			}
			continue
		}
		if first.Number != 0 && r.Number != rows[0].Number-1 {
			break
		}
		r.Line = i
		rows = append([]Row{r}, rows...)
	}
	for i := at + 1; i < help; i++ {
		r := rowAt(lines[i], col)
		last := &rows[len(rows)-1]
		switch {
		case r.Text == "" && strings.TrimSpace(lines[i]) == "" && first.Number == 0:
			return rows
		case r.Text == "" || (first.Number != 0 && r.Number != last.Number+1):
			continue
		}
		r.Line = i
		rows = append(rows, r)
	}
	return rows
}

// rowAt reads the choice on a line whose text begins in column col; Text is ""
// if there is none.
func rowAt(line string, col int) Row {
	runes := []rune(strings.TrimRight(line, " \u00a0│┃|"))
	if len(runes) <= col || runes[col] == ' ' || runes[col] == '\u00a0' {
		return Row{}
	}
	if strings.Trim(string(runes[:col]), " \u00a0│┃|❯>") != "" || ruleLine.MatchString(line) {
		return Row{}
	}
	text := string(runes[col:])
	r := Row{Text: text}
	if m := numbered.FindStringSubmatch(text); m != nil {
		r.Number, _ = strconv.Atoi(m[1])
		r.Text = text[len(m[0]):]
	}
	return r
}

// textAbove returns what a dialog says above line top, from the solid rule
// that begins it.
func textAbove(lines []string, top int) []string {
	start := 0
	for i := top - 1; i >= 0; i-- {
		if ruleLine.MatchString(lines[i]) && solid.MatchString(lines[i]) {
			start = i + 1
			break
		}
	}
	var out []string
	for _, l := range lines[start:top] {
		l = strings.Trim(l, " \u00a0│┃|")
		if l != "" && !ruleLine.MatchString(l) {
			out = append(out, l)
		}
	}
	return out
}
