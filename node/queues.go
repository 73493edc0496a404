package node

// ownQueues is how many matching queues are kept in the rank's own record, where
// they take no look into a table: as many as a stencil in three dimensions has
// receives. Those beyond are in the block's table.
const ownQueues = 6

// find returns the place of the key's queue, -1 if there is none: a number below
// ownQueues in the rank's record, others in the table. A key never has both
// receives and messages: they would have met. The key's hash comes with it.
func (b *Block) find(r *rank, k key, hash uint32) int {
	if first := &r.queues[0]; first.only() {
		i := first.element()
		first.hash = b.receives.at(i).key().hash()
		first.last = i<<queueBits | postedQueue
	}
	for i := range r.queues {
		if q := r.queues[i]; q.hash == hash && q.last != 0 && b.keyOf(q) == k {
			return i
		}
	}
	if r.spilled == 0 {
		return -1
	}
	t := &b.queues
	mask := uint32(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		q := t.slots[i]
		if q.last == 0 {
			return -1
		}
		if q.hash == hash && b.keyOf(q) == k {
			return int(i) + ownQueues
		}
	}
}

// bare tells whether a rank has no queues at all.
func (r *rank) bare() bool {
	q := &r.queues // in so many words, as this is asked of most receives
	return r.spilled|q[0].last|q[1].last|q[2].last|q[3].last|q[4].last|q[5].last == 0
}

// keyOf reads a queue's key from one of its elements.
func (b *Block) keyOf(q queue) key {
	if q.posted() {
		return b.receives.at(q.element()).key()
	}
	return b.unexpected.at(q.element()).key().as(q.what())
}

// queue is the queue at a place.
func (b *Block) queue(r *rank, place int) *queue {
	if place < ownQueues {
		return &r.queues[place]
	}
	return &b.queues.slots[place-ownQueues]
}

// insert adds a queue of one element, by the hash of its key. REQUIRES: the key has none.
func (b *Block) insert(r *rank, hash, element uint32, what int) {
	q := queue{hash: hash, last: element<<queueBits | uint32(what)}
	for i := range r.queues {
		if r.queues[i].last == 0 {
			r.queues[i] = q
			return
		}
	}
	r.spilled++
	b.queues.insert(q)
}

// remove takes away the queue at a place.
func (b *Block) remove(r *rank, place int) {
	if place < ownQueues {
		r.queues[place] = queue{}
		return
	}
	r.spilled--
	b.queues.remove(place - ownQueues)
}
