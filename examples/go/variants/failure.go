package main

import (
	"fabricast"
	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// failure is a link that fails and recovers. Adaptive routing reacts to the failure at once. With
// tables, packets are routed around the link in an epoch that starts with the failure.
type failure struct {
	a, b     int32 // routers
	down, up fabricast.Time
	tables   bool // use an epoch with other routing tables; otherwise packets wait
}

// doors creates the events and, with tables, the epoch.
func (f failure) doors(t topology.Topology, vcs int) (*fabric.Doors, error) {
	g := t.Graph()
	port := portTo(g, f.a, f.b)
	doors := &fabric.Doors{Events: []fabric.Event{
		{At: f.down, Router: f.a, Port: port, Kind: fabric.Down},
		{At: f.up, Router: f.a, Port: port, Kind: fabric.Up},
	}}
	if f.tables {
		doors.Epochs = []fabric.Epoch{{At: f.down, Routing: newAround(g, f.a, f.b, vcs-1)}}
	}
	return doors, nil
}

// around routes by tables along a spanning tree that avoids a link, on a virtual channel of its
// own. A tree has no cycles, and packets of other epochs do not share buffers with these packets.
type around struct {
	graph *topology.Graph
	next  [][]uint16 // output port by router and destination router
	vc    uint16
}

var _ routing.Function = around{}

// newAround computes the tables without the links between routers a and b.
func newAround(g *topology.Graph, a, b int32, vc int) around {
	r := around{graph: g, next: make([][]uint16, g.Routers), vc: uint16(vc)}
	for i := range r.next {
		r.next[i] = make([]uint16, g.Routers)
	}
	reached := []int32{0} // in order of distance from router 0
	inside := map[int32]bool{0: true}
	for i := 0; i < len(reached); i++ {
		at := reached[i]
		for _, port := range links(g, at, true) {
			peer := g.Ports[g.PortBase[at]+port].Peer
			to := g.Ports[peer].Router
			if inside[to] || at == a && to == b || at == b && to == a {
				continue
			}
			inside[to] = true
			reached = append(reached, to)
			r.join(reached, at, uint16(port), to, uint16(peer-g.PortBase[to]))
		}
	}
	return r
}

// join adds router to below router above in the tree. down and up are the ports that connect them.
func (r around) join(reached []int32, above int32, down uint16, to int32, up uint16) {
	for _, other := range reached {
		if other != to {
			r.next[to][other] = up
			r.next[other][to] = r.next[other][above]
		}
	}
	r.next[above][to] = down
}

func (around) Name() string { return "around" }

// Start implements routing.Function.
func (r around) Start(_, dst int32) (header uint64, vc uint8) { return uint64(dst), uint8(r.vc) }

// Next implements routing.Function.
func (r around) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	plug := r.graph.NICPort[header]
	if at := r.graph.Ports[plug].Router; at != router {
		return r.next[router][at], r.vc, header
	}
	return uint16(plug - r.graph.PortBase[router]), r.vc, header
}
