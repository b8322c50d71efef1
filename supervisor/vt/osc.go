package vt

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

const (
	maxTitle  = 1024
	maxNotify = 4096
	maxTitles = 10   // the depth of xterm's title stack
	maxURI    = 2083 // VTE's limit
	maxLinkID = 250
)

// dispatchOSC executes an operating system command.
func (t *Terminal) dispatchOSC(b []byte) {
	num, rest, _ := bytes.Cut(b, []byte{';'})
	code, err := strconv.Atoi(string(num))
	if err != nil || code < 0 {
		return
	}
	switch code {
	case 0, 2:
		t.title = clean(rest, maxTitle)
		t.emit(event{kind: evTitle, s: t.title})
	case 1: // icon name: nothing shows it
	case 4:
		t.oscPalette(rest)
	case 104:
		t.resetPalette(rest)
	case 10, 11, 12:
		t.oscColor(code-10, rest)
	case 110, 111, 112:
		t.setDynamic(code-110, Default)
	case 7:
		t.emit(event{kind: evWorkingDir, s: clean(rest, maxURI)})
	case 8:
		t.oscLink(rest)
	case 9:
		t.osc9(rest)
	case 52:
		t.oscClipboard(rest)
	case 133:
		t.oscMark(rest)
	case 777:
		if verb, arg, _ := strings.Cut(string(rest), ";"); verb == "notify" {
			title, body, _ := strings.Cut(arg, ";")
			t.notify(title, body)
		}
	default:
		if t.cfg.Other != nil {
			t.emit(event{kind: evOther, a: code, s: clean(rest, maxNotify)})
		}
	}
}

func (t *Terminal) notify(title, body string) {
	t.emit(event{kind: evNotify, s: clean([]byte(title), maxTitle), s2: clean([]byte(body), maxNotify)})
}

// osc9 is a notification (iTerm2) or, with 4, progress (ConEmu).
func (t *Terminal) osc9(rest []byte) {
	arg, ok := strings.CutPrefix(string(rest), "4;")
	if !ok {
		t.notify("", string(rest))
		return
	}
	state, pct, _ := strings.Cut(arg, ";")
	s, err := strconv.Atoi(state)
	if err != nil || s < 0 || s > 4 {
		return
	}
	n, _ := strconv.Atoi(pct)
	t.emit(event{kind: evProgress, a: s, b: min(max(n, 0), 100)})
}

// oscLink begins or ends a hyperlink: OSC 8 ; params ; URI.
func (t *Terminal) oscLink(rest []byte) {
	args, uri, ok := bytes.Cut(rest, []byte{';'})
	if !ok {
		return
	}
	t.penOK = false
	t.pen.link = 0
	if len(uri) == 0 || len(uri) > maxURI {
		return
	}
	l := link{uri: clean(uri, maxURI)}
	for _, a := range strings.Split(string(args), ":") {
		if id, ok := strings.CutPrefix(a, "id="); ok && len(id) <= maxLinkID {
			l.id = clean([]byte(id), maxLinkID)
		}
	}
	t.pen.link = t.in.link(l)
}

// oscClipboard is OSC 52 ; selections ; base64 or a question mark.
func (t *Terminal) oscClipboard(rest []byte) {
	sel, data, ok := bytes.Cut(rest, []byte{';'})
	if !ok || len(sel) > 8 {
		return
	}
	name := clean(sel, 8)
	if string(data) == "?" {
		if t.cfg.ReadClipboard != nil {
			t.emit(event{kind: evReadClipboard, s: name, s2: t.str.end()})
		}
		return
	}
	if t.cfg.Clipboard == nil {
		return
	}
	dec, err := base64.StdEncoding.DecodeString(string(data))
	if err != nil {
		return
	}
	t.emit(event{kind: evClipboard, s: name, s2: string(dec)})
}

func (t *Terminal) answerClipboard(sel, end string) {
	data := t.cfg.ReadClipboard(sel)
	t.replies.add(fmt.Appendf(nil, "\x1b]52;%s;%s%s", sel, base64.StdEncoding.EncodeToString(data), end))
}

// oscMark is shell integration: OSC 133 ; A, B, C or D, with parameters.
func (t *Terminal) oscMark(rest []byte) {
	if len(rest) == 0 {
		return
	}
	r := t.line()
	switch rest[0] {
	case 'A':
		r.mark |= MarkPrompt
	case 'B':
		r.mark |= MarkCommand
	case 'C':
		r.mark |= MarkOutput
	case 'D':
		r.mark |= MarkEnd
	default:
		return
	}
	if t.cfg.Mark != nil {
		t.emit(event{kind: evMark, a: int(rest[0]), s: clean(bytes.TrimPrefix(rest[1:], []byte{';'}), maxTitle)})
	}
}
