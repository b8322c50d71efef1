package vt

import (
	"encoding/hex"
	"strings"
)

// capabilities are what XTGETTCAP answers: those that say something terminfo's
// xterm-256color does not, and those vim and tmux ask for.
var capabilities = map[string]string{
	"Co": "256", "colors": "256",
	"TN": "xterm-256color", "name": "xterm-256color",
	"RGB": "8/8/8", "Tc": "",
	"Su": "", "Smulx": "\x1b[4:%p1%dm", "Setulc": "\x1b[58:2:%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m",
	"Ss": "\x1b[%p1%d q", "Se": "\x1b[2 q", "Sync": "\x1b[?2026%?%p1%{1}%-%tl%eh%;",
	"setrgbf": "\x1b[38:2:%p1%d:%p2%d:%p3%dm", "setrgbb": "\x1b[48:2:%p1%d:%p2%d:%p3%dm",
	"Ms": "\x1b]52;%p1%s;%p2%s\x07", "BE": "\x1b[?2004h", "BD": "\x1b[?2004l", "PS": "\x1b[200~", "PE": "\x1b[201~",
	"ku": "\x1bOA", "kd": "\x1bOB", "kr": "\x1bOC", "kl": "\x1bOD", "kh": "\x1bOH", "@7": "\x1bOF",
	"kcuu1": "\x1bOA", "kcud1": "\x1bOB", "kcuf1": "\x1bOC", "kcub1": "\x1bOD", "khome": "\x1bOH", "kend": "\x1bOF",
	"kb": "\x7f", "kbs": "\x7f", "kD": "\x1b[3~", "kdch1": "\x1b[3~", "kI": "\x1b[2~", "kich1": "\x1b[2~",
	"kP": "\x1b[5~", "kpp": "\x1b[5~", "kN": "\x1b[6~", "knp": "\x1b[6~", "kB": "\x1b[Z", "kcbt": "\x1b[Z",
	"k1": "\x1bOP", "k2": "\x1bOQ", "k3": "\x1bOR", "k4": "\x1bOS", "k5": "\x1b[15~", "k6": "\x1b[17~",
	"k7": "\x1b[18~", "k8": "\x1b[19~", "k9": "\x1b[20~", "k;": "\x1b[21~", "F1": "\x1b[23~", "F2": "\x1b[24~",
	"#2": "\x1b[1;2H", "#4": "\x1b[1;2D", "%i": "\x1b[1;2C", "*7": "\x1b[1;2F",
}

// maxTermcap bounds the names answered in one request.
const maxTermcap = 64

// requestTermcap is XTGETTCAP: names in hex, separated by semicolons; each is
// answered by itself, an unknown one with 0.
func (t *Terminal) requestTermcap(req string) {
	for i, h := range strings.Split(req, ";") {
		name, err := hex.DecodeString(h)
		if err != nil || len(name) > 32 || i == maxTermcap {
			return
		}
		v, ok := capabilities[string(name)]
		if !ok || string(name) == "Ms" && t.cfg.Clipboard == nil {
			t.reply("\x1bP0+r" + h + "\x1b\\")
			continue
		}
		if v != "" {
			h += "=" + strings.ToUpper(hex.EncodeToString([]byte(v)))
		}
		t.reply("\x1bP1+r" + h + "\x1b\\")
	}
}
