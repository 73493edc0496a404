package node

// matching matches messages with receives by the rules of MPI. Its state for each rank is in the
// rank's record.
type matching struct {
	requests   *requests
	unexpected pool[unexpected]
	tables     tables // of the queues of ranks that have more than fit into their records
}

// takePosted removes and returns the receive that a message meets: the one posted first among those
// whose pattern matches. It returns 0 if there is none.
func (m *matching) takePosted(r *rank, k key) (uint32, *receive) {
	if first := &r.queues[0]; first.only() {
		i := first.element()
		q := m.requests.receives.at(i)
		if !q.fits(k) {
			return 0, nil
		}
		*first = queue{}
		return i, q
	}
	best, place := m.firstPosted(r, k)
	for s := range shapes {
		if !r.uses(s) {
			continue
		}
		first, i := m.firstPosted(r, k.as(s))
		if first != 0 && (best == 0 || m.postedBefore(first, best)) {
			best, place = first, i
		}
	}
	if best == 0 {
		return 0, nil
	}
	m.dropPosted(r, place, best)
	return best, m.requests.receives.at(best)
}

// postedBefore reports whether receive i was posted before j. They are numbered modulo 2^32, so it
// compares their difference.
func (m *matching) postedBefore(i, j uint32) bool {
	p := &m.requests.receives
	return int32(p.at(i).order()-p.at(j).order()) < 0
}

// firstPosted returns the first receive with a pattern and the place of its
// queue; 0 if there is none.
func (m *matching) firstPosted(r *rank, k key) (first uint32, place int) {
	i := m.find(r, k, k.hash())
	if i < 0 {
		return 0, -1
	}
	q := m.queue(r, i)
	if !q.posted() {
		return 0, -1
	}
	return m.requests.receives.at(q.element()).next(), i
}

// dropPosted removes the first receive of a queue.
func (m *matching) dropPosted(r *rank, place int, first uint32) {
	element := m.queue(r, place).element()
	if element == first {
		m.remove(r, place)
		return
	}
	last := m.requests.receives.at(element)
	last.link(last.order(), m.requests.receives.at(first).next())
}

// post appends a receive to the queue of its pattern.
func (m *matching) post(r *rank, k key, index uint32, q *receive) {
	if r.bare() {
		r.postOnly(index, q)
		return
	}
	order := r.orders
	r.orders++
	hash := k.hash()
	i := m.find(r, k, hash)
	if i < 0 {
		q.link(order, index)
		m.insert(r, hash, index, postedQueue)
		return
	}
	queue := m.queue(r, i)
	last := m.requests.receives.at(queue.element())
	q.link(order, last.next())
	last.link(last.order(), index)
	queue.setLast(index)
}

// withdraw removes a receive from its matching queue. It reports whether it was there.
func (m *matching) withdraw(r *rank, index uint32) bool {
	k := m.requests.receives.at(index).key()
	place := m.find(r, k, k.hash())
	if place < 0 || !m.queue(r, place).posted() {
		return false
	}
	last := m.queue(r, place).element()
	before := last
	for m.requests.receives.at(before).next() != index {
		if before = m.requests.receives.at(before).next(); before == last {
			return false
		}
	}
	switch p := m.requests.receives.at(before); {
	case before == index:
		m.remove(r, place)
	default:
		p.link(p.order(), m.requests.receives.at(index).next())
		if last == index {
			m.queue(r, place).setLast(before)
		}
	}
	return true
}

// findUnexpected returns the first message that fits the pattern, 0 if there is none.
func (m *matching) findUnexpected(r *rank, pattern key) uint32 {
	if r.allUnexpected == 0 {
		// A shape must be in use before the first receive with it is posted.
		r.use(pattern.shape())
		return 0
	}
	s := pattern.shape()
	m.useShape(r, s)
	i := m.find(r, pattern, pattern.hash())
	if i < 0 {
		return 0
	}
	q := m.queue(r, i)
	if q.posted() {
		return 0
	}
	last := m.unexpected.at(q.element())
	if s == exact {
		return last.next
	}
	return last.links[s].next
}

