package match

import (
	"fabricast/node/internal/core"
)

// Find returns the position of the queue with key k; -1 if there is none. Positions below OwnQueues
// are in the rank's record, others in the rank's table. A key never has both receives and messages,
// because these would have matched. hash is the hash of the key.
func (m *Matcher) Find(r *core.Rank, k core.Key, hash uint32) int {
	if first := &r.Queues[0]; first.Only() {
		i := first.Element()
		first.Hash = m.Requests.Receives.At(i).Key().Hash()
		first.Last = i<<core.QueueBits | core.PostedQueue
	}
	for i := range r.Queues {
		if q := r.Queues[i]; q.Hash == hash && q.Last != 0 && !q.More() && m.keyOf(q) == k {
			return i
		}
	}
	if r.Spilled == 0 {
		return -1
	}
	table := m.Tables.At(r.Queues[core.OwnQueues-1])
	mask := uint32(len(table) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		q := table[i]
		if q.Last == 0 {
			return -1
		}
		if q.Hash == hash && m.keyOf(q) == k {
			return int(i) + core.OwnQueues
		}
	}
}

// keyOf reads a queue's key from one of its elements.
func (m *Matcher) keyOf(q core.Queue) core.Key {
	if q.Posted() {
		return m.Requests.Receives.At(q.Element()).Key()
	}
	return m.Unexpected.At(q.Element()).Key().As(q.What())
}

// Queue returns the queue at a position.
func (m *Matcher) Queue(r *core.Rank, place int) *core.Queue {
	if place < core.OwnQueues {
		return &r.Queues[place]
	}
	return &m.Tables.At(r.Queues[core.OwnQueues-1])[place-core.OwnQueues]
}

// Insert adds a queue with one element. hash is the hash of its key. REQUIRES: the key has no
// queue.
func (m *Matcher) Insert(r *core.Rank, hash, element uint32, what int) {
	q := core.Queue{Hash: hash, Last: element<<core.QueueBits | uint32(what)}
	for i := range r.Queues {
		if r.Queues[i].Last == 0 {
			r.Queues[i] = q
			return
		}
	}
	m.spill(r, q)
}

// spill adds a queue to the rank's table, of which at least a quarter stays free.
func (m *Matcher) spill(r *core.Rank, q core.Queue) {
	last := &r.Queues[core.OwnQueues-1]
	if !last.More() {
		own := *last
		*last = m.Tables.alloc(minTable)
		insertInto(m.Tables.At(*last), own)
		r.Spilled = 1
	}
	if size := uint32(1) << last.Element(); 4*(r.Spilled+1) > 3*size {
		m.enlarge(last)
	}
	r.Spilled++
	insertInto(m.Tables.At(*last), q)
}

// enlarge doubles the size of a rank's table.
func (m *Matcher) enlarge(table *core.Queue) {
	larger := m.Tables.alloc(table.Element() + 1)
	for _, q := range m.Tables.At(*table) {
		if q.Last != 0 {
			insertInto(m.Tables.At(larger), q)
		}
	}
	m.Tables.release(*table)
	*table = larger
}

// Remove removes the queue at a position, and the rank's table with its last queue.
func (m *Matcher) Remove(r *core.Rank, place int) {
	if place < core.OwnQueues {
		r.Queues[place] = core.Queue{}
		return
	}
	last := &r.Queues[core.OwnQueues-1]
	removeFrom(m.Tables.At(*last), uint32(place-core.OwnQueues))
	if r.Spilled--; r.Spilled == 0 {
		m.Tables.release(*last)
		*last = core.Queue{}
	}
}
