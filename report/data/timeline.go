package data

import (
	"fmt"
	"slices"

	"fabricast/record"
)

// timeline adds the activities of ranks over time: all spans if there are few, otherwise the
// longest. It always adds a summary by groups of consecutive ranks (see rankBlocks).
func (b *builder) timeline() {
	f := b.read(record.TimelineTable)
	if f == nil || !f.has("rank", "begin_ps", "end_ps", "state") || f.rows == 0 {
		return
	}
	f = f.pick(byRank(f))
	b.put("rank_blocks", rankBlocks(f))
	if f.rows <= mostTimeline {
		b.put("timeline", f)
		return
	}
	longest := longestSpans(f, mostTimeline)
	b.run.Tables["timeline"] = f.pick(longest).table(b.blobs, b.prefix+".timeline",
		fmt.Sprintf("The %d longest spans, of %d.", mostTimeline, f.rows))
}

// byRank returns the rows of spans sorted by rank, then by start time.
func byRank(f *frame) []int32 {
	ranks, begins := f.column("rank").ints, f.column("begin_ps").ints
	rows := upTo(f.rows)
	slices.SortStableFunc(rows, func(x, y int32) int {
		if ranks[x] != ranks[y] {
			return int(ranks[x] - ranks[y])
		}
		return compare(begins[x], begins[y])
	})
	return rows
}

func compare(x, y int64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// longestSpans returns the rows of the longest spans, in ascending order of rows.
func longestSpans(f *frame, most int) []int32 {
	begins, ends := f.column("begin_ps").ints, f.column("end_ps").ints
	rows := upTo(f.rows)
	slices.SortStableFunc(rows, func(x, y int32) int { return compare(ends[y]-begins[y], ends[x]-begins[x]) })
	rows = rows[:most]
	slices.Sort(rows)
	return rows
}

// rankBlocks divides the ranks into blocks of equal size and the time into equal intervals. For
// each block and interval it computes the fraction of time that the ranks spent in each state.
func rankBlocks(f *frame) *frame {
	ranks, begins, ends := f.column("rank").ints, f.column("begin_ps").ints, f.column("end_ps").ints
	states := f.column("state")
	g := &rankGrid{ranks: slices.Max(ranks) + 1, end: max(1, slices.Max(ends)), states: len(states.words)}
	g.each = (g.ranks + mostBlocks - 1) / mostBlocks
	g.blocks = (g.ranks + g.each - 1) / g.each
	g.interval = (g.end + timelineSpans - 1) / timelineSpans
	g.spans = (g.end + g.interval - 1) / g.interval
	g.time = make([]float64, g.blocks*g.spans*int64(g.states))
	for i, rank := range ranks {
		g.add(rank/g.each, begins[i], ends[i], int(states.codes[i]))
	}
	return g.frame(states.words)
}

// mostBlocks is the maximum number of blocks of ranks.
const mostBlocks = 256

// rankGrid accumulates time by block of ranks, interval and state.
type rankGrid struct {
	ranks, each, blocks  int64
	end, interval, spans int64
	states               int
	time                 []float64
}

func (g *rankGrid) add(block, begin, end int64, state int) {
	for at := begin; at < end; {
		span := at / g.interval
		until := min(end, (span+1)*g.interval)
		g.time[(block*g.spans+span)*int64(g.states)+int64(state)] += float64(until - at)
		at = until
	}
}

// frame returns a table with a row for each block and interval, and a column for each state.
func (g *rankGrid) frame(states []string) *frame {
	n := int(g.blocks * g.spans)
	first, last, begin, end := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	for i := range n {
		block, span := int64(i)/g.spans, int64(i)%g.spans
		first[i], last[i] = block*g.each, min(g.ranks, (block+1)*g.each)-1
		begin[i], end[i] = span*g.interval, min(g.end, (span+1)*g.interval)
	}
	f := &frame{rows: n}
	f.addInts("first_rank", first)
	f.addInts("last_rank", last)
	f.addInts("begin_ps", begin)
	f.addInts("end_ps", end)
	for s, name := range states {
		shares := make([]float64, n)
		for i := range shares {
			shares[i] = g.time[i*g.states+s] / float64((end[i]-begin[i])*(last[i]-first[i]+1))
		}
		f.addFloats(name, shares)
	}
	return f
}
