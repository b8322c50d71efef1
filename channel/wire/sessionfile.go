package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// SessionFile is what the channel and hook processes of one session need to
// reach ccmux. It lies in the session's folder as a file of mode 0600, because
// an environment variable would be inherited by every command the model runs.
type SessionFile struct {
	Socket     string `json:"socket"`
	Credential string `json:"credential"`
	Peer       string `json:"peer"` // for people who look; ccmux goes by the credential
}

// maxSessionFile is far above what a session file holds.
const maxSessionFile = 64 << 10

// denyMarker is the name of the file beside a session file that says that
// trusted rules which deny are in force.
const denyMarker = "deny-rules"

// ErrSessionFile is wrapped by every complaint about what a session file is,
// as opposed to failures to read it.
var ErrSessionFile = errors.New("not a usable session file")

// ReadSessionFile reads the file at path. It refuses one that is not a regular
// file, belongs to somebody else, or can be read or written by others.
func ReadSessionFile(path string) (SessionFile, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return SessionFile{}, fmt.Errorf("%w: %s is a symbolic link", ErrSessionFile, path)
	}
	if err != nil {
		return SessionFile{}, fmt.Errorf("open session file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return SessionFile{}, fmt.Errorf("look at session file: %w", err)
	}
	if err := checkPrivate(path, info); err != nil {
		return SessionFile{}, err
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxSessionFile))
	if err != nil {
		return SessionFile{}, fmt.Errorf("read session file: %w", err)
	}
	var sf SessionFile
	if err := json.Unmarshal(raw, &sf); err != nil {
		return SessionFile{}, fmt.Errorf("%w: %s: %w", ErrSessionFile, path, err)
	}
	if sf.Socket == "" || sf.Credential == "" {
		return SessionFile{}, fmt.Errorf("%w: %s names no socket or no credential", ErrSessionFile, path)
	}
	return sf, nil
}

func checkPrivate(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is not a regular file", ErrSessionFile, path)
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return fmt.Errorf("%w: %s has mode %04o and should have 0600", ErrSessionFile, path, perm)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%w: %s belongs to another user", ErrSessionFile, path)
	}
	return nil
}

// WriteSessionFile writes the file whole: a reader sees the old content or the
// new. The folder must exist.
func WriteSessionFile(path string, sf SessionFile) error {
	raw, err := json.Marshal(sf)
	if err != nil {
		return fmt.Errorf("write session file: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".session-*") // CreateTemp makes files of mode 0600
	if err != nil {
		return fmt.Errorf("write session file: %w", err)
	}
	defer os.Remove(tmp.Name()) // gone already when all went well
	_, err = tmp.Write(append(raw, '\n'))
	if err = errors.Join(err, tmp.Close()); err != nil {
		return fmt.Errorf("write session file: %w", err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("write session file: %w", err)
	}
	return nil
}

// SetDenyRules notes beside the session file at path whether trusted rules that
// deny are in force. A hook that gets no answer from ccmux looks there.
func SetDenyRules(path string, on bool) error {
	marker := filepath.Join(filepath.Dir(path), denyMarker)
	if !on {
		if err := os.Remove(marker); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("clear the mark of deny rules: %w", err)
		}
		return nil
	}
	if err := os.WriteFile(marker, nil, 0o600); err != nil {
		return fmt.Errorf("set the mark of deny rules: %w", err)
	}
	return nil
}

// HasDenyRules says whether the mark of SetDenyRules is there. When that cannot
// be told it is taken to be.
func HasDenyRules(path string) bool {
	_, err := os.Lstat(filepath.Join(filepath.Dir(path), denyMarker))
	return !errors.Is(err, fs.ErrNotExist)
}
