package journal

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m,mode=700"); err != nil {
		t.Skipf("a small disk needs the right to mount one: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 2<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := Open(t.Context(), filepath.Join(dir, "journal"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	fillUp(t, j, func() {
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}
