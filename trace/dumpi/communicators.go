package dumpi

import (
	"cmp"
	"slices"

	"fabricast/trace"
)

// Handles of the predefined communicators.
const (
	commWorld = 2
	commSelf  = 3
)

// Special values of group indices: the rank is not in the new communicator (MPI_COMM_NULL), and the
// members of the communicator are unknown.
const (
	noComm      int32 = -2
	unknownComm int32 = -3
)

// Function IDs of the calls that create communicators and groups.
const (
	commGroup       = 72
	groupUnion      = 73
	groupIntersect  = 74
	groupDifference = 75
	groupIncl       = 76
	groupExcl       = 77
	groupRangeIncl  = 78
	groupRangeExcl  = 79
	commDup         = 84
	commCreate      = 85
	commSplit       = 86
	commRemoteGroup = 90
	intercommCreate = 91
	intercommMerge  = 92
	cartCreate      = 99
	graphCreate     = 101
	cartSub         = 111
)

// makers maps the IDs of functions that create a communicator to the indices in record.ints of the
// old and the new communicator.
var makers = map[uint16]struct{ old, made int }{
	commDup: {0, 1}, commCreate: {0, 2}, commSplit: {0, 3}, intercommCreate: {0, 5}, intercommMerge: {0, 2},
	cartCreate: {0, 3}, graphCreate: {1, 4}, cartSub: {1, 2},
}

// groupCalls maps the IDs of functions that create a group to the index in record.ints of the new
// group.
var groupCalls = map[uint16]int{
	commGroup: 1, groupUnion: 2, groupIntersect: 2, groupDifference: 2, groupIncl: 2, groupExcl: 2,
	groupRangeIncl: 2,
	groupRangeExcl: 2, commRemoteGroup: 1,
}

// communicators holds the groups of all communicators in a trace.
type communicators struct {
	groups [][]int32 // as trace.Trace.Groups; the first is the world
	// by rank, in the order of its calls: the group of each communicator that it creates (an index
	// in groups, trace.Self, noComm or unknownComm)
	created [][]int32
}

// call is a call that creates a communicator or a group.
type call struct {
	function uint16
	ints     [16]int64
	lists    [2][]int32
}

// communicators determines the groups of all communicators. The members of a communicator created
// by MPI_Comm_split depend on the calls of all ranks. Therefore it reads these calls of all ranks
// before the replay. It skips files whose footers show that there are none.
func (s *source) communicators() (communicators, error) {
	r := resolver{ranks: make([]member, len(s.files))}
	for rank := range s.files {
		calls, err := s.makers(rank)
		if err != nil {
			return communicators{}, err
		}
		r.ranks[rank] = member{calls: calls}
	}
	return r.resolve(), nil
}

// makers returns the calls of a rank that create communicators and groups. In a damaged file, it
// returns the calls before the damage, which the stream will report.
func (s *source) makers(rank int) (list []call, err error) {
	l, err := readLayout(s.files[rank])
	if err != nil {
		return nil, err
	}
	left := int64(-1)
	if l.counts != nil {
		left = 0
		for f := range makers {
			left += l.counts.recorded(int(f))
		}
	}
	for r := s.records(rank, l); left != 0; {
		if more, err := r.next(); err != nil || !more {
			break
		}
		if r.record.thread != 0 {
			continue
		}
		f := r.record.function
		_, makes := makers[f]
		if _, group := groupCalls[f]; !makes && !group {
			continue
		}
		c := call{function: f, ints: r.record.ints}
		for i := range c.lists {
			c.lists[i] = slices.Clone(r.record.lists[i])
		}
		list = append(list, c)
		if makes {
			left--
		}
	}
	return list, nil
}

// member is the state of a rank while communicators are resolved.
type member struct {
	calls  []call
	comms  map[uint16]int32   // by communicator handle: group index
	groups map[uint16][]int32 // by group handle: world ranks
	called map[int32]int      // by group index: number of communicators that the rank has created from it
}

// meeting identifies a collective call that creates communicators from the one with the given
// group. number counts such calls on that communicator.
type meeting struct {
	group  int32
	number int
}

