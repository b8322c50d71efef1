package router

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// trail is what the guards remember of a thread. It starts anew when the human
// speaks in the thread or releases something of it.
type trail struct {
	Times []int64  `json:"times,omitempty"` // unix milliseconds of messages within a minute
	Hops  []string `json:"hops,omitempty"`  // who wrote to whom, tasks and notes, oldest first
	Echo  int      `json:"echo,omitempty"`  // notes to and fro since the last task or reply
	Last  string   `json:"last,omitempty"`  // the hop of the last note
}

const (
	maxTimes = 256 // remembered messages of a thread within a minute
	maxHops  = 32  // remembered hops of a thread
	maxCycle = 10  // longest path that is looked for, in hops
)

// hop is one step of a path.
func hop(m *Message) string {
	to := make([]string, len(m.To))
	for i, id := range m.To {
		to[i] = string(id)
	}
	slices.Sort(to)
	return string(m.From) + ">" + strings.Join(to, ",")
}

// lastOf drops the oldest of list so that n stay.
func lastOf[T any](list []T, n int) []T {
	if len(list) > n {
		return slices.Clone(list[len(list)-n:])
	}
	return list
}

// record remembers a posted message.
func (t *trail) record(m *Message, class wire.Class) {
	if m.Reminder || m.From == Ccmux {
		return
	}
	if class == wire.ClassHuman {
		*t = trail{}
		return
	}
	t.Times = append(recent(t.Times, m.At), m.At.UnixMilli())
	t.Times = lastOf(t.Times, maxTimes)
	if m.Kind == wire.KindReply {
		t.Echo, t.Last = 0, ""
		return
	}
	h := hop(m)
	t.Hops = lastOf(append(slices.Clip(t.Hops), h), maxHops)
	t.Echo, t.Last = t.echoes(m, h)
}

// echoes counts the notes that went to and fro, m included.
func (t *trail) echoes(m *Message, h string) (int, string) {
	switch {
	case m.Kind != wire.KindNote:
		return 0, ""
	case len(m.To) != 1 || t.Last == "":
		return 1, h
	case t.Last == h:
		return t.Echo, h // the same one speaks on
	case t.Last == string(m.To[0])+">"+string(m.From):
		return t.Echo + 1, h
	}
	return 1, h
}

// recent returns the times of the last minute. What lies in the future, because
// a clock was set back, does not count.
func recent(times []int64, at time.Time) []int64 {
	now := at.UnixMilli()
	out := make([]int64, 0, len(times)+1)
	for _, t := range times {
		if age := now - t; age >= 0 && age < time.Minute.Milliseconds() {
			out = append(out, t)
		}
	}
	return out
}

// guard says why a message is held, or "". th is its thread as it stands
// before the message, also when the message opens it.
func (d *decision) guard(m *Message, th *thread) string {
	if m.From == Ccmux || d.s.classOf(m.From) == wire.ClassHuman {
		return ""
	}
	l := d.s.limits
	if n := len(recent(th.Times, d.at)); n >= l.PerMinute {
		return fmt.Sprintf("%d messages in task %s within a minute", n+1, m.Thread)
	}
	if m.Kind == wire.KindReply {
		return ""
	}
	if m.Opens && th.Depth > l.Depth {
		return fmt.Sprintf("the chain of tasks is %d deep; the limit is %d", th.Depth, l.Depth)
	}
	if m.Opens {
		if k := repeated(th.Path, l.Repeats, 2); k > 0 {
			return "the same peers delegate in a circle: " + d.path(th.Path, k)
		}
	}
	if path := append(slices.Clip(th.Hops), hop(m)); repeated(path, l.Repeats+1, 3) > 0 {
		return "the same peers write to each other in a circle: " + d.path(path, repeated(path, l.Repeats+1, 3))
	}
	if n, _ := th.echoes(m, hop(m)); n > l.Echo {
		return fmt.Sprintf("%d notes went to and fro without a task", n)
	}
	return ""
}

// repeated returns the length, at least shortest, of a path that stands times
// times in a row at the end of hops; 0 when there is none.
func repeated(hops []string, times, shortest int) int {
	for k := shortest; k <= maxCycle && k*times <= len(hops); k++ {
		if cyclic(hops[len(hops)-k:]) && periodic(hops[len(hops)-k*times:], k) {
			return k
		}
	}
	return 0
}

// cyclic says whether the path comes back to where it began.
func cyclic(hops []string) bool {
	from, _, _ := strings.Cut(hops[0], ">")
	_, to, _ := strings.Cut(hops[len(hops)-1], ">")
	return slices.Contains(strings.Split(to, ","), from)
}

func periodic(hops []string, k int) bool {
	for i := k; i < len(hops); i++ {
		if hops[i] != hops[i-k] {
			return false
		}
	}
	return true
}

// path writes the last k hops with names.
func (d *decision) path(hops []string, k int) string {
	var b strings.Builder
	for _, h := range hops[len(hops)-k:] {
		from, _, _ := strings.Cut(h, ">")
		b.WriteString(d.s.Name(PeerID(from)) + " → ")
	}
	from, _, _ := strings.Cut(hops[len(hops)-k], ">")
	return b.String() + d.s.Name(PeerID(from))
}
