package onesided

import (
	"fabricast/fabric"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// lock is the lock of a region. The NIC grants it in the order of the requests, to one exclusive
// holder or to any number of shared holders.
type lock struct {
	holders     int32  // number of holders; exclusive marks an exclusive one
	holder      int32  // world rank that acquired it last
	first, last uint32 // first and last fabric.MsgID in the list of pending requests
}

const exclusive int32 = -1

// LockRequested appends a request to the pending requests for a region's lock, and returns the
// region; nil if there is none.
func (s *RMA) LockRequested(id fabric.MsgID, m *fabric.Message) *Region {
	g := s.lockOf(id, m)
	if g == nil {
		return nil
	}
	m.Next = 0
	if g.Lock.first == 0 {
		g.Lock.first = uint32(id)
	} else {
		s.Transport.Message(fabric.MsgID(g.Lock.last)).Next = uint32(id)
	}
	g.Lock.last = uint32(id)
	return g
}

// LockReleased releases a region's lock, and returns the region; nil if there is none.
func (s *RMA) LockReleased(id fabric.MsgID, m *fabric.Message) *Region {
	g := s.lockOf(id, m)
	if g == nil {
		return nil
	}
	if g.Lock.holders == exclusive {
		g.Lock.holders = 0
	} else {
		g.Lock.holders--
	}
	s.Transport.Release(id)
	return g
}

// lockOf returns the region that a lock message refers to. If there is none, it ends the run with
// an error, and returns nil.
func (s *RMA) lockOf(id fabric.MsgID, m *fabric.Message) *Region {
	x := s.Transport.Extra(id)
	r := &s.Ranks[s.World.Slot(x.Rank)]
	if _, ok := s.memory(r, m.SrcRank, model.Atomic, x); !ok {
		s.Transport.Release(id)
		return nil
	}
	return s.RegionOf(r, x.Remote)
}

// Free reports whether there is a pending request and the lock can be granted to the oldest one.
func (l *lock) Free(t fabric.Transport) bool {
	if l.first == 0 || l.holders == exclusive {
		return false
	}
	return l.holders == 0 || t.Extra(fabric.MsgID(l.first)).Value[core.ValueAlone] == 0
}

// Grant grants a free lock to the oldest pending request, and replies to it.
func (s *RMA) Grant(l *lock) core.Completion {
	id := fabric.MsgID(l.first)
	m, x := s.Transport.Message(id), s.Transport.Extra(id)
	if l.holders++; x.Value[core.ValueAlone] != 0 {
		l.holders = exclusive
	}
	l.first, l.holder = m.Next, m.SrcRank
	handle, isLocal := x.Local, core.Local(m)
	if !isLocal {
		s.answerDone(m, handle)
	}
	s.Transport.Release(id)
	if !isLocal {
		return core.Completion{}
	}
	return core.Completion{Handle: handle, At: s.Schedule.Now}
}

// AwaitedLock is a lock that a rank waits for.
type AwaitedLock struct{ Of, Holder int32 }

// Await adds the pending requests for the lock of a rank's memory to found.
func (s *RMA) Await(found map[core.SendOf]AwaitedLock, of int32, l *lock) {
	for id := fabric.MsgID(l.first); id != 0; {
		m, x := s.Transport.Message(id), s.Transport.Extra(id)
		found[core.SendOf{Rank: m.SrcRank, Request: x.Local}] = AwaitedLock{of, l.holder}
		id = fabric.MsgID(m.Next)
	}
}
