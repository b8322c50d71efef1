package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// maxSocketPath is what sun_path holds on macOS, with its final NUL; Linux has
// four bytes more.
const maxSocketPath = 104

// StateHome is ccmux's own folder, $XDG_STATE_HOME/ccmux, by default
// ~/.local/state/ccmux. It is not made here.
func StateHome() (string, error) {
	base := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the state folder: %w: set HOME or XDG_STATE_HOME", err)
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "ccmux"), nil
}

// StateDir is where the project's journal and session files are, and beside it
// its log: the folder KEY in StateHome. It is not made here.
func (p Project) StateDir() (string, error) {
	home, err := StateHome()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, p.Key()), nil
}

// Socket is the path of the project's socket, in $XDG_RUNTIME_DIR/ccmux or else
// in a folder of this user beneath the folder for temporary files. The folder
// is made, and must be this user's alone (mode 0700, no symbolic link).
func (p Project) Socket() (string, error) {
	dir := filepath.Join(os.TempDir(), "ccmux-"+strconv.Itoa(os.Getuid()))
	if run := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		dir = filepath.Join(run, "ccmux")
	}
	path := filepath.Join(dir, p.Key()+".sock")
	if len(path) >= maxSocketPath {
		dir = filepath.Join("/tmp", "ccmux-"+strconv.Itoa(os.Getuid()))
		path = filepath.Join(dir, p.Key()+".sock")
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make the socket folder: %w", err)
	}
	return path, checkPrivate(dir)
}

// ErrNotPrivate is wrapped when a folder that must be this user's alone is not.
var ErrNotPrivate = errors.New("refusing an unsafe folder")

func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("check the socket folder: %w", err)
	}
	if info.Mode()&fs.ModeSymlink != 0 || !info.IsDir() {
		return fmt.Errorf("%w: %s is not a plain folder: remove it, then try again", ErrNotPrivate, dir)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("%w: %s belongs to another user: remove it, or set XDG_RUNTIME_DIR to a folder of yours", ErrNotPrivate, dir)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%w: %s is open to others (mode %o): run chmod 700 %s", ErrNotPrivate, dir, info.Mode().Perm(), dir)
	}
	return nil
}
