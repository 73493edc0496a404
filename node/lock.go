package node

import (
	"errors"

	"fabricast/fabric"
)

// lock is the lock of a region. The NIC grants it in the order of the requests, to one exclusive
// owner or to any number of shared ones.
type lock struct {
	holders     int32  // exclusive if it is held by one alone
	holder      int32  // world rank that got it last
	first, last uint32 // fabric.MsgIDs of requests that wait, linked
}

const exclusive int32 = -1

// Indexes of Extra.Value in lock messages: 1 if the lock is requested exclusively.
const valueAlone = 0

// errNoRegion is the panic of a program that requests a lock without naming a region.
var errNoRegion = errors.New("a lock is that of a region")

// Lock requests the lock of another rank's region, exclusively if alone is set. The request
// completes when the NIC there has granted it.
func (s *OneSided) Lock(a Access, alone bool) Request {
	if j := s.ops.journal; j.outermost() {
		return j.lock(s, a, alone)
	}
	if a.Region == 0 {
		panic(errNoRegion)
	}
	id := s.sending()
	_, x := s.begin(lockRequest, id, &a, 0)
	if alone {
		x.value[valueAlone] = 1
	}
	return Request{id}
}

// Unlock releases a lock. There is no notification of its arrival at the NIC there.
func (s *OneSided) Unlock(a Access) {
	if j := s.ops.journal; j.outermost() {
		j.unlock(s, a)
		return
	}
	s.begin(lockRelease, 0, &a, 0)
}

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

// giveLock grants a region's lock to waiting requests, as long as it can be granted. A nil region
// has no effect.
func (b *Block) giveLock(g *region) {
	for g != nil && g.lock.free(b.transport) {
		b.finishAccess(b.rma.grant(&g.lock))
	}
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

// awaitedLocks returns the locks that have been requested and not granted, by request. No block may
// be running.
func (w *World) awaitedLocks() map[sendOf]awaitedLock {
	found := map[sendOf]awaitedLock{}
	for _, b := range w.blocks.all() {
		for slot, regions := range b.rma.regions {
			for _, g := range regions {
				if g != nil {
					b.rma.await(found, b.ranks[slot].id, &g.lock)
				}
			}
		}
	}
	return found
}

// await adds the requests that wait for a lock of a rank's memory.
func (s *rma) await(found map[sendOf]awaitedLock, of int32, l *lock) {
	for id := fabric.MsgID(l.first); id != 0; {
		m, x := s.transport.Message(id), s.transport.Extra(id)
		found[sendOf{m.SrcRank, x.Local}] = awaitedLock{of, l.holder}
		id = fabric.MsgID(m.Next)
	}
}
