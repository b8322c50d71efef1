package channel

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
)

// argTypes are the Go forms of the arguments, as ccmux reads them.
var argTypes = map[string]any{
	wire.ToolSendToPeer: wire.SendToPeerArgs{}, wire.ToolSendToPeers: wire.SendToPeersArgs{}, wire.ToolSendToRoom: wire.SendToRoomArgs{},
	wire.ToolRespondToPeer: wire.RespondArgs{}, wire.ToolCreateRoom: wire.CreateRoomArgs{}, wire.ToolJoinRoom: wire.RoomArgs{},
	wire.ToolLeaveRoom: wire.RoomArgs{}, wire.ToolListRooms: struct{}{}, wire.ToolListPeers: struct{}{}, wire.ToolWhoami: struct{}{},
	wire.ToolRegister: wire.RegisterArgs{}, wire.ToolRespondPermission: wire.RespondPermissionArgs{}, wire.ToolInbox: wire.InboxArgs{},
	wire.ToolWatch: wire.WatchArgs{}, wire.ToolAck: wire.MessageIDs{}, wire.ToolArchive: wire.MessageIDs{}, wire.ToolHistory: wire.HistoryArgs{},
}

// fields maps the JSON names of a struct to whether they may be left out.
func fields(t reflect.Type) map[string]bool {
	out := map[string]bool{}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for name, optional := range fields(f.Type) {
				out[name] = optional
			}
			continue
		}
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		out[name] = strings.Contains(rest, "omitempty")
	}
	return out
}

func TestSchemasAreThoseOfTheArgumentsCcmuxReads(t *testing.T) {
	if len(tools()) != len(argTypes) {
		t.Errorf("%d tools; want %d", len(tools()), len(argTypes))
	}
	for _, tool := range tools() {
		typ, ok := argTypes[tool.name]
		if !ok {
			t.Errorf("no arguments known for %s", tool.name)
			continue
		}
		want := fields(reflect.TypeOf(typ))
		for name, optional := range want {
			if tool.args[name] == nil {
				t.Errorf("%s: the schema lacks %s", tool.name, name)
			}
			if optional == slices.Contains(tool.need, name) {
				t.Errorf("%s: %s is optional in one place and needed in the other", tool.name, name)
			}
		}
		for name := range tool.args {
			if _, ok := want[name]; !ok {
				t.Errorf("%s: ccmux reads no %s", tool.name, name)
			}
		}
	}
}

// TestEverySchemaIsBuiltOfWhatCheckKnows walks them all: a schema without a type
// that check knows would let everything through.
func TestEverySchemaIsBuiltOfWhatCheckKnows(t *testing.T) {
	var walk func(place string, s *schema)
	walk = func(place string, s *schema) {
		if _, known := words[s.Type]; known == (len(s.AnyOf) > 0) {
			t.Errorf("%s has type %q and %d alternatives", place, s.Type, len(s.AnyOf))
		}
		for _, a := range s.AnyOf {
			walk(place+"|", a)
		}
		for name, p := range s.Properties {
			if p.About == "" {
				t.Errorf("%s.%s is not described", place, name)
			}
			walk(place+"."+name, p)
		}
		if s.Items != nil {
			walk(place+"[]", s.Items)
		}
	}
	for _, tool := range tools() {
		walk(tool.name, tool.schema())
		raw, err := json.Marshal(tool.schema())
		if err != nil || !strings.Contains(string(raw), `"additionalProperties":false`) {
			t.Errorf("%s: %s, %v", tool.name, raw, err)
		}
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `{"to":"x","content":"y"}`, `{"to":["a"],"data":{"x":[1,2.5,null]}}`, `[1]`, `{"to":1e400}`, `{"` + strings.Repeat("k", 200) + `":1}`} {
		f.Add(seed)
	}
	all := tools()
	f.Fuzz(func(t *testing.T, raw string) {
		for _, tool := range all {
			if err := checkArgs(tool, json.RawMessage(raw)); err != nil {
				continue
			}
			// What is let through must be readable as what ccmux takes it for.
			into := reflect.New(reflect.TypeOf(argTypes[tool.name]))
			if raw == "" {
				continue
			}
			if err := json.Unmarshal([]byte(raw), into.Interface()); err != nil {
				t.Errorf("%s lets %q through: %v", tool.name, raw, err)
			}
		}
	})
}

func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"id":7}`))
	f.Add([]byte("..." + `","jsonrpc":"2.0","id":"abc"}` + "\n"))
	f.Fuzz(func(t *testing.T, end []byte) {
		if id := idAtEnd(end); !json.Valid(id) {
			t.Errorf("the id of %q is %q", end, id)
		}
	})
}
