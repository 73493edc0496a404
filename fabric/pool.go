package fabric

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
	mask := uint32(1)<<(*b.extras.at(channel)&extraSize) - 1
	if in.tail-in.pull >= mask {
		mask = b.makeRoom(vc, in, channel)
	}
	n := in.base + in.tail&mask
	in.tail++
	return n
}

// makeRoom takes the credit of packets that have left a full FIFO, to reuse
// their places, and gives it a larger ring if that does not help much. One
// place stays empty.
func (b *Block) makeRoom(vc *output, in *fifo, channel uint32) (mask uint32) {
	x := b.extras.at(channel)
	if vc != nil && in.base != 0 {
		b.pullFrom(vc, in, channel)
	}
	if size := uint32(1) << (*x & extraSize); in.base == 0 || in.tail-in.pull > size/2 {
		b.pool.grow(in, x)
	}
	return uint32(1)<<(*x&extraSize) - 1
}

// grow gives a full FIFO a ring of twice the size.
func (p *packetPool) grow(in *fifo, x *extra) {
	old, size := *in, uint32(1)<<(*x&extraSize)
	class := uint(smallestClass)
	if old.base != 0 {
		class = uint(*x&extraSize) + 1
	}
	in.base = p.ring(class)
	*x = *x&^extraSize | extra(class)
	for i := old.pull; i != old.tail; i++ {
		from, to := old.base+i&(size-1), in.base+i&(1<<class-1)
		*p.packets.at(to) = *p.packets.at(from)
		if p.spans.first != nil {
			*p.spans.at(to) = *p.spans.at(from)
		}
	}
	if old.base != 0 {
		p.packets.at(old.base).route = uint64(p.free[class-1])
		p.free[class-1] = old.base
	}
}

// ring returns the first of 2^class free places.
func (p *packetPool) ring(class uint) uint32 {
	if n := p.free[class]; n != 0 {
		p.free[class] = uint32(p.packets.at(n).route)
		return n
	}
	n, size := p.used, uint32(1)<<class
	if uint64(n)+uint64(size) > uint64(p.packets.n) {
		panic(errPackets)
	}
	p.used += size
	return n
}

// place is where the i-th packet that was put into a FIFO lies.
func (b *Block) place(in *fifo, channel, i uint32) uint32 {
	return in.base + i&(1<<(*b.extras.at(channel)&extraSize)-1)
}

// nth is the i-th packet that was put into a FIFO.
func (b *Block) nth(in *fifo, channel, i uint32) *packet {
	return b.pool.packets.at(b.place(in, channel, i))
}
