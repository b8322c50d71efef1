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