// addUnexpected queues a message that no receive has met.
func (m *matching) addUnexpected(r *rank, id uint32) {
	u := m.unexpected.at(id)
	k := u.key()
	hash := k.hash()
	if i := m.find(r, k, hash); i < 0 {
		u.next = id
		m.insert(r, hash, id, exact)
	} else {
		q := m.queue(r, i)
		last := m.unexpected.at(q.element())
		u.next, last.next = last.next, id
		q.setLast(id)
	}
	r.allUnexpected = m.link(r.allUnexpected, id, all)
	for s := range shapes {
		if r.uses(s) {
			m.linkShape(r, k.as(s), id, s)
		}
	}
}

// removeUnexpected removes a message from all its queues. Unless the message is cancelled it is the
// first of its exact queue, because all messages there match the same patterns.
func (m *matching) removeUnexpected(r *rank, id uint32) {
	u := m.unexpected.at(id)
	k := u.key()
	i := m.find(r, k, k.hash())
	last := m.queue(r, i).element()
	before := last
	for m.unexpected.at(before).next != id {
		before = m.unexpected.at(before).next
	}
	switch {
	case before == id:
		m.remove(r, i)
	case last == id:
		m.queue(r, i).setLast(before)
		fallthrough
	default:
		m.unexpected.at(before).next = u.next
	}
	r.allUnexpected = m.unlink(r.allUnexpected, id, all)
	for s := range shapes {
		if r.uses(s) {
			m.unlinkShape(r, k.as(s), id, s)
		}
	}
}

// useShape begins to keep the queues of a wildcard shape for a rank when it
// first uses it. Ranks without wildcards never pay for them.
func (m *matching) useShape(r *rank, shape int) {
	if shape == exact || r.uses(shape) {
		return
	}
	r.use(shape)
	for id := range m.unexpectedOf(r) {
		m.linkShape(r, m.unexpected.at(id).key().as(shape), id, shape)
	}
}

// unexpectedOf yields a rank's unexpected messages in order of arrival.
func (m *matching) unexpectedOf(r *rank) func(yield func(id uint32) bool) {
	return func(yield func(id uint32) bool) {
		last := r.allUnexpected
		if last == 0 {
			return
		}
		for id := m.unexpected.at(last).links[all].next; yield(id) && id != last; {
			id = m.unexpected.at(id).links[all].next
		}
	}
}

// linkShape appends a message to the queue of a wildcard pattern.
func (m *matching) linkShape(r *rank, pattern key, id uint32, shape int) {
	hash := pattern.hash()
	i := m.find(r, pattern, hash)
	if i < 0 {
		m.link(0, id, shape)
		m.insert(r, hash, id, shape)
		return
	}
	q := m.queue(r, i)
	q.setLast(m.link(q.element(), id, shape))
}

// unlinkShape takes a message out of the queue of a wildcard pattern.
func (m *matching) unlinkShape(r *rank, pattern key, id uint32, shape int) {
	i := m.find(r, pattern, pattern.hash())
	q := m.queue(r, i)
	if last := m.unlink(q.element(), id, shape); last != 0 {
		q.setLast(last)
	} else {
		m.remove(r, i)
	}
}

// link appends a message to a ring whose last element is given (0 if it is
// empty), and returns the new last element.
func (m *matching) link(last, id uint32, ring int) uint32 {
	l := &m.unexpected.at(id).links[ring]
	if last == 0 {
		l.next, l.prev = id, id
		return id
	}
	end := &m.unexpected.at(last).links[ring]
	l.next, l.prev = end.next, last
	m.unexpected.at(end.next).links[ring].prev = id
	end.next = id
	return id
}

// unlink takes a message out of a ring whose last element is given, and returns
// the new last element, 0 if none is left.
func (m *matching) unlink(last, id uint32, ring int) uint32 {
	l := m.unexpected.at(id).links[ring]
	if l.next == id {
		return 0
	}
	m.unexpected.at(l.prev).links[ring].next = l.next
	m.unexpected.at(l.next).links[ring].prev = l.prev
	if last == id {
		return l.prev
	}
	return last
}

// takeEarly does what takePosted does, of a rank without wildcards. It takes no receive that the rank
// waits for or watches, that wants contents, or into which a message of the size does not fit.
func (m *matching) takeEarly(r *rank, k key, size int64) (uint32, *receive) {
	if r.queues[0].only() {
		return 0, nil // which its rank waits for, or will soon
	}
	first, place := m.firstPosted(r, k)
	if first == 0 {
		return 0, nil
	}
	q := m.requests.receives.at(first)
	if q.awaited() || q.extent&isWide != 0 || size > int64(q.extent) {
		return 0, nil
	}
	m.dropPosted(r, place, first)
	return first, q
}
