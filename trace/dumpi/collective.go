package dumpi

import (
	"fmt"
	"slices"

	"fabricast/trace"
)

// operands locates the arguments of a collective. Its fields are indices in record.ints or, for
// lists, in record.lists.
type operands struct {
	kind         trace.CollectiveKind
	comm         int
	count, type_ int // of the buffer, or of its part for one rank
	rooted       bool
	root         int
	// rootCount and rootType replace count and type_ at the root, which may use MPI_IN_PLACE; 0 if
	// the root has no other arguments.
	rootCount, rootType int
	// uneven marks the v variants: counts is the index of the list of element counts by rank, and
	// countsType that of their datatype. If there is a root, only the root has the list.
	uneven     bool
	counts     int
	countsType int
	// typesOf, of MPI_Alltoallw, is the index of the list of datatypes by rank. instead is the
	// index of the list of counts to use if the list at counts is empty. 0: none.
	typesOf, instead int
}

// collectives holds the collectives by function ID. Sizes are taken from the receive arguments
// where possible, because the send arguments are not set with MPI_IN_PLACE.
var collectives = map[uint16]*operands{
	52: {kind: trace.Barrier, comm: 0, count: -1},
	53: {kind: trace.Broadcast, comm: 3, count: 0, type_: 1, rooted: true, root: 2},
	54: {kind: trace.Gather, comm: 4, count: 1, type_: 2, rooted: true, root: 3, rootCount: 5, rootType: 6},
	55: {
		kind:       trace.Gather,
		comm:       5,
		count:      2,
		type_:      3,
		rooted:     true,
		root:       4,
		uneven:     true,
		countsType: 6,
	},
	56: {kind: trace.Scatter, comm: 4, count: 1, type_: 2, rooted: true, root: 3, rootCount: 5, rootType: 6},
	57: {
		kind:       trace.Scatter,
		comm:       6,
		count:      3,
		type_:      4,
		rooted:     true,
		root:       5,
		uneven:     true,
		countsType: 2,
	},
	58:  {kind: trace.Allgather, comm: 4, count: 2, type_: 3},
	59:  {kind: trace.Allgather, comm: 4, count: -1, uneven: true, countsType: 3},
	60:  {kind: trace.Alltoall, comm: 4, count: 2, type_: 3},
	61:  {kind: trace.Alltoall, comm: 3, count: -1, uneven: true, countsType: 1, instead: 2},
	62:  {kind: trace.Reduce, comm: 4, count: 0, type_: 1, rooted: true, root: 3},
	65:  {kind: trace.Allreduce, comm: 3, count: 0, type_: 1},
	66:  {kind: trace.ReduceScatter, comm: 3, count: -1, uneven: true, countsType: 1},
	67:  {kind: trace.Scan, comm: 3, count: 0, type_: 1},
	155: {kind: trace.Alltoall, comm: 1, count: -1, uneven: true, typesOf: 2, instead: 3},
	156: {kind: trace.Exscan, comm: 3, count: 0, type_: 1},
}

// collective yields a record for the collective r.
func (s *stream) collective(r *record) error {
	where, a := collectives[r.function], &r.ints
	group := s.group(a[where.comm])
	switch {
	case group == trace.Self:
		return nil
	case group < 0:
		s.skip(r, " in a communicator whose ranks are not known")
		return nil
	}
	o := trace.Operation{Kind: where.kind, Group: group, Uneven: where.uneven}
	me := s.place(group)
	if me < 0 {
		return s.wrong("communicator", fmt.Sprint(a[where.comm]), "one that the rank is in")
	}
	if where.rooted {
		if _, ok := s.member(group, a[where.root]); !ok {
			return s.wrong("root", fmt.Sprint(a[where.root]), "a rank of the communicator")
		}
		o.Root = int32(a[where.root])
	}
	if err := s.operand(&o, where, o.Root == me); err != nil {
		return err
	}
	if where.uneven && (!where.rooted || o.Root == me) {
		if err := s.uneven(&o, where, me); err != nil {
			return err
		}
	}
	s.push(trace.Record{Kind: trace.Collective, Call: o})
	return nil
}

// place returns the stream's rank as a rank in a group; negative if it is not a member.
func (s *stream) place(group int32) int32 {
	list := s.source.comms.groups[group]
	if list == nil {
		return s.rank
	}
	p, found := s.places[group]
	if !found {
		p = int32(slices.Index(list, s.rank))
		if s.places == nil {
			s.places = map[int32]int32{}
		}
		s.places[group] = p
	}
	return p
}

// operand sets o.Size from the count and datatype arguments. root means that this rank is the root.
func (s *stream) operand(o *trace.Operation, where *operands, root bool) (err error) {
	a := &s.record.ints
	switch {
	case where.count < 0:
	case root && where.rootCount != 0:
		o.Size, err = s.bytes(a[where.rootCount], a[where.rootType])
	case root && where.uneven: // its size is in the list
	default:
		o.Size, err = s.bytes(a[where.count], a[where.type_])
	}
	return err
}

// uneven reads the list of element counts of a v variant, and sets o.Blocks or o.Size. me is this
// rank's rank in the group.
func (s *stream) uneven(o *trace.Operation, where *operands, me int32) error {
	counts, types, datatype := where.counts, where.typesOf, s.record.ints[where.countsType]
	if len(s.record.lists[counts]) == 0 && where.instead != 0 {
		counts, datatype = where.instead, s.record.ints[where.countsType+1]
		if types != 0 {
			types = where.instead + 2
		}
	}
	list := s.record.lists[counts]
	n := len(s.source.comms.groups[o.Group])
	if n == 0 {
		n = len(s.source.files)
	}
	if len(list) != n || types != 0 && len(s.record.lists[types]) != n {
		return s.wrong(
			"counts",
			fmt.Sprintf("%d of them", len(list)), fmt.Sprintf("%d, one for each rank", n),
		)
	}
	if len(s.blocks) > mostKept {
		s.blocks = nil
	}
	first := len(s.blocks)
	for i, count := range list {
		if types != 0 {
			datatype = int64(s.record.lists[types][i])
		}
		size, err := s.bytes(int64(count), datatype)
		if err != nil {
			return err
		}
		s.blocks = append(s.blocks, size)
	}
	blocks := s.blocks[first:len(s.blocks):len(s.blocks)]
	if o.Kind == trace.Gather || o.Kind == trace.Allgather {
		o.Size = blocks[me]
		s.blocks = s.blocks[:first]
	} else {
		o.Blocks = blocks
	}
	return nil
}
