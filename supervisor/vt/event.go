package vt

// An event is a callback to be made once the lock is free.
type event struct {
	kind  eventKind
	a, b  int
	s, s2 string
}

type eventKind uint8

const (
	evReply eventKind = iota
	evTitle
	evBell
	evNotify
	evClipboard
	evReadClipboard
	evWorkingDir
	evProgress
	evMark
	evOther
)

// maxEvents bounds the callbacks of one slice of input, so that a stream of
// nothing but titles costs no more than a stream of text.
const maxEvents = 1024

func (t *Terminal) emit(e event) {
	if len(t.out) < maxEvents {
		t.out = append(t.out, e)
	}
}

func (t *Terminal) bell() {
	if t.cfg.Bell == nil {
		return
	}
	for i := range t.out {
		if t.out[i].kind == evBell {
			return
		}
	}
	t.emit(event{kind: evBell})
}

func (t *Terminal) reply(s string) {
	if t.cfg.Reply != nil {
		t.emit(event{kind: evReply, s: s})
	}
}

// dispatch makes the callbacks. The lock is not held.
func (t *Terminal) dispatch(out []event) {
	c := &t.cfg
	for _, e := range out {
		switch e.kind {
		case evReply:
			t.replies.add([]byte(e.s))
		case evTitle:
			call1(c.Title, e.s)
		case evBell:
			c.Bell()
		case evNotify:
			if c.Notify != nil {
				c.Notify(e.s, e.s2)
			}
		case evClipboard:
			if c.Clipboard != nil {
				c.Clipboard(e.s, []byte(e.s2))
			}
		case evReadClipboard:
			t.answerClipboard(e.s, e.s2)
		case evWorkingDir:
			call1(c.WorkingDir, e.s)
		case evProgress:
			if c.Progress != nil {
				c.Progress(e.a, e.b)
			}
		case evMark:
			if c.Mark != nil {
				c.Mark(byte(e.a), e.s)
			}
		case evOther:
			if c.Other != nil {
				c.Other(e.a, e.s)
			}
		}
	}
}

func call1(f func(string), s string) {
	if f != nil {
		f(s)
	}
}