// resolver processes the calls in member.calls of all ranks. It processes a call that creates
// communicators when all ranks of the old communicator have reached the call.
type resolver struct {
	ranks   []member
	dims    map[int32][]int32 // dimensions of communicators with a Cartesian topology, by group
	arrived map[meeting][]int32
	ready   []int32 // ranks that can continue
	communicators
}

// resolve processes all calls and returns the groups.
func (r *resolver) resolve() communicators {
	r.groups, r.created = [][]int32{nil}, make([][]int32, len(r.ranks))
	r.dims, r.arrived = map[int32][]int32{}, map[meeting][]int32{}
	for rank := range r.ranks {
		m := &r.ranks[rank]
		if len(m.calls) == 0 {
			continue
		}
		m.comms = map[uint16]int32{commWorld: 0, commSelf: trace.Self}
		m.groups, m.called = map[uint16][]int32{}, map[int32]int{}
		r.ready = append(r.ready, int32(rank))
	}
	for len(r.ready) > 0 {
		rank := r.ready[len(r.ready)-1]
		r.ready = r.ready[:len(r.ready)-1]
		r.advance(rank)
	}
	return r.communicators
}

// advance processes the calls of a rank until it must wait for other ranks.
func (r *resolver) advance(rank int32) {
	m := &r.ranks[rank]
	for len(m.calls) > 0 {
		c := &m.calls[0]
		maker, makes := makers[c.function]
		if !makes {
			m.groups[uint16(c.ints[groupCalls[c.function]])] = r.group(rank, c)
			m.calls = m.calls[1:]
			continue
		}
		old, found := m.comms[uint16(c.ints[maker.old])]
		switch {
		case !found:
			r.made(rank, unknownComm)
		case old < 0: // trace.Self, noComm or unknownComm
			r.made(rank, old)
		default:
			r.meet(rank, old)
			return
		}
	}
}

// made completes the rank's current call, which creates a communicator with the given group.
func (r *resolver) made(rank, group int32) {
	m := &r.ranks[rank]
	c := &m.calls[0]
	m.comms[uint16(c.ints[makers[c.function].made])] = group
	r.created[rank] = append(r.created[rank], group)
	m.calls = m.calls[1:]
}

// meet records that a rank has reached a collective call on a communicator with group old. If all
// its ranks have, meet processes the call.
func (r *resolver) meet(rank, old int32) {
	m := &r.ranks[rank]
	at := meeting{old, m.called[old]}
	m.called[old]++
	r.arrived[at] = append(r.arrived[at], rank)
	size := len(r.groups[old])
	if r.groups[old] == nil {
		size = len(r.ranks)
	}
	if len(r.arrived[at]) < size {
		return
	}
	delete(r.arrived, at)
	r.make(old)
	for i := range size {
		r.ready = append(r.ready, r.member(old, i))
	}
}

// member returns the world rank of rank i in a group.
func (r *resolver) member(group int32, i int) int32 {
	if list := r.groups[group]; list != nil {
		return list[i]
	}
	return int32(i)
}

