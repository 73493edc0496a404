package traffic

import (
	"fmt"

	"fabricast/topology"
)

// group sends from each group of consecutive hosts to random hosts of the next
// group, so that all traffic of a group shares the links between the two.
type group struct{ hosts, size int32 }

func newGroup(s Spec, t topology.Topology) (Pattern, error) {
	n := hosts(t)
	if s.Block < 1 || n%s.Block != 0 {
		return nil, &Problem{Field: "block", Found: fmt.Sprint(s.Block), Expected: fmt.Sprintf("a divisor of the %d hosts", n)}
	}
	return group{int32(n), int32(s.Block)}, nil
}

// Destination implements Pattern.
func (g group) Destination(src int32, d *Draws) int32 {
	next := (src/g.size + 1) * g.size % g.hosts
	return next + int32(d.Below(int(g.size)))
}

// newWorst chooses the pattern that is known to be worst for minimal routing:
// on a dragonfly from each group to the next (Kim, Dally, Scott and Abts, ISCA 2008),
// on a HyperX from all hosts of a router to those of a neighbour (Kim, Dally and
// Abts, ISCA 2007), on a torus or mesh tornado (Dally and Towles 2004).
func newWorst(s Spec, t topology.Topology) (Pattern, error) {
	switch n := t.(type) {
	case *topology.Dragonfly:
		s.Block = n.Hosts() * n.GroupSize()
		return newGroup(s, t)
	case interface {
		Hosts() int
		Width(d int) int
	}: // HyperX, and the fully connected network as one of them
		s.Block = n.Hosts()
		return newGroup(s, t)
	case *topology.Torus:
		return newTornado(s, t)
	}
	return nil, &Problem{
		Field: "name", Found: "worst on a " + t.Kind(), Expected: "a network whose worst case is known",
		Hint: "choose among the other patterns",
	}
}
