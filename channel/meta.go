package channel

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/ccmux/ccmux/channel/wire"
)

// meta are the attributes of a channel tag. claude writes them in the order in
// which they come, so that this is the order in which the model reads them.
type meta map[string]string

// metaOrder is the order of the keys that matter; others follow by name.
var metaOrder = []string{
	wire.MetaSender, wire.MetaKind, wire.MetaTaskID, wire.MetaMessageID, wire.MetaParent,
	wire.MetaRoom, wire.MetaInReplyTo, wire.MetaStatus, wire.MetaSubject,
}

// isMetaKey says whether key has the form that claude keeps; it drops others in
// silence.
func isMetaKey(key string) bool {
	for i, c := range key {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return key != ""
}

// keys are those that may be written: not what claude would drop, and above all
// no source, which would stand beside the true one.
func (m meta) keys() []string {
	var keys []string
	for _, k := range metaOrder {
		if _, ok := m[k]; ok {
			keys = append(keys, k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if k != "source" && isMetaKey(k) && !slices.Contains(metaOrder, k) {
			keys = append(keys, k)
		}
	}
	return keys
}

// MarshalJSON writes the object with its keys in order.
func (m meta) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, k := range m.keys() {
		if i > 0 {
			out.WriteByte(',')
		}
		value, err := json.Marshal(m[k])
		if err != nil {
			return nil, err
		}
		out.WriteString(`"` + k + `":`) // a key that needs no quoting: see isMetaKey
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
