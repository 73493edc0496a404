package node

import (
	"fabricast/internal/snapshot"
	"slices"
)

// tables holds the queues that are not in their ranks' records. Each rank that needs one has an
// open-addressing hash table of its own, so that what a rank uses lies together. Linear probing, no
// tombstones: removing shifts the followers back.
type tables struct {
	chunks [][]queue // places; a chunk holds many tables, or one larger one
	used   uint32    // places of the last chunk
	// by the logarithm of the size: the first place of the table given back last, whose first queue
	// has that of the one before as its hash; 0 = none
	free [32]uint32
}

const (
	minTable   = 4 // logarithm of the size of the smallest table
	chunkBits  = 13
	chunkSlots = 1 << chunkBits
)

// at returns the table that a queue of the kind moreQueues stands for.
func (t *tables) at(q queue) []queue {
	return t.chunks[q.hash>>chunkBits][q.hash&(chunkSlots-1):][:1<<q.element()]
}

// alloc returns an empty table of 1<<log places.
func (t *tables) alloc(log uint32) queue {
	q := queue{hash: t.free[log], last: log<<queueBits | moreQueues}
	if q.hash != 0 {
		first := &t.at(q)[0]
		t.free[log] = first.hash
		*first = queue{}
		return q
	}
	size := uint32(1) << log
	if len(t.chunks) == 0 || t.used+size > chunkSlots {
		t.chunks = append(t.chunks, make([]queue, max(size, chunkSlots)))
		t.used = 0
		if len(t.chunks) == 1 {
			t.used = size // place 0 is none
		}
	}
	q.hash = uint32(len(t.chunks)-1)<<chunkBits + t.used
	t.used += size
	return q
}

// release gives a table back.
func (t *tables) release(q queue) {
	places := t.at(q)
	clear(places)
	log := q.element()
	places[0].hash = t.free[log]
	t.free[log] = q.hash
}

// insertInto puts a queue into its first free place of a table.
func insertInto(table []queue, q queue) {
	mask := uint32(len(table) - 1)
	i := q.hash & mask
	for table[i].last != 0 {
		i = (i + 1) & mask
	}
	table[i] = q
}

// removeFrom empties place i of a table and moves followers of its probe sequence back, so that none
// is cut off.
func removeFrom(table []queue, i uint32) {
	mask := uint32(len(table) - 1)
	hole := i
	for j := (hole + 1) & mask; table[j].last != 0; j = (j + 1) & mask {
		if home := table[j].hash & mask; (j-home)&mask >= (j-hole)&mask {
			table[hole] = table[j]
			hole = j
		}
	}
	table[hole] = queue{}
}

// state goes over the matching queues that are not in their ranks' records.
func (t *tables) state(v *snapshot.Visitor) {
	n := v.Length(len(t.chunks))
	t.chunks = slices.Grow(t.chunks[:min(n, len(t.chunks))], max(0, n-len(t.chunks)))[:n]
	for i := range t.chunks {
		snapshot.List(v, &t.chunks[i])
	}
	snapshot.Value(v, &t.used)
	snapshot.Value(v, &t.free)
}
