package journal

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Bytes of the -shm file that a reader of the log locks, one of them; from
// https://www.sqlite.org/walformat.html#wal_locks.
const (
	firstReadLock = 123
	lastReadLock  = 127
	writeLock     = 120
)

// readers are the processes, other than this one, in the middle of reading db.
func readers(db string) []Holder { return holders(db+"-shm", firstReadLock, lastReadLock) }

// lockHolders are the processes, other than this one, in the middle of writing db.
func lockHolders(db string) []Holder { return holders(db+"-shm", writeLock, writeLock) }

// holders finds in /proc/locks who keeps a lock on a byte from first to last.
func holders(file string, first, last int64) []Holder {
	st, err := os.Stat(file)
	if err != nil {
		return nil
	}
	inode := strconv.FormatUint(st.Sys().(*syscall.Stat_t).Ino, 10)
	f, err := os.Open("/proc/locks")
	if err != nil {
		return nil
	}
	defer f.Close()
	var found []Holder
	for lines := bufio.NewScanner(f); lines.Scan(); {
		l, ok := parseLock(lines.Text())
		if !ok || l.inode != inode || l.pid == os.Getpid() || l.end < first || l.start > last {
			continue
		}
		h := Holder{PID: l.pid, Name: processName(l.pid)}
		if !slices.Contains(found, h) {
			found = append(found, h)
		}
	}
	return found
}

type fileLock struct {
	pid        int
	inode      string
	start, end int64
}

// parseLock reads a line such as "1: POSIX  ADVISORY  READ 4711 fe:00:1234 123 123".
// A lock that somebody still waits for has an arrow after the number.
func parseLock(line string) (fileLock, bool) {
	f := strings.Fields(line)
	if len(f) != 8 || f[1] != "POSIX" {
		return fileLock{}, false
	}
	pid, err := strconv.Atoi(f[4])
	if err != nil || pid <= 0 {
		return fileLock{}, false
	}
	start, err := strconv.ParseInt(f[6], 10, 64)
	if err != nil {
		return fileLock{}, false
	}
	end := int64(1<<63 - 1)
	if f[7] != "EOF" {
		if end, err = strconv.ParseInt(f[7], 10, 64); err != nil {
			return fileLock{}, false
		}
	}
	return fileLock{pid: pid, inode: f[5][strings.LastIndexByte(f[5], ':')+1:], start: start, end: end}, true
}

func processName(pid int) string {
	if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil {
		return filepath.Base(strings.TrimSuffix(exe, " (deleted)"))
	}
	comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return "a program"
	}
	return strings.TrimSpace(string(comm))
}
