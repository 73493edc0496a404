package machines

var _ = Register(20, Description{
	Name:    "k",
	Summary: "K computer, RIKEN 2011: 82,944 nodes of SPARC64 VIIIfx, Tofu interconnect",
	Shape: Shape{
		Means: "lengths of the virtual torus that the batch system gives to a job, or of the physical axes " +
			"[X, Y, Z, a, b, c]",
		Default: []int{24, 18, 16, 2, 3, 2},
		Lengths: []int{1, 2, 3, 6},
		Most:    []int{24, 18, 17, 2, 3, 2},
	},
	Settings: `network:
  routing: {algorithm: dor, tie: up}
  link: {bandwidth: 5GB/s, latency: 20ns}
  host_link: {bandwidth: 5GB/s, latency: 135ns}
  router: {routing: 2ns, vc_allocation: 2ns, switch_allocation: 2ns, latency: 94ns, buffer: 16KiB}
  packet: {mtu: 2KiB, header: 96B, flit: 32B}
node:
  nics: 4
  nic_choice: round-robin
  dma: 20GB/s
  memory: 20GB/s
  overhead: 210ns
`,
	Topology: tofu,
	Mapping:  tofuMapping,
	Sources: []Source{
		{
			[]string{
				"network.topology",
				"network.link.bandwidth",
				"network.host_link.bandwidth",
				"node.nics",
				"node.dma",
			},
			"Ajima, Sumimoto, Shimizu, Tofu: A 6D Mesh/Torus Interconnect for Exascale " +
				"Computers, IEEE Computer 42(11), 2009; Ajima et al., The Tofu Interconnect, " +
				"IEEE Micro 32(1), 2012: 5 GB/s each way, ten links, four TNIs that send and " +
				"receive at once; 24 x 18 x 17 groups of twelve nodes, one layer of them for " +
				"input and output", Published,
		},
		{[]string{"network.packet.mtu"}, "the same: packets from 32 B to 2 KB", Published},
		{
			[]string{
				"network.link.latency", "network.host_link.latency", "network.router.latency",
				"network.router.routing", "network.router.vc_allocation", "network.router.switch_allocation",
				"node.overhead",
			}, "Ajima et al., IEEE Cluster 2018: a put of 8 B to a neighbour takes 0.91 us on Tofu; about " +
				"100 ns of that for each router", Derived,
		},
		{[]string{"network.packet.header"}, "puts reach 4.76 GB/s: as with Tofu D, 5 % are no " +
			"payload", Derived},
		{[]string{"network.router.buffer", "network.packet.flit", "node.nic_choice"}, "not published", Assumed},
		{[]string{"network.routing"}, "dimension order as published; the way of ties as on Fugaku", Assumed},
		{[]string{"node.memory"}, "DDR3 of 64 GB/s, of which a copy by one core has about a third", Assumed},
	},
	Accuracy: []string{
		"Validation: bandwidth between neighbours is within 2 % of the published put throughput. " +
			"Collectives have not been compared with measurements.",
		"Simplified: virtual coordinates are folded as on `fugaku`.",
	},
	Small: []int{2, 2, 1, 2, 3, 2},
})
