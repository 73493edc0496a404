package traffic

import "fabricast/topology"

var _ = register(10, Kind{
	Name: "uniform", Summary: "every host, itself included, is equally likely",
	Destination: "any host, itself included",
	Source:      "Dally and Towles 3.2",
	build:       newUniform,
})

var _ = register(20, Kind{
	Name: "uniform-others", Summary: "every other host is equally likely",
	Destination: "any other host",
	build:       newUniformOthers,
})

// uniform is the pattern in which every host, including the source itself, is the destination with
// the same probability (Dally and Towles 2004, section 3.2: random traffic, with lambda = 1/N for
// every pair).
type uniform struct{ hosts int }

func newUniform(_ Spec, t topology.Topology) (Pattern, error) { return uniform{hosts(t)}, nil }

// Destination implements Pattern.
func (u uniform) Destination(_ int32, d *Draws) int32 { return int32(d.Below(u.hosts)) }

// uniformOthers is the pattern in which every host except the source is the destination with the
// same probability.
type uniformOthers struct{ hosts int }

func newUniformOthers(_ Spec, t topology.Topology) (Pattern, error) {
	if n := hosts(t); n < 2 {
		return nil, &Problem{
			Field:    "name",
			Found:    "uniform-others",
			Expected: "a network of at least two hosts",
		}
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
