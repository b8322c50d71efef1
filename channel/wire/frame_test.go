package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// stream is a connection that only reads, or only writes.
type stream struct {
	io.Reader
	bytes.Buffer
}

func (s *stream) Read(b []byte) (int, error) { return s.Reader.Read(b) }
func (*stream) Close() error                 { return nil }

func TestFramesGoThere(t *testing.T) {
	var s stream
	w := NewConn(&s)
	for i, body := range []any{nil, Hello{Protocol: 1, Role: RoleHuman}, Deliver{Content: strings.Repeat("\x01", MaxBody)}} {
		if err := w.Write(TypeHello, uint64(i), body); err != nil {
			t.Fatal(err)
		}
	}
	r := NewConn(&stream{Reader: bytes.NewReader(s.Bytes())})
	for i := range 3 {
		f, err := r.Read()
		if err != nil || f.Type != TypeHello || f.ID != uint64(i) {
			t.Fatalf("%+v %v", f, err)
		}
	}
	if _, err := r.Read(); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
}

func TestMalformedFrames(t *testing.T) {
	for _, c := range []struct {
		in    string
		words string
		is    error
	}{
		{"{\n", "malformed frame", nil},
		{"[]\n", "malformed frame", nil},
		{"{}\n", "it has no type", nil},
		{"\n", "malformed frame", nil},
		{`{"type":"hello"}`, "", io.ErrUnexpectedEOF},
		{strings.Repeat("[", 20000) + "\n", "malformed frame", nil},
		{strings.Repeat("x", MaxFrame+1) + "\n", "", ErrFrameTooLong},
	} {
		_, err := NewConn(&stream{Reader: strings.NewReader(c.in)}).Read()
		if err == nil || !strings.Contains(err.Error(), c.words) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%.20q: %v", c.in, err)
		}
	}
	var s stream
	if err := NewConn(&s).Write(TypeTool, 1, strings.Repeat("x", MaxFrame)); !errors.Is(err, ErrFrameTooLong) || s.Len() > 0 {
		t.Errorf("%v, %d bytes sent", err, s.Len())
	}
	f := Frame{Type: "hello", Body: json.RawMessage(`{"protocol": "x"}`)}
	if err := f.Decode(&Hello{}); err == nil || !strings.Contains(err.Error(), "hello") {
		t.Error(err)
	}
	var h Hello
	if err := (Frame{Body: json.RawMessage(`{"protocol":1,"later":true}`)}).Decode(&h); err != nil || h.Protocol != 1 {
		t.Error(err) // a newer side may say more
	}
}

// Lines that Write makes are cut without the decoder, and as it would read them.
func TestCutReadsAsTheDecoder(t *testing.T) {
	for line, plain := range map[string]bool{
		`{"type":"tool","id":7,"body":{"a":[1,"}"]}}`:          true,
		`{"type":"perm-request","body":"x"}`:                   true,
		`{"type":"stop","id":18446744073709551615,"body":1}`:   true,
		`{"type":"stop","id":3}`:                               false,
		`{"type":"tool","id":7,"body":{"a":1},"later":true}`:   false,
		`{"type":"tool","body":{"a":1},"type":"stop"}`:         false,
		`{"type":"tool","body":{"a":1},"body":{"b":2}}`:        false,
		`{"type":"to\u006fl","body":1}`:                        false,
		`{"type":"tool","id":18446744073709551616,"body":1}`:   false,
		`{"type":"tool","id":07,"body":1}`:                     false,
		`{"type":"tool","id":,"body":1}`:                       false,
		`{"type":"tool","id":-1,"body":1}`:                     false,
		`{"type":"tool","id":1.5,"body":1}`:                    false,
		`{"type":"tool","id":7,"body":}`:                       false,
		`{"type":"","body":1}`:                                 false,
		` {"type":"tool","body":1}`:                            false,
		`{"type":"tool","body":1} `:                            false,
		`{"type":"tool","id":7,"body":{"a":1}}{"type":"stop"}`: false,
	} {
		got, ok := cut([]byte(line + "\n"))
		var want Frame
		err := json.Unmarshal([]byte(line), &want)
		if ok != plain || ok && (err != nil || !reflect.DeepEqual(got, want)) {
			t.Errorf("%s: %+v, %v; the decoder reads %+v, %v", line, got, ok, want, err)
		}
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte("{\"type\":\"hello\",\"id\":1,\"body\":{}}\n"), 3)
	f.Add([]byte("{\"type\":\"tool\"}\n\n{"), 1)
	f.Fuzz(func(t *testing.T, in []byte, piece int) {
		c := NewConn(&stream{Reader: &pieces{in, max(1, piece%64)}})
		for range len(in) + 2 {
			fr, err := c.Read()
			switch {
			case err == nil && fr.Type == "":
				t.Fatal("a frame without a type")
			case err == nil && len(fr.Body) > 0 && !json.Valid(fr.Body):
				t.Fatalf("a body that is no JSON: %q", fr.Body)
			case err == nil, strings.HasPrefix(err.Error(), "malformed frame"):
				continue
			case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
				return
			}
			t.Fatal(err)
		}
		t.Fatal("the stream does not end")
	})
}

