package machines

import "fmt"

var _ = Register(78, Description{
	Name:    "trainium2",
	Summary: "AWS Trn2 UltraServers, 2024: four instances of 16 Trainium2 chips, a torus of 4x4 each, in rings",
	Shape: Shape{
		Means: "instances of an UltraServer: 4, or 1 for an instance alone", Default: []int{4}, Lengths: []int{1},
		Most: []int{4},
	},
	Settings: `network:
  link: {bandwidth: 107GB/s, latency: 25ns}
  host_link: {bandwidth: 107GB/s, latency: 10ns}
  router: {routing: 2ns, vc_allocation: 2ns, switch_allocation: 2ns, latency: 124ns, buffer: 64KiB}
  packet: {mtu: 4KiB, header: 64B, flit: 32B}
node:
  nics: 6
  nic_choice: port
  overhead: 1us
`,
	Topology: func(shape []int) string {
		return fmt.Sprintf("{kind: torus, dims: [4, 4, %d]}", shape[0])
	},
	Sources: []Source{
		{
			[]string{"network.topology"}, "AWS Neuron documentation: the 16 chips of an instance are a torus of 4x4; the " +
				"four instances of an UltraServer join their chips in rings", Published,
		},
		{
			[]string{"network.link.bandwidth"}, "NeuronLink-v3: 640 GB/s of a chip in one direction (as cited " +
				"elsewhere), over six links, alike: how they divide it is not published", Assumed,
		},
		{
			[]string{"network.host_link", "node.nics", "node.nic_choice"},
			"a host is a chip, with a queue for each of its six links", Derived,
		},
		{
			[]string{
				"network.link.latency", "network.router.routing", "network.router.vc_allocation",
				"network.router.switch_allocation", "network.router.latency", "network.router.buffer",
				"network.packet", "node.overhead",
			}, "not published: taken for those of other machines here", Assumed,
		},
	},
	Accuracy: []string{
		"Validation: none; nothing has been compared with measurements.",
		"Not modelled: EFA, the network between UltraServers.",
	},
	Small: []int{1},
})
