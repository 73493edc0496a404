package traffic

import "fabricast/topology"

// uniform sends to every host with the same probability (Dally and Towles 2004,
// section 3.2: random traffic, with lambda = 1/N for every pair).
type uniform struct{ hosts int }

func newUniform(_ Spec, t topology.Topology) (Pattern, error) { return uniform{hosts(t)}, nil }

// Destination implements Pattern.
func (u uniform) Destination(_ int32, d *Draws) int32 { return int32(d.Below(u.hosts)) }

// uniformOthers is uniform without the host itself.
type uniformOthers struct{ hosts int }

func newUniformOthers(_ Spec, t topology.Topology) (Pattern, error) {
	if n := hosts(t); n < 2 {
		return nil, &Problem{Field: "name", Found: "uniform-others", Expected: "a network of at least two hosts"}
	}
	return uniformOthers{hosts(t)}, nil
}

// Destination implements Pattern.
func (u uniformOthers) Destination(src int32, d *Draws) int32 {
	dst := int32(d.Below(u.hosts - 1))
	if dst >= src {
		dst++
	}
	return dst
}
