package fabric

import "math/bits"

// packetPool holds the packets of a block's FIFOs. Each FIFO has a ring of
// places that doubles when it is full, so memory follows the most packets that
// there ever were at once, and what is used together lies together. A place is an
// index in the pool; 0 is no place.
type packetPool struct {
	packets array[packet]
	spans   array[uint32] // ps from head to tail of the packet at this place as it arrived; only if layout.uneven; 0 if it was there
	used    uint32        // places handed out so far
	free    [32]uint32    // by log2 of its size: first place of the first ring given back, which links to the next
}

const (
	smallestClass = 2 // log2 of the smallest ring
	smallestRing  = 1 << smallestClass
	// maxPlaces bounds the packets of a block by address space (50 GB). Memory is
	// used only for as many as there really are.
	maxPlaces = 1 << 31
)

// reserve makes room for the packets of that many FIFOs.
func (b *Block) reserve(fifos int) error {
	p := &b.pool
	p.used = smallestRing
	largest := int64(max(smallestRing, 2*b.capacity))
	places := int(min(int64(fifos)*2*largest+smallestRing, maxPlaces))
	if b.uneven {
		if err := p.spans.reserve(&b.arena, places); err != nil {
			return err
		}
	}
	return p.packets.reserve(&b.arena, places)
}

// restart lets a lane's empty FIFO begin anew at the first place of its ring if all of its space is known
// by now to be free at its upstream side, which is about to send so many flits: then the packets of a lane that
// is seldom full keep to one cache line.
func (b *Block) restart(up, in *lane, now int64, flits int32) {
	if in.timer+b.classes.at(uint32(in.class)).credit <= now {
		up.credit = b.capacity - flits
		in.pull, in.head, in.tail = 0, 0, 0
	}
}

// add takes the next place at the end of a lane's FIFO. up is its upstream side,
// nil if that lies in another block.
func (b *Block) add(up, in *lane) uint32 {
	if in.tail-in.pull >= in.size {
		b.makeRoom(up, in)
	}
	n := in.base + in.tail&(in.size-1)
	in.tail++
	return n
}

// pullAtOnce is how many places of packets that have left are looked at when a ring is full: those of
// one or two cache lines, which the packets that come next will use.
const pullAtOnce = 4

// makeRoom takes the credit of packets that have left a full FIFO, to reuse
// their places, or gives it a larger ring if there are none.
func (b *Block) makeRoom(up, in *lane) {
	if in.size == 0 {
		in.size = smallestRing
		in.base = b.pool.ring(smallestRing)
		return
	}
	if up != nil {
		b.pull(up, in, pullAtOnce)
	}
	if in.tail-in.pull >= in.size {
		b.pool.grow(in)
	}
}

// grow gives a FIFO a ring of twice the size.
func (p *packetPool) grow(in *lane) {
	old, was := in.base, in.size
	in.size = 2 * was
	in.base = p.ring(in.size)
	for i := in.pull; i != in.tail; i++ {
		from, to := old+i&(was-1), in.base+i&(in.size-1)
		*p.packets.at(to) = *p.packets.at(from)
		if p.spans.first != nil {
			*p.spans.at(to) = *p.spans.at(from)
		}
	}
	p.packets.at(old).route = uint64(*p.freed(was))
	*p.freed(was) = old
}

// freed is the first of the rings of a size that were given back; 0 = none.
func (p *packetPool) freed(size uint32) *uint32 { return &p.free[bits.TrailingZeros32(size)] }

// ring returns the first of that many free places, a power of two.
func (p *packetPool) ring(size uint32) uint32 {
	if n := *p.freed(size); n != 0 {
		*p.freed(size) = uint32(p.packets.at(n).route)
		return n
	}
	n := p.used
	if uint64(n)+uint64(size) > uint64(p.packets.n) {
		panic(errPackets)
	}
	p.used += size
	return n
}

// nth is the i-th packet that was put into a lane's FIFO.
func (b *Block) nth(in *lane, i uint32) *packet {
	return b.pool.packets.at(in.base + i&(in.size-1))
}