// pieces gives n bytes at a time.
type pieces struct {
	rest []byte
	n    int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.rest[:min(p.n, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}

// serve answers one client: a call "list" gets a push and an answer, everything
// else a failure.
func serve(t *testing.T, l net.Listener) {
	t.Helper()
	nc, err := l.Accept()
	if err != nil {
		return
	}
	c := NewConn(nc)
	defer c.Close()
	for {
		f, err := c.Read()
		if err != nil {
			return
		}
		switch f.Type {
		case TypeHello:
			err = c.Write(TypeAnswer, f.ID, Welcome{Protocol: Protocol, Peer: You})
		case TypeList:
			if err = c.Write(TypeEvent, 0, Event{Seq: 7}); err == nil {
				err = c.Write(TypeAnswer, f.ID, List{PID: 42})
			}
		case TypeStop:
			return
		default:
			err = c.Fail(f.ID, &Failure{Code: CodeDenied, Message: "no"})
		}
		if err != nil {
			t.Error(err)
			return
		}
	}
}

func TestClient(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() { defer close(served); serve(t, l) }()
	pushed := make(chan Frame, 1)
	c, w, err := Dial(t.Context(), path, Hello{Role: RoleHuman}, func(f Frame) { pushed <- f })
	if err != nil || w.Peer != You {
		t.Fatal(w, err)
	}
	var list List
	if err := c.Call(t.Context(), TypeList, nil, &list); err != nil || list.PID != 42 {
		t.Fatal(list, err)
	}
	if f := <-pushed; f.Type != TypeEvent {
		t.Fatal(f)
	}
	var fail *Failure
	if err := c.Call(t.Context(), TypeUp, Up{}, nil); !errors.As(err, &fail) || fail.Code != CodeDenied {
		t.Fatal(err)
	}
	if err := c.Call(t.Context(), TypeUp, strings.Repeat("x", MaxFrame), nil); !errors.Is(err, ErrFrameTooLong) || errors.Is(err, ErrGone) {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Call(ended, TypeList, nil, nil); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := c.Call(t.Context(), TypeStop, nil, nil); !errors.Is(err, ErrGone) {
		t.Fatal(err)
	}
	<-c.Done()
	c.Close()
	<-served
	l.Close()
	if err := c.Call(t.Context(), TypeList, nil, nil); !errors.Is(err, ErrGone) {
		t.Fatal(err)
	}
	if _, _, err := Dial(t.Context(), path, Hello{}, nil); err == nil {
		t.Fatal("connected to nobody")
	}
}

func TestNamesAndTargets(t *testing.T) {
	for _, n := range []string{"a", "A-b_c.1", strings.Repeat("x", MaxName)} {
		if err := CheckName(n); err != nil {
			t.Error(err)
		}
	}
	for _, n := range []string{"", You, Everyone, "..", ".", "a/b", "a@b", "a b", "a\n", "ä", strings.Repeat("x", MaxName+1), "a\u202e"} {
		if err := CheckName(n); !errors.Is(err, ErrName) || strings.ContainsAny(err.Error(), "\n\u202e") {
			t.Errorf("%q: %v", n, err)
		}
	}
	for in, want := range map[string]int{`"*"`: 1, `["a","b"]`: 2, `[]`: 0} {
		var to Targets
		if err := json.Unmarshal([]byte(in), &to); err != nil || len(to) != want {
			t.Errorf("%s: %v %v", in, to, err)
		}
	}
	var to Targets
	if err := json.Unmarshal([]byte(`{"a":1}`), &to); err == nil {
		t.Error("an object is no list of names")
	}
}
