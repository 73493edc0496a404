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
		if b.watching.watchers != nil {
			prefetch.Line(unsafe.Pointer(&b.watching.watchers[slot]))
			prefetch.Line(unsafe.Pointer(&b.programs.running[slot]))
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
	if b.watching.watchers != nil {
		b.prefetchProgram(slot)
	}
	for _, q := range r.queues {
		switch {
		case q.last == 0:
			return
		case q.posted(), q.only():
			load(&b.requests.receives, q.element())
		default:
			load(&b.matching.unexpected, q.element())
		}
	}
}

// programLines is how many cache lines of the state of a program that watches requests are
// prefetched.
const programLines = 4

// prefetchProgram prefetches the state of a program that watches requests, and the first request
// that has completed. Such a program is resumed for each request.
func (b *Block) prefetchProgram(slot int32) {
	type iface struct{ table, data unsafe.Pointer }
	prefetch.Lines((*iface)(unsafe.Pointer(&b.programs.running[slot])).data, programLines)
	load(&b.watching.watched, b.watching.watchers[slot].root)
}

// load prefetches an element of a pool, if there is one.
func load[T any](p *pool[T], i uint32) {
	if p.has(i) {
		prefetch.Line(unsafe.Pointer(p.at(i)))
	}
}
