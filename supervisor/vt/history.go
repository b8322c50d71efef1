package vt

// history is the scrollback: a ring of packed rows, whose bytes stand in chunks
// that are filled, emptied and used again in order.
type history struct {
	limit    int // rows
	maxBytes int
	ring     []packed
	head, n  int
	first    int64 // number of the oldest row since the terminal began
	bytes    int
	cur      *chunk // the one being filled
	spare    *chunk // an emptied one
	buf      []byte
}

const chunkSize = 32 << 10

type chunk struct {
	buf  []byte
	live int // rows that stand in it
}

type packed struct {
	c       *chunk
	off, n  uint32
	wrapped bool
	mark    Mark
}

func (p packed) bytes() []byte { return p.c.buf[p.off : p.off+p.n] }

func (h *history) at(i int) packed { return h.ring[(h.head+i)%len(h.ring)] }

func (h *history) push(tb *tables, r *row) {
	if h.buf = h.buf[:0]; h.limit > 0 {
		h.buf = tb.pack(h.buf, r)
	}
	h.add(h.buf, r.wrapped, r.mark)
}

// add appends a packed row and drops the oldest ones over the limits.
func (h *history) add(b []byte, wrapped bool, m Mark) {
	for h.n > 0 && (h.n >= h.limit || h.bytes+len(b) > h.maxBytes) {
		h.dropFirst()
	}
	if h.limit <= 0 || len(b) > h.maxBytes {
		h.first++
		return
	}
	if h.cur == nil || len(h.cur.buf)+len(b) > cap(h.cur.buf) {
		h.nextChunk(len(b))
	}
	c := h.cur
	p := packed{c: c, off: uint32(len(c.buf)), n: uint32(len(b)), wrapped: wrapped, mark: m}
	c.buf = append(c.buf, b...)
	c.live++
	h.bytes += len(b)
	if h.n == len(h.ring) {
		h.grow()
	}
	h.ring[(h.head+h.n)%len(h.ring)] = p
	h.n++
}

func (h *history) nextChunk(need int) {
	if h.cur != nil && h.cur.live == 0 && cap(h.cur.buf) >= need {
		h.cur.buf = h.cur.buf[:0]
		return
	}
	if h.spare != nil && cap(h.spare.buf) >= need {
		h.cur, h.spare = h.spare, nil
		h.cur.buf = h.cur.buf[:0]
		return
	}
	size := chunkSize
	if h.cur == nil {
		size = 2 << 10 // most panes of a short life need no more
	}
	h.cur = &chunk{buf: make([]byte, 0, max(size, need))}
}

func (h *history) grow() {
	ring := make([]packed, min(max(64, 2*len(h.ring)), max(h.limit, 64)))
	for i := range h.n {
		ring[i] = h.at(i)
	}
	h.ring, h.head = ring, 0
}

func (h *history) dropFirst() {
	p := &h.ring[h.head]
	h.release(p)
	h.head = (h.head + 1) % len(h.ring)
	h.n--
	h.first++
}

// dropLast forgets the newest row, and takes its bytes back.
func (h *history) dropLast() {
	p := &h.ring[(h.head+h.n-1)%len(h.ring)]
	if p.c == h.cur {
		p.c.buf = p.c.buf[:p.off]
	}
	h.release(p)
	h.n--
}

func (h *history) release(p *packed) {
	h.bytes -= int(p.n)
	p.c.live--
	if p.c.live == 0 && p.c != h.cur && cap(p.c.buf) == chunkSize {
		h.spare = p.c
	}
	p.c = nil
}

// clear empties the scrollback; row numbers go on.
func (h *history) clear() {
	h.first += int64(h.n)
	h.ring, h.head, h.n, h.bytes, h.cur, h.spare = nil, 0, 0, 0, nil, nil
}
