package fabric

import (
	"math/bits"
	"unsafe"

	"fabricast/internal/prefetch"
)

// size is how many bytes the visits of the block's routers use.
func (g *general) size() uint64 {
	return g.recordBytes + uint64(g.pool.used)*uint64(unsafe.Sizeof(parcel{}))
}

// measure adds up the records that the visits of the block's routers use.
func (g *general) measure() {
	b := g.b
	for i := b.first; i < b.first+b.count; i++ {
		x := g.routers.at(i)
		slots, ports, words := uint64(x.slots), uint64(x.ports), uint64(x.words)
		g.recordBytes += uint64(unsafe.Sizeof(*x)+unsafe.Sizeof(routerState{})) + uint64(b.routers.at(i).nNICs)*uint64(unsafe.Sizeof(nic{})) +
			slots*uint64(unsafe.Sizeof(inlet{})+unsafe.Sizeof(outlet{})) + ports*uint64(unsafe.Sizeof(crossing{})) +
			8*(wheel*uint64(g.dueWords)+uint64(x.tWords)+(mapsBefore+ports+slots)*words)
	}
}

// prefetch loads ahead what the next routers in a list will need, in steps, because the addresses
// of each are read from the lines of the one before.
func (g *general) prefetch(next []uint32) {
	b := g.b
	if len(next) > 3 {
		number := b.first + next[3]
		prefetch.Two(uintptr(unsafe.Pointer(b.routers.at(number))), uintptr(unsafe.Pointer(g.routers.at(number))))
		prefetch.Line(g.dueIn(number, uint32(b.calendar.window)).first)
	}
	if len(next) > 2 {
		number := b.first + next[2]
		g.prefetchMaps(b.routers.at(number), g.routers.at(number))
	}
	if len(next) > 1 {
		number := b.first + next[1]
		g.prefetchChannels(b.routers.at(number), g.routers.at(number))
	}
	if len(next) > 0 {
		number := b.first + next[0]
		g.prefetchParcels(b.routers.at(number), g.routers.at(number))
	}
}

// prefetchMaps loads a router's bitmaps and ports.
func (g *general) prefetchMaps(r *routerState, x *generalRouter) {
	maps := (mapsBefore + uint32(x.ports)) * uint32(x.words)
	if g.voq || g.adaptive {
		maps += uint32(x.slots) * uint32(x.words)
	}
	prefetchAll(g.maps.at(x.maps), maps)
	prefetchAll(g.ports.at(r.ports), uint32(x.ports))
	if g.adaptive {
		prefetchAll(g.outlets.at(r.lanes), uint32(x.slots))
	}
}

// prefetchAll loads n elements of an array, from one on.
func prefetchAll[T any](first *T, n uint32) {
	begin := uintptr(unsafe.Pointer(first))
	end := begin + uintptr(n)*unsafe.Sizeof(*first)
	prefetch.Lines(unsafe.Pointer(first), uint64((end+63)>>6-begin>>6))
}

// dueSlots is a word of the bitmap of a router's slots that have a timer in this window.
func (g *general) dueSlots(number uint32, x *generalRouter, w uint32) uint64 {
	due := *g.dueIn(number, uint32(g.b.calendar.window)).word(w)
	if slots := uint32(x.slots); slots < (w+1)<<6 {
		due &= 1<<(slots&63) - 1
	}
	return due
}

// prefetchChannels loads the channels whose next packets will ask.
func (g *general) prefetchChannels(r *routerState, x *generalRouter) {
	for w := range uint32(x.words) {
		for m := g.dueSlots(r.number, x, w); m != 0; m &= m - 1 {
			prefetch.Line(unsafe.Pointer(g.inlets.at(r.lanes + w<<6 + uint32(bits.TrailingZeros64(m)))))
		}
	}
}

// prefetchParcels loads these packets.
func (g *general) prefetchParcels(r *routerState, x *generalRouter) {
	for w := range uint32(x.words) {
		for m := g.dueSlots(r.number, x, w); m != 0; m &= m - 1 {
			in := g.inlets.at(r.lanes + w<<6 + uint32(bits.TrailingZeros64(m)))
			id := in.here.first
			if g.voq {
				id = in.coming.first
			}
			prefetch.Line(unsafe.Pointer(g.pool.parcels.at(id)))
		}
	}
}

// prefetchAsk loads what the next packet of a slot, which will ask in this visit, needs and changes:
// the packet behind it, the space that it leaves upstream and, if its output is known, that output, its place in the
// virtual output queue, and the channel that it will come to.
func (g *general) prefetchAsk(slot uint32) {
	g.prefetchUpstream(slot)
	in := g.inlets.at(g.lanes + slot)
	id := in.here.first
	if g.voq {
		id = in.coming.first
	}
	p := g.pool.parcels.at(id)
	if p.next != 0 {
		prefetch.Line(unsafe.Pointer(g.pool.parcels.at(p.next)))
	}
	if g.adaptive {
		return
	}
	out := uint32(p.out)
	prefetch.Line(unsafe.Pointer(g.outlets.at(g.lanes + out)))
	if g.voq {
		prefetch.Line(unsafe.Pointer(g.queueOf(slot, out)))
	}
	g.prefetchEnd(out)
}

// prefetchUpstream loads the channel upstream that learns of the space that a packet of a slot leaves.
func (g *general) prefetchUpstream(slot uint32) {
	b := g.b
	port := uint32(*g.portOf.at(slot))
	if up := g.ports.at(g.firstPort + port); uint32(up.router)-b.first < b.count || up.router < 0 {
		prefetch.Line(unsafe.Pointer(g.outlets.at(up.down + slot - port*g.vcs)))
	}
}

// prefetchWaiters loads what the packets with fixed routes need that wait for a port which will become free in this visit.
func (g *general) prefetchWaiters(port uint32) {
	first := port * g.vcs
	waiters := g.waitersFor(port)
	for w := range g.words {
		for m := *waiters.word(w); m != 0; m &= m - 1 {
			slot := w<<6 + uint32(bits.TrailingZeros64(m))
			if !g.voq {
				out := uint32(g.pool.parcels.at(g.inlets.at(g.lanes + slot).here.first).out)
				prefetch.Line(unsafe.Pointer(g.outlets.at(g.lanes + out)))
				continue
			}
			for outs := g.wishesAt(slot).span(first, g.portMask); outs != 0; outs &= outs - 1 {
				out := first + uint32(bits.TrailingZeros64(outs))
				prefetch.Two(uintptr(unsafe.Pointer(g.outlets.at(g.lanes+out))), uintptr(unsafe.Pointer(g.pool.parcels.at(g.firstOf(slot, out)))))
			}
		}
	}
}

// prefetchEnd loads the channel that a packet comes to by an output, and the bitmaps of that router's timers; of a host the NIC.
func (g *general) prefetchEnd(out uint32) {
	b := g.b
	port := uint32(*g.portOf.at(out))
	down := g.ports.at(g.firstPort + port)
	switch {
	case uint32(down.router)-b.first < b.count:
		prefetch.Two(uintptr(unsafe.Pointer(g.inlets.at(down.down+out-port*g.vcs))), uintptr(g.dueIn(uint32(down.router), 0).first))
	case down.router < 0 && down.router != unconnected:
		prefetch.Line(unsafe.Pointer(&b.nics.at(uint32(down.nic())).moveEnd))
	}
}
