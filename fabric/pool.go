package fabric

import "math/bits"

// packetPool holds the packets of a block's FIFOs. Each FIFO has a ring of
// places that doubles when it is full, so memory follows the most packets that
// there ever were at once, and what is used together lies together. A place is an
// index in the pool; 0 is no place.
type packetPool struct {
	packets array[packet]
	spans   array[uint32] // ps from head to tail of the packet at this place as it arrived; only if layout.uneven
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

// add takes the next place at the end of a FIFO, given by its number. vc is
// the FIFO's upstream side, nil if that lies in another block.
func (b *Block) add(vc *output, in *fifo, channel uint32) uint32 {
	size := b.extras.at(channel).size()
	if in.tail-in.pull >= size {
		size = b.makeRoom(vc, in, channel)
	}
	n := in.base + in.tail&(size-1)
	in.tail++
	return n
}

// makeRoom takes the credit of packets that have left a full FIFO, to reuse
// their places, and gives it a larger ring if that does not help much. It
// returns the ring's size.
func (b *Block) makeRoom(vc *output, in *fifo, channel uint32) uint32 {
	x := b.extras.at(channel)
	if vc != nil {
		b.pullFrom(vc, in, channel)
	}
	if size := x.size(); size == 0 || in.tail-in.pull >= size*3/4 {
		b.pool.grow(in, x)
	}
	return x.size()
}

// grow gives a full FIFO a ring of twice the size.
func (p *packetPool) grow(in *fifo, x *extra) {
	old, was := *in, x.size()
	*x = *x&^extraClass | max(*x&extraClass, smallestClass) + 1
	in.base = p.ring(x.size())
	for i := old.pull; i != old.tail; i++ {
		from, to := old.base+i&(was-1), in.base+i&(x.size()-1)
		*p.packets.at(to) = *p.packets.at(from)
		if p.spans.first != nil {
			*p.spans.at(to) = *p.spans.at(from)
		}
	}
	if was != 0 {
		p.packets.at(old.base).route = uint64(*p.freed(was))
		*p.freed(was) = old.base
	}
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

// place is where the i-th packet that was put into a FIFO lies.
func (b *Block) place(in *fifo, channel, i uint32) uint32 {
	return in.base + i&(b.extras.at(channel).size()-1)
}

// nth is the i-th packet that was put into a FIFO.
func (b *Block) nth(in *fifo, channel, i uint32) *packet {
	return b.pool.packets.at(b.place(in, channel, i))
}
