package traffic

import (
	"fmt"

	"fabricast/topology"
)

// newPermutation takes the destinations from the table.
func newPermutation(s Spec, t topology.Topology) (Pattern, error) {
	n := hosts(t)
	if len(s.Table) != n {
		return nil, &Problem{Field: "file", Found: fmt.Sprintf("%d destinations", len(s.Table)), Expected: fmt.Sprintf("one for each of the %d hosts", n)}
	}
	for src, dst := range s.Table {
		if dst < 0 || int(dst) >= n {
			return nil, &Problem{Field: "file", Found: fmt.Sprintf("%d as destination of host %d", dst, src), Expected: fmt.Sprintf("a host from 0 to %d", n-1)}
		}
	}
	return table(s.Table), nil
}
