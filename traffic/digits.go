package traffic

import (
	"fmt"

	"fabricast/topology"
)

var _ = register(70, Kind{
	Name: "tornado", Summary: "just under half-way round in every dimension",
	Params: []string{"dims"},
	Destination: "⌈k/2⌉ − 1 steps up in every dimension. `dims` gives the radices where the " +
		"topology has no coordinates",
	Source: "Dally and Towles, table 3.1",
	build:  newTornado,
})

var _ = register(80, Kind{
	Name: "neighbour", Summary: "one step up in every dimension",
	Params:      []string{"dims"},
	Destination: "one step up in every dimension; `dims` as for `tornado`",
	Source:      "Dally and Towles, table 3.1",
	build:       newNeighbour,
})

// This file contains the digit permutations of Dally and Towles (2004, table 3.1). The digits of a
// host ID are the coordinates of its router. Each digit of the destination depends on the same
// digit of the source. The index of the host at its router does not change.

// grid is implemented by topologies with coordinates.
type grid interface{ Dims() []int }

// shiftDigits returns a table pattern that adds step(k) to every digit of the source, modulo the
// radix k of the digit.
func shiftDigits(s Spec, t topology.Topology, step func(k int) int) (Pattern, error) {
	dims := s.Dims
	if g, ok := t.(grid); ok && dims == nil {
		dims = g.Dims()
	}
	if dims == nil {
		return nil, &Problem{
			Field: "dims", Found: "nothing", Expected: "the radix of each digit of a host's number",
			Hint: "a " + t.Kind() + " has no coordinates",
		}
	}
	n, product := hosts(t), 1
	for _, k := range dims {
		if k < 1 || product > n/k {
			product = 0
			break
		}
		product *= k
	}
	if product == 0 || n%product != 0 {
		return nil, &Problem{
			Field: "dims", Found: fmt.Sprint(dims),
			Expected: fmt.Sprintf("sizes whose product divides the %d hosts of the network", n),
		}
	}
	each := n / product // number of hosts per router
	to := make(table, n)
	for src := range to {
		to[src] = int32(shifted(src/each, dims, step)*each + src%each)
	}
	return to, nil
}

func shifted(number int, dims []int, step func(k int) int) int {
	dst, stride := 0, 1
	for _, k := range dims {
		dst += (number%k + step(k)) % k * stride
		number /= k
		stride *= k
	}
	return dst
}

// newTornado returns the tornado pattern, which adds ceil(k/2) - 1 to the coordinate in every
// dimension of size k. On a ring, all traffic then goes in the same direction, over the longest
// distance for which that direction is the shorter one.
func newTornado(s Spec, t topology.Topology) (Pattern, error) {
	return shiftDigits(s, t, func(k int) int { return (k+1)/2 - 1 })
}

// newNeighbour returns the pattern that adds 1 to the coordinate in every dimension.
func newNeighbour(s Spec, t topology.Topology) (Pattern, error) {
	return shiftDigits(s, t, func(int) int { return 1 })
}
