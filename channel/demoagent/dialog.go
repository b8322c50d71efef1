package demoagent

import (
	"context"
	"strings"
)

// dialog is a question on the screen. It has the keys while it is there.
type dialog struct {
	title, body []string
	rows        []string
	numbered    bool
	hint        string
	sel         int
	answered    chan int // a row's index, or cancelled
}

const cancelled = -1

func (d *dialog) lines(cols int) []line {
	out := []line{{sgrAsk, strings.Repeat("─", cols)}}
	for _, t := range d.title {
		out = append(out, line{sgrBold, " " + printable(t)})
	}
	out = append(out, line{})
	for _, b := range d.body {
		for part := range strings.SplitSeq(b, "\n") {
			out = append(out, line{sgrPlain, " " + printable(part)})
		}
	}
	for i, r := range d.rows {
		mark, sgr := "   ", sgrPlain
		if i == d.sel {
			mark, sgr = " ❯ ", sgrAsk
		}
		if d.numbered {
			r = itoa(i+1) + ". " + r
		}
		out = append(out, line{sgr, mark + printable(r)})
	}
	return append(out, line{}, line{sgrDim, " " + d.hint})
}

// key moves, answers or cancels. Other text is swallowed, pastes too.
func (d *dialog) key(k key) (row int, done bool) {
	switch {
	case k.name == "up":
		d.sel = max(d.sel-1, 0)
	case k.name == "down":
		d.sel = min(d.sel+1, len(d.rows)-1)
	case k.name == "enter":
		return d.sel, true
	case k.name == "esc" || k.name == "ctrl+c":
		return cancelled, true
	case d.numbered && k.name == "" && len(k.text) == 1 && k.text[0] >= '1' && int(k.text[0]-'1') < len(d.rows):
		return int(k.text[0] - '1'), true
	}
	return 0, false
}

// show puts the dialog on the screen and returns how to take it away.
func (a *agent) show(d *dialog, waitingFor string) (hide func()) {
	d.answered = make(chan int, 1)
	a.do(func() {
		a.dlg = d
		if a.status != nil {
			a.note(a.status.set(statusWaiting, waitingFor))
		}
	})
	return func() {
		a.do(func() {
			a.dlg = nil
			if a.status != nil {
				a.note(a.status.set(statusBusy, ""))
			}
		})
	}
}

// startDialogs are claude's questions before the prompt, with the row each
// version highlights, from 1.
var startDialogs = map[string]struct {
	title, body, rows []string
	yes               int // the row that goes on, from 0
	newRow, oldRow    int
	oldRows           []string
	numbered          bool
}{
	"trust": {
		title:   []string{"Accessing workspace:"},
		body:    []string{"Quick safety check: Is this a project you created or one you trust?", ""},
		rows:    []string{"No, exit", "Yes, I trust this folder"},
		oldRows: []string{"Yes, I trust this folder", "No, exit"},
		yes:     1, newRow: 1, oldRow: 1,
	},
	"apikey": {
		title: []string{"Detected a custom API key in your environment"},
		body:  []string{"Do you want to use this API key?", ""},
		rows:  []string{"Yes", "No (recommended)"},
		yes:   cancelled, newRow: 2, oldRow: 2,
	},
	"channels": {
		title: []string{"WARNING: Loading development channels"},
		body: []string{
			"--dangerously-load-development-channels is for local channel development only. Do not use this option to run channels you have downloaded off the internet.",
			"", "Please use --channels to run a list of approved channels.", "", "Channels: %s", "",
		},
		rows: []string{"I am using this for local development", "Exit"},
		yes:  0, newRow: 1, oldRow: 1, numbered: true,
	},
}

// startDialog asks one of them and says whether to go on.
func (a *agent) startDialog(ctx context.Context, name string) bool {
	spec := startDialogs[name]
	d := &dialog{title: spec.title, rows: spec.rows, numbered: spec.numbered, hint: "Enter to confirm · Esc to cancel", sel: spec.newRow - 1}
	yes := spec.yes
	if a.opt.old {
		d.sel = spec.oldRow - 1
		if spec.oldRows != nil {
			d.rows, d.numbered, yes = spec.oldRows, true, 0
		}
	}
	if a.opt.row > 0 && a.opt.row <= len(d.rows) {
		d.sel = a.opt.row - 1
	}
	if name == "trust" {
		d.body = append(d.body, a.cwd, "")
	}
	for _, b := range spec.body {
		d.body = append(d.body, strings.ReplaceAll(b, "%s", strings.Join(a.set.channels, ", ")))
	}
	hide := a.show(d, "")
	defer hide()
	select {
	case row := <-d.answered:
		return row == yes || yes == cancelled && row != cancelled
	case <-ctx.Done():
		return false
	}
}
