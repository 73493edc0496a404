package traffic

import (
	"fmt"

	"fabricast/topology"
)

var _ = register(100, Kind{
	Name: "group", Summary: "a random host of the next group of consecutive hosts",
	Params:      []string{"block"},
	Example:     "block: 2",
	Destination: "a random host of the next block of `block` consecutive hosts",
	build:       newGroup,
})

// group is the pattern in which the hosts of each group of consecutive hosts send to random hosts
// of the next group, so that all traffic of a group shares the links between the two groups.
type group struct{ hosts, size int32 }

func newGroup(s Spec, t topology.Topology) (Pattern, error) {
	n := hosts(t)
	if s.Block < 1 || n%s.Block != 0 {
		return nil, &Problem{
			Field:    "block",
			Found:    fmt.Sprint(s.Block),
			Expected: fmt.Sprintf("a divisor of the %d hosts", n),
		}
	}
	return group{int32(n), int32(s.Block)}, nil
}

// Destination implements Pattern.
func (g group) Destination(src int32, d *Draws) int32 {
	next := (src/g.size + 1) * g.size % g.hosts
	return next + int32(d.Below(int(g.size)))
}
