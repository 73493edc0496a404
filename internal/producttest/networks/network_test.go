// Package networks tests experiments on every network: routing, switches, and what is predicted of them without a run.
package networks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/mpi"
	"fabricast/topology"
)

// latency measures one message between two hosts of an idle network.
func latency(t rapid.TB, e fabricast.Experiment, from, to, size int) fabricast.Time {
	t.Helper()
	var received fabricast.Time
	e.Workload = experiment.Workload{}
	e.Program = func(r *mpi.Rank) {
		switch r.Rank() {
		case from:
			r.Send(mpi.Size(size), to, 0)
		case to:
			r.Recv(mpi.Size(size), from, 0)
			received = fabricast.Time(r.Now())
		}
	}
	if _, err := e.Run(context.Background(), fabricast.Workers(1)); err != nil {
		t.Fatal(err)
	}
	return received
}

// TestLinksOfTheirOwn holds bandwidth and latency by dimension and by single link
// to the closed form, and the preview to what messages take.
func TestLinksOfTheirOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		links := map[string]experiment.Link{}
		for _, name := range []string{"x", "y", "0-1", "(0,1)-(1,1)"} {
			if rapid.Bool().Draw(t, name) {
				links[name] = experiment.Link{
					Bandwidth: fabricast.Rate(rapid.Int64Range(1e9, 1e11).Draw(t, "rate")),
					Latency:   fabricast.Time(rapid.Int64Range(1, 1e6).Draw(t, "latency")),
				}
			}
		}
		given := maps.Clone(links)
		e := fabricast.Experiment{
			Network: experiment.Network{
				Topology: topology.MeshSpec{Dims: []int{2, 2}},
				Links:    links,
			},
		}
		e.Workload = experiment.Workload{Program: "ring", Size: 100}
		preview, err := e.Preview()
		if err != nil {
			t.Fatal(err)
		}
		nearest, farthest := latency(t, e, 0, 1, 100), fabricast.Time(0)
		for from := range 4 {
			for to := range 4 {
				if from != to {
					took := latency(t, e, from, to, 100)
					nearest, farthest = min(nearest, took), max(farthest, took)
				}
			}
		}
		if preview.ZeroLoad.Neighbour != nearest || preview.ZeroLoad.Farthest != farthest {
			t.Errorf(
				"%v: messages took %d to %d ps, forecast %+v",
				links, nearest, farthest, preview.ZeroLoad,
			)
		}
		if !maps.Equal(links, given) {
			t.Errorf("the experiment's links were changed to %v", links)
		}
	})
}

// TestLinksOfTheirOwnAndAllAlike has links whose entries all say the same, other than network.link.
func TestLinksOfTheirOwnAndAllAlike(t *testing.T) {
	slow := experiment.Link{Bandwidth: 1e9, Latency: 5}
	e := fabricast.Experiment{
		Network: experiment.Network{
			Topology: topology.MeshSpec{Dims: []int{2, 2}},
			Links:    map[string]experiment.Link{"x": slow, "y": slow},
		},
		Workload: experiment.Workload{Program: "ring", Size: 100},
	}
	preview, err := e.Preview()
	if err != nil {
		t.Fatal(err)
	}
	if took := latency(t, e, 0, 1, 100); preview.ZeroLoad.Neighbour != took {
		t.Errorf("a message took %d ps, forecast %d", took, preview.ZeroLoad.Neighbour)
	}
	if took := latency(t, e, 0, 3, 100); preview.ZeroLoad.Farthest != took {
		t.Errorf("a message took %d ps, forecast %d", took, preview.ZeroLoad.Farthest)
	}
}

// TestHostsJoinedDirectly holds routers without delays to be none.
func TestHostsJoinedDirectly(t *testing.T) {
	e, err := fabricast.Parse("x.yaml", `
network:
  topology: {kind: mesh, dims: [2]}
  link: {bandwidth: 8GB/s, latency: 30ns}
  host_link: {latency: 0}
  router: {routing: 0, vc_allocation: 0, switch_allocation: 0, latency: 0}
  packet: {mtu: 256B}
node: {dma: 10GB/s, overhead: 200ns}
workload: {program: barrier}
`)
	if err != nil {
		t.Fatal(err)
	}
	const overheads, dma, wire, cable = 2 * 200_000, 2 * 25_600, 32_000, 30_000
	if got := latency(t, *e, 0, 1, 256); got != overheads+dma+wire+cable {
		t.Errorf("256 bytes took %d ps, want %d", got, overheads+dma+wire+cable)
	}
}

