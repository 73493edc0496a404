package machines

import "fmt"

var _ = Register(80, Description{
	Name:    "leonardo",
	Summary: "Leonardo Booster, CINECA 2022: 3,420 nodes of four ports, HDR InfiniBand dragonfly+",
	Shape: Shape{
		Means:   "number of cells; a cell has 180 nodes",
		Default: []int{19},
		Lengths: []int{1},
		Most:    []int{397},
	},
	Settings: `network:
  routing: {algorithm: ugal-l}
  link: {bandwidth: 25GB/s, latency: 25ns}
  host_link: {bandwidth: 12.5GB/s, latency: 10ns}
  links: {global: {latency: 100ns}}
  router: {routing: 2ns, vc_allocation: 2ns, switch_allocation: 2ns, latency: 124ns, buffer: 128KiB}
  packet: {mtu: 4KiB, header: 64B, flit: 32B}
node:
  nics: 4
  nic_choice: round-robin
  ranks: 4
  dma: 50GB/s
  memory: 50GB/s
  overhead: 450ns
`,
	Topology: func(shape []int) string {
		return fmt.Sprintf("{kind: dragonfly+, p: 10, leaves: 18, spines: 18, h: 22, g: %d}", shape[0])
	},
	Sources: []Source{
		{
			[]string{
				"network.topology", "network.link.bandwidth", "network.host_link.bandwidth",
				"node.nics", "node.ranks",
			}, "Turisini, Amati, Cestari, LEONARDO: A Pan-European Pre-Exascale Supercomputer " +
				"for HPC and AI Applications, JLSRF 9, 2024: cells of 18 leaf and 18 spine " +
				"switches of 40 ports of HDR (200 Gb/s), ten nodes of four ports of 100 Gb/s a " +
				"leaf, 22 links from a spine to other cells, four GPUs a node", Published,
		},
		{
			routerDelays, "Quantum switches, data sheet: 130 ns from port to port", Published,
		},
		infinibandPackets,
		{[]string{"network.routing"}, "adaptive, as published, and taken for the better of a " +
			"minimal route and a detour", Derived},
		{
			[]string{
				"network.link.latency", "network.host_link.latency", "network.links", "network.router.buffer",
				"node.nic_choice", "node.dma", "node.memory", "node.overhead",
			}, "not published in this form; cables of 5 m and 20 m", Assumed,
		},
	},
	Accuracy: []string{
		"Validation: collectives of one process a node on 4 to 256 nodes are compared with " +
			"measurements in [pico.md](validation/pico.md).",
		"Simplified: cells of the general-purpose part and of storage are omitted, so there are " +
			"19 of 23 cells, and each pair of cells has 22 links instead of 18. On the machine, two " +
			"of 36 spine pairs are not used.",
		"Not modelled: reductions in switches (SHARP).",
	},
	Small: []int{2},
})
