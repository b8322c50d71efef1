package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ccmux/ccmux/supervisor/vt"
)

// Spec says what to run and where its signs of life are.
type Spec struct {
	Name string
	Argv []string
	Dir  string   // must exist
	Env  []string // the whole environment, "NAME=VALUE"; Argv[0] is looked up in its PATH

	Cols, Rows int // 0 means 80×24
	Scrollback int // lines
	// Clipboard lets the program put text on the human's clipboard (OSC 52);
	// else it is told that it cannot. It can never read it.
	Clipboard bool
	// Foreground and Background are what the program is told when it asks on
	// which colours it is shown; zero: no answer.
	Foreground, Background vt.Color

	// Mark is an entry "NAME=VALUE" that is added to Env and by which Stop finds
	// what the session left behind after setsid. It is no secret. Empty: none.
	Mark string

	// ConversationID is claude's session id, where it is known beforehand.
	ConversationID string
	// StatusDir is the folder of claude's status files
	// ($HOME/.claude/sessions), empty for none. It need not exist yet.
	StatusDir string
	// Transcript is the file claude writes the conversation to. The session only
	// carries it.
	Transcript string

	// OnEvent is told of what changes; see the package doc. May be nil.
	OnEvent func(Event)
	// OnOutput is told that the screen changed. May be nil.
	OnOutput func()
	// Clock is the time; nil means time.Now.
	Clock func() time.Time
}

// Errors a caller may tell apart.
var (
	ErrBusy     = errors.New("the program in the pane does not read its input")
	ErrTooLarge = errors.New("more input than a pane takes at once")
	ErrEnded    = errors.New("the session has ended")
	ErrDialog   = errors.New("a dialog is open in the pane")
	ErrNoTurn   = errors.New("no turn is running")
	ErrSize     = errors.New("size out of range")
)

// maxSide bounds columns and rows.
const maxSide = 4096

// check completes a Spec and says what is wrong with it.
func (s *Spec) check() error {
	if s.Name == "" {
		return errors.New("a session needs a name")
	}
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return fmt.Errorf("session %s has no command", s.Name)
	}
	if fi, err := os.Stat(s.Dir); err != nil {
		return fmt.Errorf("folder of session %s: %w", s.Name, err)
	} else if !fi.IsDir() {
		return fmt.Errorf("folder of session %s: %s is not a folder", s.Name, s.Dir)
	}
	if s.Mark != "" && !strings.Contains(s.Mark, "=") {
		return fmt.Errorf("mark of session %s: %q is not NAME=VALUE", s.Name, s.Mark)
	}
	return s.fill()
}

func (s *Spec) fill() error {
	if s.Cols == 0 && s.Rows == 0 {
		s.Cols, s.Rows = 80, 24
	}
	if err := checkSize(s.Cols, s.Rows); err != nil {
		return err
	}
	if s.Clock == nil {
		s.Clock = time.Now
	}
	return nil
}

func checkSize(cols, rows int) error {
	if cols < 1 || rows < 1 || cols > maxSide || rows > maxSide {
		return fmt.Errorf("%d×%d: %w", cols, rows, ErrSize)
	}
	return nil
}

// lookPath finds the program as a shell in the session would: by the
// session's PATH, not by ours.
func lookPath(file, dir string, env []string) (string, error) {
	if strings.ContainsRune(file, '/') {
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		return file, executable(file)
	}
	path := ""
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			path = v
		}
	}
	for _, d := range filepath.SplitList(path) {
		if d == "" || !filepath.IsAbs(d) { // never what happens to lie in a folder
			continue
		}
		if p := filepath.Join(d, file); executable(p) == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("%s: %w in PATH", file, errNotFound)
}

var errNotFound = errors.New("not found")

func executable(path string) error {
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("run %s: %w", path, err)
	case fi.IsDir() || fi.Mode()&0o111 == 0:
		return fmt.Errorf("run %s: %w", path, os.ErrPermission)
	}
	return nil
}
