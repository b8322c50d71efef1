package keys

import "strings"

// Context is where a key is pressed; a set of them says where a binding holds.
type Context uint

// The contexts.
const (
	Watching Context = 1 << iota // keys steer ccmux
	Card                         // a request is docked; comes before Watching
	Scroll                       // looking back in a pane
	Threads                      // the tree of tasks
	Talk                         // one conversation
	Rooms                        // the list of rooms
	Room                         // one room
	Search                       // the list of what was found
	Help                         // the cheat sheet
	Line                         // a line is being typed
	Marking                      // text is being chosen in a pane
)

// Views are the contexts of views that take the whole screen.
const Views = Threads | Talk | Rooms | Room | Search | Help

// ID names an action.
type ID string

// Facts are what decides whether an action can be done.
type Facts struct {
	Sessions int
	Focused  bool // a session has the focus
	Running  bool // its process runs
	Pane     bool // something has run in it
	Cards    int  // open requests
	InPane   bool // the shown request can be answered in its pane only
	Once     bool // it can be allowed once only
	Unseen   int  // rows of the shown request that were not on screen yet
	Choices  int  // rows of the shown dialog that have a key
	AtCard   bool // the pane that asks has the focus
	Answered bool // the shown request has an answer under way
	LookOnly bool // this screen may change nothing
	Rows     int  // of the list that is shown
	More     bool // there are more than those
	Owed     bool // the chosen thread waits for the human's answer
	Member   bool // the human is in the chosen room
	Archived bool // the chosen room is
	Held     bool // deliveries of the chosen thread wait for the human
}

// Binding is one row of the table.
type Binding struct {
	ID    ID
	Keys  []string // as Bubble Tea names them; the first is the one to show
	Label string   // the key in words, when Keys are too many to name
	Short string   // one or two words for the bar
	Brief string   // the same where there is little room, if shorter
	Long  string   // a sentence for the cheat sheet
	In    Context
	Bar   int                // order in the bar, 0 for not there
	Off   func(Facts) string // why it cannot be done, "" when it can; nil always can
}

// Key is the key in the words of the bar.
func (b Binding) Key() string {
	if b.Label != "" {
		return b.Label
	}
	return b.Keys[0]
}

// Why says why the action cannot be done, or "".
func (b Binding) Why(f Facts) string {
	if b.Off == nil {
		return ""
	}
	return b.Off(f)
}

// Changes says whether the action is none for a screen that only looks, and this
// is one.
func (b Binding) Changes(f Facts) bool { return f.LookOnly && b.Why(f) == lookOnly }

// Find returns the binding of key in the first of contexts that has one.
func Find(key string, contexts ...Context) (Binding, bool) {
	for _, c := range contexts {
		for _, b := range table {
			if b.In&c == 0 {
				continue
			}
			for _, k := range b.Keys {
				if k == key {
					return b, true
				}
			}
		}
	}
	return Binding{}, false
}

// In returns the bindings of a context in the order of the table.
func In(c Context) []Binding {
	var out []Binding
	for _, b := range table {
		if b.In&c != 0 {
			out = append(out, b)
		}
	}
	return out
}

// All returns the whole table.
func All() []Binding { return append([]Binding(nil), table...) }

// Bar returns the bindings of c that the help bar shows, in its order.
func Bar(c Context) []Binding {
	var out []Binding
	for _, b := range In(c) {
		if b.Bar == 0 {
			continue
		}
		at := len(out)
		for at > 0 && out[at-1].Bar > b.Bar {
			at--
		}
		out = append(out[:at], append([]Binding{b}, out[at:]...)...)
	}
	return out
}

// Title names a context for the cheat sheet.
func (c Context) Title() string {
	switch c {
	case Watching:
		return "Watching"
	case Card:
		return "A request"
	case Scroll:
		return "Looking back"
	case Threads:
		return "Threads"
	case Talk:
		return "A conversation"
	case Rooms:
		return "Rooms"
	case Room:
		return "A room"
	case Search:
		return "Search"
	case Help:
		return "This help"
	case Line:
		return "Typing a line"
	case Marking:
		return "Choosing text"
	default:
	}
	return ""
}

// Contexts lists all contexts in the order of the cheat sheet.
func Contexts() []Context {
	return []Context{Watching, Card, Scroll, Marking, Threads, Talk, Rooms, Room, Search, Line, Help}
}

// DefaultLeader is the key that leaves a pane when no other is configured.
const DefaultLeader = "ctrl+]"

// CheckLeader says whether key can be the leader: one key with ctrl or alt, or a
// function key, so that no text is lost to it.
func CheckLeader(key string) bool {
	if len(key) >= 2 && key[0] == 'f' && strings.Trim(key[1:], "0123456789") == "" {
		return true
	}
	rest, ok := strings.CutPrefix(key, "ctrl+")
	if !ok {
		rest, ok = strings.CutPrefix(key, "alt+")
	}
	return ok && len([]rune(rest)) == 1
}
