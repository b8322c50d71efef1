package router

import (
	"fmt"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// benchWorld is a team with n open threads and no journal.
func benchWorld(b *testing.B, open int) *world {
	w := team(b, "a", "b", "c", "d")
	w.set("d", Busy)
	for i := range open {
		w.do(Send{ID: w.newID(), From: w.id("a"), To: []string{"d"}, Kind: wire.KindTask, Content: fmt.Sprint("task ", i)})
	}
	w.commit()
	w.events = nil
	b.ReportAllocs()
	b.ResetTimer()
	return w
}

var openSizes = []int{0, 1000, 20000}

// BenchmarkSend is Decide and Apply of one send, and the writing of its docs.
func BenchmarkSend(b *testing.B) {
	for _, open := range openSizes {
		b.Run(fmt.Sprintf("open=%d", open), func(b *testing.B) {
			w := benchWorld(b, open)
			for b.Loop() {
				m := w.send("a", wire.KindNote, "b")
				w.do(Withdraw{Message: m.ID, By: Actor{Kind: ByHuman}})
				w.s.TakeDirty()
				w.events = w.events[:0]
			}
		})
	}
}

// BenchmarkAllStates is a task through due, offer, gate, reply and its delivery.
func BenchmarkAllStates(b *testing.B) {
	for _, open := range openSizes {
		b.Run(fmt.Sprintf("open=%d", open), func(b *testing.B) {
			w := benchWorld(b, open)
			for b.Loop() {
				w.at = w.at.Add(time.Second)
				m := w.send("a", wire.KindTask, "b")
				w.deliver("b", m.ID)
				r := w.do(Respond{ID: w.newID(), From: w.id("b"), TaskID: m.Thread, Content: "done"})
				w.deliver("a", r.Message.ID)
				w.set("a", Idle)
				w.set("b", Idle)
				w.s.TakeDirty()
				w.events = w.events[:0]
			}
		})
	}
}

// BenchmarkBusyIdle is a session with much mail waiting that changes its state.
func BenchmarkBusyIdle(b *testing.B) {
	for _, open := range openSizes {
		b.Run(fmt.Sprintf("open=%d", open), func(b *testing.B) {
			w := benchWorld(b, open)
			for b.Loop() {
				w.set("d", Idle)
				w.s.Due(w.id("d"), w.at)
				w.set("d", Busy)
				w.events = w.events[:0]
			}
		})
	}
}

func BenchmarkView(b *testing.B) {
	for _, open := range openSizes {
		b.Run(fmt.Sprintf("open=%d", open), func(b *testing.B) {
			w := benchWorld(b, open)
			for b.Loop() {
				w.set("a", Busy)
				w.set("a", Idle)
				w.s.View()
				w.events = w.events[:0]
			}
		})
	}
}

func BenchmarkRestore(b *testing.B) {
	w := benchWorld(b, 20000)
	w.restart()
	docs := openDocs(w.journal)
	posts := w.postsOf(docs)
	for b.Loop() {
		if err := NewState().Restore(docs, posts); err != nil {
			b.Fatal(err)
		}
	}
}
