package networks

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/internal/producttest"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// longNetworks have routes that do not fit in a route header of 64 bits.
var longNetworks = []string{
	"{kind: mesh, dims: [24]}",
	"{kind: torus, dims: [31], hosts: 2}",
	"{kind: hierarchy, block: {kind: fat-tree, radix: 4, levels: 2}, outer: {kind: dragonfly, p: 0, a: 2, h: 1}}",
	"{kind: hierarchy, block: {kind: mesh, dims: [6]}, outer: {kind: mesh, dims: [4]}}",
}

// TestPacketsArriveAtTheirOwnHost: on networks of every kind, with every algorithm and source routing
// by all algorithms that it can take routes of, in headers and by a table, packets between any NICs
// arrive at the right one, also those of a NIC to itself.
func TestPacketsArriveAtTheirOwnHost(t *testing.T) {
	forms := map[bool]int{}
	arrive := func(t *testing.T, network string) {
		d := producttest.SameDraws(t)
		routings := []string{}
		producttest.EachRouting(t, d, network, func(routing string) { routings = append(routings, routing) })
		for _, of := range new(routing.SourceOf).Words() {
			routings = append(routings, "{algorithm: source, of: "+of+"}")
		}
		for _, r := range routings {
			text := fmt.Sprintf(
				"network: {topology: %s, routing: %s%s}\nnode: {nics: %d}\ntraffic: {pattern: uniform, load: 10%%}\n",
				network, r, producttest.One(d, "", ", router: {vcs: 8}", ", router: {vcs: 32}"), 1+d.IntN(2),
			)
			spec, ok := planned(t, text)
			if !ok {
				continue
			}
			if s, ok := spec.Routing.(*routing.Source); ok {
				forms[s.Vectors()]++
			}
			allArrive(t, d, spec, text)
		}
	}
	producttest.EachNetwork(t, arrive)
	for _, network := range longNetworks {
		t.Run(network, func(t *testing.T) { arrive(t, network) })
	}
	if forms[true] < 20 || forms[false] < 4 {
		t.Errorf("source routing by headers %d times, by a table %d times", forms[true], forms[false])
	}
}

// planned returns what an experiment's network is made of; false if the experiment is refused.
func planned(t *testing.T, text string) (fabric.Spec, bool) {
	t.Helper()
	build := func() (*plan.Plan, error) {
		e, err := fabricast.Parse("arrival.yaml", text)
		if err != nil {
			return nil, err
		}
		r, err := experiment.Resolve(experiment.Experiment(*e))
		if err != nil {
			return nil, err
		}
		return plan.Build(r)
	}
	p, err := build()
	if err == nil {
		return p.Fabric, true
	}
	if !producttest.Refused(err) || strings.Contains(err.Error(), "routing fails") {
		t.Errorf("%v\n%s", err, text)
	}
	return fabric.Spec{}, false
}

// allArrive follows packets between all pairs of NICs of a small network, and some of a large one.
func allArrive(t *testing.T, d *rand.Rand, spec fabric.Spec, text string) {
	t.Helper()
	nics := int32(len(spec.Graph.NICPort))
	for src := range nics {
		if end := arrival(spec, src, src, d.Uint64()); end != src {
			t.Fatalf("a packet of NIC %d to itself arrives at %d\n%s", src, end, text)
		}
		for range min(nics, 40) {
			dst := d.Int32N(nics)
			if end := arrival(spec, src, dst, d.Uint64()); end != dst {
				t.Fatalf("a packet of NIC %d to %d arrives at %d\n%s", src, dst, end, text)
			}
		}
	}
}

// arrival returns the NIC at which a packet arrives; -1 if it does not.
func arrival(spec fabric.Spec, src, dst int32, coin uint64) int32 {
	g := spec.Graph
	at, header := g.Ports[g.NICPort[src]].Router, uint64(0)
	switch r := spec.Routing.(type) {
	case nil:
		header, _ = spec.Adaptive.StartPacket(src, dst, coin)
	case routing.Randomized:
		header, _ = r.StartPacket(src, dst, coin)
	default:
		header, _ = r.Start(src, dst)
	}
	var list []routing.Candidate
	for range deadlock.MostHops(g) {
		var c routing.Candidate
		if spec.Adaptive != nil {
			list = spec.Adaptive.Candidates(at, header, nil, list[:0])
			coin = coin*6364136223846793005 + 1442695040888963407
			c = list[coin>>33%uint64(len(list))]
		} else {
			c.Port, c.VC, c.Header = spec.Routing.Next(at, header)
		}
		port := &g.Ports[g.PortBase[at]+int32(c.Port)]
		if port.NIC != topology.Unconnected {
			return port.NIC
		}
		if port.Peer == topology.Unconnected {
			return -1
		}
		at, header = g.Ports[port.Peer].Router, c.Header
	}
	return -1
}