// TestTopologyDefaults shows what is filled in.
func TestTopologyDefaults(t *testing.T) {
	f := func(given topology.Spec, ranks int, routing string, want ...string) {
		t.Helper()
		e := fabricast.Experiment{
			Network:  experiment.Network{Topology: given},
			Workload: experiment.Workload{Program: "barrier"},
		}
		if err := e.Resolve(); err != nil {
			t.Error(err)
			return
		}
		text, err := e.YAML()
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range append(want, fmt.Sprintf("ranks: %d\n", ranks), "algorithm: "+routing+"\n") {
			if !strings.Contains(string(text), w) {
				t.Errorf("%+v: resolved to\n%s\nwithout %q", given, text, w)
			}
		}
		if _, err := fabricast.Parse("again.yaml", string(text)); err != nil {
			t.Errorf("%+v: what it resolved to is refused: %v", given, err)
		}
	}
	f(topology.TorusSpec{Dims: []int{3, 3}, Hosts: 2}, 18, "dor", "kind: torus\n")
	f(topology.HyperXSpec{Dims: []int{4, 4}, Width: []int{2, 1}}, 16, "dor", "hosts: 1\n", "width: [2, 1]\n")
	f(topology.FullSpec{Routers: 5}, 5, "dor", "hosts: 1\n")
	f(topology.FatTreeSpec{Radix: 8, Levels: 3}, 128, "nca", "hosts: 4\n")
	f(topology.FatTreeSpec{Radix: 8, Levels: 2, Hosts: 6}, 48, "nca")
	f(topology.KaryTreeSpec{K: 4, N: 3}, 64, "nca")
	f(topology.XGFTSpec{M: []int{4, 3}, W: []int{1, 2}}, 12, "nca")
	f(topology.DragonflySpec{P: 2, A: 4, H: 2}, 72, "minimal", "g: 9\n", "arrangement: absolute\n")
	f(
		topology.DragonflyPlusSpec{P: 2, Leaves: 2, Spines: 2, H: 2, Arrangement: "circulant"},
		20,
		"minimal",
		"g: 5\n",
	)
	f(topology.SlimFlySpec{Q: 5}, 200, "minimal", "hosts: 4\n")
	block, outer := topology.FullSpec{Routers: 4, Hosts: 2}, &topology.TorusSpec{Dims: []int{3, 3, 3, 3}}
	f(topology.HierarchySpec{Block: block, Outer: outer}, 648, "minimal")
	if outer.Wrap != nil {
		t.Error("the given topology was changed")
	}
	nested := topology.HierarchySpec{Block: block, Outer: topology.FullSpec{Routers: 3}}
	f(topology.HierarchySpec{Block: nested, Outer: topology.FatTreeSpec{Radix: 4, Levels: 2}}, 8*3*8, "minimal")
}

// TestCrossbarKeepsUp demands of the default crossbar that no link waits for it, those of hosts
// included.
func TestCrossbarKeepsUp(t *testing.T) {
	e := fabricast.Experiment{Network: experiment.Network{
		Topology: topology.TorusSpec{Dims: []int{4, 4}},
		Links: map[string]experiment.Link{
			"y":    {Bandwidth: 50 * fabricast.GBPerSecond},
			"host": {Bandwidth: 90 * fabricast.GBPerSecond},
		},
	}}
	e.Workload.Program = "barrier"
	if err := e.Resolve(); err != nil {
		t.Fatal(err)
	}
	if got := e.Network.Router.Bandwidth; got != 90*fabricast.GBPerSecond {
		t.Errorf("the crossbar has %v", got)
	}
}

// TestTopologyInGo runs a program on a network that only Go describes.
func TestTopologyInGo(t *testing.T) {
	star := topology.IrregularSpec{Names: []string{"hub", "a", "b", "c"}, Hosts: []int{0, 2, 1, 1}}
	for leaf := 1; leaf < 4; leaf++ {
		star.Edges = append(star.Edges, topology.Edge{A: 0, B: leaf})
	}
	of := func(shape topology.Spec) *fabricast.Experiment {
		return &fabricast.Experiment{
			Network:  experiment.Network{Topology: shape},
			Workload: experiment.Workload{Program: "alltoall", Size: 1000},
		}
	}
	if r := producttest.Run(t, of(star)); r.Ranks != 4 || r.Messages == 0 {
		t.Errorf("%d ranks sent %d messages", r.Ranks, r.Messages)
	}
	big := topology.DragonflySpec{P: 1, A: 2, H: 1, G: 9}
	if err := of(big).Resolve(); err == nil ||
		!strings.Contains(err.Error(), "network.topology.g: found 9, expected 1 to 3 groups") {
		t.Errorf("a dragonfly of too many groups: %v", err)
	}
	ring := topology.HierarchySpec{
		Block:    star,
		Outer:    topology.TorusSpec{Dims: []int{3}},
		External: []int{0, 0},
	}
	e := of(ring)
	e.Network.Router.VCs = 4
	if r := producttest.Run(t, e); r.Ranks != 12 {
		t.Errorf("%d ranks on three stars", r.Ranks)
	}
}

