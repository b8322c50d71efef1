package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// arrangementFile keeps how the human arranged the screen of this project.
const arrangementFile = "screen.json"

// maxArrangement bounds what is kept; a layout takes a few hundred bytes.
const maxArrangement = 16 << 10

// Arrangement is what Remember was given last; nil when nothing can be read.
func (s *Supervisor) Arrangement() []byte {
	b, err := os.ReadFile(filepath.Join(s.cfg.StateDir, arrangementFile))
	if err != nil || len(b) > maxArrangement {
		return nil
	}
	return b
}

// Remember keeps how the human arranged the screen. What is lost of it with the
// power is not missed: it is not synced.
func (s *Supervisor) Remember(_ context.Context, b []byte) error {
	if len(b) > maxArrangement {
		return errors.New("keep the layout: it is too large")
	}
	f, err := os.CreateTemp(s.cfg.StateDir, arrangementFile+".*")
	if err != nil {
		return fmt.Errorf("keep the layout: %w", err)
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(s.cfg.StateDir, arrangementFile))
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the one before stays
		return fmt.Errorf("keep the layout: %w", err)
	}
	return nil
}
