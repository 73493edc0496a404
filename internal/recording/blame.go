package recording

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"fabricast/internal/holders"
	"fabricast/internal/plan"
	"fabricast/record"
)

// blame sums waits by flows, ranks, jobs and links.
type blame struct {
	nics  int32
	jobs  []int32 // of each host; nil if there are no jobs
	ranks bool    // messages have ranks

	flows                         map[pair]*sums
	flow                          pair  // that was added to last
	last                          *sums // its sums
	byLink, byRoot, byRank, byJob []sums
}

// pair is a pair of hosts, or the number of something else and -1.
type pair struct{ source, destination int32 }

func newBlame(p *plan.Plan) *blame {
	return &blame{
		nics: int32(p.Fabric.Graph.NICsPerHost), ranks: !p.Experiment.HasTraffic(), jobs: jobsOf(p),
		flows: map[pair]*sums{},
	}
}

// add adds a wait to all matrices.
func (b *blame) add(w *holders.Wait) {
	m, h := &w.Message, &w.Holder
	flow, by := pair{m.Source / b.nics, m.Destination / b.nics}, pair{h.Source / b.nics, h.Destination / b.nics}
	if b.last == nil || b.flow != flow {
		b.flow, b.last = flow, b.flows[flow]
		if b.last == nil {
			b.last = new(sums)
			b.flows[flow] = b.last
		}
	}
	b.last.add(by, w.Time)
	addTo(&b.byLink, m.Link, by, w.Time)
	addTo(&b.byRoot, h.Link, by, w.Time)
	if b.ranks {
		addTo(&b.byRank, m.SourceRank, pair{h.SourceRank, -1}, w.Time)
	}
	if b.jobs != nil {
		addTo(&b.byJob, b.jobs[flow.source], pair{b.jobs[by.source], -1}, w.Time)
	}
}

// addTo adds to an element of a matrix that has a row for each index from -1 on: traffic has no rank.
func addTo(rows *[]sums, row int32, by pair, time int64) {
	if more := int(row) + 2 - len(*rows); more > 0 {
		*rows = append(*rows, make([]sums, more)...)
	}
	(*rows)[row+1].add(by, time)
}

// rows returns the elements of all matrices, in order.
func (b *blame) rows() iter.Seq[record.Blame] {
	return func(yield func(record.Blame) bool) {
		flows := slices.SortedFunc(maps.Keys(b.flows), comparePairs)
		for _, of := range flows {
			if !b.flows[of].rows(record.BlameFlow, of, yield) {
				return
			}
		}
		_ = rowsOf(record.BlameJob, b.byJob, yield) && rowsOf(record.BlameLink, b.byLink, yield) &&
			rowsOf(record.BlameRank, b.byRank, yield) && rowsOf(record.BlameRoot, b.byRoot, yield)
	}
}

func comparePairs(a, b pair) int {
	return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.destination, b.destination))
}

// rowsOf yields the elements of a matrix that has a row for each index from -1 on, and reports whether more are wanted.
func rowsOf(matrix string, rows []sums, yield func(record.Blame) bool) bool {
	for i := range rows {
		if !rows[i].rows(matrix, pair{int32(i - 1), -1}, yield) {
			return false
		}
	}
	return true
}

// sums is a row of a matrix: a hash table with open addressing. Matrices have very many elements, and each wait is
// added to several.
type sums struct {
	cells []cell // a power of two of them, or none
	used  int
}

// cell is an element; empty if time is 0.
type cell struct {
	by   pair
	time int64 // ps
}

// add adds a time (ps, more than 0) to an element.
func (s *sums) add(by pair, time int64) {
	if s.used >= len(s.cells)/4*3 {
		old := s.cells
		s.cells = make([]cell, max(4, 2*len(old)))
		for _, c := range old {
			if c.time != 0 {
				*s.find(c.by) = c
			}
		}
	}
	c := s.find(by)
	if c.time == 0 {
		c.by = by
		s.used++
	}
	c.time += time
}

// find returns the cell of an element, or the one that is to be its cell. There is an empty one.
func (s *sums) find(by pair) *cell {
	hash := (uint64(uint32(by.source))<<32 | uint64(uint32(by.destination))) * 0x9E3779B97F4A7C15
	for i := hash >> 32; ; i++ {
		if c := &s.cells[i&uint64(len(s.cells)-1)]; c.time == 0 || c.by == by {
			return c
		}
	}
}

// rows yields the elements of the row `of` of a matrix in order, and reports whether more are wanted. It empties the
// row.
func (s *sums) rows(matrix string, of pair, yield func(record.Blame) bool) bool {
	cells := slices.DeleteFunc(s.cells, func(c cell) bool { return c.time == 0 })
	*s = sums{}
	slices.SortFunc(cells, func(a, b cell) int { return comparePairs(a.by, b.by) })
	for _, c := range cells {
		if !yield(record.Blame{
			Matrix: matrix, Source: of.source, Destination: of.destination,
			HolderSource: c.by.source, HolderDestination: c.by.destination, Wait: c.time,
		}) {
			return false
		}
	}
	return true
}
