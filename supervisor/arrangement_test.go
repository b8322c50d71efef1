package supervisor

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

func TestArrangement(t *testing.T) {
	s := &Supervisor{cfg: Config{StateDir: t.TempDir()}}
	if got := s.Arrangement(); got != nil {
		t.Errorf("%q before anything was kept", got)
	}
	for _, text := range []string{`{"layout":"rows"}`, `{}`} {
		if err := s.Remember(context.Background(), []byte(text)); err != nil || string(s.Arrangement()) != text {
			t.Errorf("%q, %v", s.Arrangement(), err)
		}
	}
	if err := s.Remember(context.Background(), make([]byte, maxArrangement+1)); err == nil || string(s.Arrangement()) != "{}" {
		t.Errorf("%q, %v", s.Arrangement(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.cfg.StateDir, "*.*.*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.Chmod(s.cfg.StateDir, 0o500); err == nil && os.Getuid() != 0 {
		if s.Remember(context.Background(), []byte("x")) == nil {
			t.Error("it was kept in a folder that cannot be written")
		}
	}
}
