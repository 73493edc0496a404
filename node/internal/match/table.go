package match

import (
	"slices"

	"fabricast/internal/snapshot"
	"fabricast/node/internal/core"
)

// Tables holds the queues that are not in their ranks' records. Each rank that needs one has an
// open-addressing hash table of its own, so that what a rank uses lies together. Linear probing, no
// tombstones: removing shifts the followers back.
type Tables struct {
	chunks [][]core.Queue // places; a chunk holds many tables, or one larger one
	used   uint32         // places of the last chunk
	// by the logarithm of the size: the first place of the table given back last, whose first queue
	// has that of the one before as its hash; 0 = none
	free [32]uint32
}

const (
	minTable   = 4 // logarithm of the size of the smallest table
	chunkBits  = 13
	chunkSlots = 1 << chunkBits
)

// At returns the table that a queue of the kind moreQueues stands for.
func (t *Tables) At(q core.Queue) []core.Queue {
	return t.chunks[q.Hash>>chunkBits][q.Hash&(chunkSlots-1):][:1<<q.Element()]
}

// alloc returns an empty table of 1<<log places.
func (t *Tables) alloc(log uint32) core.Queue {
	q := core.Queue{Hash: t.free[log], Last: log<<core.QueueBits | core.MoreQueues}
	if q.Hash != 0 {
		first := &t.At(q)[0]
		t.free[log] = first.Hash
		*first = core.Queue{}
		return q
	}
	size := uint32(1) << log
	if len(t.chunks) == 0 || t.used+size > chunkSlots {
		t.chunks = append(t.chunks, make([]core.Queue, max(size, chunkSlots)))
		t.used = 0
		if len(t.chunks) == 1 {
			t.used = size // place 0 is none
		}
	}
	q.Hash = uint32(len(t.chunks)-1)<<chunkBits + t.used
	t.used += size
	return q
}

// release gives a table back.
func (t *Tables) release(q core.Queue) {
	places := t.At(q)
	clear(places)
	log := q.Element()
	places[0].Hash = t.free[log]
	t.free[log] = q.Hash
}

// insertInto puts a queue into its first free place of a table.
func insertInto(table []core.Queue, q core.Queue) {
	mask := uint32(len(table) - 1)
	i := q.Hash & mask
	for table[i].Last != 0 {
		i = (i + 1) & mask
	}
	table[i] = q
}

// removeFrom empties place i of a table and moves followers of its probe sequence back, so that none
// is cut off.
func removeFrom(table []core.Queue, i uint32) {
	mask := uint32(len(table) - 1)
	hole := i
	for j := (hole + 1) & mask; table[j].Last != 0; j = (j + 1) & mask {
		if home := table[j].Hash & mask; (j-home)&mask >= (j-hole)&mask {
			table[hole] = table[j]
			hole = j
		}
	}
	table[hole] = core.Queue{}
}

// State goes over the matching queues that are not in their ranks' records.
func (t *Tables) State(v *snapshot.Visitor) {
	n := v.Length(len(t.chunks))
	t.chunks = slices.Grow(t.chunks[:min(n, len(t.chunks))], max(0, n-len(t.chunks)))[:n]
	for i := range t.chunks {
		snapshot.List(v, &t.chunks[i])
	}
	snapshot.Value(v, &t.used)
	snapshot.Value(v, &t.free)
}
