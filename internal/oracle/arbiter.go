package oracle

import (
	"cmp"
	"slices"

	"fabricast/fabric"
)

// arbitrage is what has been granted somewhere.
type arbitrage struct {
	follows int     // the input after the one granted last
	granted []int64 // ps: by input, when it was granted last; -1 = never
}

func newArbitrage(inputs int) arbitrage {
	return arbitrage{granted: slices.Repeat([]int64{-1}, inputs)}
}

// grant notes that an input is granted now.
func (a *arbitrage) grant(input int, now int64) {
	a.granted[input] = now
	a.follows = (input + 1) % len(a.granted)
}

// distance is how far an input is behind the one whose turn it is.
func (a *arbitrage) distance(input int) int {
	return (input - a.follows + len(a.granted)) % len(a.granted)
}

// candidate is a packet that asks, and its place in the order.
type candidate struct {
	packet *packet
	input  int
	key    [4]int64 // the least is first
}

// rank orders candidates by their keys, then by input, then by arrival.
func rank(cs []candidate) {
	slices.SortFunc(cs, func(a, b candidate) int {
		return cmp.Or(
			slices.Compare(a.key[:], b.key[:]),
			cmp.Compare(a.input, b.input),
			cmp.Compare(a.packet.ready, b.packet.ready))
	})
}

// key is the arbiter's: past is that of the place where the packet asks, and
// output tells such places of one router apart.
func (o *Oracle) key(p *packet, ask int64, past *arbitrage, input, output int) [4]int64 {
	switch o.spec.Router.Arbiter {
	case fabric.RoundRobin:
		return [4]int64{int64(past.distance(input)), int64(output)}
	case fabric.Matrix:
		return [4]int64{past.granted[input], int64(output)}
	case fabric.Age:
		return [4]int64{p.msg.Post, ask}
	case fabric.Priority:
		return [4]int64{-int64(p.msg.Class), ask}
	}
	return [4]int64{ask}
}
