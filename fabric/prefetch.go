package fabric

import (
	"math/bits"
	"unsafe"

	"fabricast/internal/prefetch"
)

// A visit touches some twenty cache lines, and in a large network none of them has stayed in the
// cache since the last window. So they are loaded ahead. The addresses of some are read from others: from
// the router's record follow the lanes whose packets will ask, from these the packets and the lanes by
// which they will leave, from those the lanes downstream, and at last the places there. So every packet that
// will ask, a move, passes through a belt on which each of these steps is taken some moves after the one
// before, when what it reads has come. Visits go on meanwhile.
const (
	// recordsAhead and movesAhead are for how many visits a router's record is loaded ahead, and its
	// lanes are. A window of fewer visits is not worth the trouble.
	recordsAhead = 2 * movesAhead
	movesAhead   = 16
	hostsAhead   = movesAhead / 2 // when the endpoint's records of hosts, loaded with the moves, are followed further
	// beltStep is the number of moves between two steps, beltSize that of the moves on the belt, a power of two.
	beltStep = 6
	beltSize = 32
)

// move is a packet that will ask for its output soon, by the numbers of the lanes that it will use.
type move struct {
	in, out, down uint32
	lanes         uint32 // first lane of its router
	packet        uint32 // its place
	kind          moveKind
}

// moveKind says which packet of a lane a move is, and how it came onto the belt.
type moveKind uint32

const (
	headMove   moveKind = iota // the first one of a lane that has a timer; of a NIC's channel, what it will send
	secondMove                 // the one behind the first, which goes another way
	parkedMove                 // the first one of a lane that waits for the holder of an output that may go
	noMove                     // none: it only pushes the others on
)

// belt holds the moves whose lines are being loaded.
type belt struct {
	moves [beltSize]move
	n     uint32
	list  [prefetch.Most]uintptr
}

// size is how many bytes the state of the block's routers and their packets takes.
func (b *Block) size() uint64 {
	return b.recordBytes + uint64(b.pool.used)*uint64(unsafe.Sizeof(packet{}))
}

// measure adds up the records that the visits of a block's routers use.
func (b *Block) measure() {
	for i := b.first; i < b.first+b.count; i++ {
		r := b.routers.at(i)
		ports := uint64(r.slots) / uint64(b.vcs)
		b.recordBytes += uint64(unsafe.Sizeof(*r)) + uint64(r.slots)*uint64(unsafe.Sizeof(lane{})) +
			ports*uint64(unsafe.Sizeof(clock{})) + uint64(r.nNICs)*uint64(unsafe.Sizeof(nic{}))
	}
}

// visitAhead visits the active routers, and loads ahead what the visits need.
func (b *Block) visitAhead() {
	for i := range recordsAhead {
		b.loadRecord(b.active[i])
	}
	for i := range movesAhead {
		b.loadLanes(b.active[i])
	}
	for i, r := range b.active {
		if i+recordsAhead < len(b.active) {
			b.loadRecord(b.active[i+recordsAhead])
		}
		if i+movesAhead < len(b.active) {
			b.loadLanes(b.active[i+movesAhead])
		} else { // for those that are still on the belt
			m := &b.belt.moves[b.belt.n%beltSize]
			b.loadMove(m.in, m.lanes, noMove)
		}
		if b.prefetcher != nil && i+hostsAhead < len(b.active) {
			b.loadHosts(b.active[i+hostsAhead])
		}
		b.visit(b.routers.at(b.first + r))
	}
}

// loadRecord loads the record of a router of the block, and what is due there.
func (b *Block) loadRecord(r uint32) {
	prefetch.Two(address(b.routers.at(b.first+r)), address(b.due.at(b.row+b.first+r)))
}

// loadLanes loads what the visit of a router of the block will use: its ports' clocks, its NIC if that will do
// something, and the lanes whose packets will ask.
func (b *Block) loadLanes(r uint32) {
	at := b.routers.at(b.first + r)
	clocks := address(b.clocks.at(at.ports))
	prefetch.Two(clocks, clocks+prefetch.LineSize)
	prefetch.Line(unsafe.Pointer(b.clocks.at(at.ports + uint32(at.slots)/b.vcs - 1)))
	due := *b.due.at(b.row + at.number)
	if own := due & (1<<(at.first&63) - 1); own != 0 {
		b.loadOwn(at, own)
	}
	for m := due >> (at.first & 63); m != 0; m &= m - 1 {
		b.loadMove(at.lanes+uint32(bits.TrailingZeros64(m)), at.lanes, headMove)
	}
}

