package node

import "fabricast/fabric"

// lock is the lock of a region. The NIC grants it in the order of the requests, to one exclusive
// owner or to any number of shared ones.
type lock struct {
	holders     int32  // exclusive if it is held by one alone
	holder      int32  // world rank that got it last
	first, last uint32 // fabric.MsgIDs of requests that wait, linked
}

const exclusive int32 = -1

// lockRequested appends a request to those that wait for a region's lock, and returns the region;
// nil if there is none.
func (s *rma) lockRequested(id fabric.MsgID, m *fabric.Message) *region {
	g := s.lockOf(id, m)
	if g == nil {
		return nil
	}
	m.Next = 0
	if g.lock.first == 0 {
		g.lock.first = uint32(id)
	} else {
		s.transport.Message(fabric.MsgID(g.lock.last)).Next = uint32(id)
	}
	g.lock.last = uint32(id)
	return g
}

// lockReleased releases a region's lock, and returns the region; nil if there is none.
func (s *rma) lockReleased(id fabric.MsgID, m *fabric.Message) *region {
	g := s.lockOf(id, m)
	if g == nil {
		return nil
	}
	if g.lock.holders == exclusive {
		g.lock.holders = 0
	} else {
		g.lock.holders--
	}
	s.transport.Release(id)
	return g
}

// lockOf returns the region that a lock message names. If there is none it ends the run with an
// error, and returns nil.
func (s *rma) lockOf(id fabric.MsgID, m *fabric.Message) *region {
	x := s.transport.Extra(id)
	r := &s.ranks[s.world.slot(x.Rank)]
	if _, ok := s.memory(r, m.SrcRank, Atomic, x); !ok {
		s.transport.Release(id)
		return nil
	}
	return s.regionOf(r, x.Remote)
}

// free reports whether the lock can be granted to the request that has waited longest, if any.
func (l *lock) free(t fabric.Transport) bool {
	if l.first == 0 || l.holders == exclusive {
		return false
	}
	return l.holders == 0 || t.Extra(fabric.MsgID(l.first)).Value[valueAlone] == 0
}

// grant grants a free lock to the request that has waited longest, and answers it.
func (s *rma) grant(l *lock) completion {
	id := fabric.MsgID(l.first)
	m, x := s.transport.Message(id), s.transport.Extra(id)
	if l.holders++; x.Value[valueAlone] != 0 {
		l.holders = exclusive
	}
	l.first, l.holder = m.Next, m.SrcRank
	handle, isLocal := x.Local, local(m)
	if !isLocal {
		s.answerDone(m, handle)
	}
	s.transport.Release(id)
	if !isLocal {
		return completion{}
	}
	return completion{handle, s.schedule.now}
}

// awaitedLock is a lock that a rank waits for.
type awaitedLock struct{ of, holder int32 }

// await adds the requests that wait for a lock of a rank's memory.
func (s *rma) await(found map[sendOf]awaitedLock, of int32, l *lock) {
	for id := fabric.MsgID(l.first); id != 0; {
		m, x := s.transport.Message(id), s.transport.Extra(id)
		found[sendOf{m.SrcRank, x.Local}] = awaitedLock{of, l.holder}
		id = fabric.MsgID(m.Next)
	}
}
