package supervisor

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAStateFolderThatIsRemovedIsNoticed: the journal goes on in files without a
// name, so somebody has to say it.
func TestAStateFolderThatIsRemovedIsNoticed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	told := 0
	s := &Supervisor{cfg: Config{StateDir: dir}, log: slog.New(slog.DiscardHandler), loop: startLoop(t, newMemory())}
	s.loop.storage.tell = func() { told++ }
	var err error
	if s.folder, err = os.Stat(dir); err != nil {
		t.Fatal(err)
	}
	s.checkFolder()
	if v := s.loop.look(); v.Storage != "" || told != 0 {
		t.Errorf("all is well, and the view says %q, told %d times", v.Storage, told)
	}
	if err := os.Rename(dir, dir+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil { // another one of that name
		t.Fatal(err)
	}
	for range 2 {
		s.checkFolder()
		if v := s.loop.look(); !strings.Contains(v.Storage, "was removed") || told != 1 {
			t.Errorf("the view says %q, told %d times; want it said once", v.Storage, told)
		}
	}
}
