package journal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// said are the messages the searches here look through, oldest first.
var said = []struct {
	from, to, room, thread, subject, content string
}{
	{"p-1", "p-2", "", "t-1", "deploy", "please deploy the frontend"},
	{"p-2", "p-1", "", "t-1", "", "Deployment of foo_bar.go done, naïve café"},
	{"p-1", "p-2 p-3", "api", "t-2", "", "日本語テスト ABC"},
	{"p-3", "p-1", "API", "t-3", "", "\"quoted\" text (with) AND OR NOT NEAR * ^ : { }"},
	{"p-11", "p-12", "p-1", "t-11", "", "the frontend deploys itself"},
	{"p-0", "p-1", "", "t-4", "", "東京 and 京都, the frontend of the frontend"},
}

func saidJournal(t testing.TB) *Journal {
	j := mustOpen(t, newDir(t), Options{})
	tl := &timeline{at: day}
	for i, s := range said {
		e := tl.post(i, s.thread, s.content, func(m *router.Message) {
			m.From, m.To, m.Room, m.Subject = router.PeerID(s.from), nil, s.room, s.subject
			m.Kind = wire.KindNote
			for _, to := range strings.Fields(s.to) {
				m.To = append(m.To, router.PeerID(to))
			}
		})
		mustCommit(t, j, nil, e)
	}
	return j
}

func numbers(rows []Row) []int {
	out := []int{}
	for _, r := range rows {
		out = append(out, int(r.Seq)-1)
	}
	return out
}

func TestHistory(t *testing.T) {
	j := saidJournal(t)
	for _, c := range []struct {
		q    Query
		want []int
	}{
		{Query{}, []int{5, 4, 3, 2, 1, 0}},
		{Query{Peer: "p-1"}, []int{5, 3, 2, 1, 0}},
		{Query{Peer: "p-11"}, []int{4}},
		{Query{Reader: "p-12"}, []int{4}},
		{Query{Reader: "p-3"}, []int{3, 2}},
		{Query{Reader: "p-12", Rooms: []string{"api", "API"}}, []int{4, 3, 2}},
		{Query{Reader: "p-3", Text: "frontend", Newest: true}, []int{}},
		{Query{Peer: "p-"}, []int{}},
		{Query{Room: "api"}, []int{2}}, // names of rooms have case
		{Query{Room: "p-1"}, []int{4}},
		{Query{Thread: "t-1"}, []int{1, 0}},
		{Query{Thread: "t-1", Peer: "p-3"}, []int{}},
		{Query{Text: "frontend"}, []int{5, 4, 0}},
		{Query{Text: "front"}, []int{5, 4, 0}},
		{Query{Text: "depl"}, []int{4, 1, 0}},
		{Query{Text: "deploy "}, []int{0}},
		{Query{Text: "deploy the"}, []int{0}},
		{Query{Text: "dep* frontend"}, []int{4, 0}},
		{Query{Text: "dep frontend"}, []int{}},
		{Query{Text: `"the frontend" deploys`}, []int{4}},
		{Query{Text: `"frontend the"`}, []int{}},
		{Query{Text: "foo_bar.go"}, []int{1}},
		{Query{Text: "NAIVE cafe"}, []int{1}},
		{Query{Text: "本語"}, []int{2}},
		{Query{Text: "語本"}, []int{}},
		{Query{Text: "京"}, []int{5}},
		{Query{Text: "テスト abc"}, []int{2}},
		{Query{Text: "AND OR NOT"}, []int{3}},
		{Query{Text: "NEAR( * text"}, []int{3}},
		{Query{Text: `" "" text`}, []int{3}},
		{Query{Text: "frontend", Peer: "p-2"}, []int{0}},
		{Query{Text: "frontend", Before: messageID(4)}, []int{0}},
		{Query{Before: messageID(2)}, []int{1, 0}},
	} {
		c.q.Newest = true
		rows, more, err := j.History(t.Context(), c.q)
		if err != nil || more || !slices.Equal(numbers(rows), c.want) {
			t.Errorf("%+v: %v, more %v, %v; want %v", c.q, numbers(rows), more, err, c.want)
		}
	}
	m, _, err := j.History(t.Context(), Query{Thread: "t-2"})
	if err != nil || m[0].Message.Room != "api" || len(m[0].Message.To) != 2 || m[0].Message.ID != messageID(2) {
		t.Errorf("the message: %+v, %v", m, err)
	}
}

