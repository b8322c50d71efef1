package demoagent

import (
	"fmt"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// glyphs are the characters by which claude's screen is known, and others.
type glyphs struct{ idle, busy, prompt, said, peer, box string }

var (
	claudeGlyphs = glyphs{"✳", "◐", "❯", "●", "←", "⎿"}
	oldGlyphs    = glyphs{"✳", "⠂", "❯", "●", "←", "⎿"}
	otherGlyphs  = glyphs{"=", "#", "$", "o", "<<", "|"}
)

// modeWords name the permission mode in the footer.
var modeWords = map[string]string{
	"default": "manual mode on", "acceptEdits": "accept edits on", "auto": "auto mode on",
	"plan": "plan mode on", "bypassPermissions": "bypass permissions on",
}

// banner says plainly what this is.
func (a *agent) banner() {
	if !a.opt.banner {
		return
	}
	a.scr.add(sgrBrand, " ccmux demo agent · not claude")
	a.scr.add(sgrDim, " a script answers, no model; the rest is real")
	a.scr.add(sgrDim, fmt.Sprintf(" %s · as claude %s", a.opt.behaviour, version(a.opt)))
	a.scr.add(sgrDim, " "+a.cwd)
	a.scr.add(sgrPlain, "")
}

// title is the window's title: claude's two states.
func (a *agent) title() string {
	if a.running != nil && a.dlg == nil {
		return a.glyph.busy + " " + a.set.name
	}
	return a.glyph.idle + " " + a.set.name
}

// liveLines is the part at the bottom: a dialog, or the prompt.
func (a *agent) liveLines() []line {
	if a.dlg != nil {
		return a.dlg.lines(a.scr.cols)
	}
	rule := line{sgrDim, strings.Repeat("─", a.scr.cols)}
	var out []line
	if a.running != nil {
		out = append(out, line{sgrWarn, "✻ Working…"})
	}
	for _, it := range a.queue {
		out = append(out, line{sgrDim, "  queued: " + firstLine(it.text)})
	}
	input := strings.ReplaceAll(a.input, "\n", "⏎")
	out = append(out, rule, line{sgrPlain, a.glyph.prompt + " " + printable(input) + "▌"}, rule)
	return append(out, line{sgrDim, "  " + a.footer()})
}

func (a *agent) footer() string {
	switch {
	case a.leaving:
		return "ending…"
	case a.ctrlC:
		return "Press Ctrl-C again to exit"
	case a.running != nil:
		return "⏸ " + modeWords[a.set.mode] + " · esc to interrupt"
	}
	return "⏸ " + modeWords[a.set.mode] + " · demo agent · /exit ends it"
}

// firstLine is what a message shows as in one line.
func firstLine(text string) string {
	if e := readTags(text); len(e) > 0 {
		text = e[0].body
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if rest != "" {
		first += "…"
	}
	return first
}

// draw is called by the loop after each thing it did.
func (a *agent) draw() {
	if err := a.scr.draw(a.liveLines(), a.title()); err != nil {
		a.leave("other", 1)
	}
}
