package demoagent

import (
	"strings"
	"time"
)

// ctrlCTime is how long the first ctrl+c waits for the second.
const ctrlCTime = 2 * time.Second

// key takes one key; on the loop.
func (a *agent) key(k key) {
	if a.leaving {
		return
	}
	if a.dlg != nil {
		if row, done := a.dlg.key(k); done {
			select {
			case a.dlg.answered <- row:
			default: // answered already
			}
		}
		return
	}
	switch k.name {
	case "", "paste":
		a.input += strings.ReplaceAll(strings.ReplaceAll(k.text, "\r\n", "\n"), "\r", "\n")
	case "enter":
		a.submit()
	case "backspace":
		if r := []rune(a.input); len(r) > 0 {
			a.input = string(r[:len(r)-1])
		}
	case "ctrl+u":
		a.input = ""
	case "esc":
		a.interrupt()
	case "ctrl+c":
		a.pressedCtrlC()
	case "ctrl+d":
		if a.input == "" {
			a.leave("prompt_input_exit", 0)
		}
	}
}

// pressedCtrlC clears the line, interrupts, or asks for a second one.
func (a *agent) pressedCtrlC() {
	switch {
	case a.ctrlC:
		a.leave("prompt_input_exit", 0)
		return
	case a.input != "":
		a.input = ""
		return
	case a.running != nil:
		a.interrupt()
		return
	}
	a.ctrlC = true
	time.AfterFunc(ctrlCTime, func() { a.post(func() { a.ctrlC = false }) })
}

func (a *agent) interrupt() {
	if a.running != nil {
		a.running.cancel(errInterrupted)
	}
}

// submit sends the line off: a command of ours, or a prompt.
func (a *agent) submit() {
	text := a.input
	a.input = ""
	switch strings.TrimSpace(text) {
	case "":
		return
	case "/exit", "/quit":
		a.leave("prompt_input_exit", 0)
		return
	}
	if strings.HasPrefix(text, "/mcp reconnect ") {
		a.reconnect(strings.TrimSpace(strings.TrimPrefix(text, "/mcp reconnect ")))
		return
	}
	a.enqueue(&item{text: text})
}

// reconnect starts the plugin's server anew, as the human asked.
func (a *agent) reconnect(server string) {
	if server != a.plug.source() {
		a.scr.add(sgrWarn, "  MCP server \""+server+"\" not found")
		return
	}
	old := a.server
	a.bg.Go(func() {
		if old != nil {
			old.stop()
		}
		a.connect(a.ctx)
	})
}
