package main

import (
	"fmt"

	"fabricast/routing"
	"fabricast/topology"
)

// The routing algorithm by-middle: packets go to the middle router and out again. Registration
// makes it available to experiments.
var _ = routing.Register(0, routing.Description[byMiddleOptions]{
	Summary: "to the middle of a star, and out again", Networks: "star",
	Fits: func(t topology.Topology) bool { _, ok := t.(star); return ok },
	Make: func(o *byMiddleOptions, n routing.Network) (routing.Algorithm, error) {
		return byMiddle{n.Graph(), n.VCs, o.Lane}, nil
	},
})

// byMiddleOptions holds the options of the algorithm in experiments, named by their tags.
type byMiddleOptions struct {
	Lane lane `yaml:"lane" help:"whose virtual channel: 'source' or 'destination'" default:"'source'"`
}

// Name implements routing.Spec.
func (byMiddleOptions) Name() string { return "by-middle" }

// lane parses itself from experiments.
type lane string

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *lane) UnmarshalText(text []byte) error {
	if *l = lane(text); *l != "source" && *l != "destination" {
		return fmt.Errorf("source or destination")
	}
	return nil
}

// byMiddle is a routing.Function. A header holds the virtual channel and the destination NIC of a
// packet. All packets go in and then out, so that channel dependencies form no cycle.
type byMiddle struct {
	graph *topology.Graph
	vcs   int
	lane  lane
}

func (byMiddle) Name() string { return "by-middle" }

// Start implements routing.Function.
func (b byMiddle) Start(src, dst int32) (header uint64, vc uint8) {
	of := src
	if b.lane == "destination" {
		of = dst
	}
	vc = uint8(int(of) % b.vcs)
	return uint64(vc)<<32 | uint64(dst), vc
}

// Next implements routing.Function.
func (b byMiddle) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	exit := b.graph.NICPort[uint32(header)]
	arm := b.graph.Ports[exit].Router
	switch {
	case router == 0:
		port = uint16(arm - 1)
	case router == arm:
		port = uint16(exit - b.graph.PortBase[arm])
	}
	return port, uint16(header >> 32), header
}
