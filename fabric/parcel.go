package fabric

// parcel is a packet in a router, or a returning credit for which its output VC had no place.
type parcel struct {
	// ps: when the packet is ready for its output, or has arrived in the output buffer; for credit,
	// when it is known upstream
	ready int64
	route uint64 // header for the next router, with adaptive routing for this one
	msg   MsgID
	flits uint16 // size; lastPacket marks the last one of its message
	out   uint16 // slot of its output; with adaptive routing once it has started
	span  uint32 // ps from head to tail
	next  uint32 // in its list
}

// parcelPool holds a block's parcels; 0 is none. Their array is that of all blocks, so that a
// parcel can move to another block. A block hands out those of its own range.
type parcelPool struct {
	parcels array[parcel]
	// output slots that a packet waits for, `words` words for each parcel; only with adaptive
	// routing and virtual output queues
	wishes array[uint64]
	words  uint32
	own    span   // parcels that this block hands out
	used   uint32 // the first of them that has never been handed out
	free   uint32 // first of the free ones, linked by next
}

// maxParcels bounds the parcels of a block by address space. Only the memory of parcels that exist
// is used.
const maxParcels = 1 << 28

// take returns a free parcel for the caller to fill in.
func (p *parcelPool) take() (uint32, *parcel) {
	if id := p.free; id != 0 {
		q := p.parcels.at(id)
		p.free = q.next
		return id, q
	}
	id := p.used
	if id >= p.own.end {
		panic(errPackets)
	}
	p.used++
	return id, p.parcels.at(id)
}

// give returns a parcel to the pool.
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

// drop removes a parcel from a list. Removing the first one takes constant time.
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

// walk returns the number of parcels in a list and the sum of their flits.
func (p *parcelPool) walk(l list) (count uint64, flits int64) {
	for id := l.first; id != 0; id = p.parcels.at(id).next {
		count++
		flits += int64(p.parcels.at(id).flits & flitMask)
	}
	return count, flits
}
