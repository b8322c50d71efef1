package vt

// tables number styles, clusters and links so that a cell fits in eight bytes.
// Within one epoch the slices only grow, so a Frame may keep their headers and
// read without a lock; a collection builds new ones and begins a new epoch.
type tables struct {
	styles   []style
	clusters []string
	links    []link
}

type interner struct {
	tables
	index      []uint32 // open addressing over styles: number + 1, 0 for free
	clusterIDs map[string]uint32
	linkIDs    map[link]uint32
	spare      tables      // of an epoch gone by
	moved      [2][]uint32 // what collect works with, kept for the next time
	shared     bool        // a Frame holds the tables
	epoch      uint64
	limit      int // collect when the tables hold more than this
}

// minCollect is the size under which the tables are not worth collecting: with
// the index it is a quarter of a megabyte.
const minCollect = 8192

func (in *interner) init() {
	in.clusterIDs = map[string]uint32{}
	in.linkIDs = map[link]uint32{}
	in.limit = minCollect
	in.fresh()
}

// fresh begins a new epoch with empty tables. It uses those of the epoch before
// the last again, unless a Frame may still read them.
func (in *interner) fresh() {
	old := in.tables
	in.styles = append(in.spare.styles[:0], style{})
	in.clusters = append(in.spare.clusters[:0], "")
	in.links = append(in.spare.links[:0], link{})
	if in.spare = old; in.shared {
		in.spare, in.shared = tables{}, false
	}
	clear(in.clusterIDs)
	clear(in.linkIDs)
	in.linkIDs[link{}] = 0
	if in.index == nil {
		in.index = make([]uint32, 128)
	}
	clear(in.index)
	in.place(0)
	in.epoch++
}

func (in *interner) size() int { return len(in.styles) + len(in.clusters) + len(in.links) }

func (in *interner) full() bool { return in.size() > in.limit }

// style returns the number of st, a new one if it has none.
func (in *interner) style(st *style) uint32 {
	mask := uint32(len(in.index) - 1)
	for i := st.hash() & mask; ; i = (i + 1) & mask {
		id := in.index[i]
		if id == 0 {
			break
		}
		if in.styles[id-1] == *st {
			return id - 1
		}
	}
	id := uint32(len(in.styles))
	in.styles = append(in.styles, *st)
	if 2*len(in.styles) > len(in.index) {
		in.index = make([]uint32, 2*len(in.index))
		for old := range id {
			in.place(old)
		}
	}
	in.place(id)
	return id
}

// place enters style id into the index.
func (in *interner) place(id uint32) {
	mask := uint32(len(in.index) - 1)
	i := in.styles[id].hash() & mask
	for in.index[i] != 0 {
		i = (i + 1) & mask
	}
	in.index[i] = id + 1
}

func (in *interner) cluster(b []byte) uint32 {
	if id, ok := in.clusterIDs[string(b)]; ok {
		return id
	}
	return in.addCluster(string(b))
}

func (in *interner) addCluster(s string) uint32 {
	id := uint32(len(in.clusters))
	in.clusters = append(in.clusters, s)
	in.clusterIDs[s] = id
	return id
}

func (in *interner) link(l link) uint32 {
	if id, ok := in.linkIDs[l]; ok {
		return id
	}
	id := uint32(len(in.links))
	in.links = append(in.links, l)
	in.linkIDs[l] = id
	return id
}

// collect drops what no live cell uses and renumbers the rest. Scrollback holds
// no numbers (see pack), so only the screens, pens and saved cursors count.
func (t *Terminal) collect() {
	old, n := t.in.tables, &t.in
	n.fresh()
	m := mover{in: n, old: old, styles: zeros(n.moved[0], len(old.styles)), clusters: zeros(n.moved[1], len(old.clusters))}
	n.moved = [2][]uint32{m.styles, m.clusters}
	for _, s := range []*screen{&t.main, &t.alt} {
		for _, r := range s.rows {
			m.cells(r.cells)
		}
		m.style(&s.saved.pen)
	}
	m.style(&t.pen)
	m.cell(&t.last)
	t.penOK = false
	n.limit = max(minCollect, 2*n.size())
}

func zeros(buf []uint32, n int) []uint32 {
	if cap(buf) < n {
		return make([]uint32, n, 2*n)
	}
	buf = buf[:n]
	clear(buf)
	return buf
}

// mover copies used entries of the old tables into the new ones.
type mover struct {
	in               *interner
	old              tables
	styles, clusters []uint32 // new number + 1
}

func (m *mover) style(st *style) {
	if st.link != 0 {
		st.link = m.in.link(m.old.links[st.link])
	}
}

func (m *mover) cell(c *cell) {
	if c.st != 0 {
		if m.styles[c.st] == 0 {
			st := m.old.styles[c.st]
			m.style(&st)
			m.styles[c.st] = m.in.style(&st) + 1
		}
		c.st = m.styles[c.st] - 1
	}
	if c.ch&clusterBit != 0 {
		v := c.ch & runeMask
		if m.clusters[v] == 0 {
			m.clusters[v] = m.in.addCluster(m.old.clusters[v]) + 1
		}
		c.ch = c.ch&^runeMask | (m.clusters[v] - 1)
	}
}

func (m *mover) cells(cs []cell) {
	for i := range cs {
		if cs[i] != (cell{}) {
			m.cell(&cs[i])
		}
	}
}
