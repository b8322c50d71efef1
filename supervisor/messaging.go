package supervisor

import (
	"path/filepath"
	"sync"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
)

// messaging is one session's messaging socket.
type messaging struct {
	mu      sync.Mutex
	path    string
	token   string
	nonce   string // of the probe that is under way
	proven  bool   // one came back
	waiting []router.MessageID
	poke    chan struct{}

	tokens float64 // the writer's: messages that may go now
	filled time.Time
}

func newMessaging() *messaging {
	return &messaging{poke: make(chan struct{}, 1), tokens: socketBurst}
}

// at takes where the session's environment says the socket is.
func (m *messaging) at(path, token string) {
	if token == "" || !filepath.IsAbs(path) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.path, m.token = path, token
}

// probe has a probe written, where there is a socket and none is under way or
// came back.
func (m *messaging) probe(nonce string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.path == "" || m.nonce != "" || m.proven {
		return
	}
	m.nonce = nonce
	m.wake()
}

// give queues offered messages; it never blocks.
func (m *messaging) give(ids []router.MessageID) {
	m.mu.Lock()
	m.waiting = append(m.waiting, ids...)
	m.mu.Unlock()
	m.wake()
}

func (m *messaging) wake() {
	select {
	case m.poke <- struct{}{}:
	default:
	}
}

// take returns what is to be written next: a probe, or everything that waits.
func (m *messaging) take() (nonce string, ids []router.MessageID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ids, m.waiting = m.waiting, nil
	return m.nonce, ids
}

// probed says whether nonce is that of the probe under way, which is over then.
func (m *messaging) probed(nonce string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	mine := nonce != "" && m.nonce == nonce
	if mine {
		m.nonce, m.proven = "", true
	}
	return mine
}

// missing says whether the probe is under way still, and ends it.
func (m *messaging) missing(nonce string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	missing := m.nonce == nonce
	if missing {
		m.nonce = ""
	}
	return missing
}

// pause is how long the next message has to wait for claude's limit.
func (m *messaging) pause(now time.Time) time.Duration {
	if !m.filled.IsZero() {
		m.tokens = min(socketBurst, m.tokens+now.Sub(m.filled).Seconds()/socketRefill.Seconds())
	}
	m.filled = now
	if m.tokens >= 1 {
		m.tokens--
		return 0
	}
	return max(time.Duration((1-m.tokens)*float64(socketRefill)), time.Millisecond)
}
