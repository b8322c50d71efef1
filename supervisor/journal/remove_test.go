package journal

import (
	"errors"
	"os"
	"testing"
)

func TestAJournalInUseIsNotRemoved(t *testing.T) {
	dir := t.TempDir()
	f, err := lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := Remove(dir); !errors.Is(err, ErrInUse) {
		t.Errorf("it was removed: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Remove(dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}
