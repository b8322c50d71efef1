package router

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrNewer is wrapped when a journal holds what only a newer ccmux understands.
var ErrNewer = errors.New("written by a newer ccmux")

// bodyVersion is the version of every event body that this program writes. A
// body whose meaning changes gets a version of its own here and in DecodeBody.
const bodyVersion = 1

// read decodes one type of event, by value as Apply wants it.
func read[T Body](b []byte) (Body, error) {
	var v T
	err := json.Unmarshal(b, &v)
	return v, err
}

// EncodeBody returns an event body as it stands in the journal.
func EncodeBody(b Body) (version int, data []byte, err error) {
	data, err = json.Marshal(b)
	if err != nil {
		return 0, nil, fmt.Errorf("encode event %s: %w", b.eventType(), err)
	}
	return bodyVersion, data, nil
}

// DecodeBody reads what EncodeBody wrote, also in an earlier version. Fields it
// does not know are ignored. The error wraps ErrNewer when the event is of a
// later version or of a type this program does not know.
func DecodeBody(typ string, version int, data []byte) (Body, error) {
	read, known := bodies[typ]
	switch {
	case !known:
		return nil, fmt.Errorf("event %q in version %d is not known here: %w: use the version of ccmux that wrote it", typ, version, ErrNewer)
	case version > bodyVersion:
		return nil, fmt.Errorf("event %s is in version %d and this ccmux reads up to %d: %w: use the version of ccmux that wrote it", typ, version, bodyVersion, ErrNewer)
	case version < 1:
		return nil, fmt.Errorf("decode event %s: %d is not a version", typ, version)
	}
	b, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("decode event %s: %w", typ, err)
	}
	return b, nil
}
