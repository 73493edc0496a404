package fabric

import (
	"math/bits"
	"unsafe"

	"fabricast/internal/prefetch"
)

// generalPrefetchFrom is the number of routers whose state no longer stays in the cache.
const generalPrefetchFrom = 512

// prefetch loads ahead what the next routers in a list will need, in steps, because the addresses
// of each are read from the lines of the one before.
func (g *general) prefetch(next []uint32) {
	if len(next) < 3 {
		return
	}
	b := g.b
	prefetch.Line(unsafe.Pointer(b.routers.at(b.first + next[2])))
	prefetch.Line(unsafe.Pointer(g.routers.at(b.first + next[2])))
	g.prefetchChannels(b.routers.at(b.first+next[1]), g.routers.at(b.first+next[1]))
	g.prefetchParcels(b.routers.at(b.first+next[0]), g.routers.at(b.first+next[0]))
}

// prefetchChannels loads a router's bitmaps, channels and ports.
func (g *general) prefetchChannels(r *routerState, x *generalRouter) {
	slots := uint32(r.slots)
	maps := uint32(x.tWords) + (mapsBefore+uint32(x.ports))*uint32(x.words)
	if g.voq {
		maps += slots * uint32(x.words)
	}
	prefetch.Lines(unsafe.Pointer(g.maps.at(x.armed)), linesOf[uint64](maps))
	prefetch.Lines(unsafe.Pointer(g.inlets.at(r.lanes)), linesOf[inlet](slots))
	prefetch.Lines(unsafe.Pointer(g.outlets.at(r.lanes)), linesOf[outlet](slots))
	prefetch.Lines(unsafe.Pointer(g.ports.at(r.ports)), linesOf[crossing](uint32(x.ports)))
	prefetch.Lines(unsafe.Pointer(g.b.wiring.at(r.ports)), linesOf[portLayout](uint32(x.ports)))
}

// linesOf is a bitmap of the cache lines, at most 64, that n elements of an array may lie in.
func linesOf[T any](n uint32) uint64 {
	var t T
	return 1<<min(64, n*uint32(unsafe.Sizeof(t))/64+1) - 1
}

// prefetchParcels loads the packets that have a timer, or that ask.
func (g *general) prefetchParcels(r *routerState, x *generalRouter) {
	asks := g.asking(x)
	for w := range uint32(x.words) {
		for m := *g.maps.at(x.armed + w) | asks[w]; m != 0; m &= m - 1 {
			in := g.inlets.at(r.lanes + w<<6 + uint32(bits.TrailingZeros64(m)))
			id := in.here.first
			if g.voq && !g.adaptive {
				id = in.coming.first
			}
			prefetch.Line(unsafe.Pointer(g.pool.parcels.at(id)))
		}
	}
	if g.voq && !g.adaptive {
		g.prefetchQueues(r, x, asks)
	}
}

// prefetchQueues loads the virtual output queues in which packets wait.
func (g *general) prefetchQueues(r *routerState, x *generalRouter, asks []uint64) {
	for w, m := range asks {
		for ; m != 0; m &= m - 1 {
			slot := uint32(w)<<6 + uint32(bits.TrailingZeros64(m))
			row := x.queues + slot*uint32(r.slots)
			for v, outs := range g.wishes(x, slot) {
				for ; outs != 0; outs &= outs - 1 {
					prefetch.Line(unsafe.Pointer(g.queues.at(row + uint32(v)<<6 + uint32(bits.TrailingZeros64(outs)))))
				}
			}
		}
	}
}

// prefetchQueue loads the virtual output queue that the next packet of a slot will join.
func (g *general) prefetchQueue(slot uint32) {
	id := g.inlets.at(g.lanes + slot).coming.first
	prefetch.Line(unsafe.Pointer(g.queueOf(slot, uint32(g.pool.parcels.at(id).out))))
}

// prefetchEnds loads what a packet that starts changes at other routers: the space that it leaves upstream of
// its slot, and the channel that it comes to behind its output.
func (g *general) prefetchEnds(slot, in, lane, out uint32) {
	b := g.b
	up, down := b.wiring.at(g.firstPort+in), b.wiring.at(g.firstPort+out)
	if up.router < 0 || uint32(up.router)-b.first < b.count {
		prefetch.Line(unsafe.Pointer(g.outlets.at(up.down + slot - in*g.vcs)))
	}
	if uint32(down.router)-b.first < b.count {
		prefetch.Line(unsafe.Pointer(g.inlets.at(down.down + lane - out*g.vcs)))
	}
}
