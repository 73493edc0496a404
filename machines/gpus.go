package machines

import "fmt"

// gpus are the numbers in which machines of GPUs differ. Rates are those of one direction, as in
// experiments.
type gpus struct {
	inner  string // rate of a link within a node
	outer  string // rate of a NIC
	links  string // further entries of network.links; may be empty
	queues int    // ports of a GPU's crossbar to other routers
	dma    string // rate of a GPU's ports together
}

// settings returns the settings of a machine of GPUs. A message has the queue of the port by which
// it leaves the GPU, so one to a slow NIC holds up none within the node.
func (g gpus) settings() string {
	return fmt.Sprintf(`network:
  routing: {algorithm: minimal}
  link: {bandwidth: %s, latency: 25ns}
  links: {block: {bandwidth: %s, latency: 20ns}%s}
  host_link: {bandwidth: %s, latency: 10ns}
  router: {routing: 2ns, vc_allocation: 2ns, switch_allocation: 2ns, latency: 124ns, buffer: 256KiB, bandwidth: %s}
  packet: {mtu: 4KiB, header: 64B, flit: 32B}
node:
  nics: %d
  nic_choice: port
  ranks: 1
  dma: %s
  memory: 1500GB/s
  overhead: 1us
`, g.outer, g.inner, g.links, g.inner, g.inner, g.queues, g.dma)
}

// gpuSources are the sources that machines of GPUs have in common.
var gpuSources = []Source{
	infinibandPackets,
	{
		[]string{"network.routing"}, "fixed, and by the receiving NIC in trees; the fabric of the machine may " +
			"be adaptive", Assumed,
	},
	{
		[]string{
			"network.host_link", "network.router.bandwidth", "node.nics", "node.nic_choice", "node.dma",
			"node.ranks",
		},
		"a host is a GPU, with a queue for each port of its crossbar", Derived,
	},
	{
		[]string{
			"network.link.latency", "network.links.block.latency", "network.router.routing",
			"network.router.vc_allocation", "network.router.switch_allocation", "network.router.latency",
			"network.router.buffer",
		}, "Quantum-2 switches take about 130 ns; switches within nodes, and GPUs with their NICs, are taken for " +
			"the same", Assumed,
	},
	{
		[]string{"node.overhead", "node.memory"},
		"start of a step in a kernel of NCCL; a copy within the GPU's memory", Assumed,
	},
}

// gpuAccuracy is what is said of all machines of GPUs.
const gpuAccuracy = "Not modelled: reductions in switches (SHARP), CPUs and PCIe switches."

// oneSwitch is said of machines whose switches within a node are one router.
const oneSwitch = "Simplified: the switches within a node are one, since hardware spreads packets over them."

// units returns the number of units of so many nodes.
func units(nodes, unit int) int { return (nodes + unit - 1) / unit }
