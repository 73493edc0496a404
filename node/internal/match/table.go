package match

import (
	"slices"

	"fabricast/internal/snapshot"
	"fabricast/node/internal/core"
)

// Tables holds the queues that are not in their ranks' records. Each rank that needs one has a hash
// table of its own, so that the data of a rank is contiguous. The tables use linear probing without
// tombstones: a removal shifts subsequent entries back.
type Tables struct {
	chunks [][]core.Queue // entries; a chunk holds many tables, or a single larger one
	used   uint32         // number of entries of the last chunk that are in use
	// free lists by the logarithm of the table size: the position of the table released last. The
	// Hash of a free table's first entry is the position of the next one; 0 means none.
	free [32]uint32
}

const (
	minTable   = 4 // logarithm of the size of the smallest table
	chunkBits  = 13
	chunkSlots = 1 << chunkBits
)

// At returns the table that an entry of kind MoreQueues refers to.
func (t *Tables) At(q core.Queue) []core.Queue {
	return t.chunks[q.Hash>>chunkBits][q.Hash&(chunkSlots-1):][:1<<q.Element()]
}

// alloc returns an empty table with 1<<log entries.
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
			t.used = size // position 0 means none
		}
	}
	q.Hash = uint32(len(t.chunks)-1)<<chunkBits + t.used
	t.used += size
	return q
}

// release frees a table.
func (t *Tables) release(q core.Queue) {
	places := t.At(q)
	clear(places)
	log := q.Element()
	places[0].Hash = t.free[log]
	t.free[log] = q.Hash
}

// insertInto stores a queue in the first free entry of its probe sequence.
func insertInto(table []core.Queue, q core.Queue) {
	mask := uint32(len(table) - 1)
	i := q.Hash & mask
	for table[i].Last != 0 {
		i = (i + 1) & mask
	}
	table[i] = q
}

// removeFrom removes entry i of a table and shifts later entries of its probe sequence back, so
// that all of them can still be found.
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

// State saves or restores the matching queues that are not in their ranks' records.
func (t *Tables) State(v *snapshot.Visitor) {
	n := v.Length(len(t.chunks))
	t.chunks = slices.Grow(t.chunks[:min(n, len(t.chunks))], max(0, n-len(t.chunks)))[:n]
	for i := range t.chunks {
		snapshot.List(v, &t.chunks[i])
	}
	snapshot.Value(v, &t.used)
	snapshot.Value(v, &t.free)
}
