package workload

import "sync/atomic"

// cycles caches the random rings that the ranks of a program have used recently. It is safe for
// concurrent use.
type cycles struct {
	seed uint64
	kept [1024]atomic.Pointer[ring] // by ring number modulo the length of the array
}

// ring is a cycle that many ranks ask for their neighbours. Some rings are listed: the neighbours
// of all ranks are in memory.
type ring struct {
	*cycle
	asked atomic.Uint32            // number of counted ranks that have asked
	list  atomic.Pointer[[]beside] // by rank; nil unless the ring is listed
}

// beside holds the ranks before and after a rank.
type beside struct{ before, after uint16 }

// To list a ring takes about as long as to compute the neighbours of a fifth of its ranks. A
// process with few of the ranks should not list rings in vain, so a ring is listed only when
// 1/listedShare of the ranks have asked. Only every askersCounted-th rank is counted, since workers
// count together. Ranks are rarely many rounds apart, so only the newest rings remain listed.
const (
	maxListed     = 1 << 16 // ranks
	listedShare   = 8
	askersCounted = 16
	newestListed  = 32
)

// at returns random ring i through all n ranks.
func (k *cycles) at(n int, i uint64) *ring {
	place := &k.kept[i%uint64(len(k.kept))]
	r := place.Load()
	if r == nil || r.number != i || r.n != uint64(n) {
		r = &ring{cycle: newCycle(n, k.seed, i)}
		place.Store(r)
	}
	return r
}

// around returns the ranks before and after a rank on random ring i through all n ranks.
func (k *cycles) around(n int, i uint64, rank int) (before, after int) {
	r := k.at(n, i)
	if list := r.list.Load(); list != nil {
		at := (*list)[rank]
		return int(at.before), int(at.after)
	}
	if rank%askersCounted == 0 && n <= maxListed &&
		r.asked.Add(1) == uint32(max(1, n/(listedShare*askersCounted))) {
		list := r.enumerate()
		r.list.Store(&list)
		if old := k.kept[(i-newestListed)%uint64(len(k.kept))].Load(); old != nil && old.number < i {
			old.list.Store(nil)
		}
	}
	return r.around(rank)
}

// enumerate returns the neighbours of each rank.
func (c *cycle) enumerate() []beside {
	list := make([]beside, c.n)
	first := c.rank(0)
	before := first
	for at := uint64(1); at < c.n; at++ {
		rank := c.rank(at)
		list[before].after, list[rank].before = uint16(rank), uint16(before)
		before = rank
	}
	list[before].after, list[first].before = uint16(first), uint16(before)
	return list
}
