package fabric

import (
	"math/bits"
	"unsafe"
)

// waitLists records which ports and outputs the packets of the visited router wait for.
type waitLists struct {
	shape
	pool *parcelPool // with virtual output queues and adaptive routing: what each packet waits for

	asks bitmap // slots in which a packet asks and has not started
	// with adaptive routing and input queues: slots in which it does, and the outputs that it waits
	// for are recorded
	recorded bitmap
	ofPorts  bitmap // of each port: slots that wait for it
	// for each slot: the outputs that its packets wait for, with virtual output queues or adaptive
	// routing
	ofSlots bitmap
	words   uint32 // of each
}

func newWaitLists(g *stages) waitLists { return waitLists{shape: g.shape, pool: &g.pool} }

// waitersFor returns the bitmap of slots that wait for a port of the visited router.
func (l *waitLists) waitersFor(port uint32) bitmap { return l.ofPorts.next(port * l.words) }

// wishesAt returns the bitmap of outputs that a slot of the visited router waits for.
func (l *waitLists) wishesAt(slot uint32) bitmap { return l.ofSlots.next(slot * l.words) }

// wishesOf returns the bitmap of the outputs of a packet's last answer. It is empty if the
// algorithm has not been called for the packet.
func (l *waitLists) wishesOf(slot, id uint32) bitmap {
	if l.voq {
		return bitmap{unsafe.Pointer(l.pool.wishes.at(id * l.pool.words))}
	}
	return l.wishesAt(slot)
}

// dropPort returns a bitmap word m, whose first bit is the output slot `from`, without the vcs
// slots of a port, the first of which is `first`.
func dropPort(m uint64, from, first, vcs uint32) uint64 {
	if end := first + vcs - from; end < 64 {
		return m & (^uint64(0) << end)
	}
	return 0
}

// isRecorded reports whether the outputs are recorded that a packet which asks waits for.
func (l *waitLists) isRecorded(slot, id uint32) bool {
	if l.voq {
		return l.wishesOf(slot, id).any(l.words)
	}
	return l.recorded.has(slot)
}

// forget clears all outputs that a slot's packets wait for.
func (l *waitLists) forget(slot uint32) {
	if !l.voq {
		if !l.recorded.has(slot) {
			return
		}
		l.recorded.clear(slot)
	}
	wishes := l.wishesAt(slot)
	for w := range l.words {
		at := wishes.word(w)
		m := *at
		*at = 0
		for m != 0 {
			port := uint32(*l.portOf.at(w<<6 + uint32(bits.TrailingZeros64(m))))
			l.waitersFor(port).clear(slot)
			m = dropPort(m, w<<6, port*l.vcs, l.vcs)
		}
	}
}

// join adds a packet's outputs to those that its slot waits for.
func (l *waitLists) join(slot uint32, wishes bitmap) {
	all := l.wishesAt(slot)
	for w := range l.words {
		*all.word(w) |= *wishes.word(w)
	}
}

// rememberAll recomputes what a slot waits for from its packets.
func (l *waitLists) rememberAll(slot uint32, in *inlet) {
	for id := in.here.first; id != 0; id = l.pool.parcels.at(id).next {
		l.join(slot, l.wishesOf(slot, id))
	}
	wishes := l.wishesAt(slot)
	for w := range l.words {
		for m := *wishes.word(w); m != 0; {
			port := uint32(*l.portOf.at(w<<6 + uint32(bits.TrailingZeros64(m))))
			l.waitersFor(port).set(slot)
			m = dropPort(m, w<<6, port*l.vcs, l.vcs)
		}
	}
}

// stillWaits records that a slot's virtual output queue is empty. It reports whether the slot still
// has other queues for the same port.
func (l *waitLists) stillWaits(slot, out uint32) bool {
	wishes := l.wishesAt(slot)
	wishes.clear(out)
	return wishes.span(l.port(out)*l.vcs, l.portMask) != 0
}

// awaited reports whether a packet waits for a crossbar output or input.
func (l *waitLists) awaited(in, out uint32) bool {
	if l.asks.span(in*l.vcs, l.portMask) != 0 {
		return true
	}
	return l.waitersFor(out).any(l.words)
}
