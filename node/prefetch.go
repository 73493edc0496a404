package node

import (
	"unsafe"

	"fabricast/fabric"
	"fabricast/internal/prefetch"
)

// PrefetchHost implements fabric.Prefetcher: it loads the record of the host's rank.
func (b *Block) PrefetchHost(host int32) {
	if slot := b.world.slotAt[host]; int(slot) < len(b.ranks) && !b.outbox.used() {
		prefetch.Lines(
			unsafe.Pointer(&b.ranks[slot]),
			(uint64(unsafe.Sizeof(rank{}))+prefetch.LineSize-1)/prefetch.LineSize,
		)
		prefetch.Line(unsafe.Pointer(&b.programs.running[slot]))
		if b.watching.watchers != nil {
			prefetch.Line(unsafe.Pointer(&b.watching.watchers[slot]))
		}
	}
}

// PrefetchWork implements fabric.Prefetcher: it prefetches what the record of the host's rank
// refers to: its first message and event, and its receives or unexpected messages.
func (b *Block) PrefetchWork(host int32) {
	slot := b.world.slotAt[host]
	if int(slot) >= len(b.ranks) || b.outbox.used() {
		return
	}
	r := &b.ranks[slot]
	if r.arrivals != 0 {
		prefetch.Line(unsafe.Pointer(b.transport.Message(fabric.MsgID(r.arrivals))))
	}
	load(&b.schedule.events, r.events)
	switch {
	case b.watching.watchers != nil:
		b.prefetchProgram(slot)
	case r.chain != 0:
		prefetch.Line(unsafe.Pointer(b.requests.of(r.chain)))
		prefetch.Line(b.programRecord(slot))
	}
	if more := r.queues[ownQueues-1]; more.more() {
		table := b.matching.tables.at(more)
		prefetch.Lines(
			unsafe.Pointer(unsafe.SliceData(table)),
			min(uint64(len(table))*uint64(unsafe.Sizeof(queue{}))/prefetch.LineSize, mostLines),
		)
		return
	}
	for _, q := range r.queues {
		if q.last == 0 {
			return
		}
		b.loadQueue(q)
	}
}

// mostLines is how many lines of a rank's table of matching queues are prefetched at most.
const mostLines = 4

// loadQueue prefetches the last element of a matching queue.
func (b *Block) loadQueue(q queue) {
	if q.posted() || q.only() {
		load(&b.requests.receives, q.element())
	} else {
		load(&b.matching.unexpected, q.element())
	}
}

// PrefetchMatch implements fabric.Prefetcher: it prefetches what the rank's program will use, the
// second request that it waits for, and the queue of receives that the next message belongs to, if
// the rank has a table of queues.
func (b *Block) PrefetchMatch(host int32) {
	slot := b.world.slotAt[host]
	if int(slot) >= len(b.ranks) || b.outbox.used() {
		return
	}
	r := &b.ranks[slot]
	if r.chain != 0 {
		if next := b.requests.of(r.chain).chain; b.requests.has(next) {
			prefetch.Line(unsafe.Pointer(b.requests.of(next)))
		}
		if p, ok := b.programs.running[slot].(Preloader); ok {
			p.Preload()
		}
	}
	if r.arrivals == 0 || !r.queues[ownQueues-1].more() {
		return
	}
	m := b.transport.Message(fabric.MsgID(r.arrivals))
	hash := key{slot, m.Context, m.SrcRank, m.Tag}.hash()
	for _, q := range r.queues[:ownQueues-1] {
		if q.hash == hash && q.last != 0 {
			b.loadQueue(q)
			return
		}
	}
	table := b.matching.tables.at(r.queues[ownQueues-1])
	mask := uint32(len(table) - 1)
	for i := hash & mask; table[i].last != 0; i = (i + 1) & mask {
		if table[i].hash == hash {
			b.loadQueue(table[i])
			return
		}
	}
}

// PrefetchDelivery implements fabric.Prefetcher.
func (b *Block) PrefetchDelivery(host int32) {
	if slot := b.world.slotAt[host]; int(slot) < len(b.ranks) {
		prefetch.Line(unsafe.Pointer(&b.ranks[slot]))
	}
}

// programLines is how many cache lines of the state of a program that watches requests are
// prefetched.
const programLines = 4

// prefetchProgram prefetches the state of a program that watches requests, and the first request
// that has completed. Such a program is resumed for each request.
func (b *Block) prefetchProgram(slot int32) {
	prefetch.Lines(b.programRecord(slot), programLines)
	load(&b.watching.watched, b.watching.watchers[slot].root)
}

// programRecord returns the address of the state of a rank's program.
func (b *Block) programRecord(slot int32) unsafe.Pointer {
	type iface struct{ table, data unsafe.Pointer }
	return (*iface)(unsafe.Pointer(&b.programs.running[slot])).data
}

// load prefetches an element of a pool, if there is one.
func load[T any](p *pool[T], i uint32) {
	if p.has(i) {
		prefetch.Line(unsafe.Pointer(p.at(i)))
	}
}
