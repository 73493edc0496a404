package machines

import "fmt"

var _ = Register(60, Description{
	Name:    "summit",
	Summary: "Summit, Oak Ridge 2018: 4,608 nodes of two rails, EDR InfiniBand fat tree",
	Shape: Shape{
		Means:   "nodes per leaf switch, leaf switches per block, number of blocks",
		Default: []int{9, 16, 32}, Lengths: []int{3}, Most: []int{9, 18, 36},
	},
	Settings: `network:
  routing: {algorithm: nca, up: adaptive}
  link: {bandwidth: 12.5GB/s, latency: 30ns}
  host_link: {bandwidth: 12.5GB/s, latency: 10ns}
  router: {routing: 2ns, vc_allocation: 2ns, switch_allocation: 2ns, latency: 84ns, buffer: 64KiB}
  packet: {mtu: 4KiB, header: 64B, flit: 32B}
node:
  nics: 2
  nic_choice: round-robin
  ranks: 6
  dma: 25GB/s
  memory: 60GB/s
  overhead: 350ns
`,
	Topology: func(shape []int) string {
		return fmt.Sprintf("{kind: xgft, m: %s, w: [1, 18, 18]}", flow(shape...))
	},
	Sources: []Source{
		{
			[]string{
				"network.topology",
				"network.link.bandwidth",
				"network.host_link.bandwidth",
				"node.nics",
				"node.ranks",
			},
			"Vazhkudai et al., The Design, Deployment, and Evaluation of the CORAL Pre-Exascale " +
				"Systems, SC 2018: a fat tree of three levels without taper, two ports of EDR " +
				"(100 Gb/s) a node, switches of 36 ports; six GPUs a node", Published,
		},
		{
			routerDelays, "Switch-IB 2, data sheet: 90 ns from port to port", Published,
		},
		{[]string{"network.routing"}, "the same paper: adaptive routing is in use; here it chooses " +
			"among the ways up", Published},
		infinibandPackets,
		{[]string{"node.overhead"}, "MPI takes about 1.3 us between two nodes for short messages, " +
			"less switches and cables", Derived},
		{
			[]string{
				"network.link.latency",
				"network.host_link.latency",
				"network.router.buffer",
				"node.nic_choice",
				"node.dma",
				"node.memory",
			},
			"not published in this form; cables of 6 m and 2 m", Assumed,
		},
	},
	Accuracy: []string{
		"Simplified: both ports of a node are attached to one leaf switch; on the machine they " +
			"are attached to the two leaf switches of its rack. The core has the size for 36 blocks, " +
			"of which 32 are present.",
		"Not modelled: reductions in switches (SHARP); the links between the GPUs of a node.",
	},
	Small: []int{2, 2, 2},
})
