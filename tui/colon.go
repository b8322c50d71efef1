package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/approvals"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/layout"
)

// command is one word of the command line. Run gets what follows it and returns
// what is wrong with that, or "".
type command struct {
	name, args, help string
	changes          bool // not for a screen that only looks
	options          func(m *model) []string
	run              func(m *model, args string) string
}

// commands is what can be done from the command line; most of it has no key.
func commands() []command {
	return []command{
		{"start", "NAME", "start a session that does not run", true, (*model).names, sessionCommand("start", Door.Start)},
		{"stop", "NAME", "stop a session; its mail waits for it", true, (*model).names, sessionCommand("stop", Door.Stop)},
		{"restart", "NAME", "stop a session and start it again, with its conversation", true, (*model).names, sessionCommand("restart", Door.Restart)},
		{"note", "@NAME… TEXT", "send a note", true, (*model).addressees, sendCommand(false)},
		{"task", "@NAME… TEXT", "send a task", true, (*model).addressees, sendCommand(true)},
		{"join", "ROOM [NAME…]", "join a room, or create it with these members", true, (*model).roomNames, func(m *model, args string) string {
			m.join(args)
			return ""
		}},
		{"leave", "ROOM", "leave a room", true, (*model).roomNames, func(m *model, args string) string {
			m.leaveRoom(strings.TrimPrefix(args, "#"))
			return ""
		}},
		{"hold", "NAME", "hold back everything for a session", true, (*model).names, holdCommand(true)},
		{"release", "NAME", "let go what is held back for a session", true, (*model).names, holdCommand(false)},
		{"rules", "", "show the rules in force", false, nil, func(m *model, _ string) string { m.showRules(); return "" }},
		{"rule", "allow TOOL for NAME: PATTERN", "put a rule in force", true, nil, ruleCommand},
		{"unrule", "ID", "take a rule out of force", true, (*model).ruleIDs, func(m *model, args string) string {
			m.submit(router.RemoveRule{ID: args}, "the rule stays", func(*model, router.Result) string { return "rule " + args + " is gone" })
			return ""
		}},
		{"layout", "auto|columns|rows|grid|main", "arrange the panes", false, layoutNames, layoutCommand},
		{"search", "WORDS", "search all messages", false, nil, func(m *model, args string) string { m.search(args); return "" }},
		{"go", "NAME", "go to a session", false, (*model).names, goCommand},
		{"detach", "", "leave; the sessions go on", false, nil, func(m *model, _ string) string { m.leave(ErrDetached); return "" }},
	}
}

// openColon opens the command line.
func (m *model) openColon(string) tea.Cmd {
	m.openEntry(&entry{label: "command", verb: "run", send: (*model).runCommand, complete: (*model).completeCommand})
	return nil
}

func (m *model) runCommand(text string) bool {
	name, args, _ := strings.Cut(strings.TrimPrefix(text, ":"), " ")
	args = strings.TrimSpace(args)
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	e := m.entry
	switch {
	case i < 0:
		e.problem = fmt.Sprintf("there is no command %q; tab shows all", cells.Line(name))
	case all[i].changes && m.opts.View:
		e.problem = "this screen only looks (--view)"
	case args == "" && all[i].args != "":
		e.problem = name + " " + all[i].args + ": " + all[i].help
	default:
		e.problem = all[i].run(m, args)
	}
	return e.problem == ""
}

func (m *model) completeCommand(before string) (string, []string) {
	word := lastWord(before)
	name, _, more := strings.Cut(strings.TrimLeft(before, ": "), " ")
	var out []string
	for _, c := range commands() {
		if !more {
			out = append(out, c.name)
		} else if c.name == name && c.options != nil {
			return word, c.options(m)
		}
	}
	return word, out
}

func (m *model) names() (out []string) {
	for _, p := range m.sessions {
		out = append(out, p.Name)
	}
	return out
}

func (m *model) addressees() []string {
	_, out := m.completeName("@")
	return out
}