// members returns the world ranks of a group.
func (r *resolver) members(group int32) []int32 {
	if r.groups[group] != nil {
		return r.groups[group]
	}
	list := make([]int32, len(r.ranks))
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// add adds a group with the given world ranks and returns its index.
func (r *resolver) add(list []int32) int32 {
	r.groups = append(r.groups, list)
	return int32(len(r.groups) - 1)
}

// make processes a collective call, which all ranks of group old have reached, that creates
// communicators.
func (r *resolver) make(old int32) {
	list := r.members(old)
	switch f := r.ranks[list[0]].calls[0].function; f {
	case commDup:
		made := r.add(r.groups[old])
		if dims := r.dims[old]; dims != nil {
			r.dims[made] = dims
		}
		for _, rank := range list {
			r.made(rank, made)
		}
	case commCreate:
		r.chosen(list, func(rank int32, c *call) []int32 { return r.ranks[rank].groups[uint16(c.ints[1])] })
	case cartCreate, graphCreate:
		r.topology(list)
	case commSplit:
		r.split(list, func(_ int, c *call) (int64, int64) { return c.ints[1], c.ints[2] }, nil)
	case cartSub:
		r.cartSub(old, list)
	default:
		for _, rank := range list {
			r.made(rank, unknownComm)
		}
	}
}

// chosen creates communicators from the groups that the ranks in list specify. stated returns the
// group of a rank. Ranks with the same group share a communicator.
func (r *resolver) chosen(list []int32, stated func(rank int32, c *call) []int32) {
	made := map[int32]int32{} // by the first rank of a group
	for _, rank := range list {
		group := stated(rank, &r.ranks[rank].calls[0])
		if !slices.Contains(group, rank) {
			r.made(rank, noComm)
			continue
		}
		if _, found := made[group[0]]; !found {
			made[group[0]] = r.add(group)
		}
		r.made(rank, made[group[0]])
	}
}

// topology creates a Cartesian or graph communicator from the first ranks in list. The ranks keep
// their order, because DUMPI does not record a reordering by MPI.
func (r *resolver) topology(list []int32) {
	c := &r.ranks[list[0]].calls[0]
	size := int64(len(list))
	if c.function == graphCreate {
		size = min(size, max(0, c.ints[2]))
	} else {
		size = min(size, product(c.lists[0], size))
	}
	if size == 0 {
		for _, rank := range list {
			r.made(rank, noComm)
		}
		return
	}
	made := r.add(slices.Clone(list[:size]))
	if c.function == cartCreate && product(c.lists[0], size+1) == size {
		r.dims[made] = c.lists[0]
	}
	for i, rank := range list {
		if int64(i) < size {
			r.made(rank, made)
		} else {
			r.made(rank, noComm)
		}
	}
}

// product returns the product of the numbers in list, but at most most. Negative numbers count as
// 0.
func product(list []int32, most int64) int64 {
	p := int64(1)
	for _, n := range list {
		p = min(most, p*int64(max(0, n)))
	}
	return p
}

// split creates a communicator for each non-negative color, as MPI_Comm_split. by returns the color
// and key of the i-th rank in list. If after is not nil, split calls it with each new group.
func (r *resolver) split(list []int32, by func(i int, c *call) (color, key int64), after func(made int32)) {
	type entry struct {
		color, key int64
		rank       int32
	}
	var entries []entry
	for i, rank := range list {
		color, key := by(i, &r.ranks[rank].calls[0])
		if color < 0 {
			r.made(rank, noComm)
			continue
		}
		entries = append(entries, entry{color, key, rank})
	}
	slices.SortStableFunc(
		entries,
		func(a, b entry) int { return cmp.Or(cmp.Compare(a.color, b.color), cmp.Compare(a.key, b.key)) },
	)
	for len(entries) > 0 {
		n := 1
		for n < len(entries) && entries[n].color == entries[0].color {
			n++
		}
		group := make([]int32, n)
		for i := range group {
			group[i] = entries[i].rank
		}
		made := r.add(group)
		if after != nil {
			after(made)
		}
		for _, rank := range group {
			r.made(rank, made)
		}
		entries = entries[n:]
	}
}

// cartSub creates the communicators of an MPI_Cart_sub call: one per sub-grid of the dimensions
// that remain.
func (r *resolver) cartSub(old int32, list []int32) {
	dims := r.dims[old]
	remain := r.ranks[list[0]].calls[0].lists[0]
	if len(dims) == 0 || len(remain) != len(dims) {
		for _, rank := range list {
			r.made(rank, unknownComm)
		}
		return
	}
	var left []int32
	for d, n := range dims {
		if remain[d] != 0 {
			left = append(left, n)
		}
	}
	r.split(
		list,
		func(i int, _ *call) (color, key int64) { return part(i, len(list), dims, remain) },
		func(made int32) { r.dims[made] = left },
	)
}

// part returns the color and key of rank i of a Cartesian communicator of n ranks in MPI_Cart_sub:
// the index of its sub-grid, and its rank in the sub-grid.
func part(i, n int, dims, remain []int32) (color, key int64) {
	stride := int64(n)
	for d, n := range dims {
		stride /= int64(n)
		at := int64(i) / stride % int64(n)
		if remain[d] != 0 {
			key = key*int64(n) + at
		} else {
			color = color*int64(n) + at
		}
	}
	return color, key
}
