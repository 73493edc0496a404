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
	prefetchFrom = 512 // routers; the state of fewer stays in the cache
	prefetchStep = 3   // visits by which a step is ahead of the next
	prefetchAll  = 6 * prefetchStep
)

// visitAhead visits the active routers, and loads ahead what the next ones need.
func (b *Block) visitAhead() {
	// A router that never has anything to do surrounds the list, so that every step has one.
	list := b.queue[:0]
	for range prefetchAll {
		list = append(list, &b.idle)
	}
	for _, r := range b.active {
		list = append(list, b.routers.at(b.first+r))
	}
	for range 2 * prefetchAll {
		list = append(list, &b.idle)
	}
	b.queue = list
	for i := range len(b.active) + prefetchAll {
		next := list[i : i+prefetchAll+1 : i+prefetchAll+1]
		prefetch.Line(unsafe.Pointer(next[6*prefetchStep]))
		b.prefetchLanes(next[5*prefetchStep])
		b.prefetchPackets(next[4*prefetchStep])
		b.prefetchOutputs(next[3*prefetchStep])
		b.prefetchTargets(next[2*prefetchStep])
		b.prefetchPlaces(next[prefetchStep])
		if i >= prefetchAll {
			b.visit(next[0])
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
