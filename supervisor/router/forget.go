package router

import "slices"

// What stays in memory after it ended, so that views show it.
const (
	keepThreads     = 100
	keepMessages    = 2000
	keepPermissions = 50
)

// ends is a line of entities that ended, in the order of ending. An entity
// stands in it once, also when it lives again and ends again.
type ends[T any] struct{ line []T }

func (e *ends[T]) add(in *bool, v T) {
	if !*in {
		*in = true
		e.line = append(e.line, v)
	}
}

// shrink drops the oldest until keep are left. drop says false for one that has
// to wait for the next time.
func (e *ends[T]) shrink(keep int, drop func(T) bool) {
	n := 0
	for len(e.line)-n > keep && drop(e.line[n]) {
		n++
	}
	clear(e.line[:n])
	e.line = e.line[n:]
}

// forget drops ended entities from memory, the oldest end first, as far as they
// are more than a view shows. What changed since the last call stays.
func (s *State) forget() {
	s.endedThreads.shrink(s.keepThreads, func(th *thread) bool {
		if th.live == 0 && s.isDirty(DocKey{docThread, string(th.ID)}) {
			return false
		}
		th.ended = false
		if th.live == 0 && s.threads[th.ID] == th {
			s.dropThread(th)
		}
		return true
	})
	s.endedMessages.shrink(s.keepMessages, func(m *message) bool {
		if m.live == 0 && s.isDirty(DocKey{docDelivery, string(m.ID)}) {
			return false
		}
		m.ended = false
		if m.live == 0 && s.messages[m.ID] == m {
			s.dropMessage(m)
		}
		return true
	})
	s.endedPerms.shrink(min(keepPermissions, s.keepMessages), func(r *permission) bool {
		if s.isDirty(DocKey{docPermission, r.ID}) {
			return false
		}
		delete(s.perms, r.ID)
		return true
	})
}

// isDirty says whether an entity, or one that goes with it, has still to be taken.
func (s *State) isDirty(k DocKey) bool {
	if _, dirty := s.dirty[k]; dirty {
		return true
	}
	if k.Kind == docThread {
		if th := s.threads[ThreadID(k.ID)]; th != nil {
			return slices.ContainsFunc(th.messages, func(m *message) bool { return s.isDirty(DocKey{docDelivery, string(m.ID)}) })
		}
	}
	return false
}

func (s *State) dropThread(th *thread) {
	delete(s.threads, th.ID)
	s.line = remove(s.line, th, threadNumber)
	s.trees = nil
	for _, m := range slices.Clone(th.messages) {
		s.dropMessage(m)
	}
}

func (s *State) dropMessage(m *message) {
	delete(s.messages, m.ID)
	if th := s.threads[m.Thread]; th != nil {
		th.messages = remove(th.messages, m, messageSeq)
		s.redraw(th, m.Room)
	}
	if r := s.rooms[m.Room]; r != nil {
		r.messages, r.view = remove(r.messages, m, messageSeq), nil
	}
}

// redraw forgets the views of a thread and a room.
func (s *State) redraw(th *thread, roomName string) {
	if th != nil {
		th.view, s.trees = nil, nil
	}
	if r := s.rooms[roomName]; r != nil {
		r.view = nil
	}
}

func messageSeq(m *message) uint64 { return m.seq }

func threadNumber(th *thread) uint64 { return uint64(th.num) }

// remove takes v out of list, which is sorted by key.
func remove[T comparable](list []T, v T, key func(T) uint64) []T {
	i, _ := slices.BinarySearchFunc(list, key(v), func(e T, k uint64) int { return compareSeq(key(e), k) })
	for ; i < len(list) && key(list[i]) == key(v); i++ {
		if list[i] == v {
			return slices.Delete(list, i, i+1)
		}
	}
	return list
}
