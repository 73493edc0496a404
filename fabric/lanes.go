package fabric

import (
	"math/bits"
	"unsafe"

	"fabricast/internal/offheap"
	"fabricast/internal/prefetch"
)

// packetPool holds the packets of a block's FIFOs. Each FIFO with packets has a ring of entries that
// doubles when it is full. Most FIFOs give their ring back when they become empty, and the next one
// that needs a ring takes the one given back last, which is in the cache. So memory follows the number
// of packets under way, and not the number of FIFOs. A place is an index of an entry in the array that all
// blocks share, so that a FIFO can move to another block; 0 is none. A block hands out the places of
// its own range.
type packetPool struct {
	packets array[packet]
	// ps from head to tail of the packet at this place on arrival; 0 if its tail was already there.
	// Only if layout.uneven.
	spans array[uint32]
	own   span   // places that this block hands out
	used  uint32 // the first of them that has never been handed out
	swept uint32 // how often it was to grow, see vcLanes.makeFree
	// by log2 of the ring's size: the first place of the first free ring, which links to the next
	free [32]uint32
}

const (
	smallestClass = 2 // log2 of the smallest ring
	smallestRing  = 1 << smallestClass
	// maxPlaces bounds the packets of a block by address space (50 GB), and those of all blocks are
	// numbered in 32 bits. Only the memory of packets that exist is used.
	maxPlaces = 1 << 31
)

// vcLanes holds the virtual channels of a block's routers on the fast path, with the packets in
// their FIFOs.
type vcLanes struct {
	*layout
	events  *eventWheel
	all     array[lane]
	more    array[laneMore]  // by lane
	ports   array[portState] // by port, those of NICs last
	pool    packetPool
	classes array[linkLayout]
	// routers of the block, and by how many rings the pool grows from one sweep to the next; 0: none
	count, sweepEvery uint32
}

// at returns a lane by its number.
func (v *vcLanes) at(number uint32) *lane { return v.all.at(number) }

// newPacketPool allocates room for the packets of that many FIFOs in each of so many blocks.
func newPacketPool(
	arena *offheap.Arena, l *layout, fifos, blocks int,
) (p packetPool, each uint32, err error) {
	largest := int64(max(smallestRing, 2*l.capacity))
	each = shareOf(min(int64(fifos)*2*largest+smallestRing, maxPlaces), blocks)
	if l.uneven {
		if err := p.spans.reserve(arena, int(each)*blocks); err != nil {
			return p, each, err
		}
	}
	return p, each, p.packets.reserve(arena, int(each)*blocks)
}

// of returns the pool of the block with a number, which has so many places of its own.
func (p packetPool) of(block int, each uint32) packetPool {
	p.own = spanOf(block, each)
	p.used = p.own.first + smallestRing
	return p
}

// restart readies a lane's empty FIFO for a packet of so many flits, which its upstream side sends
// now. It moves the FIFO back to the first place of its ring, if the upstream side knows by now that
// all of its space is free. The packets of a lane that is seldom full then stay in one cache line.
func (v *vcLanes) restart(up, in *lane, now int64, flits int32) {
	if in.way&drained != 0 {
		v.reopen(up, in, now, flits)
	} else if in.timer+v.classes.at(uint32(in.class)).credit <= now {
		up.credit = v.capacity - flits
		in.pull, in.head, in.tail = 0, 0, 0
	}
}

// below returns the lane from which an output lane pulls credit, by their numbers.
func (v *vcLanes) below(number uint32) uint32 {
	return v.ports.at(number/v.vcs).down + number%v.vcs
}

// reopen does what restart does for a FIFO that has no ring.
func (v *vcLanes) reopen(up, in *lane, now int64, flits int32) {
	gone, at := in.base, in.timer+v.classes.at(uint32(in.class)).credit
	v.makeFree()
	v.takeRing(in)
	up.credit = v.capacity - flits
	if gone != 0 && at > now {
		up.credit -= int32(gone)
		*v.pool.packets.at(in.base) = packet{time: at, flits: uint16(gone)}
		in.head, in.tail = 1, 1
	}
}

// takeRing gives a FIFO without a ring the smallest one.
func (v *vcLanes) takeRing(in *lane) {
	in.way &^= drained
	in.base, in.mask = v.pool.ring(smallestRing), smallestRing-1
}

// drain gives back the ring of a FIFO that has become empty, if no more than the credit of its last
// packet has yet to become known upstream. What is known there at the start of the window is known to
// the upstream router whenever it looks.
func (v *vcLanes) drain(in *lane) {
	gone := uint32(0)
	if in.pull != in.head {
		last := in.head - 1
		if last != in.pull && v.nth(in, last-1).time > v.events.calendar.start {
			return
		}
		gone = uint32(v.nth(in, last).flits & flitMask)
	}
	v.pool.drop(in)
	in.way |= drained
	in.base, in.mask, in.pull, in.head, in.tail = gone, 0, 0, 0, 0
}

// onTheWay returns how many flits of a drained FIFO's credit are not known upstream now.
func (v *vcLanes) onTheWay(in *lane) int32 {
	if in.timer+v.classes.at(uint32(in.class)).credit <= v.events.now {
		return 0
	}
	return int32(in.base)
}

