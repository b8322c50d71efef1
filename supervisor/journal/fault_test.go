package journal

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/supervisor/router"
)

// picture is a folder's content, to see that nothing changed.
func picture(t *testing.T, dir string) string {
	t.Helper()
	var b bytes.Buffer
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		if d.Name() == lockFile {
			return nil // it names the last who tried
		}
		fmt.Fprintln(&b, p, st.Mode())
		if st.Mode().IsRegular() {
			data, err := os.ReadFile(p)
			fmt.Fprintf(&b, "%x\n", data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// differences are the lines that only one of two pictures has, cut short.
func differences(a, b string) string {
	var out strings.Builder
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(la), len(lb)) {
		switch {
		case i >= len(la) || i >= len(lb):
			fmt.Fprintf(&out, "\none more line: %.200s", append(la[min(i, len(la)):], lb[min(i, len(lb)):]...)[0])
		case la[i] != lb[i]:
			k := 0
			for k < min(len(la[i]), len(lb[i])) && la[i][k] == lb[i][k] {
				k++
			}
			fmt.Fprintf(&out, "\nline %d, byte %d: %.100s | %.100s", i, k/2, la[i][k:], lb[i][k:])
		}
	}
	return out.String()
}

// full makes a closed journal with a few messages.
func full(t *testing.T) string {
	t.Helper()
	dir := newDir(t)
	j := mustOpen(t, dir, Options{Build: "1.2.3"})
	tl := &timeline{at: day}
	var events []router.Event
	for i := range 200 {
		events = append(events, tl.post(i, "t-1", strings.Repeat("word ", 100)))
	}
	mustCommit(t, j, []router.Doc{doc("thread", "t-1", true, `{}`)}, events...)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func change(t *testing.T, name string, fn func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, fn(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

func inDatabase(t *testing.T, name string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// refusals are the ways a journal can be unfit, and what is said.
var refusals = []struct {
	name   string
	spoil  func(t *testing.T, dir string)
	want   error
	saying string
}{
	{"a folder with other files", func(t *testing.T, dir string) {
		_ = os.Remove(filepath.Join(dir, markerFile))
	}, ErrForeign, "name an empty folder"},
	{"somebody else's marker", func(t *testing.T, dir string) {
		change(t, filepath.Join(dir, markerFile), func([]byte) []byte { return []byte("hello\n") })
	}, ErrForeign, "not ours"},
	{"a marker of a later version", func(t *testing.T, dir string) {
		change(t, filepath.Join(dir, markerFile), func([]byte) []byte { return []byte(markerHead + "2\nready\n") })
	}, router.ErrNewer, "format 2"},
	{"tables of a later version", func(t *testing.T, dir string) {
		inDatabase(t, filepath.Join(dir, dbFile), "PRAGMA user_version = 99", "UPDATE meta SET value = '9.9.9' WHERE key = 'build'")
	}, router.ErrNewer, "ccmux 9.9.9 or later"},
	{"an event of a later version", func(t *testing.T, dir string) {
		inDatabase(t, filepath.Join(dir, dbFile), "INSERT INTO written VALUES ('Posted', 99, '9.9.9')")
	}, router.ErrNewer, "ccmux 9.9.9 or later"},
	{"an event of a type not known", func(t *testing.T, dir string) {
		inDatabase(t, filepath.Join(dir, dbFile), "INSERT INTO written VALUES ('Beamed', 1, '9.9.9')")
	}, router.ErrNewer, "Beamed"},
	{"a folder others can read", func(t *testing.T, dir string) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}, ErrForeign, "chmod 700"},
	{"no database", func(t *testing.T, dir string) {
		_ = os.Remove(filepath.Join(dir, dbFile))
	}, ErrDamaged, "missing"},
	{"an empty database", func(t *testing.T, dir string) {
		change(t, filepath.Join(dir, dbFile), func([]byte) []byte { return nil })
	}, ErrDamaged, "0 bytes"},
	{"half a database", func(t *testing.T, dir string) {
		change(t, filepath.Join(dir, dbFile), func(b []byte) []byte { return b[:len(b)/2+100] })
	}, ErrDamaged, "backup"},
	{"no database at all", func(t *testing.T, dir string) {
		change(t, filepath.Join(dir, dbFile), func(b []byte) []byte { return bytes.Repeat([]byte("x"), 5000) })
	}, ErrDamaged, "not a SQLite database"},
	{"a database of another program", func(t *testing.T, dir string) {
		_ = os.Remove(filepath.Join(dir, dbFile))
		inDatabase(t, filepath.Join(dir, dbFile), "CREATE TABLE bookmarks (a)")
	}, ErrForeign, "another program"},
	{"zeros in the first page", func(t *testing.T, dir string) {
		change(t, filepath.Join(dir, dbFile), func(b []byte) []byte { clear(b[100:4096]); return b })
	}, ErrDamaged, "backup"},
}

// What is not a sound journal of ours is refused in words, and stays as it is.
func TestRefused(t *testing.T) {
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			dir := full(t)
			c.spoil(t, dir)
			before := picture(t, dir)
			j, err := Open(t.Context(), dir, Options{})
			if err == nil {
				_ = j.Close()
			}
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.saying) {
				t.Fatalf("got %v", err)
			}
			if after := picture(t, dir); after != before {
				t.Fatalf("the folder changed:%s", differences(before, after))
			}
		})
	}
}

// A row of a later program, however it came there, is not skipped.
func TestEventOfLaterVersion(t *testing.T) {
	dir := full(t)
	inDatabase(t, filepath.Join(dir, dbFile), "UPDATE events SET v = 99 WHERE seq = 150", "UPDATE events SET body = '{' WHERE seq = 160")
	j := mustOpen(t, dir, Options{})
	_, err := j.Events(t.Context(), 0, 1000)
	if !errors.Is(err, router.ErrNewer) || !strings.Contains(err.Error(), "event 150") {
		t.Errorf("got %v", err)
	}
	if events, err := j.Events(t.Context(), 0, 149); err != nil || len(events) != 149 {
		t.Errorf("%d events before it, %v", len(events), err)
	}
	if _, err := j.Events(t.Context(), 150, 1000); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "event 160") {
		t.Errorf("got %v", err)
	}
}

