package tui

import "strings"

// environment is the terminal's.
type environment map[string]string

func environ(env []string) environment {
	out := make(environment, len(env))
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok {
			out[k] = v
		}
	}
	return out
}

// tmux says whether the terminal is tmux.
func (e environment) tmux() bool { return e["TMUX"] != "" || strings.HasPrefix(e["TERM"], "tmux") }

// notify is a desktop notification in the way that the terminal knows: OSC 9, or
// OSC 777, or both where nobody knows which one it takes.
func (e environment) notify(text string) string {
	text = strings.ReplaceAll(text, ";", ",") // it separates the parts of OSC 777
	short, long := "\x1b]9;"+text+"\x1b\\", "\x1b]777;notify;ccmux;"+text+"\x1b\\"
	is := func(names ...string) bool {
		for _, n := range names {
			if strings.Contains(e["TERM"], n) || strings.Contains(e["TERM_PROGRAM"], n) {
				return true
			}
		}
		return false
	}
	switch {
	case is("dumb", "linux"):
		return ""
	case is("rxvt", "foot") || e["VTE_VERSION"] != "":
		return long
	case is("ghostty", "kitty", "WezTerm", "iTerm", "mintty") || e["WT_SESSION"] != "":
		return short
	}
	return short + long
}

// charset is what a terminal can draw.
type charset int

const (
	anything charset = iota
	narrow           // ambiguous characters may take two columns
	asciiOnly
)

// charset reads the user's word, a terminal told to draw ambiguous characters
// wide, or a locale that is not UTF-8.
func (e environment) charset() charset {
	switch e["CCMUX_GLYPHS"] {
	case "ascii":
		return asciiOnly
	case "narrow":
		return narrow
	case "unicode":
		return anything
	}
	for _, k := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToUpper(e[k]); v != "" {
			if !strings.Contains(v, "UTF-8") && !strings.Contains(v, "UTF8") {
				return asciiOnly
			}
			break
		}
	}
	if w := e["VTE_CJK_WIDTH"]; w == "2" || w == "wide" {
		return narrow
	}
	return anything
}
