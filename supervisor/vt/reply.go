package vt

import "sync"

// maxQueued bounds the bytes of replies that wait for Config.Reply.
const maxQueued = 64 << 10

// replyQueue hands replies over in order, on a goroutine that lives only while
// there are any. A reply that does not fit is dropped whole.
type replyQueue struct {
	deliver func([]byte)

	mu      sync.Mutex
	wait    [][]byte
	size    int
	running chan struct{} // closed when the goroutine has ended; nil while none runs
	closed  bool
}

func (q *replyQueue) add(p []byte) {
	if q.deliver == nil || len(p) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.size+len(p) > maxQueued {
		return
	}
	q.wait = append(q.wait, p)
	q.size += len(p)
	if q.running == nil {
		q.running = make(chan struct{})
		go q.run(q.running)
	}
}

func (q *replyQueue) run(done chan struct{}) {
	defer close(done)
	for {
		q.mu.Lock()
		if len(q.wait) == 0 {
			q.wait, q.running = nil, nil
			q.mu.Unlock()
			return
		}
		p := q.wait[0]
		q.wait = q.wait[1:]
		q.size -= len(p)
		q.mu.Unlock()
		q.deliver(p)
	}
}

func (q *replyQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wait, q.size = nil, 0
}

func (q *replyQueue) flush() {
	q.mu.Lock()
	running := q.running
	q.mu.Unlock()
	if running != nil {
		<-running
	}
}
