package vt

import "strings"

// LinkAt returns the address under p and the text it is shown by: a hyperlink
// of the program's (OSC 8), or a plain http, https or file address in the text.
func (t *Terminal) LinkAt(p Pos) (uri string, text Selection, ok bool) {
	t.lock()
	p = t.clampPos(p)
	lr := &lineReader{t: t}
	cells, _, _ := lr.read(p.Line)
	id := t.in.styles[cells[p.Col].st].link
	if id != 0 {
		a, b := p.Col, p.Col+1
		for a > 0 && t.in.styles[cells[a-1].st].link == id {
			a--
		}
		for b < len(cells) && t.in.styles[cells[b].st].link == id {
			b++
		}
		uri = t.in.links[id].uri
		text = t.selection(Pos{p.Line, a}, Pos{p.Line, b}, false)
	}
	t.settleTables()
	t.mu.Unlock()
	if id != 0 {
		return uri, text, true
	}
	text = t.Select(Words, p, p, false)
	uri = strings.TrimRight(t.CopyText(text), ".,:?")
	for _, scheme := range []string{"https://", "http://", "file://"} {
		if i := strings.Index(uri, scheme); i >= 0 && len(uri) > i+len(scheme) {
			return uri[i:], text, true
		}
	}
	return "", Selection{}, false
}
