package keys

// The actions.
const (
	Select   ID = "select"
	Next     ID = "next"
	Previous ID = "previous"
	Move     ID = "move"
	Needs    ID = "needs"
	Type     ID = "type"
	Zoom     ID = "zoom"
	Message  ID = "message"
	OpenTree ID = "threads"
	OpenRoom ID = "rooms"
	Seek     ID = "search"
	OpenHelp ID = "help"
	Command  ID = "command"
	Sidebar  ID = "sidebar"
	Layout   ID = "layout"
	LookBack ID = "look back"
	Restart  ID = "restart"
	Detach   ID = "detach"

	Allow        ID = "allow"
	AllowSession ID = "allow session"
	Always       ID = "always"
	Deny         ID = "deny"
	DenyWhy      ID = "deny why"
	Look         ID = "look"
	NextCard     ID = "next card"
	MoreLines    ID = "more lines"
	LessLines    ID = "less lines"
	Choose       ID = "choose"
	Each         ID = "each"
	Serves       ID = "serves"

	Up       ID = "up"
	Down     ID = "down"
	PageUp   ID = "page up"
	PageDown ID = "page down"
	First    ID = "first"
	Last     ID = "last"
	Open     ID = "open"
	Fold     ID = "fold"
	Unfold   ID = "unfold"
	Answer   ID = "answer"
	GoPane   ID = "go to pane"
	Release  ID = "release"
	Join     ID = "join"
	Leave    ID = "leave"
	Back     ID = "back"
	NextPage ID = "next page"
	Copy     ID = "copy"

	FindText   ID = "find"
	Older      ID = "older"
	Newer      ID = "newer"
	Mark       ID = "mark"
	Link       ID = "link"
	MarkLeft   ID = "mark left"
	MarkRight  ID = "mark right"
	MarkStart  ID = "mark start"
	MarkEnd    ID = "mark end"
	MarkBack   ID = "mark word back"
	MarkWord   ID = "mark word"
	MarkTop    ID = "mark top"
	MarkLast   ID = "mark last"
	Chars      ID = "characters"
	WordsOf    ID = "words"
	LinesOf    ID = "lines"
	CopyMarked ID = "copy marked"

	Send     ID = "send"
	Cancel   ID = "cancel"
	Complete ID = "complete"
	Kind     ID = "kind"
	NewLine  ID = "new line"
)

const (
	noSession = "there is no session yet: leave with q and run ccmux up NAME"
	lookOnly  = "this screen only looks (--view)"
	onlyPane  = "only the pane can answer this: enter goes there"
	onlyHere  = "only this pane can answer this: enter types into it"
	unread    = "not all of it was on screen yet: space shows the rest"
	itsRows   = "the dialog's own rows answer this: press a number"
	underWay  = "an answer is on its way"
)

func needSession(f Facts) string {
	if !f.Focused {
		return noSession
	}
	return ""
}

func maySelect(f Facts) string {
	if f.Choices > 0 {
		return "the numbers answer the dialog now: arrows or n go to a session"
	}
	return needSession(f)
}

func mayWrite(f Facts) string {
	if f.LookOnly {
		return lookOnly
	}
	return ""
}

func mayType(f Facts) string {
	switch {
	case f.LookOnly:
		return lookOnly
	case !f.Focused:
		return noSession
	case !f.Running:
		return "this session does not run: R starts it"
	}
	return ""
}

func mayAnswer(f Facts) string {
	switch {
	case f.Cards == 0:
		return "nobody asks for anything"
	case f.LookOnly:
		return lookOnly
	case f.InPane && f.Choices > 0:
		return itsRows
	case f.InPane && f.AtCard:
		return onlyHere
	case f.InPane:
		return onlyPane
	case f.Answered:
		return underWay
	}
	return ""
}

// seenAll is asked before anything is allowed.
func seenAll(f Facts) string {
	if f.Unseen > 0 {
		return unread
	}
	return ""
}

func mayLast(f Facts) string {
	if f.Once {
		return "claude offers nothing here that would last for the session: a allows it once"
	}
	return ""
}

