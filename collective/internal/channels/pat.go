package channels

import (
	"slices"

	"fabricast/node"
)

// PAT: every block has a binomial tree of its own, and all trees are parallel (Jeaugey, PAT: a new
// algorithm for all-gather and reduce-scatter operations at scale, 2025). Far ranks come first, so that
// most messages are between near ones.

// patTimes are those of NCCL's model of costs: 8 us, and 14 us / 3.5 for a step. The others are those of
// rings by Simple.
var patTimes = timing{launch: 8000, inside: 3400, between: 4000, rate: 24000}

// patEach is the time (ns) of a block in that model.
const patEach = 2800

// patTime returns the estimated time of PAT in us. bytes is the size of the largest buffer of a rank.
func (m *Model) patTime(bytes int) float64 {
	bus := m.Bus
	if m.Nodes <= 2 {
		bus = m.NVLink
	}
	latency := 8 + float64(log2(m.Nodes))*networkLatency[Tree][Simple]/3.5 + float64(m.Ranks)*patEach/1000
	return latency + float64(bytes)/(1000*0.75*bus)
}

// exchange is a step of PAT: a rank sends the block of the rank so many below it to another one, far
// above, and receives likewise.
type exchange struct{ block, far int32 }

// exchanges returns the steps of an allgather, in each of which the block that is sent has come before.
func exchanges(ranks int) (list []exchange) {
	have, far := []int32{0}, 1
	for 2*far < ranks {
		far *= 2
	}
	for ; far > 0; far /= 2 {
		for _, block := range have {
			if int(block)+far < ranks {
				list = append(list, exchange{block, int32(far)})
				have = append(have, block+int32(far))
			}
		}
	}
	return list
}

// turn is an exchange of which a rank sends its part, or receives.
type turn struct {
	exchange
	receives bool
}

// turns returns exchanges in the order in which a rank takes part: as many sends as the buffer between
// two ranks holds, then the receives. Exchanges as far do not depend on one another.
func turns(list []exchange) (all []turn) {
	for len(list) > 0 {
		n := 1
		for n < min(len(list), stepsInFlight) && list[n].far == list[0].far {
			n++
		}
		for _, receives := range []bool{false, true} {
			for _, x := range list[:n] {
				all = append(all, turn{x, receives})
			}
		}
		list = list[n:]
	}
	return all
}

// Allgather returns the programs of an allgather. all holds a block for each rank, that of the calling
// rank at first.
func (s *Setting) Allgather(all node.Buf) []Program {
	switch s.Way {
	case NVLS:
		return s.nvlsAllgather(all)
	case Ring:
		return s.RingAllgather(all)
	}
	return s.takeTurns(all, 1, turns(exchanges(s.ranks)), func(t turn) (block int32, m Step) {
		if t.receives {
			return t.block + t.far, Step{From: s.above(-t.far)}
		}
		return t.block, Step{To: s.above(t.far)}
	})
}

// ReduceScatter returns the programs of a reduce-scatter, which goes the way of the allgather back. acc
// holds a block for each rank; that of the calling rank is the result, the others are overwritten.
func (s *Setting) ReduceScatter(acc node.Buf, elem int) []Program {
	switch s.Way {
	case NVLS:
		return s.nvlsReduceScatter(acc, elem)
	case Ring:
		return s.RingReduceScatter(acc, elem)
	}
	list := exchanges(s.ranks)
	slices.Reverse(list)
	return s.takeTurns(acc, elem, turns(list), func(t turn) (block int32, m Step) {
		if t.receives {
			return t.block, Step{From: s.above(t.far), Combine: true}
		}
		return t.block + t.far, Step{To: s.above(-t.far)}
	})
}

// above returns the rank so many places above the calling one.
func (s *Setting) above(n int32) []int32 {
	return []int32{(int32(s.rank) + n + int32(s.ranks)) % int32(s.ranks)}
}

// takeTurns returns programs that take all turns for each loop. step returns the peer of one, and how far
// below the calling rank the rank is whose block is moved.
func (s *Setting) takeTurns(
	all node.Buf, elem int, list []turn, step func(t turn) (block int32, m Step),
) (programs []Program) {
	size := all.Len() / s.ranks
	for channel, of := range shares(size, s.channels, elem) {
		d := s.slicing(of, 1, elem)
		programs = append(programs, Program{
			Channel: channel, Acc: all, Steps: len(list) * d.loops(),
			Step: func(i int) Step {
				block, m := step(list[i%len(list)])
				m.Part = d.piece(i/len(list), 0, 0, int(s.above(-block)[0])*size).Part
				return m
			},
		})
	}
	return programs
}
