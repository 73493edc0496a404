package traffic

import (
	"fmt"

	"fabricast/topology"
)

// The digit permutations of Dally and Towles (2004, table 3.1): each digit of the
// destination's number depends on the same digit of the source's. Digits are the
// coordinates of the router; the hosts of a router keep their place.

// grid is a topology with coordinates.
type grid interface{ Dims() []int }

// shiftDigits makes the table of a pattern that adds step(k) to every digit,
// modulo its radix k.
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
	each := n / product // hosts of a router
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

// newTornado goes ceil(k/2) - 1 up in every dimension: on a ring all traffic takes
// one way round, and takes it as far as that is the shortest.
func newTornado(s Spec, t topology.Topology) (Pattern, error) {
	return shiftDigits(s, t, func(k int) int { return (k+1)/2 - 1 })
}

// newNeighbour goes one step up in every dimension.
func newNeighbour(s Spec, t topology.Topology) (Pattern, error) {
	return shiftDigits(s, t, func(int) int { return 1 })
}
