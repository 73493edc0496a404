package node

// find returns the place of the key's queue, -1 if there is none: a number below ownQueues for one
// in the rank's record, others for the rank's table. A key never has both receives and messages, as
// these would have met. hash is the key's hash.
func (m *matching) find(r *rank, k key, hash uint32) int {
	if first := &r.queues[0]; first.only() {
		i := first.element()
		first.hash = m.requests.receives.at(i).key().hash()
		first.last = i<<queueBits | postedQueue
	}
	for i := range r.queues {
		if q := r.queues[i]; q.hash == hash && q.last != 0 && !q.more() && m.keyOf(q) == k {
			return i
		}
	}
	if r.spilled == 0 {
		return -1
	}
	table := m.tables.at(r.queues[ownQueues-1])
	mask := uint32(len(table) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		q := table[i]
		if q.last == 0 {
			return -1
		}
		if q.hash == hash && m.keyOf(q) == k {
			return int(i) + ownQueues
		}
	}
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
	return &m.tables.at(r.queues[ownQueues-1])[place-ownQueues]
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
	m.spill(r, q)
}

// spill adds a queue to the rank's table, of which a quarter at least stays free.
func (m *matching) spill(r *rank, q queue) {
	last := &r.queues[ownQueues-1]
	if !last.more() {
		own := *last
		*last = m.tables.alloc(minTable)
		insertInto(m.tables.at(*last), own)
		r.spilled = 1
	}
	if size := uint32(1) << last.element(); 4*(r.spilled+1) > 3*size {
		m.enlarge(last)
	}
	r.spilled++
	insertInto(m.tables.at(*last), q)
}

// enlarge doubles a rank's table.
func (m *matching) enlarge(table *queue) {
	larger := m.tables.alloc(table.element() + 1)
	for _, q := range m.tables.at(*table) {
		if q.last != 0 {
			insertInto(m.tables.at(larger), q)
		}
	}
	m.tables.release(*table)
	*table = larger
}

// remove removes the queue at a place, and with the last one the rank's table.
func (m *matching) remove(r *rank, place int) {
	if place < ownQueues {
		r.queues[place] = queue{}
		return
	}
	last := &r.queues[ownQueues-1]
	removeFrom(m.tables.at(*last), uint32(place-ownQueues))
	if r.spilled--; r.spilled == 0 {
		m.tables.release(*last)
		*last = queue{}
	}
}
