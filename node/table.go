package node

// key names a matching queue: the receives posted with one pattern at one rank,
// or the unexpected messages that fit it. Source and tag may be wildcards.
type key struct {
	rank    int32 // slot of the rank in its block
	context int32
	source  int32
	tag     int32
}

// hash spreads keys over the table.
func (k key) hash() uint64 {
	const m1, m2 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h := uint64(uint32(k.rank))<<32 | uint64(uint32(k.source))
	h = (h ^ h>>29) * m1
	h ^= uint64(uint32(k.context))<<32 | uint64(uint32(k.tag))
	h = (h ^ h>>32) * m2
	return h ^ h>>29
}

// queue is a FIFO of posted receives or of unexpected messages. One key never
// has both: they would have met.
type queue struct {
	key        key
	head, tail uint32 // head is 0 in an empty place of the table
	posted     bool   // receives, not messages
}

// table is an open-addressing hash table of the queues that are not empty.
// Linear probing, no tombstones: removing shifts the followers back.
type table struct {
	slots []queue
	count int
}

const minTable = 64

// find returns the place of the key's queue, or -1.
func (t *table) find(k key) int {
	if t.count == 0 {
		return -1
	}
	mask := uint64(len(t.slots) - 1)
	for i := k.hash() & mask; ; i = (i + 1) & mask {
		q := &t.slots[i]
		if q.head == 0 {
			return -1
		}
		if q.key == k {
			return int(i)
		}
	}
}

// insert adds a queue with one element. REQUIRES: the key has no queue.
func (t *table) insert(k key, element uint32, posted bool) {
	if 8*(t.count+1) > 5*len(t.slots) {
		t.grow()
	}
	t.count++
	t.place(queue{key: k, head: element, tail: element, posted: posted})
}

// place puts a queue into its first free place.
func (t *table) place(q queue) {
	mask := uint64(len(t.slots) - 1)
	i := q.key.hash() & mask
	for t.slots[i].head != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = q
}

// grow doubles the table.
func (t *table) grow() {
	old := t.slots
	t.slots = make([]queue, max(minTable, 2*len(old)))
	for i := range old {
		if old[i].head != 0 {
			t.place(old[i])
		}
	}
}

// remove empties place i and moves followers of its probe sequence back, so
// that none is cut off.
func (t *table) remove(i int) {
	t.count--
	mask := uint64(len(t.slots) - 1)
	hole := uint64(i)
	for j := (hole + 1) & mask; t.slots[j].head != 0; j = (j + 1) & mask {
		home := t.slots[j].key.hash() & mask
		if (j-home)&mask >= (j-hole)&mask {
			t.slots[hole] = t.slots[j]
			hole = j
		}
	}
	t.slots[hole] = queue{}
}
