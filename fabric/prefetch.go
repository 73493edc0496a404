package fabric

import (
	"math/bits"
	"unsafe"

	"fabricast/internal/prefetch"
)

// A visit touches some thirty cache lines, and in a large network none of them
// has stayed in the cache since the last window. So they are loaded ahead, in
// three steps, because the addresses of each step are read from the lines of the one before.
const (
	prefetchFrom   = 512 // routers; the state of fewer stays in the cache
	prefetchFirst  = 12  // visits ahead
	prefetchSecond = 8
	prefetchThird  = 4
)

// prefetchRouter loads a router's own state.
func (b *Block) prefetchRouter(router uint32) {
	lr := b.routers.at(router)
	prefetch.Line(unsafe.Pointer(b.armed.at(lr.masks)))
	prefetch.Line(unsafe.Pointer(b.recent.at(router)))
	prefetch.Lines3(unsafe.Pointer(b.ports.at(lr.ports)))
	prefetch.Lines3(unsafe.Pointer(b.out.at(lr.channels)))
	prefetch.Line(unsafe.Pointer(b.timers.at(lr.timers)))
	prefetch.Lines3(unsafe.Pointer(b.wiring.at(lr.ports)))
	prefetch.Lines3(unsafe.Pointer(b.nics.at(lr.nics)))
}

// prefetchChannels loads the FIFOs that will move packets, and those at the
// other end of the outputs that were used at the last visit.
func (b *Block) prefetchChannels(router uint32) {
	lr := b.routers.at(router)
	for m := *b.armed.at(lr.masks) >> lr.first; m != 0; m &= m - 1 {
		prefetch.Line(unsafe.Pointer(b.in.at(lr.channels + uint32(bits.TrailingZeros64(m)))))
	}
	for m := b.recent.at(router).channels; m != 0; m &= m - 1 {
		prefetch.Line(unsafe.Pointer(b.in.at(b.out.at(lr.channels + uint32(bits.TrailingZeros64(m))).down)))
	}
}

// prefetchPackets loads the packets that will move, and the places to which they will go.
func (b *Block) prefetchPackets(router uint32) {
	lr := b.routers.at(router)
	for m := *b.armed.at(lr.masks) >> lr.first; m != 0; m &= m - 1 {
		channel := lr.channels + uint32(bits.TrailingZeros64(m))
		in := b.in.at(channel)
		p := unsafe.Pointer(b.nth(in, channel, in.head))
		prefetch.Line(p)
		prefetch.Line(unsafe.Add(p, 64))
	}
	for m := b.recent.at(router).channels; m != 0; m &= m - 1 {
		channel := b.out.at(lr.channels + uint32(bits.TrailingZeros64(m))).down
		in := b.in.at(channel)
		prefetch.Line(unsafe.Pointer(b.nth(in, channel, in.pull)))
		p := unsafe.Pointer(b.nth(in, channel, in.tail))
		prefetch.Line(p)
		prefetch.Line(unsafe.Add(p, 64))
	}
}
