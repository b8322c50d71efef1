package router

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestEveryEventIsRead(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "closed.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "eventType" {
			types = append(types, fn.Recv.List[0].Type.(*ast.Ident).Name)
		}
	}
	slices.Sort(types)
	if known := slices.Sorted(maps.Keys(bodies)); !slices.Equal(known, types) {
		t.Fatalf("types %v\nread  %v", types, known)
	}
	for name := range bodies {
		b, err := DecodeBody(name, 1, []byte(`{"something_new": 1}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := reflect.TypeOf(b).Name(); got != name || (Event{Body: b}).Type() != name {
			t.Fatalf("%s is read as %s", name, got)
		}
		version, data, err := EncodeBody(b)
		if err != nil || version != 1 || !json.Valid(data) {
			t.Fatalf("%s: %d %s %v", name, version, data, err)
		}
	}
}

func TestNewerEventsAreRefused(t *testing.T) {
	for _, c := range []struct {
		typ     string
		version int
		newer   bool
		words   string
	}{
		{"Posted", 2, true, "event Posted is in version 2 and this ccmux reads up to 1"},
		{"Teleported", 1, true, `event "Teleported" in version 1 is not known here`},
		{"Posted", 0, false, "0 is not a version"},
	} {
		_, err := DecodeBody(c.typ, c.version, []byte(`{}`))
		if err == nil || errors.Is(err, ErrNewer) != c.newer || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s %d: %v", c.typ, c.version, err)
		}
	}
	if _, err := DecodeBody("Posted", 1, []byte(`{`)); err == nil || errors.Is(err, ErrNewer) {
		t.Error(err)
	}
	if err := NewState().Restore([]Doc{{Kind: "hologram", ID: "1"}}, nil); !errors.Is(err, ErrNewer) {
		t.Error(err)
	}
	if err := NewState().Restore([]Doc{{Kind: docPeer, ID: "p-1", JSON: []byte(`{`)}}, nil); err == nil {
		t.Error("a torn doc was taken")
	}
	if err := NewState().Restore([]Doc{{Kind: docDelivery, ID: "m-1", JSON: []byte(`[]`)}}, nil); err == nil {
		t.Error("what became of a message was taken without the message")
	}
}

func TestUnknownThingsInEventsChangeNothing(t *testing.T) {
	s := NewState()
	for i, name := range slices.Sorted(maps.Keys(bodies)) {
		if name == "PermissionAsked" || name == "Posted" || strings.HasPrefix(name, "Peer") || strings.HasPrefix(name, "Room") {
			continue
		}
		b, err := DecodeBody(name, 1, []byte(`{"message":"m","peer":"p-9","id":"r-9","room":"x"}`))
		if err != nil {
			b, err = DecodeBody(name, 1, []byte(`{}`))
		}
		if err != nil {
			t.Fatal(err)
		}
		s.Apply(Event{Seq: uint64(i + 1), Body: b})
	}
	if v := s.View(); len(v.Peers)+len(v.Threads)+len(v.Permissions) != 0 {
		t.Fatalf("%+v", v)
	}
}
