package supervisor

import (
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// The lines around a message's structured data, where it goes before a model.
const (
	dataOpens  = "[data: JSON from the sender]"
	dataCloses = "[end of data]"
)

// contentOf is a message as its reader gets it: the text, and beneath it, between
// two lines of their own, the structured data. The data was bounded when it was
// sent. It stands on one line with < > and & escaped, so that it can hold neither
// a tag nor the heading of another message, and is cleaned like any text.
func contentOf(m router.Message) string {
	if len(m.Data) == 0 {
		return m.Content
	}
	return m.Content + "\n\n" + dataOpens + "\n" + dataLine(m) + "\n" + dataCloses
}

func dataLine(m router.Message) string {
	line, err := wire.CleanBody(string(m.Data))
	if err != nil { // it cannot be: data is far smaller than a body may be
		return `"left out: too long"`
	}
	return strings.ReplaceAll(line, "\n", " ")
}
