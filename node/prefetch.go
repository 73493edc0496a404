package node

import (
	"unsafe"

	"fabricast/fabric"
	"fabricast/internal/prefetch"
)

// Next names requests for which the program will probably wait after the WaitAll before. They are
// loaded into the cache ahead. They need not be in use.
func (o *Ops) Next(requests []Request) {
	if o.journal != nil && o.journal.feed != nil {
		return
	}
	var hints [2]uint32
	for i, id := range requests[:min(2, len(requests))] {
		if o.block.requests.has(id.ID) {
			hints[i] = id.ID
			prefetch.Line(unsafe.Pointer(o.block.requests.of(id.ID)))
		}
	}
	o.rank.hint(hints[0], hints[1])
}

// prefetchHints prefetches what Next has named.
func (b *Block) prefetchHints(r *rank) {
	first, second := r.hints()
	if b.requests.has(first) {
		prefetch.Line(unsafe.Pointer(b.requests.of(first)))
	}
	if b.requests.has(second) {
		prefetch.Line(unsafe.Pointer(b.requests.of(second)))
	}
}

// PrefetchHost implements fabric.Prefetcher: it loads the record of the host's rank.
func (b *Block) PrefetchHost(host int32) {
	if slot := b.shared.slotAt[host]; int(slot) < len(b.ranks) && !b.outbox.used() {
		prefetch.Lines(unsafe.Pointer(&b.ranks[slot]), rankLines)
		prefetch.Line(unsafe.Pointer(&b.programs.running[slot]))
		if b.watching.watchers != nil {
			prefetch.Line(unsafe.Pointer(&b.watching.watchers[slot]))
		}
	}
}

// PrefetchWork implements fabric.Prefetcher: it prefetches what the record of the host's rank
// refers to: its first message and event, and its receives or unexpected messages.
func (b *Block) PrefetchWork(host int32) {
	slot := b.shared.slotAt[host]
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
	case r.state == paused:
		prefetch.Line(b.programRecord(slot))
		b.prefetchHints(r)
	case r.chain != 0:
		prefetch.Line(unsafe.Pointer(b.requests.of(r.chain)))
		prefetch.Line(b.programRecord(slot))
		if r.state == WaitAll {
			b.prefetchHints(r)
		}
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
	slot := b.shared.slotAt[host]
	if int(slot) >= len(b.ranks) || b.outbox.used() {
		return
	}
	r := &b.ranks[slot]
	if r.chain != 0 {
		if next := b.requests.of(r.chain).chain; b.requests.has(next) {
			prefetch.Line(unsafe.Pointer(b.requests.of(next)))
		}
	}
	if r.chain != 0 || r.state == paused {
		if p, ok := b.programs.running[slot].(Preloader); ok {
			p.Preload()
		}
	}
	if r.arrivals == 0 {
		return
	}
	if next := b.transport.Message(fabric.MsgID(r.arrivals)).Next; next != 0 {
		prefetch.Line(unsafe.Pointer(b.transport.Message(fabric.MsgID(next))))
	}
	if r.queues[ownQueues-1].more() {
		b.prefetchQueue(r, slot)
	}
}

// prefetchQueue prefetches the receive that the first message that has arrived at a rank will meet.
func (b *Block) prefetchQueue(r *rank, slot int32) {
	b.prefetchMeeting(r, slot, b.transport.Message(fabric.MsgID(r.arrivals)))
}

// prefetchMeeting prefetches the receive that a message will meet.
func (b *Block) prefetchMeeting(r *rank, slot int32, m *fabric.Message) {
	hash := key{slot, m.Context, m.SrcRank, m.Tag}.hash()
	own := r.queues[:]
	if own[ownQueues-1].more() {
		own = own[:ownQueues-1]
	}
	for _, q := range own {
		if q.hash == hash && q.last != 0 {
			b.loadQueue(q)
			return
		}
	}
	if r.spilled == 0 {
		return
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
	slot := b.shared.slotAt[host]
	switch {
	case int(slot) >= len(b.ranks):
	case b.early:
		prefetch.Lines(unsafe.Pointer(&b.ranks[slot]), rankLines)
	default:
		prefetch.Line(unsafe.Pointer(&b.ranks[slot]))
	}
}

// rankLines is how many cache lines a rank's record takes.
const rankLines = (uint64(unsafe.Sizeof(rank{})) + prefetch.LineSize - 1) / prefetch.LineSize

// PrefetchQueue implements fabric.Prefetcher.
func (b *Block) PrefetchQueue(host int32, id fabric.MsgID) {
	slot := b.shared.slotAt[host]
	if int(slot) >= len(b.ranks) || b.ranks[slot].spilled == 0 || !b.early {
		return
	}
	m := b.transport.Message(id)
	table := b.matching.tables.at(b.ranks[slot].queues[ownQueues-1])
	hash := key{slot, m.Context, m.SrcRank, m.Tag}.hash()
	prefetch.Line(unsafe.Pointer(&table[hash&uint32(len(table)-1)]))
}

// PrefetchReceive implements fabric.Prefetcher.
func (b *Block) PrefetchReceive(host int32, id fabric.MsgID) {
	if slot := b.shared.slotAt[host]; int(slot) < len(b.ranks) && b.early {
		b.prefetchMeeting(&b.ranks[slot], slot, b.transport.Message(id))
	}
}

// PrefetchFetched implements fabric.Prefetcher.
func (b *Block) PrefetchFetched(host int32, request uint32) {
	load(&b.requests.sends, indexOf(request))
	if slot := b.shared.slotAt[host]; int(slot) < len(b.ranks) {
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
