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
	free    [32]uint32    // by log2 of its size: first place of the first ring given back; 0 = none
}

const (
	smallestRing = 4 // places
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

// add takes the next place at the end of a FIFO. vc is the FIFO's upstream
// side, nil if that lies in another block.
func (b *Block) add(vc *output, in *fifo) uint32 {
	if in.tail-in.pull >= in.size {
		b.makeRoom(vc, in)
	}
	n := in.base + in.tail&(in.size-1)
	in.tail++
	return n
}

// makeRoom takes the credit of packets that have left a full FIFO, to reuse their
// places, and gives it a larger ring if that does not help much.
func (b *Block) makeRoom(vc *output, in *fifo) {
	for vc != nil && b.pullOne(vc, in) {
	}
	if in.tail-in.pull > in.size/2 || in.size == 0 {
		b.pool.grow(in)
	}
}

// grow gives a full FIFO a ring of twice the size.
func (p *packetPool) grow(in *fifo) {
	old := *in
	in.size = max(smallestRing, 2*old.size)
	in.base = p.ring(in.size)
	for i := old.pull; i != old.tail; i++ {
		from, to := old.base+i&(old.size-1), in.base+i&(in.size-1)
		*p.packets.at(to) = *p.packets.at(from)
		if p.spans.first != nil {
			*p.spans.at(to) = *p.spans.at(from)
		}
	}
	if old.size > 0 {
		class := bits.TrailingZeros32(old.size)
		p.packets.at(old.base).route = uint64(p.free[class])
		p.free[class] = old.base
	}
}

// ring returns the first of that many free places; size is a power of two.
func (p *packetPool) ring(size uint32) uint32 {
	class := bits.TrailingZeros32(size)
	if n := p.free[class]; n != 0 {
		p.free[class] = uint32(p.packets.at(n).route)
		return n
	}
	n := p.used
	if uint64(n)+uint64(size) > uint64(p.packets.n) {
		panic(errPackets)
	}
	p.used += size
	return n
}

// at is the place of the i-th packet that was put into the FIFO.
func (f *fifo) at(i uint32) uint32 { return f.base + i&(f.size-1) }
