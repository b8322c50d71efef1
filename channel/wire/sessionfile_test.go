package wire

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestSessionFileComesBackAndIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.json")
	for _, want := range []SessionFile{{Socket: "/s", Credential: "c", Peer: "p"}, {Socket: "/s2", Credential: "c2"}} {
		if err := WriteSessionFile(path, want); err != nil {
			t.Fatal(err)
		}
		got, err := ReadSessionFile(path)
		if err != nil || got != want {
			t.Errorf("read %+v, %v; want %+v", got, err, want)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := WriteSessionFile(filepath.Join(path, "x"), SessionFile{}); err == nil {
		t.Error("written into a file")
	}
}

func TestSessionFileThatIsNotOursIsRefused(t *testing.T) {
	good := `{"socket":"/s","credential":"c"}`
	for name, make := range map[string]func(path string) error{
		"readable by the group": func(p string) error { return os.WriteFile(p, []byte(good), 0o640) },
		"readable by all":       func(p string) error { return os.WriteFile(p, []byte(good), 0o604) },
		"no JSON":               func(p string) error { return os.WriteFile(p, []byte(`{`), 0o600) },
		"no socket":             func(p string) error { return os.WriteFile(p, []byte(`{"credential":"c"}`), 0o600) },
		"no credential":         func(p string) error { return os.WriteFile(p, []byte(`{"socket":"/s"}`), 0o600) },
		"a folder":              func(p string) error { return os.Mkdir(p, 0o700) },
		"a link": func(p string) error {
			if err := os.WriteFile(p+".x", []byte(good), 0o600); err != nil {
				return err
			}
			return os.Symlink(p+".x", p)
		},
	} {
		path := filepath.Join(t.TempDir(), "session.json")
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadSessionFile(path); !errors.Is(err, ErrSessionFile) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := ReadSessionFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

func TestDenyRulesAreMarkedBesideTheSessionFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.json")
	for _, on := range []bool{false, true, true, false, false} {
		if err := SetDenyRules(path, on); err != nil {
			t.Fatal(err)
		}
		if HasDenyRules(path) != on {
			t.Errorf("set to %v and not found so", on)
		}
	}
	if HasDenyRules(filepath.Join(path, "gone", "session.json")) {
		t.Error("rules of a session whose folder is gone")
	}
}