// TestLayoutOfLinks looks at classes of links in the words of a survey.
func TestLayoutOfLinks(t *testing.T) {
	slow := experiment.Link{Bandwidth: 1e9}
	e := fabricast.Experiment{
		Network: experiment.Network{
			Topology: topology.DragonflySpec{P: 1, A: 2, H: 1},
			Links:    map[string]experiment.Link{"global": slow, "g0.r0-g0.r1": slow},
		},
		Workload: experiment.Workload{Program: "barrier"},
	}
	l, err := e.Layout()
	if err != nil {
		t.Fatal(err)
	}
	got := surveyed(l)
	want := []string{
		"local 2 8GB/s 100ns",
		"global 3 1GB/s 0ps",
		"g0.r0-g0.r1 1 1GB/s 0ps",
		"host 6 8GB/s 100ns",
	}
	if !slices.Equal(got, want) {
		t.Errorf("links %q, want %q", got, want)
	}
}

// surveyed is what a survey says of the classes of links.
func surveyed(l *fabricast.Layout) (list []string) {
	for _, c := range l.Survey().Links {
		list = append(list, fmt.Sprint(c.Name, " ", c.Count, " ", c.Bandwidth, " ", c.Latency))
	}
	return list
}

// TestOpenFieldsOfLinks holds what an entry of network.links leaves open to be as
// it is without the entry: of the class, or else the part, or else network.link.
func TestOpenFieldsOfLinks(t *testing.T) {
	f := func(network string, want ...string) {
		t.Helper()
		e, err := fabricast.Parse("x.yaml", "network: {"+network+"}\nworkload: {program: barrier}\n")
		if err != nil {
			t.Fatal(err)
		}
		text, err := e.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := fabricast.Parse("again.yaml", string(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []*fabricast.Experiment{e, again} {
			l, err := e.Layout()
			if err != nil {
				t.Fatal(err)
			}
			got := surveyed(l)
			for _, w := range want {
				if !slices.Contains(got, w) {
					t.Errorf("%s: found %q, want %s", network, got, w)
				}
			}
		}
	}
	f(
		"topology: {kind: dragonfly, p: 1, a: 2, h: 1}, links: {global: {bandwidth: 4GB/s, latency: 500ns}, 0-2: {latency: 1us}, host: {latency: 0}}",
		"global 2 4GB/s 500ns",
		"0-2 1 4GB/s 1us",
		"host 6 8GB/s 0ps",
	)
	f(
		"topology: {kind: hierarchy, block: {kind: fully-connected, routers: 2}, outer: {dims: [3, 3]}}, links: {outer: {latency: 500ns}, outer/y: {bandwidth: 2GB/s}}",
		"block/link 9 8GB/s 100ns",
		"outer/x 9 8GB/s 500ns",
		"outer/y 9 2GB/s 500ns",
	)
	// A part all of whose classes have entries of their own is not taken for two routers.
	f(
		"topology: {kind: hierarchy, block: {kind: fully-connected, routers: 2}, outer: {dims: [3]}}, links: {outer: {latency: 500ns}, outer/x: {latency: 0}}",
		"outer/x 3 8GB/s 0ps",
	)
}

// TestOpenFieldsOfLinksInGo does the same with entries made in Go, where a latency
// of zero is meant if there is a bandwidth.
func TestOpenFieldsOfLinksInGo(t *testing.T) {
	e := fabricast.Experiment{
		Network: experiment.Network{
			Topology: topology.TorusSpec{Dims: []int{3, 3}},
			Link:     experiment.Link{Bandwidth: 1e9, Latency: 7000},
			Links: map[string]experiment.Link{
				"x":   {Bandwidth: 2e9, Latency: 9000},
				"0-1": {Bandwidth: 3e9}, "1-2": {Latency: 5000}, "y": {},
			},
		},
		Workload: experiment.Workload{Program: "barrier"},
	}
	for range 2 {
		l, err := e.Layout()
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"x 7 2GB/s 9ns",
			"y 9 1GB/s 7ns",
			"0-1 1 3GB/s 0ps",
			"1-2 1 2GB/s 5ns",
			"host 9 1GB/s 7ns",
		}
		if got := surveyed(l); !slices.Equal(got, want) {
			t.Errorf("links %q, want %q", got, want)
		}
		if err := e.Resolve(); err != nil { // leaves open what was so
			t.Fatal(err)
		}
	}
}

// shapes are small networks of every kind, and their classes of links.
var shapes = []struct {
	shape   string
	classes []string
}{
	{"{dims: [4, 3], hosts: 2}", []string{"x", "y"}},
	{"{kind: twisted-torus, dims: [2, 4], twist: [x+2y]}", []string{"x", "y"}},
	{"{kind: hammingmesh, board: [2, 1], boards: [2, 2]}", []string{"board", "row", "column"}},
	{"{kind: hyperx, dims: [3, 2, 2], width: [1, 2, 1]}", []string{"x", "y", "z"}},
	{"{kind: fully-connected, routers: 4, hosts: 2}", []string{"link"}},
	{"{kind: fat-tree, radix: 4, levels: 3}", []string{"level1", "level2"}},
	{"{kind: xgft, m: [2, 3], w: [1, 2], width: [1, 2]}", []string{"level1"}},
	{"{kind: k-ary-n-tree, k: 2, n: 3}", []string{"level1", "level2"}},
	{"{kind: dragonfly, p: 1, a: 3, h: 1, arrangement: relative}", []string{"local", "global"}},
	{"{kind: dragonfly+, p: 1, leaves: 2, spines: 2, h: 1}", []string{"local", "global"}},
	{"{kind: slim-fly, q: 3, hosts: 1}", []string{"local", "global"}},
	{
		"{kind: hierarchy, block: {kind: fully-connected, routers: 3}, outer: {dims: [3, 2]}}",
		[]string{"block", "outer", "outer/x"},
	},
	{
		"{kind: hierarchy, block: {kind: mesh, dims: [2]}, outer: {kind: fat-tree, radix: 4, levels: 2}}",
		[]string{"block/x", "outer/join"},
	},
	{"{kind: file, file: ../../../examples/cluster.edges}", []string{"link"}},
}

// drawUnlikeLinks draws a network of any kind, with links of every class and of some hosts unlike, and
// returns its
// text too.
func drawUnlikeLinks(t *rapid.T) (text string, e *fabricast.Experiment) {
	s := rapid.SampledFrom(shapes).Draw(t, "shape")
	text = "network: {topology: " + s.shape + ", router: {vcs: 8, buffer: 64KiB}, links: {"
	hosts := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"host", "host/0", `"host/1,2"`, "host/3-4"}),
		rapid.ID[string]).Draw(t, "hosts")
	for _, class := range slices.Concat(s.classes, hosts) {
		text += fmt.Sprintf("%s: {bandwidth: %dB/s, latency: %dps}, ", class,
			rapid.Int64Range(1e9, 1e11).Draw(t, "rate"), rapid.Int64Range(1, 1e6).Draw(t, "latency"))
	}
	e, err := fabricast.Parse("x.yaml", text+"}}\nworkload: {program: barrier}\n")
	if err != nil {
		t.Fatal(err)
	}
	return text, e
}

