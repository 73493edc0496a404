package fabric

import (
	"math/bits"
	"unsafe"

	"fabricast/internal/prefetch"
)

// A visit touches some twenty cache lines, and in a large network none of them
// has stayed in the cache since the last window. So they are loaded ahead, in
// steps, because the addresses of each step are read from the lines of the one before.
const (
	prefetchFrom  = 512 // routers; the state of fewer stays in the cache
	prefetchBatch = 24  // visits; what they need fits in the first-level cache
)

// visitAhead visits the active routers in batches, and loads ahead what each batch needs.
func (b *Block) visitAhead() {
	for first := 0; first < len(b.active); first += prefetchBatch {
		batch := b.batch[:0]
		for _, r := range b.active[first:min(first+prefetchBatch, len(b.active))] {
			batch = append(batch, b.routers.at(b.first+r))
			prefetch.Line(unsafe.Pointer(b.routers.at(b.first + r)))
		}
		for _, r := range batch {
			b.prefetchLanes(r)
		}
		for _, r := range batch {
			b.prefetchPackets(r)
		}
		for _, r := range batch {
			b.prefetchOutputs(r)
		}
		for _, r := range batch {
			b.prefetchTargets(r)
		}
		for _, r := range batch {
			b.prefetchPlaces(r)
		}
		for _, r := range batch {
			b.visit(r)
		}
	}
}

// prefetchLanes loads the lanes whose packets will move, and the NIC if it will.
func (b *Block) prefetchLanes(r *routerState) {
	prefetch.Lines(unsafe.Pointer(b.lanes.at(r.lanes)), r.armed>>r.first)
	prefetch.Lines(unsafe.Pointer(b.clocks.at(r.ports)), 3)
	if r.armed&(1<<r.first-1) != 0 {
		prefetch.Lines(unsafe.Pointer(b.nics.at(r.nics)), 7)
		prefetch.Line(unsafe.Pointer(b.timers.at(r.timers)))
	}
}

// prefetchPackets loads the packets that will move.
func (b *Block) prefetchPackets(r *routerState) {
	for m := r.armed >> r.first; m != 0; m &= m - 1 {
		in := b.lanes.at(r.lanes + uint32(bits.TrailingZeros64(m)))
		prefetch.Lines(unsafe.Pointer(b.nth(in, in.head)), 3)
	}
}

// prefetchOutputs loads the lanes by which the packets will leave, and notes which these are.
func (b *Block) prefetchOutputs(r *routerState) {
	var outputs uint64
	for m := r.armed >> r.first; m != 0; m &= m - 1 {
		in := b.lanes.at(r.lanes + uint32(bits.TrailingZeros64(m)))
		outputs |= 1<<(b.nth(in, in.head).out&63) | 1<<(b.nth(in, in.head+1).out&63)
	}
	if r.armed&(1<<r.first-1) != 0 {
		outputs |= 1 << (b.nics.at(r.nics).out & 63)
	}
	r.outputs = outputs & (1<<min(r.slots, 64) - 1) // a place may hold an old packet of another router
	prefetch.Lines(unsafe.Pointer(b.lanes.at(r.lanes)), r.outputs)
}

// prefetchTargets loads the lanes to which the packets will go, and the records of
// their routers or NICs.
func (b *Block) prefetchTargets(r *routerState) {
	for m := r.outputs; m != 0; m &= m - 1 {
		out := b.lanes.at(r.lanes + uint32(bits.TrailingZeros64(m)))
		prefetch.Line(unsafe.Pointer(b.lanes.at(out.down)))
		if out.router >= 0 {
			prefetch.Line(unsafe.Pointer(b.routers.at(uint32(out.router))))
		}
	}
}

// prefetchPlaces loads the places that the packets will take.
func (b *Block) prefetchPlaces(r *routerState) {
	for m := r.outputs; m != 0; m &= m - 1 {
		down := b.lanes.at(b.lanes.at(r.lanes + uint32(bits.TrailingZeros64(m))).down)
		prefetch.Line(unsafe.Pointer(b.nth(down, down.pull)))
		prefetch.Lines(unsafe.Pointer(b.nth(down, down.tail)), 3)
	}
}