func TestHistoryByRelevance(t *testing.T) {
	j := saidJournal(t)
	rows, _, err := j.History(t.Context(), Query{Text: "frontend"})
	if err != nil || len(rows) != 3 || numbers(rows)[0] == 5 && numbers(rows)[1] == 4 {
		t.Fatalf("%v, %v", numbers(rows), err)
	}
}

func TestHistoryRefuses(t *testing.T) {
	j := saidJournal(t)
	for _, q := range []Query{
		{Text: "!?"},
		{Text: "   "},
		{Text: strings.Repeat("a ", 40)},
		{Text: strings.Repeat("a", maxText+1)},
		{Before: "nothing"},
		{Text: "frontend", Before: messageID(4)}, // by relevance there is no next page
	} {
		if _, _, err := j.History(t.Context(), q); !errors.Is(err, ErrQuery) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// Pages put together are the whole, while more is said.
func TestPages(t *testing.T) {
	j := mustOpen(t, newDir(t), Options{})
	tl := &timeline{at: day}
	for i := range 95 {
		mustCommit(t, j, nil, tl.post(i, fmt.Sprintf("t-%d", i%2), "page test"))
	}
	for _, q := range []Query{{Limit: 10}, {Limit: 10, Thread: "t-1"}, {Limit: 7, Text: "page", Newest: true}} {
		var got []int
		for more := true; more; {
			rows, again, err := j.History(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, numbers(rows)...)
			q.Before, more = rows[len(rows)-1].Message.ID, again
			mustCommit(t, j, nil, tl.post(1000+int(tl.last), "t-1", "page test"))
		}
		if !slices.IsSortedFunc(got, func(a, b int) int { return b - a }) || got[len(got)-1] > 1 {
			t.Errorf("%+v: %v", q, got)
		}
		for i := 1; i < len(got); i++ {
			if got[i-1]-got[i] > 2 || got[i-1] == got[i] {
				t.Errorf("%+v: %v", q, got)
				break
			}
		}
	}
}

// Large bodies make short pages, and every message still comes.
func TestLargePages(t *testing.T) {
	j := mustOpen(t, newDir(t), Options{})
	tl := &timeline{at: day}
	body := strings.Repeat("x", wire.MaxBody)
	for i := range 12 {
		mustCommit(t, j, nil, tl.post(i, "t-1", body))
	}
	rows, more, err := j.History(t.Context(), Query{Limit: 100})
	if err != nil || !more || len(rows) > 9 {
		t.Fatalf("%d rows, more %v, %v", len(rows), more, err)
	}
	rest, more, err := j.History(t.Context(), Query{Limit: 100, Before: rows[len(rows)-1].Message.ID})
	if err != nil || more || len(rows)+len(rest) != 12 {
		t.Fatalf("%d and %d rows, more %v, %v", len(rows), len(rest), more, err)
	}
}

// No text is a syntax error, and a message is found by any word of its own.
func FuzzText(f *testing.F) {
	for _, s := range said {
		f.Add(s.content)
	}
	f.Add(`"`)
	f.Add(`a" OR body:b* NEAR(c d, 2) ^e -f + {g} : h`)
	f.Add("\x00\xff\u2028 日\"本* ٣ ͏ ﷺ")
	j := saidJournal(f)
	f.Fuzz(func(t *testing.T, text string) {
		_, _, err := j.History(t.Context(), Query{Text: text, Newest: true})
		if err != nil && !errors.Is(err, ErrQuery) {
			t.Fatalf("%q: %v", text, err)
		}
		for _, p := range splitText(text) {
			if strings.Contains(p.text, `"`) {
				t.Fatalf("%q leaves the quotation marks: %q", text, p.text)
			}
		}
	})
}

// A beginning finds every word it can be, few or many.
func TestBeginnings(t *testing.T) {
	j := mustOpen(t, newDir(t), Options{})
	tl := &timeline{at: day}
	var events []router.Event
	for i := range 300 {
		events = append(events, tl.post(i, "t-1", fmt.Sprintf("Pre%03d word", i)))
	}
	events = append(events, tl.post(300, "t-1", "prépare prf"))
	mustCommit(t, j, nil, events...)
	for text, want := range map[string]int{
		"pre": 301, "PRE": 301, "pre1": 100, "pre12": 10, "pre123": 1, "pre9": 0, "pre12 ": 0,
		"prép": 1, "prepa": 1, "pr* word": 300, "pre1* wo": 100, "\U0010ffff a": 0,
	} {
		rows, _, err := j.History(t.Context(), Query{Text: text, Newest: true, Limit: maxLimit})
		if err != nil || len(rows) != want {
			t.Errorf("%q: %d messages, %v; want %d", text, len(rows), err, want)
		}
	}
}
