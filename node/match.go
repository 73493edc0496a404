package node

// unexpected is a message that has arrived, or soon arrives from the rank
// itself, and that no receive has met yet.
type unexpected struct {
	at      int64 // ps: arrival
	size    int64 // bytes
	slot    int32 // of the rank that it came to
	source  int32
	tag     int32
	context int32
	payload uint32            // contents, 0 if none
	next    uint32            // in the queue of its exact (source, tag)
	links   [shapes + 1]links // in the queue of each shape the rank uses, and in the ring of all of the rank
}

// all is the index of the links in the ring of all of a rank's messages.
const all = shapes

// links are an element's neighbours in a doubly linked ring.
type links struct{ next, prev uint32 }

// key is the pattern that only the message's like match.
func (u *unexpected) key() key { return key{u.slot, u.context, u.source, u.tag} }

// find returns the place of the key's queue in the table, or -1. A key never
// has both receives and messages: they would have met.
func (b *Block) find(k key) int {
	t := &b.queues
	if t.count == 0 {
		return -1
	}
	hash := k.hash()
	mask := uint32(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		q := t.slots[i]
		if q.last == 0 {
			return -1
		}
		if q.hash == hash && b.keyOf(q) == k {
			return int(i)
		}
	}
}

// keyOf reads a queue's key from one of its elements.
func (b *Block) keyOf(q queue) key {
	if q.posted() {
		return b.requests.at(q.element()).key()
	}
	return b.unexpected.at(q.element()).key().as(int(q.last & (1<<queueBits - 1)))
}

// takePosted removes and returns the receive that a message meets: of those
// whose pattern fits, the one posted first. 0 if there is none.
func (b *Block) takePosted(r *rank, k key) uint32 {
	best, place := b.firstPosted(k)
	for s := range shapes {
		if !r.uses(s) {
			continue
		}
		first, i := b.firstPosted(k.as(s))
		// Receives are numbered modulo 2^32; differences tell their order.
		if first != 0 && (best == 0 || int32(b.requests.at(first).order-b.requests.at(best).order) < 0) {
			best, place = first, i
		}
	}
	if best != 0 {
		b.dropPosted(place, best)
	}
	return best
}

// firstPosted returns the first receive with a pattern and the place of its
// queue; 0 if there is none.
func (b *Block) firstPosted(k key) (id uint32, place int) {
	i := b.find(k)
	if i < 0 || !b.queues.slots[i].posted() {
		return 0, -1
	}
	return b.requests.at(b.queues.slots[i].element()).next, i
}

// dropPosted removes the first receive of a queue.
func (b *Block) dropPosted(place int, first uint32) {
	if last := b.queues.slots[place].element(); last != first {
		b.requests.at(last).next = b.requests.at(first).next
		return
	}
	b.queues.remove(place)
}

// post appends a receive to the queue of its pattern.
func (b *Block) post(r *rank, id uint32, q *request) {
	q.order = r.orders
	r.orders++
	k := q.key()
	i := b.find(k)
	if i < 0 {
		q.next = id
		b.queues.insert(k.hash(), id, postedQueue)
		return
	}
	last := b.requests.at(b.queues.slots[i].element())
	q.next, last.next = last.next, id
	b.queues.setLast(i, id)
}

// findUnexpected returns the first message that fits the pattern, 0 if there is none.
func (b *Block) findUnexpected(r *rank, pattern key) uint32 {
	if r.allUnexpected == 0 {
		// A shape must be in use before the first receive with it is posted.
		r.use(pattern.shape())
		return 0
	}
	s := pattern.shape()
	b.useShape(r, s)
	i := b.find(pattern)
	if i < 0 || b.queues.slots[i].posted() {
		return 0
	}
	last := b.unexpected.at(b.queues.slots[i].element())
	if s == exact {
		return last.next
	}
	return last.links[s].next
}

// addUnexpected queues a message that no receive has met.
func (b *Block) addUnexpected(r *rank, id uint32) {
	u := b.unexpected.at(id)
	k := u.key()
	if i := b.find(k); i < 0 {
		u.next = id
		b.queues.insert(k.hash(), id, exact)
	} else {
		last := b.unexpected.at(b.queues.slots[i].element())
		u.next, last.next = last.next, id
		b.queues.setLast(i, id)
	}
	r.allUnexpected = b.link(r.allUnexpected, id, all)
	for s := range shapes {
		if r.uses(s) {
			b.linkShape(k.as(s), id, s)
		}
	}
}

// removeUnexpected takes a message out of all its queues. It is the first of
// its exact queue, because all in there match the same patterns.
func (b *Block) removeUnexpected(r *rank, id uint32) {
	u := b.unexpected.at(id)
	k := u.key()
	i := b.find(k)
	if last := b.queues.slots[i].element(); last != id {
		b.unexpected.at(last).next = u.next
	} else {
		b.queues.remove(i)
	}
	r.allUnexpected = b.unlink(r.allUnexpected, id, all)
	for s := range shapes {
		if r.uses(s) {
			b.unlinkShape(k.as(s), id, s)
		}
	}
}

// useShape begins to keep the queues of a wildcard shape for a rank when it
// first uses it. Ranks without wildcards never pay for them.
func (b *Block) useShape(r *rank, shape int) {
	if shape == exact || r.uses(shape) {
		return
	}
	r.use(shape)
	for id := range b.unexpectedOf(r) {
		b.linkShape(b.unexpected.at(id).key().as(shape), id, shape)
	}
}

// unexpectedOf yields a rank's unexpected messages in order of arrival.
func (b *Block) unexpectedOf(r *rank) func(yield func(id uint32) bool) {
	return func(yield func(id uint32) bool) {
		last := r.allUnexpected
		if last == 0 {
			return
		}
		for id := b.unexpected.at(last).links[all].next; yield(id) && id != last; {
			id = b.unexpected.at(id).links[all].next
		}
	}
}

// linkShape appends a message to the queue of a wildcard pattern.
func (b *Block) linkShape(pattern key, id uint32, shape int) {
	i := b.find(pattern)
	if i < 0 {
		b.link(0, id, shape)
		b.queues.insert(pattern.hash(), id, shape)
		return
	}
	b.queues.setLast(i, b.link(b.queues.slots[i].element(), id, shape))
}

// unlinkShape takes a message out of the queue of a wildcard pattern.
func (b *Block) unlinkShape(pattern key, id uint32, shape int) {
	i := b.find(pattern)
	if last := b.unlink(b.queues.slots[i].element(), id, shape); last != 0 {
		b.queues.setLast(i, last)
	} else {
		b.queues.remove(i)
	}
}

// link appends a message to a ring whose last element is given (0 if it is
// empty), and returns the new last element.
func (b *Block) link(last, id uint32, ring int) uint32 {
	l := &b.unexpected.at(id).links[ring]
	if last == 0 {
		l.next, l.prev = id, id
		return id
	}
	end := &b.unexpected.at(last).links[ring]
	l.next, l.prev = end.next, last
	b.unexpected.at(end.next).links[ring].prev = id
	end.next = id
	return id
}

// unlink takes a message out of a ring whose last element is given, and returns
// the new last element, 0 if none is left.
func (b *Block) unlink(last, id uint32, ring int) uint32 {
	l := b.unexpected.at(id).links[ring]
	if l.next == id {
		return 0
	}
	b.unexpected.at(l.prev).links[ring].next = l.next
	b.unexpected.at(l.next).links[ring].prev = l.prev
	if last == id {
		return l.prev
	}
	return last
}
