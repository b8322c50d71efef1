package channel

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"
)

// maxLine is the longest line taken from claude: a body of the largest size
// with every character escaped, and room to spare.
const maxLine = 16 << 20

// lineWriter writes whole lines, one at a time.
type lineWriter struct {
	mu     sync.Mutex
	w      io.Writer
	failed func(error) // told of each failure
}

// write sends v as one line.
func (l *lineWriter) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	line = append(line, '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err = l.w.Write(line); err != nil {
		l.failed(err)
		return fmt.Errorf("write message: %w", err)
	}
	return nil
}

// errLineTooLong is returned with what is left of the line.
var errLineTooLong = errors.New("line too long")

// readLine returns the next line without its end. A line over maxLine is
// consumed; the error comes with its last bytes. The end of the stream comes
// after its last line, be it ended or not.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			long = true
			line = append(line[:0], tail(line, part, 4<<10)...)
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0):
			return nil, err
		case long:
			return line, errLineTooLong
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}

// tail returns a copy of the last n bytes of a followed by b.
func tail(a, b []byte, n int) []byte {
	a = a[max(0, len(a)-n):]
	joined := append(bytes.Clone(a), b...)
	return joined[max(0, len(joined)-n):]
}

// lastID finds the id at the very end of a request, where claude writes it. The
// match cannot lie within a string, whose end would be a quote.
// It is compiled when it is needed: a hook, which never does, starts faster.
var lastID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"id":(\d+|"[A-Za-z0-9-]*")\}\s*$`)
})

// idAtEnd returns the id of a request of which only the end is known.
func idAtEnd(end []byte) json.RawMessage {
	if m := lastID().FindSubmatch(end); m != nil && json.Valid(m[1]) { // 007 is no number
		return m[1]
	}
	return json.RawMessage("null")
}