func (m *model) roomNames() (out []string) {
	for _, r := range m.view.Rooms {
		out = append(out, r.Name)
	}
	return out
}

func (m *model) ruleIDs() (out []string) {
	for _, r := range m.view.Rules {
		out = append(out, r.ID)
	}
	return out
}

func layoutNames(*model) []string { return []string{"auto", "columns", "rows", "grid", "main"} }

// sessionTime bounds starting and stopping: a child gets seconds to end.
const sessionTime = time.Minute

func sessionCommand(verb string, do func(Door, context.Context, string) error) func(*model, string) string {
	return func(m *model, name string) string {
		if _, ok := m.view.Named(name); !ok {
			return "there is no session " + cells.Line(name)
		}
		m.onSession(verb, name, do)
		return ""
	}
}

func (m *model) onSession(verb, name string, do func(Door, context.Context, string) error) {
	m.say(verb + " " + name + m.look.Ellipsis)
	m.start(func(ctx context.Context) func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(ctx, sessionTime)
		defer cancel()
		if err := do(m.door, ctx, name); err != nil {
			return failure(verb+" "+name, err)
		}
		return func(m *model) tea.Cmd { m.note = notice{}; return nil }
	})
}

func sendCommand(task bool) func(*model, string) string {
	return func(m *model, args string) string {
		cmd, err := parseMessage(args, task)
		if err != nil {
			return err.Error()
		}
		m.submit(cmd, "the message was not sent", sent)
		return ""
	}
}

func holdCommand(hold bool) func(*model, string) string {
	return func(m *model, name string) string {
		p, ok := m.view.Named(name)
		switch {
		case !ok:
			return "there is no session " + cells.Line(name)
		case hold:
			m.submit(router.Hold{Peer: p.ID, Why: "held by you"}, "nothing is held", func(*model, router.Result) string { return "held: what waits for " + name })
		default:
			m.submit(router.Release{Peer: p.ID}, "nothing was released", func(*model, router.Result) string { return "released: what waited for " + name })
		}
		return ""
	}
}

func ruleCommand(m *model, args string) string {
	r, err := approvals.ParseRule(args)
	if err != nil {
		return err.Error()
	}
	m.submit(router.AddRule{Rule: r}, "the rule was not made", func(*model, router.Result) string { return "the rule is in force; :rules shows all" })
	return ""
}

func layoutCommand(m *model, args string) string {
	i := slices.Index(layoutNames(m), args)
	if i < 0 {
		return "layouts are " + strings.Join(layoutNames(m), ", ")
	}
	m.kind, m.places = layout.Arrangement(i), nil
	m.remember()
	return ""
}

func goCommand(m *model, name string) string {
	p, ok := m.view.Named(name)
	if !ok || p.ID == router.Human {
		return "there is no session " + cells.Line(name)
	}
	m.setFocus(p.ID)
	return ""
}

// join joins a room; with more names it is created with those members.
func (m *model) join(text string) bool {
	words := strings.Fields(text)
	for i := range words {
		words[i] = strings.TrimLeft(words[i], "#@")
	}
	if len(words) == 0 || words[0] == "" {
		return false
	}
	room := words[0]
	told := func(m *model, res router.Result) string {
		m.rooms.Open(room)
		if res.Reason != "" {
			return "#" + room + ": " + res.Reason
		}
		return "you are in #" + room
	}
	if len(words) > 1 {
		m.submit(router.CreateRoom{Room: room, Members: words[1:]}, "there is no new room", told)
	} else {
		m.submit(router.JoinRoom{Room: room}, "you are not in #"+room, told)
	}
	return true
}

func (m *model) completeRoom(before string) (string, []string) {
	word := lastWord(before)
	if strings.Contains(strings.TrimLeft(before, " "), " ") {
		return word, m.names()
	}
	return word, m.roomNames()
}

// restartFocused starts the session with the focus again.
func (m *model) restartFocused(string) tea.Cmd {
	if p, ok := m.peer(); ok {
		m.onSession("start", p.Name, Door.Start)
	}
	return nil
}
