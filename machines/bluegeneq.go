package machines

import "fmt"

var _ = Register(30, Description{
	Name:    "blue-gene-q",
	Summary: "IBM Blue Gene/Q, 2012 (Sequoia: 98,304 nodes): a 5-D torus",
	Shape: Shape{
		Means:   "numbers of nodes along A, B, C, D and E, such as [4, 4, 4, 8, 2] for a rack",
		Default: []int{16, 12, 16, 16, 2},
		Lengths: []int{5},
		Most:    []int{0, 0, 0, 0, 2},
	},
	Settings: `network:
  routing: {algorithm: zone}
  link: {bandwidth: 2GB/s, latency: 8ns}
  host_link: {bandwidth: 2GB/s, latency: 20ns}
  router: {routing: 2ns, vc_allocation: 2ns, switch_allocation: 2ns, latency: 26ns, vcs: 4, buffer: 4352B}
  packet: {mtu: 544B, header: 32B, flit: 32B}
node:
  nics: 10
  nic_choice: port
  dma: 20GB/s
  memory: 10GB/s
  overhead: 500ns
`,
	Topology: func(shape []int) string { return fmt.Sprintf("{kind: torus, dims: %s}", flow(shape...)) },
	Sources: []Source{
		{
			[]string{
				"network.topology", "network.link.bandwidth", "network.host_link.bandwidth", "network.packet",
			}, "Chen et al., The IBM Blue Gene/Q Interconnection Network and Message Unit, SC 2011: ten " +
				"links of 2 GB/s each way; packets of 32 to 544 B in units of 32 B, 512 B of them " +
				"payload", Published,
		},
		{
			[]string{"network.routing", "network.router.vcs"},
			"the same: dynamic routing by zones, in one zone of all dimensions here; dimension order and " +
				"its bubbles are the escape channels", Published,
		},
		{
			[]string{
				"network.link.latency", "network.router.routing", "network.router.vc_allocation",
				"network.router.switch_allocation", "network.router.latency",
			}, "the same: about 40 ns a hop", Published,
		},
		{
			[]string{"node.nics", "node.nic_choice", "node.dma"}, "the same: the message unit " +
				"feeds all ten links at once, a FIFO for each", Published,
		},
		{[]string{"network.router.buffer"}, "eight packets of a virtual channel", Assumed},
		{
			[]string{"network.host_link.latency", "node.overhead", "node.memory"},
			"MPI between neighbours takes about 1.2 us for short messages", Assumed,
		},
	},
	Accuracy: []string{
		"Validation: the payload bandwidth of a link is 1.88 GB/s here and 1.8 GB/s as published; " +
			"the difference is due to acknowledgements and the link protocol.",
		"Not modelled: acknowledgements and the link protocol; collectives in the network " +
			"hardware; links to I/O nodes.",
	},
	Small: []int{2, 2, 2, 2, 2},
})
