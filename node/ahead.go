package node

import (
	"unsafe"

	"fabricast/fabric"
	"fabricast/internal/prefetch"
)

// line is the size of a cache line.
const line = 64

// Approach implements fabric.Approached: a rank's record first, then what it names.
func (b *Block) Approach(host int32) {
	if slot := b.world.slotAt[host]; int(slot) < len(b.ranks) && !b.shared() {
		r := uintptr(unsafe.Pointer(&b.ranks[slot]))
		prefetch.Two(r, r+line)
		prefetch.Two(r+2*line, r+3*line)
	}
}

// Arrive implements fabric.Approached.
func (b *Block) Arrive(host int32) {
	slot := b.world.slotAt[host]
	if int(slot) >= len(b.ranks) || b.shared() {
		return
	}
	r := &b.ranks[slot]
	if r.arrivals != 0 {
		prefetch.Line(unsafe.Pointer(b.transport.Message(fabric.MsgID(r.arrivals))))
	}
	load(&b.events, r.events)
	for _, q := range r.queues {
		switch {
		case q.last == 0:
			return
		case q.posted(), q.only():
			load(&b.receives, q.element())
		default:
			load(&b.unexpected, q.element())
		}
	}
}

// load loads an element of a pool, if there is one.
func load[T any](p *pool[T], i uint32) {
	if p.has(i) {
		prefetch.Line(unsafe.Pointer(p.at(i)))
	}
}
