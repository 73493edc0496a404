package node

// shapes are the ways in which a pattern can have wildcards.
const shapes = 3

// wildcards turns an exact (source, tag) into the pattern of each shape.
func (k key) wildcards(shape int) key {
	if shape != 1 {
		k.source = AnySource
	}
	if shape != 0 {
		k.tag = AnyTag
	}
	return k
}

// shape tells which wildcards a pattern has: 0 any source, 1 any tag, 2 both, -1 none.
func (k key) shape() int {
	switch {
	case k.source == AnySource && k.tag == AnyTag:
		return 2
	case k.tag == AnyTag:
		return 1
	case k.source == AnySource:
		return 0
	}
	return -1
}

// unexpected is a message that has arrived, or soon arrives from the rank
// itself, and that no receive has met yet.
type unexpected struct {
	at      int64 // ps: arrival
	size    int64 // bytes
	source  int32
	tag     int32
	context int32
	payload uint32            // contents, 0 if none
	next    uint32            // in the queue of its exact (source, tag)
	links   [shapes + 1]links // in the queue of each shape the rank uses, and in the list of all of the rank
}

// all is the index of the links in the list of all of a rank's messages.
const all = shapes

// links are an element's neighbours in a doubly linked list.
type links struct{ next, prev uint32 }

// exact is the pattern that only the message's like match.
func (u *unexpected) exact(slot int32) key { return key{slot, u.context, u.source, u.tag} }

// takePosted removes and returns the receive that a message meets: of those
// whose pattern fits, the one posted first. 0 if there is none.
func (b *Block) takePosted(r *rank, exact key) uint32 {
	best, place := uint32(0), -1
	for s := -1; s < shapes; s++ {
		k := exact
		if s >= 0 {
			if r.shapes&(1<<s) == 0 {
				continue
			}
			k = exact.wildcards(s)
		}
		i := b.queues.find(k)
		if i < 0 || !b.queues.slots[i].posted {
			continue
		}
		head := b.queues.slots[i].head
		// Receives are numbered modulo 2^32; differences tell their order.
		if best == 0 || int32(b.requests.at(head).order-b.requests.at(best).order) < 0 {
			best, place = head, i
		}
	}
	if best != 0 {
		b.popQueue(place, b.requests.at(best).next)
	}
	return best
}

// popQueue removes the head of a queue; next is its second element.
func (b *Block) popQueue(place int, next uint32) {
	if next == 0 {
		b.queues.remove(place)
		return
	}
	b.queues.slots[place].head = next
}

// post appends a receive to the queue of its pattern.
func (b *Block) post(r *rank, id uint32, q *request, pattern key) {
	q.order = r.orders
	r.orders++
	i := b.queues.find(pattern)
	if i < 0 {
		b.queues.insert(pattern, id, true)
		return
	}
	queue := &b.queues.slots[i]
	b.requests.at(queue.tail).next = id
	queue.tail = id
}

// findUnexpected returns the first message that fits the pattern, 0 if there is none.
func (b *Block) findUnexpected(r *rank, pattern key) uint32 {
	b.useShape(r, pattern)
	i := b.queues.find(pattern)
	if i < 0 || b.queues.slots[i].posted {
		return 0
	}
	return b.queues.slots[i].head
}

// addUnexpected queues a message that no receive has met.
func (b *Block) addUnexpected(r *rank, slot int32, id uint32) {
	u := b.unexpected.at(id)
	exact := u.exact(slot)
	if i := b.queues.find(exact); i < 0 {
		b.queues.insert(exact, id, false)
	} else {
		queue := &b.queues.slots[i]
		b.unexpected.at(queue.tail).next = id
		queue.tail = id
	}
	b.link(&r.unexpected, &r.lastUnexpected, id, all)
	for s := range shapes {
		if r.shapes&(1<<s) != 0 {
			b.linkShape(exact.wildcards(s), id, s)
		}
	}
}

// removeUnexpected takes a message out of all its queues. It is the first of
// its exact queue, because all in there match the same patterns.
func (b *Block) removeUnexpected(r *rank, slot int32, id uint32) {
	u := b.unexpected.at(id)
	exact := u.exact(slot)
	b.popQueue(b.queues.find(exact), u.next)
	b.unlink(&r.unexpected, &r.lastUnexpected, id, all)
	for s := range shapes {
		if r.shapes&(1<<s) != 0 {
			b.unlinkShape(exact.wildcards(s), id, s)
		}
	}
}

// useShape begins to keep the queues of a wildcard shape for a rank when it
// first uses it. Ranks without wildcards never pay for them.
func (b *Block) useShape(r *rank, pattern key) {
	s := pattern.shape()
	if s < 0 || r.shapes&(1<<s) != 0 {
		return
	}
	r.shapes |= 1 << s
	for id := r.unexpected; id != 0; id = b.unexpected.at(id).links[all].next {
		b.linkShape(b.unexpected.at(id).exact(pattern.rank).wildcards(s), id, s)
	}
}

// linkShape appends a message to the queue of a wildcard pattern.
func (b *Block) linkShape(pattern key, id uint32, shape int) {
	i := b.queues.find(pattern)
	if i < 0 {
		b.queues.insert(pattern, id, false)
		return
	}
	queue := &b.queues.slots[i]
	b.link(&queue.head, &queue.tail, id, shape)
}

// unlinkShape takes a message out of the queue of a wildcard pattern.
func (b *Block) unlinkShape(pattern key, id uint32, shape int) {
	i := b.queues.find(pattern)
	queue := &b.queues.slots[i]
	if queue.head == id && queue.tail == id {
		b.queues.remove(i)
		return
	}
	b.unlink(&queue.head, &queue.tail, id, shape)
}

// link appends a message to a doubly linked list.
func (b *Block) link(head, tail *uint32, id uint32, list int) {
	l := &b.unexpected.at(id).links[list]
	l.prev, l.next = *tail, 0
	if *tail == 0 {
		*head = id
	} else {
		b.unexpected.at(*tail).links[list].next = id
	}
	*tail = id
}

// unlink takes a message out of a doubly linked list.
func (b *Block) unlink(head, tail *uint32, id uint32, list int) {
	l := b.unexpected.at(id).links[list]
	if l.prev == 0 {
		*head = l.next
	} else {
		b.unexpected.at(l.prev).links[list].next = l.next
	}
	if l.next == 0 {
		*tail = l.prev
	} else {
		b.unexpected.at(l.next).links[list].prev = l.prev
	}
}
