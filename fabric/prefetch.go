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
	prefetchFrom   = 512 // routers; the state of fewer stays in the cache
	prefetchFirst  = 12  // visits ahead
	prefetchSecond = 8
	prefetchThird  = 4
	prefetchFourth = 2
)

// prefetchRouter loads a router's own record.
func (b *Block) prefetchRouter(router uint32) {
	prefetch.Line(unsafe.Pointer(b.routers.at(router)))
}

// prefetchLanes loads the lanes whose packets will move and those by which they will leave.
func (b *Block) prefetchLanes(router uint32) {
	r := b.routers.at(router)
	prefetch.Lines(unsafe.Pointer(b.lanes.at(r.lanes)), r.armed>>r.first|r.used)
	prefetch.Lines(unsafe.Pointer(b.clocks.at(r.ports)), 3)
	if r.armed&(1<<r.first-1) != 0 {
		prefetch.Lines(unsafe.Pointer(b.nics.at(r.nics)), 7)
		prefetch.Line(unsafe.Pointer(b.timers.at(r.timers)))
	}
}

// prefetchPackets loads the packets that will move, and where they will go.
func (b *Block) prefetchPackets(router uint32) {
	r := b.routers.at(router)
	for m := r.armed >> r.first; m != 0; m &= m - 1 {
		in := b.lanes.at(r.lanes + uint32(bits.TrailingZeros64(m)))
		prefetch.Lines(unsafe.Pointer(b.nth(in, in.head)), 3)
	}
	for m := r.used; m != 0; m &= m - 1 {
		down := b.lanes.at(r.lanes + uint32(bits.TrailingZeros64(m))).down
		prefetch.Line(unsafe.Pointer(b.lanes.at(down)))
	}
}

// prefetchTargets loads the places that the packets will take.
func (b *Block) prefetchTargets(router uint32) {
	r := b.routers.at(router)
	for m := r.used; m != 0; m &= m - 1 {
		down := b.lanes.at(b.lanes.at(r.lanes + uint32(bits.TrailingZeros64(m))).down)
		prefetch.Line(unsafe.Pointer(b.nth(down, down.pull)))
		prefetch.Lines(unsafe.Pointer(b.nth(down, down.tail)), 3)
	}
}