func mayChoose(f Facts) string {
	switch {
	case f.Cards == 0:
		return "nobody asks for anything"
	case f.LookOnly:
		return lookOnly
	case f.Choices == 0:
		return "this is no dialog with rows"
	case f.Answered:
		return underWay
	}
	return ""
}

func needRows(f Facts) string {
	if f.Rows == 0 {
		return "there is nothing to choose"
	}
	return ""
}

func first(checks ...func(Facts) string) func(Facts) string {
	return func(f Facts) string {
		for _, c := range checks {
			if why := c(f); why != "" {
				return why
			}
		}
		return ""
	}
}

// table is every key of the screen.
var table = []Binding{
	{ID: Select, Keys: []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}, Label: "1-9", Short: "session", Long: "go to the session with that number", In: Watching, Bar: 1, Off: maySelect},
	{ID: Next, Keys: []string{"tab"}, Short: "next", Long: "go to the next session", In: Watching, Off: needSession},
	{ID: Previous, Keys: []string{"shift+tab"}, Short: "previous", Long: "go to the session before", In: Watching, Off: needSession},
	{ID: Move, Keys: []string{"left", "right", "up", "down"}, Label: "arrows", Short: "move", Long: "go to the pane in that direction", In: Watching, Off: needSession},
	{ID: Needs, Keys: []string{"n"}, Short: "needs you", Long: "go to the next session that needs you", In: Watching, Off: needSession},
	{ID: Type, Keys: []string{"enter", "i"}, Short: "type here", Brief: "type", Long: "type into this pane; the leader key comes back; while another pane asks, enter goes there and i types", In: Watching, Bar: 2, Off: mayType},
	{ID: Zoom, Keys: []string{"z"}, Short: "zoom", Long: "show this pane alone, or all again", In: Watching, Bar: 3, Off: needSession},
	{ID: Message, Keys: []string{"m"}, Short: "message", Long: "write to a session or a room", In: Watching, Bar: 4, Off: mayWrite},
	{ID: OpenTree, Keys: []string{"t"}, Short: "threads", Long: "who asked whom for what", In: Watching, Bar: 5},
	{ID: OpenRoom, Keys: []string{"r"}, Short: "rooms", Long: "rooms, who is in them, what was said", In: Watching, Bar: 6},
	{ID: Seek, Keys: []string{"/"}, Short: "search", Long: "search all messages", In: Watching | Threads | Rooms, Bar: 7},
	{ID: OpenHelp, Keys: []string{"?"}, Short: "help", Long: "every key and what it does", In: Watching | Threads | Talk | Rooms | Room, Bar: 8},
	{ID: Command, Keys: []string{":"}, Short: "command", Long: "a command line for what has no key", In: Watching},
	{ID: Sidebar, Keys: []string{"b"}, Short: "sidebar", Long: "hide or show the sidebar", In: Watching},
	{ID: Layout, Keys: []string{"L"}, Short: "layout", Long: "next layout: auto, columns, rows, grid, main and stack", In: Watching, Off: needSession},
	{ID: LookBack, Keys: []string{"pgup", "["}, Short: "look back", Long: "scroll back in this pane", In: Watching, Off: func(f Facts) string {
		if !f.Pane {
			return "nothing has run here yet"
		}
		return ""
	}},
	{ID: Restart, Keys: []string{"R"}, Short: "start again", Long: "start this session if it does not run; a running one: :restart NAME", In: Watching, Off: mayRestart},
	{ID: Detach, Keys: []string{"q"}, Short: "detach", Long: "leave; the sessions go on, ccmux attach comes back", In: Watching, Bar: 9},

	{ID: Allow, Keys: []string{"a"}, Short: "allow", Long: "let the tool run this once", In: Card, Bar: 1, Off: first(mayAnswer, seenAll)},
	{ID: AllowSession, Keys: []string{"s"}, Short: "allow this session", Brief: "session", Long: "let it run, and the same again in this session", In: Card, Bar: 2, Off: first(mayAnswer, mayLast, seenAll)},
	{ID: Always, Keys: []string{"A"}, Short: "always…", Long: "make a rule of it; shows the rule's text first", In: Card, Bar: 3, Off: first(mayAnswer, seenAll)},
	{ID: Deny, Keys: []string{"d"}, Short: "deny", Long: "refuse it", In: Card, Bar: 4, Off: mayAnswer},
	{ID: DenyWhy, Keys: []string{"D"}, Short: "deny and say why", Brief: "say why", Long: "refuse it with a reason that the model reads", In: Card, Bar: 5, Off: mayAnswer},
	{ID: Choose, Keys: []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}, Label: "1-9", Short: "answer", Long: "choose that row of a dialog; in the panes of all who show it", In: Card, Off: first(mayChoose, seenAll)},
	{ID: Each, Keys: []string{"tab"}, Short: "one by one", Long: "answer the same dialog of several sessions one by one, or together", In: Card},
	{ID: Look, Keys: []string{"enter"}, Short: "go to the pane", Brief: "pane", Long: "go to the pane that asks, and show the work it serves; once there enter types", In: Card, Bar: 6},
	{ID: Serves, Keys: []string{"w"}, Short: "work", Long: "show the work that a request serves, or no longer", In: Card},
	{ID: NextCard, Keys: []string{"shift+tab"}, Short: "next request", Long: "show the next request", In: Card, Off: func(f Facts) string {
		if f.Cards < 2 {
			return "there is no other request"
		}
		return ""
	}},
	{ID: MoreLines, Keys: []string{"space"}, Short: "more", Long: "show what does not fit of a long request", In: Card},
	{ID: LessLines, Keys: []string{"backspace"}, Short: "back", Long: "and back again", In: Card},

	{ID: Up, Keys: []string{"up", "k"}, Short: "up", Long: "one up", In: Threads | Talk | Rooms | Room | Search | Help | Scroll | Marking},
	{ID: Down, Keys: []string{"down", "j"}, Short: "down", Long: "one down", In: Threads | Talk | Rooms | Room | Search | Help | Scroll | Marking},
	{ID: PageUp, Keys: []string{"pgup", "ctrl+u"}, Short: "page up", Long: "a page up", In: Threads | Talk | Rooms | Room | Search | Help | Scroll | Marking},
	{ID: PageDown, Keys: []string{"pgdown", "ctrl+d", "space"}, Short: "page down", Long: "a page down", In: Threads | Talk | Rooms | Room | Search | Help | Scroll | Marking},
	{ID: First, Keys: []string{"home"}, Short: "first", Long: "to the beginning", In: Threads | Talk | Rooms | Room | Search | Help | Scroll},
	{ID: Last, Keys: []string{"end", "G"}, Short: "last", Long: "to the end", In: Threads | Talk | Rooms | Room | Search | Help | Scroll},
	{ID: Open, Keys: []string{"enter"}, Short: "open", Long: "open what is chosen", In: Threads | Rooms | Search, Bar: 1, Off: needRows},
	{ID: NextPage, Keys: []string{"n"}, Short: "older ones", Long: "find the next older ones", In: Search, Bar: 2, Off: func(f Facts) string {
		if !f.More {
			return "there are no others"
		}
		return ""
	}},
	{ID: Fold, Keys: []string{"left", "h"}, Short: "fold", Long: "hide what hangs below", In: Threads, Bar: 2, Off: needRows},
	{ID: Unfold, Keys: []string{"right", "l"}, Short: "unfold", Long: "show what hangs below", In: Threads, Off: needRows},
	{ID: Answer, Keys: []string{"a", "m"}, Short: "answer", Long: "write into this conversation or room", In: Talk | Room, Bar: 2, Off: mayWrite},
	{ID: GoPane, Keys: []string{"g"}, Short: "go to the pane", Long: "go to the pane this came from", In: Threads | Talk | Room | Search, Bar: 3},
	{ID: Release, Keys: []string{"u"}, Short: "release", Long: "let go what waits for you here", In: Threads | Talk, Bar: 4, Off: first(mayWrite, func(f Facts) string {
		if !f.Held {
			return "nothing is held here"
		}
		return ""
	})},
	{ID: Join, Keys: []string{"c"}, Short: "create or join", Long: "create a room, or join one", In: Rooms, Bar: 2, Off: mayWrite},
	{ID: Leave, Keys: []string{"x"}, Short: "leave", Long: "leave this room", In: Rooms | Room, Bar: 4, Off: first(mayWrite, func(f Facts) string {
		if !f.Member {
			return "you are not in this room"
		}
		return ""
	})},
	{ID: Copy, Keys: []string{"y"}, Short: "copy", Long: "copy the rows on screen, or what the mouse chose", In: Scroll, Bar: 4},
	{ID: FindText, Keys: []string{"/"}, Short: "find", Long: "find text in this pane and what scrolled out of it", In: Scroll, Bar: 1},
	{ID: Older, Keys: []string{"n"}, Short: "older", Long: "go to the place found before this one", In: Scroll, Bar: 2},
	{ID: Newer, Keys: []string{"N"}, Short: "newer", Long: "go to the place found after this one", In: Scroll},
	{ID: Mark, Keys: []string{"v"}, Short: "choose text", Long: "choose text with a cursor", In: Scroll, Bar: 3},
	{ID: Link, Keys: []string{"o"}, Short: "open link", Long: "open the link that is found or under the cursor; ctrl and a click open any", In: Scroll | Marking, Bar: 5},
	{ID: MarkLeft, Keys: []string{"left", "h"}, Short: "left", Long: "one to the left", In: Marking},
	{ID: MarkRight, Keys: []string{"right", "l"}, Short: "right", Long: "one to the right", In: Marking},
	{ID: MarkStart, Keys: []string{"home", "0"}, Short: "line's start", Long: "to the beginning of the line", In: Marking},
	{ID: MarkEnd, Keys: []string{"end", "$"}, Short: "line's end", Long: "to the end of the line", In: Marking},
	{ID: MarkBack, Keys: []string{"b"}, Short: "word back", Long: "to the beginning of the word before", In: Marking},
	{ID: MarkWord, Keys: []string{"e"}, Short: "word", Long: "to the end of the word after", In: Marking},
	{ID: MarkTop, Keys: []string{"g"}, Short: "first line", Long: "to the oldest line there is", In: Marking},
	{ID: MarkLast, Keys: []string{"G"}, Short: "last line", Long: "to the last line", In: Marking},
	{ID: Chars, Keys: []string{"v"}, Short: "characters", Long: "choose characters from here on", In: Marking, Bar: 1},
	{ID: WordsOf, Keys: []string{"w"}, Short: "words", Long: "choose whole words", In: Marking, Bar: 2},
	{ID: LinesOf, Keys: []string{"V"}, Short: "lines", Long: "choose whole lines, as they were before they were broken", In: Marking, Bar: 3},
	{ID: CopyMarked, Keys: []string{"y", "enter"}, Short: "copy", Long: "copy what is chosen", In: Marking, Bar: 4},
	{ID: Back, Keys: []string{"esc", "q"}, Short: "back", Long: "back to where you were", In: Views | Scroll | Marking, Bar: 9},

	{ID: Send, Keys: []string{"enter"}, Short: "send", Long: "send the line, or do what it says", In: Line, Bar: 1},
	{ID: Complete, Keys: []string{"tab"}, Short: "complete", Long: "complete the name before the cursor", In: Line, Bar: 2},
	{ID: Kind, Keys: []string{"ctrl+t"}, Short: "note or task", Long: "a note tells, a task asks for work and an answer; an answer can also ask back, or say that it failed", In: Line, Bar: 3},
	{ID: NewLine, Keys: []string{"ctrl+j", "shift+enter", "alt+enter"}, Short: "new line", Long: "begin a new line in the message", In: Line},
	{ID: Cancel, Keys: []string{"esc", "ctrl+c"}, Short: "cancel", Long: "close the line; nothing is sent", In: Line, Bar: 9},
}

func mayRestart(f Facts) string {
	switch {
	case f.LookOnly:
		return lookOnly
	case !f.Focused:
		return noSession
	case f.Running:
		return "it runs; to restart it: :restart NAME"
	}
	return ""
}
