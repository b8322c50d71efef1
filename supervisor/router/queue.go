package router

// queue holds a peer's deliveries in the order of posting. Taking one out of
// the middle leaves a hole; holes are closed when they are half of it.
type queue struct {
	items []slot
	holes int
}

type slot struct {
	seq uint64
	d   *delivery // nil for a hole
}

func slotSeq(s slot) uint64 { return s.seq }

func (q *queue) len() int { return len(q.items) - q.holes }

func (q *queue) add(d *delivery) {
	if d.queued {
		return
	}
	d.queued = true
	q.items = insertSorted(q.items, slot{d.m.seq, d}, slotSeq)
}

func (q *queue) remove(d *delivery) {
	if !d.queued {
		return
	}
	d.queued = false
	lo, hi := 0, len(q.items)
	for lo < hi {
		if mid := (lo + hi) / 2; q.items[mid].seq < d.m.seq {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < len(q.items) && q.items[lo].seq == d.m.seq; lo++ {
		if q.items[lo].d == d {
			q.items[lo].d = nil
			q.holes++
			break
		}
	}
	q.tidy()
}

func (q *queue) tidy() {
	for len(q.items) > 0 && q.items[0].d == nil {
		q.items, q.holes = q.items[1:], q.holes-1
	}
	if q.holes <= 32 || q.holes <= len(q.items)/2 {
		return
	}
	kept := make([]slot, 0, len(q.items)-q.holes)
	for _, s := range q.items {
		if s.d != nil {
			kept = append(kept, s)
		}
	}
	q.items, q.holes = kept, 0
}

// each calls f for every delivery, oldest first, until f returns false.
func (q *queue) each(f func(*delivery) bool) {
	for _, s := range q.items {
		if s.d != nil && !f(s.d) {
			return
		}
	}
}

func (q *queue) all() []*delivery {
	out := make([]*delivery, 0, q.len())
	q.each(func(d *delivery) bool { out = append(out, d); return true })
	return out
}

func compareSeq(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
