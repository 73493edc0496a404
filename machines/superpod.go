package machines

import "fmt"

var _ = Register(70, Description{
	Name:    "dgx-superpod",
	Summary: "NVIDIA DGX SuperPOD of H100, 2023: 1,024 GPUs, eight rails of NDR InfiniBand",
	Shape: Shape{
		Means:   "nodes (of eight GPUs each) per scalable unit, number of scalable units",
		Default: []int{32, 4}, Lengths: []int{2}, Most: []int{32, 4},
	},
	Settings: `network:
  routing: {algorithm: nca, up: destination}
  link: {bandwidth: 50GB/s, latency: 25ns}
  host_link: {bandwidth: 450GB/s, latency: 20ns}
  router: {routing: 2ns, vc_allocation: 2ns, switch_allocation: 2ns, latency: 124ns, buffer: 128KiB, bandwidth: 450GB/s}
  packet: {mtu: 4KiB, header: 64B, flit: 32B}
node:
  nics: 1
  ranks: 1
  dma: 450GB/s
  memory: 1500GB/s
  overhead: 1us
`,
	Topology: func(shape []int) string {
		return fmt.Sprintf(
			"{kind: xgft, m: %s, w: [1, 8, 2], width: [1, 1, 16]}", flow(8, shape[0], shape[1]),
		)
	},
	Sources: []Source{
		{
			[]string{"network.topology", "network.link.bandwidth"},
			"NVIDIA DGX SuperPOD: Next Generation Scalable Infrastructure for AI Leadership, " +
				"reference architecture RA-11333: scalable units of 32 nodes, eight leaf " +
				"switches each, rail i of every node at leaf i; 16 spine switches for four " +
				"units; NDR (400 Gb/s)", Published,
		},
		{
			[]string{"network.host_link.bandwidth", "network.router.bandwidth", "node.dma"},
			"DGX H100: 900 GB/s of NVLink a GPU, both ways together", Published,
		},
		{
			[]string{"network.routing"}, "by destination: the rail of the receiving GPU, to " +
				"whose number NCCL hands messages within the node (PXN)", Derived,
		},
		infinibandPackets,
		{[]string{"node.nics", "node.ranks"}, "a host is a GPU", Published},
		{
			[]string{
				"network.link.latency", "network.host_link.latency", "network.router.routing",
				"network.router.vc_allocation", "network.router.switch_allocation", "network.router.latency",
				"network.router.buffer",
			}, "Quantum-2 switches take about 130 ns; NVSwitch is taken for the same", Assumed,
		},
		{[]string{"node.overhead", "node.memory"}, "start of a NCCL kernel's step; a copy within HBM3", Assumed},
	},
	Accuracy: []string{
		"Validation: none; nothing has been compared with measurements.",
		"Simplified: a node is a router (its NVSwitches) with eight hosts (its GPUs) and one link " +
			"to each rail. Each rail has two spine switches of its own; on the machine all rails " +
			"share 16.",
		"Not modelled: reductions in switches (SHARP, NVLink SHARP).",
	},
	Small: []int{2, 2},
})
