package deadlock

// index numbers the places of packets (router and header). It is an open hash table that can be
// cleared in constant time.
//
// Most algorithms have one header for all packets to a destination. Its places are numbered by
// router.
type index struct {
	slots  []slot
	header uint64     // the first one since the index was cleared
	first  bool       // there has been one
	places []numbered // by router: of that header
	round  uint32
	used   int
}

// numbered is the number of a place, which is valid in one round.
type numbered struct {
	round  uint32
	number int32
}

type slot struct {
	header uint64
	router int32
	number int32
	round  uint32
}

func newIndex(routers int) index {
	return index{slots: make([]slot, 1<<10), places: make([]numbered, routers)}
}

func (x *index) clear() {
	x.round++
	x.used = 0
	x.first = false
}

// find returns the number of a place, and whether it was known. An unknown place gets the given
// number.
func (x *index) find(router int32, header uint64, number int32) (int32, bool) {
	if !x.first {
		x.first, x.header = true, header
	}
	if header == x.header {
		p := &x.places[router]
		if p.round == x.round {
			return p.number, true
		}
		p.round, p.number = x.round, number
		return number, false
	}
	if 2*x.used >= len(x.slots) {
		x.grow()
	}
	s := x.slot(router, header)
	if s.round == x.round {
		return s.number, true
	}
	*s = slot{header: header, router: router, number: number, round: x.round}
	x.used++
	return number, false
}

// slot returns the slot that holds a place or would hold it.
func (x *index) slot(router int32, header uint64) *slot {
	mask := uint64(len(x.slots) - 1)
	h := (header ^ uint64(router)<<40 ^ uint64(router)) * 0x9e3779b97f4a7c15
	for i := (h ^ h>>29) & mask; ; i = (i + 1) & mask {
		s := &x.slots[i]
		if s.round != x.round || s.router == router && s.header == header {
			return s
		}
	}
}

func (x *index) grow() {
	old := x.slots
	x.slots = make([]slot, 2*len(old))
	for i := range old {
		if old[i].round == x.round {
			*x.slot(old[i].router, old[i].header) = old[i]
		}
	}
}