// add returns the next place at the end of a lane's FIFO. up is its upstream side, nil if that lies
// in another block.
func (v *vcLanes) add(up, in *lane) uint32 {
	if in.full() {
		v.makeRoom(up, in)
	}
	n := in.base + uint32(in.tail&in.mask)
	in.tail++
	return n
}

// pullAtOnce is how many packets that have left are examined when a ring is full. They take one or
// two cache lines, which the next packets will use.
const pullAtOnce = 4

// makeRoom makes a free place in a full FIFO. It takes the credit of packets that have left, to
// reuse their places; if there are none it doubles the ring.
func (v *vcLanes) makeRoom(up, in *lane) {
	if in.mask == 0 {
		v.takeRing(in)
		return
	}
	if up != nil {
		v.pull(up, in, pullAtOnce)
	}
	if in.full() {
		v.pool.grow(in)
	}
}

// grow doubles the ring of a FIFO.
func (p *packetPool) grow(in *lane) {
	old, was := in.base, in.mask
	in.mask = 2*was + 1
	in.base = p.ring(in.places())
	for i := in.pull; i != in.tail; i++ {
		from, to := old+uint32(i&was), in.base+uint32(i&in.mask)
		*p.packets.at(to) = *p.packets.at(from)
		if p.spans.first != nil {
			*p.spans.at(to) = *p.spans.at(from)
		}
	}
	p.give(old, uint32(was)+1)
}

// give takes back a ring by its first place.
func (p *packetPool) give(base, size uint32) {
	p.packets.at(base).route = uint64(*p.freed(size))
	*p.freed(size) = base
}

// drop gives the ring of a FIFO back.
func (p *packetPool) drop(in *lane) {
	if in.mask != 0 {
		p.give(in.base, in.places())
	}
}

// freed returns a pointer to the first free ring of a size; 0 = none.
func (p *packetPool) freed(size uint32) *uint32 { return &p.free[bits.TrailingZeros32(size)] }

// ring returns the first of `size` consecutive free places; size is a power of two.
func (p *packetPool) ring(size uint32) uint32 {
	if n := *p.freed(size); n != 0 {
		next := uint32(p.packets.at(n).route)
		*p.freed(size) = next
		prefetch.Line(unsafe.Pointer(p.packets.at(next))) // of several in a row, only the first was at hand
		return n
	}
	n := p.used
	if uint64(n)+uint64(size) > uint64(p.own.end) {
		panic(errPackets)
	}
	p.used += size
	return n
}

// nth returns the packet number i of a lane's FIFO, in the order of arrival.
func (v *vcLanes) nth(in *lane, i uint16) *packet {
	return v.pool.packets.at(in.base + uint32(i&in.mask))
}

// pull takes the credit of at most `most` packets that have left the FIFO downstream (or its ghost
// in this block) and whose space is free by now.
func (v *vcLanes) pull(out, down *lane, most uint16) {
	pull, credit := down.pull, out.credit
	for last := pull + min(most, down.head-pull); pull != last; {
		p := v.nth(down, pull)
		if p.time > v.events.now {
			break
		}
		credit += int32(p.flits & flitMask)
		pull++
	}
	down.pull, out.credit = pull, credit
}

// credited reports whether an output lane has credit for that many flits. It takes only as much of
// the returned credit as that needs from the lane `down`.
func (v *vcLanes) credited(out, down *lane, flits int32) bool {
	credit := out.credit
	if credit >= flits {
		return true
	}
	if down.way&drained != 0 {
		out.credit = v.capacity - v.onTheWay(down)
		return out.credit >= flits
	}
	pull := down.pull
	for pull != down.head {
		p := v.nth(down, pull)
		if p.time > v.events.now {
			break
		}
		pull++
		if credit += int32(p.flits & flitMask); credit >= flits {
			break
		}
	}
	down.pull, out.credit = pull, credit
	return credit >= flits
}

// leaveBehind adds a packet that has already left to the FIFO `down` from which a lane pulls its
// credit, where no packets wait (a ghost, or a NIC's receive buffer). Its credit is known from the time
// `at` (ps) on.
func (v *vcLanes) leaveBehind(out, down *lane, at int64, flits uint16) {
	*v.pool.packets.at(v.add(out, down)) = packet{time: at, flits: flits}
	down.head = down.tail
}

// place returns the address of packet number i of a lane's FIFO, or any address if its ring is
// empty.
func (v *vcLanes) place(in *lane, i uint16) uintptr {
	return uintptr(v.pool.packets.first) + uintptr(in.base+uint32(i&in.mask))*unsafe.Sizeof(packet{})
}

// shorten reduces the time between head and tail of a FIFO's first packet by `late` ps: the packet
// could not ask at once.
func (v *vcLanes) shorten(in *lane, late int64) {
	span := v.pool.spans.at(in.base + uint32(in.head&in.mask))
	*span -= uint32(min(int64(*span), late))
}

// walk returns the sum of the flits of a FIFO's packets, both those that have left and those in the
// buffer.
func (v *vcLanes) walk(number uint32) (flits int64) {
	in := v.at(number)
	if in.way&drained != 0 {
		return int64(in.base)
	}
	for i := in.pull; i != in.tail; i++ {
		flits += int64(v.nth(in, i).flits & flitMask)
	}
	return flits
}

// head returns the first packet in the buffer of a lane.
func (v *vcLanes) head(lane uint32) *packet {
	in := v.at(lane)
	return v.nth(in, in.head)
}
