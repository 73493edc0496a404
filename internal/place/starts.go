package place

import (
	"cmp"
	"slices"
)

// Names of mappings from which a search starts.
const (
	Own       = "own"       // the experiment's
	Linear    = "linear"    // ranks in order on the hosts in order
	Bisection = "bisection" // ranks and hosts halved again and again, near ones together
	Greedy    = "greedy"    // one rank after the other, near those that it talks to
)

// start is a mapping by its name.
type start struct {
	name string
	at   []int32
}

// isStart reports whether a name is that of a mapping from which a search starts.
func isStart(name string) bool {
	return slices.Contains([]string{Own, Linear, Bisection, Greedy}, name)
}

func (p *problem) starts() []start {
	list := []start{{Own, p.slots}, {Linear, slices.Sorted(slices.Values(p.slots))}}
	at := make([]int32, p.ranks)
	p.bisect(p.inOrder(), list[1].at, at)
	return append(list, start{Bisection, at}, start{Greedy, p.greedy()})
}

// inOrder returns all ranks in order.
func (p *problem) inOrder() []int32 {
	all := make([]int32, p.ranks)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// bisect places ranks on as many slots. It halves both, so that much traffic stays within the
// halves.
func (p *problem) bisect(ranks, slots, at []int32) {
	if len(ranks) == 1 {
		at[ranks[0]] = slots[0]
		return
	}
	half := len(ranks) / 2
	slots = p.halves(slots)
	ranks = p.grown(ranks, half)
	p.bisect(ranks[:half], slots[:half], at)
	p.bisect(ranks[half:], slots[half:], at)
}

// halves sorts slots, so that those near one of two distant hosts come first.
func (p *problem) halves(slots []int32) []int32 {
	farthest := func(from int32) int32 {
		return slices.MaxFunc(slots, func(a, b int32) int {
			return cmp.Compare(p.hops(from, a), p.hops(from, b))
		})
	}
	a := farthest(slots[0])
	b := farthest(a)
	slots = slices.Clone(slots)
	slices.SortStableFunc(slots, func(x, y int32) int {
		return cmp.Compare(p.hops(a, x)-p.hops(b, x), p.hops(a, y)-p.hops(b, y))
	})
	return slots
}

// grown sorts ranks, so that the first n talk much to each other: each next one is that which
// exchanges most with those before.
func (p *problem) grown(ranks []int32, n int) []int32 {
	ranks = slices.Clone(ranks)
	gain := make(map[int32]int64, len(ranks))
	for _, r := range ranks {
		gain[r] = 0
	}
	for i := range n {
		best := i
		for k := i + 1; k < len(ranks); k++ {
			if gain[ranks[k]] > gain[ranks[best]] {
				best = k
			}
		}
		r := ranks[best]
		copy(ranks[i+1:best+1], ranks[i:best])
		ranks[i] = r
		for _, f := range p.touches[r] {
			other := p.partner(f, r)
			if _, within := gain[other]; within {
				gain[other] += p.flows[f].Bytes
			}
		}
	}
	return ranks
}

// partner returns the other rank of a flow.
func (p *problem) partner(flow, rank int32) int32 {
	if f := &p.flows[flow]; f.From == rank {
		return f.To
	}
	return p.flows[flow].From
}

// greedy places ranks in the order in which they talk to those before, each on the slot from which
// the fewest bytes pass links.
func (p *problem) greedy() []int32 {
	at := slices.Repeat([]int32{-1}, p.ranks)
	room := make([]int, len(p.hosts))
	for _, slot := range p.slots {
		room[slot]++
	}
	for _, r := range p.grown(p.inOrder(), p.ranks) {
		best, least := int32(-1), int64(0)
		for h := range int32(len(p.hosts)) {
			if room[h] == 0 {
				continue
			}
			sum := int64(0)
			for _, f := range p.touches[r] {
				if o := at[p.partner(f, r)]; o >= 0 {
					sum += p.flows[f].Bytes * p.hops(h, o)
				}
			}
			if best < 0 || sum < least {
				best, least = h, sum
			}
		}
		at[r] = best
		room[best]--
	}
	return at
}
