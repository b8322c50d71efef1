package tui

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/channel/wire"
)

// fakeProgram counts what it is sent.
type fakeProgram struct {
	mu     sync.Mutex
	frames int
	ticks  int
	sizes  []tea.WindowSizeMsg
}

func (p *fakeProgram) Send(msg tea.Msg) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch msg := msg.(type) {
	case frameMsg:
		p.frames++
	case tickMsg:
		p.ticks++
	case tea.WindowSizeMsg:
		p.sizes = append(p.sizes, msg)
	}
}

func (p *fakeProgram) ReleaseTerminal() error { return nil }
func (p *fakeProgram) RestoreTerminal() error { return nil }
func (p *fakeProgram) Kill()                  {}

func (p *fakeProgram) counts() (frames, ticks int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frames, p.ticks
}

// fakeOutput takes everything, or nothing while it is slow.
type fakeOutput struct {
	mu    sync.Mutex
	slow  bool
	bytes int
}

func (o *fakeOutput) busy() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.slow
}

func (o *fakeOutput) send(p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes += len(p)
}

func (o *fakeOutput) set(slow bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.slow = slow
}

func (o *fakeOutput) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes
}

// inBubble runs a bridge under a virtual clock.
func inBubble(t *testing.T, f func(b *bridge, p *fakeProgram, o *fakeOutput)) {
	synctest.Test(t, func(*testing.T) {
		b, p, o := newBridge(), &fakeProgram{}, &fakeOutput{}
		b.program, b.out = p, o
		close(b.begun)
		go b.run()
		f(b, p, o)
		close(b.over)
		<-b.done
	})
}

func TestNothingIsSentWhileNothingChanges(t *testing.T) {
	inBubble(t, func(_ *bridge, p *fakeProgram, o *fakeOutput) {
		pass(24 * time.Hour)
		if frames, ticks := p.counts(); frames+ticks+o.count() != 0 {
			t.Errorf("an idle day had %d frames, %d ticks and %d bytes", frames, ticks, o.count())
		}
	})
}

func TestAFloodGivesOneFrameAFrameTime(t *testing.T) {
	inBubble(t, func(b *bridge, p *fakeProgram, _ *fakeOutput) {
		for range 1000 { // a second of it
			b.markPanes()
			pass(time.Millisecond)
		}
		if frames, _ := p.counts(); frames < 50 || frames > 64 {
			t.Errorf("a second had %d frames", frames)
		}
	})
}

func TestTheFirstChangeIsShownAtOnce(t *testing.T) {
	inBubble(t, func(b *bridge, p *fakeProgram, _ *fakeOutput) {
		pass(time.Second)
		b.markView()
		synctest.Wait()
		if frames, _ := p.counts(); frames != 1 {
			t.Errorf("%d frames at once", frames)
		}
	})
}

func TestWhileSomebodyTypesFramesAreCloser(t *testing.T) {
	inBubble(t, func(b *bridge, p *fakeProgram, _ *fakeOutput) {
		pass(time.Second)
		for range 100 {
			b.echo(time.Now())
			b.markEcho()
			pass(time.Millisecond)
		}
		if frames, _ := p.counts(); frames < 40 || frames > 51 {
			t.Errorf("a tenth of a second had %d frames", frames)
		}
	})
}

func TestTypingMakesNoOtherPaneDrawnMoreOften(t *testing.T) {
	inBubble(t, func(b *bridge, p *fakeProgram, _ *fakeOutput) {
		pass(time.Second)
		for range 100 {
			b.echo(time.Now())
			b.markPanes()
			pass(time.Millisecond)
		}
		if frames, _ := p.counts(); frames > 8 {
			t.Errorf("a tenth of a second had %d frames", frames)
		}
	})
}

func TestASlowTerminalGetsTheNewestPictureOnly(t *testing.T) {
	inBubble(t, func(b *bridge, p *fakeProgram, o *fakeOutput) {
		o.set(true)
		for i := range 100 {
			b.show(&picture{w: 1, h: 1, rows: [][]piece{{{0, 1, string(rune('a' + i%26))}}}})
			b.markPanes()
			pass(20 * time.Millisecond)
		}
		if frames, _ := p.counts(); frames != 0 || o.count() != 0 {
			t.Errorf("a terminal that took nothing had %d frames and %d bytes", frames, o.count())
		}
		o.set(false)
		b.poke()
		synctest.Wait()
		if frames, _ := p.counts(); frames != 1 || o.count() == 0 {
			t.Errorf("afterwards it had %d frames and %d bytes", frames, o.count())
		}
	})
}

func TestATickComesWhenAskedFor(t *testing.T) {
	inBubble(t, func(b *bridge, p *fakeProgram, _ *fakeOutput) {
		b.tickAt(time.Now().Add(time.Minute))
		b.tickAt(time.Now().Add(time.Second)) // the last call counts
		pass(2 * time.Hour)
		if _, ticks := p.counts(); ticks != 1 {
			t.Errorf("%d ticks", ticks)
		}
		b.tickAt(time.Now().Add(time.Second))
		b.tickAt(time.Time{})
		pass(time.Hour)
		if _, ticks := p.counts(); ticks != 1 {
			t.Errorf("a tick came that was not wanted")
		}
	})
}

func TestTheLastSizeCounts(t *testing.T) {
	inBubble(t, func(b *bridge, p *fakeProgram, _ *fakeOutput) {
		b.resize(wire.Size{Cols: 1, Rows: 1})
		b.resize(wire.Size{Cols: 80, Rows: 24})
		synctest.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		if n := len(p.sizes); n == 0 || p.sizes[n-1] != (tea.WindowSizeMsg{Width: 80, Height: 24}) {
			t.Errorf("it was told %v", p.sizes)
		}
	})
}

// pass lets virtual time pass.
func pass(d time.Duration) { <-time.After(d) }