func TestNotAFolder(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(full(t), link); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), link, Options{}); !errors.Is(err, ErrForeign) {
		t.Fatalf("a link: %v", err)
	}
}

// A first start that was killed half-way is taken up again.
func TestFirstStartBrokenOff(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
	}{
		{"marker only", map[string]string{markerFile: ""}},
		{"empty database", map[string]string{markerFile: "", lockFile: "", dbFile: ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := newDir(t)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for name, text := range c.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			j := mustOpen(t, dir, Options{})
			mustCommit(t, j, nil, (&timeline{at: day}).post(1, "t-1", "x"))
		})
	}
}

func TestOnlyWeCanRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c#d%20é")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	j := mustOpen(t, dir, Options{})
	mustCommit(t, j, nil, (&timeline{at: day}).post(1, "t-1", "x"))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 5 { // marker, lock, database, -wal, -shm
		t.Errorf("files: %v", entries)
	}
	for _, e := range entries {
		if st, err := e.Info(); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", e.Name(), st.Mode(), err)
		}
	}
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v %v", st.Mode(), err)
	}
}

// holdOpen keeps the journal open until it is killed.
func holdOpen() error {
	j, err := Open(context.Background(), os.Getenv(dirEnv), Options{})
	if err != nil {
		return err
	}
	fmt.Println("open")
	runtime.KeepAlive(j)
	select {}
}

func TestSecondOwner(t *testing.T) {
	dir := newDir(t)
	cmd, lines := helper(t, "hold", dir)
	<-lines
	_, err := Open(t.Context(), dir, Options{})
	if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), fmt.Sprintf("pid %d:", cmd.Process.Pid)) {
		t.Fatalf("got %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for range lines { // until it is gone
	}
	j := mustOpen(t, dir, Options{})
	if _, err := Open(t.Context(), dir, Options{}); !errors.Is(err, ErrInUse) {
		t.Fatalf("twice in one process: %v", err)
	}
	mustCommit(t, j, nil, (&timeline{at: day}).post(1, "t-1", "x"))
}
