package fabric

// parcel is a packet in a router, or credit on its way back that found no place at its outlet.
type parcel struct {
	ready int64  // ps: ready for its output, or there in the output buffer; of credit, when it is known upstream
	route uint64 // header for the next router, with adaptive routing for this one
	msg   MsgID
	flits uint16 // size; lastPacket marks the last one of its message
	out   uint16 // slot of its output; with adaptive routing once it has started
	span  uint32 // ps from head to tail
	next  uint32 // in its list
}

// parcelPool holds a block's parcels; 0 is none.
type parcelPool struct {
	parcels array[parcel]
	wishes  array[uint64] // output slots that a packet waits for, `words` words each; only with adaptive routing and virtual output queues
	words   uint32
	used    uint32
	free    uint32 // first of the free ones, linked by next
}

// maxParcels bounds the parcels of a block by address space; memory is used only for
// as many as there really are.
const maxParcels = 1 << 28

// reserve makes room for what the buffers of a network can hold.
func (g *general) reserve() error {
	b, p := g.b, &g.pool
	fifos := int64(b.layout.nicLanes) + int64(len(b.spec.Graph.NICPort))*int64(g.vcs)
	flits := int64(g.capacity) + b.spec.Router.OutputBuffer/b.spec.Packet.Flit
	count := int(min(2*fifos*flits+1, maxParcels))
	p.used = 1
	if g.adaptive && g.voq {
		p.words = uint32(g.mostWords)
		if err := p.wishes.reserve(&b.arena, count*int(p.words)); err != nil {
			return err
		}
	}
	if g.steady != nil {
		choices := int(b.layout.nicLanes)
		if g.voq {
			choices = count
		}
		if err := g.choices.reserve(&b.arena, choices); err != nil {
			return err
		}
	}
	return p.parcels.reserve(&b.arena, count)
}

// take returns a parcel to fill in.
func (p *parcelPool) take() (uint32, *parcel) {
	if id := p.free; id != 0 {
		q := p.parcels.at(id)
		p.free = q.next
		return id, q
	}
	id := p.used
	if id >= p.parcels.n {
		panic(errPackets)
	}
	p.used++
	return id, p.parcels.at(id)
}

// give takes a parcel back.
func (p *parcelPool) give(id uint32, q *parcel) {
	q.next = p.free
	p.free = id
}

// add appends a parcel to a list.
func (p *parcelPool) add(l *list, id uint32, q *parcel) {
	q.next = 0
	if l.first == 0 {
		l.first = id
	} else {
		p.parcels.at(l.last).next = id
	}
	l.last = id
}

// drop takes a parcel out of a list; the first one is found at once.
func (p *parcelPool) drop(l *list, id uint32, q *parcel) {
	if l.first == id {
		l.first = q.next
		return
	}
	before := l.first
	for p.parcels.at(before).next != id {
		before = p.parcels.at(before).next
	}
	p.parcels.at(before).next = q.next
	if l.last == id {
		l.last = before
	}
}
