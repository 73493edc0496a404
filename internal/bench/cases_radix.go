package bench

import (
	"fmt"
	"slices"

	"fabricast"
	"fabricast/experiment"
	"fabricast/routing"
	"fabricast/topology"
)

// purchased is a network whose simulation speed is compared with that of other networks running the
// same program.
type purchased struct {
	name, title string
	topology    topology.Spec
	routing     routing.Spec
	ranks       int
	// number of messages of each rank in the full and the short size, for messages of 16 KiB and of
	// one packet; 0: no row
	long, short [2]int
	// with adaptive routing: the suffix of case names, and the algorithm; "" for no row
	byQueues string
	adaptive routing.Spec
}

// adaptiveVCs is the number of virtual channels of routers with adaptive routing.
const adaptiveVCs = 4

// radixCases returns uniform random messages, of 16 KiB and of a single packet, on a torus and on
// networks of high-radix routers.
func radixCases() []*Case {
	dor := routing.DOROptions{}
	up := routing.NCAOptions{Up: routing.UpDestination}
	upByQueues := routing.NCAOptions{Up: routing.UpAdaptive}
	adaptive := routing.AdaptiveOptions{}
	ugal := routing.UGALLOptions{}
	minimal := routing.MinimalOptions{}
	slimFly := func(q, hosts int) topology.Spec {
		return topology.SlimFlySpec{Q: q, Hosts: hosts}
	}
	networks := []purchased{
		{
			name: "torus-4k", title: "torus of 4,096 nodes", ranks: 4096,
			topology: topology.TorusSpec{Dims: []int{16, 16, 16}, Hosts: 1},
			routing:  routing.DOROptions{Tie: routing.TieSplit},
			long:     [2]int{16, 4}, short: [2]int{600, 150},
			byQueues: "adaptive", adaptive: adaptive,
		},
		{
			name: "fat-tree-32", title: "fat tree of radix 32 with 8,192 nodes", ranks: 8192,
			topology: topology.FatTreeSpec{
				Radix: 32, Levels: 3, Hosts: 16,
			},
			routing: up, long: [2]int{24, 6}, short: [2]int{800, 200},
			byQueues: "adaptive", adaptive: upByQueues,
		},
		{
			name: "fat-tree-64", title: "fat tree of radix 64 with 2,048 nodes", ranks: 2048,
			topology: topology.FatTreeSpec{
				Radix: 64, Levels: 2, Hosts: 32,
			},
			routing: up, long: [2]int{128, 32}, short: [2]int{3200, 800},
			byQueues: "adaptive", adaptive: upByQueues,
		},
		{
			name: "dragonfly-16k", title: "dragonfly of 16,512 nodes (p 8, a 16, h 8)", ranks: 16512,
			topology: topology.DragonflySpec{
				P: 8, A: 16, H: 8, G: 129, Arrangement: "absolute",
			},
			routing: minimal, long: [2]int{16, 4}, short: [2]int{400, 100},
			byQueues: "ugal", adaptive: ugal,
		},
		{
			name: "slim-fly-17", title: "Slim Fly of 6,936 nodes (q 17)", ranks: 6936,
			topology: slimFly(17, 12), routing: minimal, long: [2]int{48, 12}, short: [2]int{1200, 300},
			byQueues: "ugal", adaptive: ugal,
		},
		{
			name: "slim-fly-43", title: "Slim Fly of 118,336 nodes (q 43)", ranks: 118336,
			topology: slimFly(43, 32), routing: minimal, long: [2]int{4, 0}, short: [2]int{80, 20},
		},
		{
			name: "slim-fly-89", title: "Slim Fly of 1,013,888 nodes (q 89)", ranks: 1013888,
			topology: slimFly(89, 64), routing: minimal, short: [2]int{20, 0},
		},
		{
			name: "hyperx-16", title: "HyperX of 16x16 routers with 4,096 nodes", ranks: 4096,
			topology: topology.HyperXSpec{
				Dims: []int{16, 16}, Hosts: 16,
			},
			routing: dor, long: [2]int{80, 20}, short: [2]int{2400, 600},
			byQueues: "adaptive", adaptive: adaptive,
		},
	}
	var cases []*Case
	for i := range networks {
		n := &networks[i]
		cases = append(cases, n.cases("-16k", "16 KiB", 16*fabricast.KiB, n.long)...)
		cases = append(cases, n.general(cases)...)
		cases = append(cases, n.cases("-256", "one packet", 256, n.short)...)
	}
	return cases
}

