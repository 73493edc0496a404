package machines

import "fmt"

var _ = Register(85, Description{
	Name:    "marenostrum5",
	Summary: "MareNostrum 5 ACC, BSC 2023: 1,120 nodes of four ports, NDR InfiniBand fat tree",
	Shape: Shape{
		Means:   "nodes per leaf switch, leaf switches per island, number of islands",
		Default: []int{16, 10, 7}, Lengths: []int{3}, Most: []int{16, 10, 16},
	},
	Settings: `network:
  routing: {algorithm: nca, up: adaptive}
  link: {bandwidth: 50GB/s, latency: 25ns}
  host_link: {bandwidth: 25GB/s, latency: 10ns}
  router: {routing: 2ns, vc_allocation: 2ns, switch_allocation: 2ns, latency: 124ns, buffer: 128KiB}
  packet: {mtu: 4KiB, header: 64B, flit: 32B}
node:
  nics: 4
  nic_choice: round-robin
  ranks: 4
  dma: 100GB/s
  memory: 50GB/s
  overhead: 450ns
`,
	Topology: func(shape []int) string {
		return fmt.Sprintf("{kind: xgft, m: %s, w: [1, 8, 5], width: [1, 4, 4]}", flow(shape...))
	},
	Sources: []Source{
		{
			[]string{"network.link.bandwidth", "network.host_link.bandwidth", "node.nics", "node.ranks"},
			"BSC, MareNostrum 5 documentation: 1,120 nodes of four H100, 800 Gb/s of NDR InfiniBand a " +
				"node in four NDR200 ports; switches have NDR (400 Gb/s) between them", Published,
		},
		{
			[]string{"network.topology"}, "names of nodes in job allocations (HLC-Lab, pico) give seven " +
				"islands of 5 racks of 32 nodes; De Sensi et al., Bine Trees, SC 2025, call the fat tree " +
				"oversubscribed; switches of 64 ports then give ten leaf switches of 16 nodes an island. " +
				"The taper of two to one above the islands is assumed", Derived,
		},
		{[]string{"network.routing"}, "adaptive among the ways up, as on other such fabrics", Assumed},
		infinibandPackets,
		{
			[]string{
				"network.link.latency", "network.host_link.latency", "network.router.routing",
				"network.router.vc_allocation", "network.router.switch_allocation", "network.router.latency",
				"network.router.buffer",
			}, "Quantum-2 switches take about 130 ns; cables of 5 m and 2 m", Assumed,
		},
		{
			[]string{"node.nic_choice", "node.dma", "node.memory", "node.overhead"},
			"not published in this form", Assumed,
		},
	},
	Accuracy: []string{
		"Validation: collectives of one process a node on 32, 60 and 64 nodes are compared with " +
			"measurements in [pico.md](validation/pico.md).",
		"Simplified: the general-purpose partition and storage are omitted.",
		"Not modelled: reductions in switches (SHARP).",
	},
	Small: []int{2, 2, 2},
})
