package journal

import "testing"

func TestParseLock(t *testing.T) {
	for _, c := range []struct {
		line string
		want fileLock
		ok   bool
	}{
		{"1: POSIX  ADVISORY  READ 4711 fe:00:1234 123 123", fileLock{4711, "1234", 123, 123}, true},
		{"22: POSIX  ADVISORY  WRITE 1 00:2d:9 0 EOF", fileLock{1, "9", 0, 1<<63 - 1}, true},
		{"1: FLOCK  ADVISORY  WRITE 4711 fe:00:1234 0 EOF", fileLock{}, false},
		{"1: -> POSIX  ADVISORY  READ 4711 fe:00:1234 123 123", fileLock{}, false},
		{"1: OFDLCK ADVISORY  READ -1 fe:00:1234 123 123", fileLock{}, false},
		{"1: POSIX  ADVISORY  READ x fe:00:1234 123 123", fileLock{}, false},
		{"", fileLock{}, false},
	} {
		if got, ok := parseLock(c.line); got != c.want || ok != c.ok {
			t.Errorf("%q: %+v %v", c.line, got, ok)
		}
	}
}