// cases returns the row of a network with messages of the given size; none if it sends no messages.
// If it has no number of messages for the short size, that size has fewer ranks.
func (p *purchased) cases(suffix, what string, size fabricast.Bytes, messages [2]int) []*Case {
	if messages[0] == 0 {
		return nil
	}
	c := &Case{
		Name: p.name + suffix, Title: fmt.Sprintf("random messages of %s on a %s", what, p.title),
		Workers: 1, Full: p.size(size, messages[0], p.ranks),
	}
	if messages[1] > 0 {
		c.Short = p.size(size, messages[1], p.ranks)
		c.Short.Cut = fmt.Sprintf("%d messages instead of %d", messages[1], messages[0])
	} else {
		c.Short = p.size(size, 1, p.ranks/shareOfRanks)
		c.Short.Cut = fmt.Sprintf("1 message of %d ranks", p.ranks/shareOfRanks)
	}
	if suffix != "-16k" {
		return []*Case{c}
	}
	c.Full.Bound.NSPerHop, c.Short.Bound.NSPerHop = nsPerHop, nsPerHop
	if p.ranks < manyRanks {
		return []*Case{c}
	}
	two := *c
	two.Name, two.Workers, two.SpeedUpOf = c.Name+"-2w", 2, c.Name
	for _, size := range []*Size{&two.Full, &two.Short} {
		size.Bound = Bound{WallRatio: wallRatio}
	}
	return []*Case{c, &two}
}

const (
	nsPerHop        = 200.0 // limit with messages of 16 KiB, whatever the radix
	nsPerHopGeneral = 2 * nsPerHop
	manyRanks       = 4096  // number of ranks from which a run with two workers is measured, too
	wallRatio       = 0.556 // limit for two workers: 1.8 times as fast
)

// general returns rows for a network of which both sizes are measured, with messages of 16 KiB and
// routers that need the engine's general path: with virtual output queues, and with adaptive
// routing.
func (p *purchased) general(plain []*Case) (cases []*Case) {
	if p.byQueues == "" {
		return nil
	}
	add := func(suffix, title string, change func(n *experiment.Network)) {
		c := *plain[slices.IndexFunc(plain, func(c *Case) bool { return c.Name == p.name+"-16k" })]
		c.Name, c.Title = p.name+"-"+suffix, c.Title+title
		for _, size := range []*Size{&c.Full, &c.Short} {
			size.Bound = Bound{NSPerHop: nsPerHopGeneral}
			change(&size.Experiment.Network)
		}
		cases = append(cases, &c)
	}
	add("voq", " with virtual output queues", func(n *experiment.Network) {
		n.Router.Queues = experiment.QueuesVOQ
	})
	add(p.byQueues, ", routed by queues", func(n *experiment.Network) {
		n.Routing, n.Router.VCs = p.adaptive, adaptiveVCs
	})
	return cases
}

// shareOfRanks is the factor by which the short size of the largest cases has fewer ranks.
const shareOfRanks = 4

// size returns the experiment: each rank sends the given number of messages, one after the other,
// to random ranks. Routers have a delay of 100 ns.
func (p *purchased) size(size fabricast.Bytes, messages, ranks int) Size {
	e := onTorus(experiment.Workload{
		Program: "uniform", Size: size, Messages: messages, Window: min(messages, 16),
	}, ranks)
	link := experiment.Link{Bandwidth: 12_500_000_000, Latency: 50 * fabricast.Nanosecond}
	n := &e.Network
	n.Topology, n.Routing, n.Link, n.HostLink = p.topology, p.routing, link, link
	n.Router.Routing, n.Router.VCAllocation, n.Router.SwitchAllocation = 10*fabricast.Nanosecond, 0, 0
	n.Router.Latency, n.Router.Bandwidth = 90*fabricast.Nanosecond, link.Bandwidth
	e.Node.DMA, e.Node.Memory = 2*link.Bandwidth, 2*link.Bandwidth
	return Size{Experiment: e, Repeat: 1}
}
