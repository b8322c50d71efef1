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
	styleIDs   map[style]uint32
	clusterIDs map[string]uint32
	linkIDs    map[link]uint32
	cache      [256]struct {
		st style
		id uint32
	}
	epoch     uint64
	limit     int // collect when the tables hold more than this
	lastAlive int
}

// minCollect is the size under which the tables are not worth collecting.
const minCollect = 2048

func (in *interner) init() {
	in.styleIDs = map[style]uint32{}
	in.clusterIDs = map[string]uint32{}
	in.linkIDs = map[link]uint32{}
	in.styles = append(make([]style, 0, 64), style{})
	in.clusters = append(make([]string, 0, 8), "")
	in.links = append(make([]link, 0, 4), link{})
	in.styleIDs[style{}] = 0
	in.linkIDs[link{}] = 0
	in.limit = minCollect
	in.epoch = 1
}

func (in *interner) size() int { return len(in.styles) + len(in.clusters) + len(in.links) }

func (in *interner) full() bool { return in.size() > in.limit }

func (in *interner) style(st style) uint32 {
	e := &in.cache[st.hash()%uint32(len(in.cache))]
	if e.st == st {
		return e.id // the zero entry is right too: style{} is number 0
	}
	id, ok := in.styleIDs[st]
	if !ok {
		id = uint32(len(in.styles))
		in.styles = append(in.styles, st)
		in.styleIDs[st] = id
	}
	e.st, e.id = st, id
	return id
}

func (in *interner) cluster(b []byte) uint32 {
	if id, ok := in.clusterIDs[string(b)]; ok {
		return id
	}
	id := uint32(len(in.clusters))
	s := string(b)
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
	old := t.in.tables
	n := &t.in
	n.styles = append(make([]style, 0, 64), style{})
	n.clusters = append(make([]string, 0, 8), "")
	n.links = append(make([]link, 0, 4), link{})
	clear(n.styleIDs)
	clear(n.clusterIDs)
	clear(n.linkIDs)
	clear(n.cache[:])
	n.styleIDs[style{}], n.linkIDs[link{}] = 0, 0
	n.epoch++

	m := mover{in: n, old: old, styles: make([]uint32, len(old.styles)), clusters: make([]uint32, len(old.clusters))}
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
			m.styles[c.st] = m.in.style(st) + 1
		}
		c.st = m.styles[c.st] - 1
	}
	if c.ch&clusterBit != 0 {
		v := c.ch & runeMask
		if m.clusters[v] == 0 {
			m.clusters[v] = m.in.cluster([]byte(m.old.clusters[v])) + 1
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
