package node

// unexpected is a message that has arrived, or soon arrives from the rank
// itself, and that no receive has met yet.
type unexpected struct {
	next    uint32 // in the queue of its exact (source, tag)
	slot    int32  // of the rank that it came to
	at      int64  // ps: arrival
	size    int64  // bytes
	source  int32
	tag     int32
	context int32
	payload uint32 // contents, 0 if none
	request uint32 // of a rendezvous: the message that asks for it, or if local the send; otherwise if named its name
	// local says that the message is from the same host, otherwise that it is copied if others are
	// not and the other way round, named that it is eager and can be taken back.
	local, otherwise, named bool
	links                   [shapes + 1]links // in the queue of each shape the rank uses, and in the ring of all of the rank
}

// all is the index of the links in the ring of all of a rank's messages.
const all = shapes

// links are an element's neighbours in a doubly linked ring.
type links struct{ next, prev uint32 }

// asks tells whether the message asks for a rendezvous.
func (u *unexpected) asks() bool { return u.request != 0 && !u.named }

// key is the pattern that only the message's like match.
func (u *unexpected) key() key { return key{u.slot, u.context, u.source, u.tag} }

// takePosted removes and returns the receive that a message meets: of those
// whose pattern fits, the one posted first. 0 if there is none.
func (b *Block) takePosted(r *rank, k key) (uint32, *receive) {
	if first := &r.queues[0]; first.only() {
		i := first.element()
		q := b.receives.at(i)
		if !q.fits(k) {
			return 0, nil
		}
		*first = queue{}
		return i, q
	}
	best, place := b.firstPosted(r, k)
	for s := range shapes {
		if !r.uses(s) {
			continue
		}
		first, i := b.firstPosted(r, k.as(s))
		// Receives are numbered modulo 2^32; differences tell their order.
		if first != 0 && (best == 0 || int32(b.receives.at(first).order()-b.receives.at(best).order()) < 0) {
			best, place = first, i
		}
	}
	if best == 0 {
		return 0, nil
	}
	b.dropPosted(r, place, best)
	return best, b.receives.at(best)
}

// firstPosted returns the first receive with a pattern and the place of its
// queue; 0 if there is none.
func (b *Block) firstPosted(r *rank, k key) (first uint32, place int) {
	i := b.find(r, k, k.hash())
	if i < 0 {
		return 0, -1
	}
	q := b.queue(r, i)
	if !q.posted() {
		return 0, -1
	}
	return b.receives.at(q.element()).next(), i
}

// dropPosted removes the first receive of a queue.
func (b *Block) dropPosted(r *rank, place int, first uint32) {
	element := b.queue(r, place).element()
	if element == first {
		b.remove(r, place)
		return
	}
	last := b.receives.at(element)
	last.link(last.order(), b.receives.at(first).next())
}

// post appends a receive to the queue of its pattern.
func (b *Block) post(r *rank, k key, index uint32, q *receive) {
	if r.bare() {
		r.postOnly(index, q)
		return
	}
	order := r.orders
	r.orders++
	hash := k.hash()
	i := b.find(r, k, hash)
	if i < 0 {
		q.link(order, index)
		b.insert(r, hash, index, postedQueue)
		return
	}
	queue := b.queue(r, i)
	last := b.receives.at(queue.element())
	q.link(order, last.next())
	last.link(last.order(), index)
	queue.setLast(index)
}

// postOnly is post for the only receive of a rank.
func (r *rank) postOnly(index uint32, q *receive) {
	q.link(r.orders, index)
	r.orders++
	r.queues[0].last = index<<queueBits | onlyReceive
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
	i := b.find(r, pattern, pattern.hash())
	if i < 0 {
		return 0
	}
	q := b.queue(r, i)
	if q.posted() {
		return 0
	}
	last := b.unexpected.at(q.element())
	if s == exact {
		return last.next
	}
	return last.links[s].next
}

// addUnexpected queues a message that no receive has met.
func (b *Block) addUnexpected(r *rank, id uint32) {
	u := b.unexpected.at(id)
	k := u.key()
	hash := k.hash()
	if i := b.find(r, k, hash); i < 0 {
		u.next = id
		b.insert(r, hash, id, exact)
	} else {
		q := b.queue(r, i)
		last := b.unexpected.at(q.element())
		u.next, last.next = last.next, id
		q.setLast(id)
	}
	r.allUnexpected = b.link(r.allUnexpected, id, all)
	for s := range shapes {
		if r.uses(s) {
			b.linkShape(r, k.as(s), id, s)
		}
	}
}

// removeUnexpected takes a message out of all its queues. Unless it is taken back it is the first of
// its exact queue, because all in there match the same patterns.
func (b *Block) removeUnexpected(r *rank, id uint32) {
	u := b.unexpected.at(id)
	k := u.key()
	i := b.find(r, k, k.hash())
	last := b.queue(r, i).element()
	before := last
	for b.unexpected.at(before).next != id {
		before = b.unexpected.at(before).next
	}
	switch {
	case before == id:
		b.remove(r, i)
	case last == id:
		b.queue(r, i).setLast(before)
		fallthrough
	default:
		b.unexpected.at(before).next = u.next
	}
	r.allUnexpected = b.unlink(r.allUnexpected, id, all)
	for s := range shapes {
		if r.uses(s) {
			b.unlinkShape(r, k.as(s), id, s)
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
		b.linkShape(r, b.unexpected.at(id).key().as(shape), id, shape)
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
func (b *Block) linkShape(r *rank, pattern key, id uint32, shape int) {
	hash := pattern.hash()
	i := b.find(r, pattern, hash)
	if i < 0 {
		b.link(0, id, shape)
		b.insert(r, hash, id, shape)
		return
	}
	q := b.queue(r, i)
	q.setLast(b.link(q.element(), id, shape))
}

// unlinkShape takes a message out of the queue of a wildcard pattern.
func (b *Block) unlinkShape(r *rank, pattern key, id uint32, shape int) {
	i := b.find(r, pattern, pattern.hash())
	q := b.queue(r, i)
	if last := b.unlink(q.element(), id, shape); last != 0 {
		q.setLast(last)
	} else {
		b.remove(r, i)
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