// TestZeroLoadOnEveryTopology sends single messages through idle networks of
// every kind, with links of every class unlike, and demands the time that the
// model's closed form gives for the routes that the command prints.
func TestZeroLoadOnEveryTopology(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, e := drawUnlikeLinks(t)
		l, err := e.Layout()
		if err != nil {
			t.Fatal(err)
		}
		from, to := rapid.IntRange(0, e.Ranks-1).Draw(t, "from"), rapid.IntRange(0, e.Ranks-2).Draw(t, "to")
		if to >= from {
			to++
		}
		const size = 200
		if got, want := latency(t, *e, from, to, size), closedForm(t, e, l, from, to, size); got != want {
			t.Fatalf("%s: from host %d to host %d took %d ps, want %d", text, from, to, got, want)
		}
	})
}

// closedForm is the model's latency of a message of one packet, for the one route
// between two hosts (docs/model.md, Zero load).
func closedForm(t rapid.TB, e *fabricast.Experiment, l *fabricast.Layout, from, to, size int) fabricast.Time {
	t.Helper()
	routes, err := l.Routes(from, to)
	if err != nil || len(routes) != 1 {
		t.Fatal(len(routes), "routes;", err)
	}
	n, node := e.Network, e.Node
	part := func(bytes int, r fabricast.Rate) fabricast.Time {
		return fabricast.Time(float64(bytes) * 1e12 / float64(r))
	}
	r := n.Router
	g := l.Topology.Graph()
	a, b := l.Links[g.Ports[g.NICPort[from]].Link], l.Links[g.Ports[g.NICPort[to]].Link]
	time := 2*node.Overhead + 2*part(size, node.DMA) + a.Latency + b.Latency
	slowest := min(a.Bandwidth, b.Bandwidth, r.Bandwidth)
	for _, h := range routes[0].Hops {
		time += r.Routing + r.VCAllocation + r.SwitchAllocation + r.SwitchTraversal + r.Latency
		if port := g.Ports[int(g.PortBase[h.Router])+h.Port]; port.NIC < 0 {
			time += l.Links[port.Link].Latency
			slowest = min(slowest, l.Links[port.Link].Bandwidth)
		}
	}
	wire := (size + int(n.Packet.Flit) - 1) / int(n.Packet.Flit) * int(n.Packet.Flit)
	return time + part(wire, slowest)
}
