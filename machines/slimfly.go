package machines

import "fmt"

var _ = Register(90, Description{
	Name:    "slim-fly-cluster",
	Summary: "the Slim Fly at CSCS, 2023: 200 nodes, 50 switches of FDR InfiniBand",
	Shape:   Shape{Means: "nodes per switch", Default: []int{4}, Lengths: []int{1}, Most: []int{29}},
	Settings: `network:
  routing: {algorithm: shortest, choice: flow}
  link: {bandwidth: 6.8GB/s, latency: 15ns}
  host_link: {bandwidth: 6.8GB/s, latency: 10ns}
  router: {routing: 2ns, vc_allocation: 2ns, switch_allocation: 2ns, latency: 194ns, buffer: 32KiB}
  packet: {mtu: 4KiB, header: 64B, flit: 32B}
node:
  nics: 1
  dma: 7.9GB/s
  memory: 10GB/s
  overhead: 350ns
`,
	Topology: func(shape []int) string { return fmt.Sprintf("{kind: slim-fly, q: 5, hosts: %d}", shape[0]) },
	Sources: []Source{
		{
			[]string{"network.topology", "network.link.bandwidth", "network.host_link.bandwidth"},
			"Blach et al., A High-Performance Design, Implementation, Deployment, and " +
				"Evaluation of The Slim Fly Network, NSDI 2024: q = 5, four nodes at each of 50 " +
				"switches of 36 ports, FDR (56 Gb/s, 54.5 after coding)", Published,
		},
		{
			routerDelays, "SX6036, data sheet: 200 ns from port to port at most", Published,
		},
		{
			[]string{"network.routing"}, "the same paper: minimal and almost minimal paths in layers; here " +
				"minimal ones only", Derived,
		},
		infinibandPackets,
		{[]string{"node.nics", "node.dma"}, "one ConnectX-3 a node, on PCIe 3.0 x8", Published},
		{
			[]string{
				"network.link.latency",
				"network.host_link.latency",
				"network.router.buffer",
				"node.memory",
				"node.overhead",
			},
			"not published in this form; cables of 3 m and 2 m", Assumed,
		},
	},
	Accuracy: []string{
		"Validation: none; nothing has been compared with measurements.",
		"Not modelled: layered routing (FatPaths), which uses almost minimal paths.",
	},
	Small: []int{1},
})
