package node

import (
	"errors"

	"fabricast/fabric"
)

// lock is a region's lock. The NIC gives it in the order of the requests: to one that wants it for
// itself, or to any number that share it.
type lock struct {
	holders     int32  // exclusive if it is held by one alone
	holder      int32  // world rank that got it last
	first, last uint32 // fabric.MsgIDs of requests that wait, linked
}

const exclusive int32 = -1

// Of Extra.Value in lock messages: 1 if the lock is wanted alone.
const valueAlone = 0

// errNoRegion is what a program panics with that wants the lock of nothing.
var errNoRegion = errors.New("a lock is that of a region")

// Lock asks for the lock of another rank's region. The request completes when the NIC there has given it.
func (o *Ops) Lock(a Access, alone bool) Request {
	if a.Region == 0 {
		panic(errNoRegion)
	}
	index, q := o.block.sends.take()
	q.owner = o.owner(isSend | isAccess)
	_, x := o.access(lockRequest, sendID(index), &a, 0)
	if alone {
		x.value[valueAlone] = 1
	}
	return Request{sendID(index)}
}

// Unlock gives a lock back; nobody is told when it has come to the NIC there.
func (o *Ops) Unlock(a Access) { o.access(lockRelease, 0, &a, 0) }

// lockRequested gives a lock if it is free for the request and none has waited for longer.
func (b *Block) lockRequested(id fabric.MsgID, m *fabric.Message) {
	g := b.lockOf(id, m)
	if g == nil {
		return
	}
	m.Next = 0
	if g.lock.first == 0 {
		g.lock.first = uint32(id)
	} else {
		b.transport.Message(fabric.MsgID(g.lock.last)).Next = uint32(id)
	}
	g.lock.last = uint32(id)
	b.giveLock(g)
}

// lockReleased takes a lock back.
func (b *Block) lockReleased(id fabric.MsgID, m *fabric.Message) {
	g := b.lockOf(id, m)
	if g == nil {
		return
	}
	if g.lock.holders == exclusive {
		g.lock.holders = 0
	} else {
		g.lock.holders--
	}
	b.transport.Release(id)
	b.giveLock(g)
}

// lockOf is the region that the message of a lock is about; nil, and the end of the run, if there is none.
func (b *Block) lockOf(id fabric.MsgID, m *fabric.Message) *region {
	x := b.transport.Extra(id)
	r := &b.ranks[b.world.slot(x.Rank)]
	if _, ok := b.memory(r, m.SrcRank, Atomic, x); !ok {
		b.transport.Release(id)
		return nil
	}
	return b.regionOf(r, x.Remote)
}

// giveLock gives a region's lock to those that wait, as long as it can be given.
func (b *Block) giveLock(g *region) {
	l := &g.lock
	for l.first != 0 && l.holders != exclusive {
		id := fabric.MsgID(l.first)
		m, x := b.transport.Message(id), b.transport.Extra(id)
		alone := x.Value[valueAlone] != 0
		if alone && l.holders > 0 {
			return
		}
		if l.holders++; alone {
			l.holders = exclusive
		}
		l.first, l.holder = m.Next, m.SrcRank
		b.grant(id, m, x.Local)
	}
}

// grant tells whoever has asked that the lock is theirs.
func (b *Block) grant(id fabric.MsgID, m *fabric.Message, handle uint32) {
	isLocal := local(m)
	if !isLocal {
		b.answerDone(m, handle)
	}
	b.transport.Release(id)
	if isLocal {
		b.finishAccess(handle, b.now)
	}
}

// awaitedLock is the lock that a rank waits for.
type awaitedLock struct{ of, holder int32 }

// awaitedLocks are the locks that have been asked for and not been given, by the request. No block may be running.
func (w *World) awaitedLocks() map[sendOf]awaitedLock {
	found := map[sendOf]awaitedLock{}
	for _, b := range w.blocks {
		for slot, regions := range b.regions {
			for _, g := range regions {
				if g != nil {
					b.await(found, b.ranks[slot].id, &g.lock)
				}
			}
		}
	}
	return found
}

// await adds those that wait for a lock of a rank's memory.
func (b *Block) await(found map[sendOf]awaitedLock, of int32, l *lock) {
	for id := fabric.MsgID(l.first); id != 0; {
		m, x := b.transport.Message(id), b.transport.Extra(id)
		found[sendOf{m.SrcRank, x.Local}] = awaitedLock{of, l.holder}
		id = fabric.MsgID(m.Next)
	}
}
