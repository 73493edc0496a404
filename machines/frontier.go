package machines

import "fmt"

var _ = Register(40, Description{
	Name:    "frontier",
	Summary: "Frontier, Oak Ridge 2022: 9,472 nodes of four NICs, Slingshot 11 dragonfly",
	Shape: Shape{
		Means:   "number of groups; a group has 128 nodes",
		Default: []int{74},
		Lengths: []int{1},
		Most:    []int{161},
	},
	Settings: slingshot,
	Topology: func(shape []int) string {
		return fmt.Sprintf("{kind: dragonfly, p: 4, a: 32, h: 5, g: %d}", shape[0])
	},
	Sources: append([]Source{
		{
			[]string{"network.topology"}, "Atchley et al., Frontier: Exploring Exascale, SC " +
				"2023: 74 groups with nodes, of 32 switches of 64 ports each, of which 16 for " +
				"NICs; 270 TB/s between groups, from which follow about two links of 25 GB/s " +
				"between any two of them (h = 5: 160 links of a group for 73 others)", Derived,
		},
	}, slingshotSources...),
	Accuracy: append([]string{
		"Simplified: the four NICs of a node are attached to one switch; on the machine they are " +
			"attached to several switches of the group. Groups for storage and service are omitted.",
	}, slingshotAccuracy...),
	Small: []int{2},
})

// slingshot holds the settings for networks with Slingshot 11 and nodes with four NICs.
const slingshot = `network:
  routing: {algorithm: ugal-l}
  link: {bandwidth: 25GB/s, latency: 15ns}
  host_link: {bandwidth: 25GB/s, latency: 15ns}
  links: {global: {latency: 250ns}}
  router: {routing: 2ns, vc_allocation: 2ns, switch_allocation: 2ns, latency: 344ns, buffer: 128KiB}
  packet: {mtu: 4KiB, header: 128B, flit: 32B}
node:
  nics: 4
  nic_choice: round-robin
  ranks: 8
  dma: 100GB/s
  memory: 50GB/s
  overhead: 450ns
`

var slingshotSources = []Source{
	{
		[]string{"network.link.bandwidth", "network.host_link.bandwidth", "node.nics", "node.ranks"},
		"200 Gb/s a port (De Sensi et al., An In-Depth Analysis of the Slingshot Interconnect, SC 2020); " +
			"one NIC for each of four GPUs of two dies", Published,
	},
	{
		routerDelays, "De Sensi et al.: 350 ns a switch, measured on Rosetta", Measured,
	},
	{
		[]string{"network.link.latency", "network.host_link.latency", "network.links"},
		"copper of 3 m within a group, optical cables of 50 m between groups, at 5 ns a metre", Assumed,
	},
	{
		[]string{"network.routing"}, "De Sensi et al.: adaptive, the better of four routes by " +
			"the load that a switch knows, minimal ones preferred; here one minimal route and " +
			"one detour", Derived,
	},
	{
		[]string{"network.packet", "network.router.buffer"}, "frames of 4 KiB; the buffer holds more than " +
			"what is under way on a global link", Assumed,
	},
	{
		[]string{"node.overhead"}, "MPI between two nodes of a switch takes about 2 us for " +
			"short messages, less switch and cables, at the two ends", Derived,
	},
	{[]string{"node.nic_choice", "node.dma", "node.memory"}, "not published in this form", Assumed},
}

var slingshotAccuracy = []string{
	"Off unless asked for: congestion control (node.transport.control: slingshot-like), whose rules " +
		"are not those of HPE, which are not published.",
	"Simplified: two switches of a group are joined by a single link.",
}
