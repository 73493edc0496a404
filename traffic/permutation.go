package traffic

import (
	"fmt"

	"fabricast/topology"
)

var _ = register(120, Kind{
	Name: "permutation", Summary: "host i sends to the host in line i of a file",
	Params:      []string{"file"},
	Destination: "the host in line s of `file`, which lists each host once",
	build:       newPermutation,
})

// newPermutation creates a pattern from s.Table, in which each host must occur exactly once.
func newPermutation(s Spec, t topology.Topology) (Pattern, error) {
	n := hosts(t)
	if len(s.Table) != n {
		return nil, &Problem{
			Field:    "file",
			Found:    fmt.Sprintf("%d destinations", len(s.Table)),
			Expected: fmt.Sprintf("one for each of the %d hosts", n),
			Entry:    min(len(s.Table), n+1),
		}
	}
	sources := make([]int32, n) // by destination: 1 + the source
	for src, dst := range s.Table {
		if dst < 0 || int(dst) >= n {
			return nil, &Problem{
				Field:    "file",
				Found:    fmt.Sprintf("%d as destination of host %d", dst, src),
				Expected: fmt.Sprintf("a host from 0 to %d", n-1),
				Entry:    src + 1,
			}
		}
		if other := sources[dst]; other != 0 {
			return nil, &Problem{
				Field:    "file",
				Found:    fmt.Sprintf("%d as destination of host %d and of host %d", dst, other-1, src),
				Expected: "each host once",
				Entry:    src + 1,
			}
		}
		sources[dst] = int32(src) + 1
	}
	return table(s.Table), nil
}
