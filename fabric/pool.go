package fabric

import "errors"

// packetPool holds the packets of a block's FIFOs. A FIFO is a list of chunks
// of consecutive packets: what is used together lies together, and memory
// follows the number of packets that are really there. A packet's place is its
// index in the pool; the first chunk is not used, so that 0 is no place.
type packetPool struct {
	packets array[packet]
	spans   array[uint32] // ps from head to tail of the packet at this place as it arrived; only if layout.uneven
	links   array[uint32] // by chunk: first place of the FIFO's next chunk, or of the next free chunk
	shift   uint8         // log2 of a chunk's packets
	mask    uint32
	used    uint32 // places handed out so far
	free    uint32 // first place of the first free chunk; 0 = none
}

// maxPlaces bounds the packets of a block by address space (50 GB). Memory is
// used only for as many as there really are.
const maxPlaces = 1 << 31

// reserve makes room for the packets of that many FIFOs.
func (b *Block) reserve(fifos int) error {
	p := &b.pool
	p.shift = 2
	for p.shift < 4 && int64(b.capacity) >= 2*b.maxFlits<<p.shift {
		p.shift++
	}
	p.mask = 1<<p.shift - 1
	p.used = 1 << p.shift
	places := int(min(int64(fifos)*(int64(b.capacity)+2<<p.shift)+2<<p.shift, maxPlaces))
	if b.uneven {
		if err := p.spans.reserve(&b.arena, places); err != nil {
			return err
		}
	}
	return errors.Join(p.packets.reserve(&b.arena, places), p.links.reserve(&b.arena, places>>p.shift))
}

func (p *packetPool) newChunk() uint32 {
	if n := p.free; n != 0 {
		p.free = *p.links.at(n >> p.shift)
		return n
	}
	n := p.used
	p.used += p.mask + 1
	if p.used > p.packets.n {
		panic(errPackets)
	}
	return n
}

func (p *packetPool) freeChunk(place uint32) {
	first := place &^ p.mask
	*p.links.at(first >> p.shift) = p.free
	p.free = first
}

// after is the place that follows in the same FIFO.
func (p *packetPool) after(place uint32) uint32 {
	if next := place + 1; next&p.mask != 0 {
		return next
	}
	return *p.links.at(place >> p.shift)
}

// place takes the next place at the end of a FIFO's list.
func (p *packetPool) place(in *fifo) uint32 {
	n := in.tail
	if n&p.mask == 0 || (n+1)&p.mask == 0 {
		return p.placeAtEdge(in)
	}
	in.tail = n + 1
	return n
}

// placeAtEdge is place where the FIFO's list may get its first chunk, or its next.
func (p *packetPool) placeAtEdge(in *fifo) uint32 {
	n := in.tail
	if n == 0 {
		n = p.newChunk()
		in.pull, in.head = n, n
	}
	if in.tail = n + 1; in.tail&p.mask == 0 {
		in.tail = p.newChunk()
		*p.links.at(n >> p.shift) = in.tail
	}
	return n
}

// drop takes the first packet off a FIFO's list.
func (p *packetPool) drop(in *fifo) {
	n := in.pull
	if next := n + 1; next&p.mask != 0 && next != in.tail {
		in.pull = next
		return
	}
	p.dropAtEdge(in)
}

// dropAtEdge is drop where a chunk may become free.
func (p *packetPool) dropAtEdge(in *fifo) {
	n := in.pull
	in.pull = p.after(n)
	if in.pull == in.tail {
		p.freeChunk(in.pull)
		in.pull, in.head, in.tail = 0, 0, 0
	}
	if (n+1)&p.mask == 0 {
		p.freeChunk(n)
	}
}