// loadOwn loads what the visit of a router of the block will use for those timers that are its hosts' and NICs'.
func (b *Block) loadOwn(at *routerState, due uint64) {
	timers := address(b.timers.at(at.timers))
	if b.prefetcher != nil {
		for m := due & (1<<(at.wakes&63) - 1); m != 0; m &= m - 1 {
			b.prefetcher.PrefetchHost(int32(at.hosts + uint32(bits.TrailingZeros64(m))))
		}
	}
	for m := due >> at.wakes; m != 0; m &= m - 1 {
		nic := at.nics + uint32(bits.TrailingZeros64(m))
		from := address(b.nics.at(nic))
		prefetch.Two(from, from+prefetch.LineSize)
		prefetch.Two(from+2*prefetch.LineSize, timers)
		channel := b.nicLanes + nic*b.vcs // names the channel by which the NIC's packets leave as if these were its first one's
		b.loadMove(channel, channel, headMove)
	}
}

// loadHosts lets the endpoint load more of what it will use of those hosts of a router of the block whose timers are due.
func (b *Block) loadHosts(r uint32) {
	at := b.routers.at(b.first + r)
	for m := *b.due.at(b.row + at.number) & (1<<(at.wakes&63) - 1); m != 0; m &= m - 1 {
		b.prefetcher.PrefetchWork(int32(at.hosts + uint32(bits.TrailingZeros64(m))))
	}
}

// loadMove puts a move on the belt, and takes a step with each of three others.
func (b *Block) loadMove(in, lanes uint32, kind moveKind) {
	x := &b.belt
	n := x.n
	x.n = n + 1
	m := &x.moves[n%beltSize]
	m.in, m.lanes, m.kind = in, lanes, kind
	x.list[0] = address(b.lanes.at(in))

	m = &x.moves[(n-beltStep)%beltSize]
	from := b.lanes.at(m.in)
	m.out = m.lanes + uint32(from.next)
	m.packet = from.base + from.head&(from.size-1)
	if m.kind == secondMove && from.tail-from.head > 1 {
		m.packet = from.base + (from.head+1)&(from.size-1)
		m.out = m.lanes + uint32(b.pool.packets.at(m.packet).out)
	}
	x.list[1] = address(b.pool.packets.at(m.packet))
	behind := from.head + min(from.tail-from.head, 4)
	x.list[8], x.list[10] = b.place(from, behind-2), b.place(from, behind)
	x.list[2] = address(b.lanes.at(m.out))

	m = &x.moves[(n-2*beltStep)%beltSize]
	out := b.lanes.at(m.out)
	m.down = out.down
	if b.observer != nil {
		b.observer.load(out.clock)
	}
	x.list[3] = address(b.lanes.at(m.down))
	if router := out.router; router >= 0 {
		x.list[4] = address(b.due.at(b.arrivals + uint32(router)))
		x.list[5] = address(b.due.at(b.lateArrivals + uint32(router)))
	} else if out.way&host != 0 {
		x.list[4] = address(&b.nics.at(uint32(^router)).moveEnd)
		x.list[5] = address(b.Message(b.pool.packets.at(m.packet).msg))
	}

	down := b.lanes.at(x.moves[(n-3*beltStep)%beltSize].down)
	x.list[6], x.list[9], x.list[11] = b.place(down, down.tail), b.place(down, down.tail+2), b.place(down, down.tail+4)
	x.list[7] = b.place(down, down.pull)
	prefetch.All(&x.list)
	b.loadAfter(*m, out)
}

// loadAfter puts on the belt what follows from a move whose packet and output lane are at hand: the packet
// behind it if that goes another way, and one that will ask when this one has gone.
func (b *Block) loadAfter(m move, out *lane) {
	from := b.lanes.at(m.in)
	switch {
	case m.kind == headMove:
		if from.tail-from.head > 1 && b.nth(from, from.head+1).out != from.next {
			b.loadMove(m.in, m.lanes, secondMove)
		}
		if out.park != 0 {
			b.loadMove(m.lanes+uint32(out.park)-1, m.lanes, parkedMove)
		}
	case m.kind == parkedMove && uint64(from.timer)-1 < uint64(b.lanes.n-m.lanes): // and has not been woken since
		b.loadMove(m.lanes+uint32(from.timer)-1, m.lanes, parkedMove)
	}
}

// address is the address of a record.
func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// place is the address of the i-th packet that was put into a lane's FIFO, or any address if its ring has no places.
func (b *Block) place(in *lane, i uint32) uintptr {
	return uintptr(b.pool.packets.first) + uintptr(in.base+i&(in.size-1))*unsafe.Sizeof(packet{})
}
