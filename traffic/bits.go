package traffic

import (
	"fmt"
	"math/bits"

	"fabricast/topology"
)

var _ = register(30, Kind{
	Name: "complement", Summary: "all bits of the host's number inverted",
	Destination: "the bits of s inverted; N is a power of two",
	Source:      "Dally and Towles, table 3.1",
	build:       newComplement,
})

var _ = register(40, Kind{
	Name: "reversal", Summary: "the bits of the host's number in reverse order",
	Destination: "the bits of s in reverse order; N is a power of two",
	Source:      "Dally and Towles, table 3.1",
	build:       newReversal,
})

var _ = register(50, Kind{
	Name: "shuffle", Summary: "the bits of the host's number rotated up by one",
	Destination: "the bits of s rotated up by one; N is a power of two",
	Source:      "Dally and Towles, table 3.1",
	build:       newShuffle,
})

var _ = register(60, Kind{
	Name: "transpose", Summary: "upper and lower half of the bits of the host's number exchanged",
	Destination: "upper and lower half of the bits of s exchanged; N is a power of four",
	Source:      "Dally and Towles, table 3.1",
	build:       newTranspose,
})

// This file contains the bit permutations of Dally and Towles (2004, table 3.1). Each bit of the
// destination's ID is a bit of the source's ID, possibly inverted.

// permuteBits returns a table pattern in which host src, an integer of b bits, sends to f(src, b).
// The number of hosts must be 2^b, and b must be divisible by multiple.
func permuteBits(
	name string,
	t topology.Topology,
	multiple int,
	f func(src uint32, b int) uint32,
) (Pattern, error) {
	n := hosts(t)
	b := bits.Len(uint(n)) - 1
	if n != 1<<b || b%multiple != 0 {
		expected := "a network whose number of hosts is a power of two"
		if multiple > 1 {
			expected = "a network whose number of hosts is a power of four"
		}
		return nil, &Problem{Field: "name", Found: fmt.Sprintf("%s on %d hosts", name, n), Expected: expected}
	}
	to := make(table, n)
	for src := range to {
		to[src] = int32(f(uint32(src), b))
	}
	return to, nil
}

func newComplement(_ Spec, t topology.Topology) (Pattern, error) {
	return permuteBits("complement", t, 1, func(src uint32, b int) uint32 { return src ^ (1<<b - 1) })
}

func newReversal(_ Spec, t topology.Topology) (Pattern, error) {
	return permuteBits(
		"reversal",
		t,
		1,
		func(src uint32, b int) uint32 { return bits.Reverse32(src) >> (32 - b) },
	)
}

func newShuffle(_ Spec, t topology.Topology) (Pattern, error) {
	return permuteBits("shuffle", t, 1, func(src uint32, b int) uint32 {
		return src<<1&(1<<b-1) | src>>max(b-1, 0)&1
	})
}

func newTranspose(_ Spec, t topology.Topology) (Pattern, error) {
	return permuteBits("transpose", t, 2, func(src uint32, b int) uint32 {
		return src<<(b/2)&(1<<b-1) | src>>(b/2)
	})
}
