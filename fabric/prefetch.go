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
	prefetchGroup = 4   // routers whose step is done together; a step is a group ahead of the next
)

// visitAhead visits the active routers, and loads ahead what the next ones need.
func (b *Block) visitAhead() {
	for at := -4 * prefetchGroup; at < len(b.active); at += prefetchGroup {
		for _, r := range b.group(at + 4*prefetchGroup) {
			b.prefetchRouter(b.first + r)
		}
		for _, r := range b.group(at + 3*prefetchGroup) {
			b.prefetchLanes(b.routers.at(b.first + r))
		}
		for _, r := range b.group(at + 2*prefetchGroup) {
			b.prefetchPackets(b.routers.at(b.first + r))
		}
		for _, r := range b.group(at + prefetchGroup) {
			b.prefetchTargets(b.routers.at(b.first + r))
		}
		for _, r := range b.group(at) {
			b.visit(b.routers.at(b.first + r))
		}
	}
}

// group is the active routers from a place on, empty if it lies outside the list.
func (b *Block) group(at int) []uint32 {
	if at < 0 || at >= len(b.active) {
		return nil
	}
	return b.active[at:min(at+prefetchGroup, len(b.active))]
}

// prefetchRouter loads a router's own record.
func (b *Block) prefetchRouter(router uint32) {
	prefetch.Line(unsafe.Pointer(b.routers.at(router)))
}

// prefetchLanes loads the lanes whose packets will move and those by which they will leave.
func (b *Block) prefetchLanes(r *routerState) {
	prefetch.Lines(unsafe.Pointer(b.lanes.at(r.lanes)), r.armed>>r.first|r.used)
	prefetch.Lines(unsafe.Pointer(b.clocks.at(r.ports)), 3)
	if r.armed&(1<<r.first-1) != 0 {
		prefetch.Lines(unsafe.Pointer(b.nics.at(r.nics)), 7)
		prefetch.Line(unsafe.Pointer(b.timers.at(r.timers)))
	}
}

// prefetchPackets loads the packets that will move, and where they will go.
func (b *Block) prefetchPackets(r *routerState) {
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
func (b *Block) prefetchTargets(r *routerState) {
	for m := r.used; m != 0; m &= m - 1 {
		down := b.lanes.at(b.lanes.at(r.lanes + uint32(bits.TrailingZeros64(m))).down)
		prefetch.Line(unsafe.Pointer(b.nth(down, down.pull)))
		prefetch.Lines(unsafe.Pointer(b.nth(down, down.tail)), 3)
	}
}
