package node

// ownQueues is how many matching queues are kept in the rank's own record, where finding them needs
// no table: as many as a three-dimensional stencil has receives. Further queues are in the block's
// table.
const ownQueues = 6

// find returns the place of the key's queue, -1 if there is none: a number below ownQueues for one
// in the rank's record, others for the table. A key never has both receives and messages, as these
// would have met. hash is the key's hash.
func (m *matching) find(r *rank, k key, hash uint32) int {
	if first := &r.queues[0]; first.only() {
		i := first.element()
		first.hash = m.requests.receives.at(i).key().hash()
		first.last = i<<queueBits | postedQueue
	}
	for i := range r.queues {
		if q := r.queues[i]; q.hash == hash && q.last != 0 && m.keyOf(q) == k {
			return i
		}
	}
	if r.spilled == 0 {
		return -1
	}
	t := &m.table
	mask := uint32(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		q := t.slots[i]
		if q.last == 0 {
			return -1
		}
		if q.hash == hash && m.keyOf(q) == k {
			return int(i) + ownQueues
		}
	}
}

// bare reports whether a rank has no queues.
func (r *rank) bare() bool {
	q := &r.queues // in so many words, as this is asked of most receives
	return r.spilled|q[0].last|q[1].last|q[2].last|q[3].last|q[4].last|q[5].last == 0
}

// keyOf reads a queue's key from one of its elements.
func (m *matching) keyOf(q queue) key {
	if q.posted() {
		return m.requests.receives.at(q.element()).key()
	}
	return m.unexpected.at(q.element()).key().as(q.what())
}

// queue returns the queue at a place.
func (m *matching) queue(r *rank, place int) *queue {
	if place < ownQueues {
		return &r.queues[place]
	}
	return &m.table.slots[place-ownQueues]
}

// insert adds a queue with one element, by the hash of its key. REQUIRES: the key has no queue.
func (m *matching) insert(r *rank, hash, element uint32, what int) {
	q := queue{hash: hash, last: element<<queueBits | uint32(what)}
	for i := range r.queues {
		if r.queues[i].last == 0 {
			r.queues[i] = q
			return
		}
	}
	r.spilled++
	m.table.insert(q)
}

// remove takes away the queue at a place.
func (m *matching) remove(r *rank, place int) {
	if place < ownQueues {
		r.queues[place] = queue{}
		return
	}
	r.spilled--
	m.table.remove(place - ownQueues)
}
