package machines

import (
	"fmt"
	"strings"
)

var _ = Register(10, Description{
	Name:    "fugaku",
	Summary: "Fugaku, RIKEN 2020: 158,976 nodes of A64FX, Tofu interconnect D",
	Shape: Shape{
		Means: "lengths of the virtual torus that the batch system gives to a job, such as [8, 8, 8] " +
			"(node=8x8x8:torus), or of the physical axes [X, Y, Z, a, b, c]",
		Default: []int{24, 23, 24, 2, 3, 2},
		Lengths: []int{1, 2, 3, 6},
		Most:    []int{24, 23, 24, 2, 3, 2},
	},
	Settings: `network:
  routing: {algorithm: dor, tie: up}
  link: {bandwidth: 6.8GB/s, latency: 20ns}
  host_link: {bandwidth: 6.8GB/s, latency: 43ns}
  router: {routing: 2ns, vc_allocation: 2ns, switch_allocation: 2ns, latency: 74ns, buffer: 16KiB}
  packet: {mtu: 1984B, header: 128B, flit: 32B}
node:
  nics: 6
  nic_choice: round-robin
  dma: 40GB/s
  memory: 100GB/s
  overhead: 100ns
`,
	Topology: tofu,
	Mapping:  tofuMapping,
	Sources: []Source{
		{
			[]string{"network.topology"}, "Ajima et al., The Tofu Interconnect D, IEEE Cluster 2018: " +
				"ten ports a node, axes X, Y, Z and b are rings, a and c lines of two", Published,
		},
		{
			[]string{"network.link.bandwidth", "network.host_link.bandwidth", "network.packet.mtu", "node.nics"},
			"the same: two lanes of 28.05 Gb/s; packets of up to 1984 B; six TNIs", Published,
		},
		{
			[]string{"network.packet.header"}, "of the same paper: puts reach 6.35 of 6.8 GB/s " +
				"(93.4 %), so 128 of 1984 B are no payload; headers and trailers alone are 32 B, the rest " +
				"stands for flow control and acknowledgement", Derived,
		},
		{
			[]string{
				"network.link.latency", "network.host_link.latency", "network.router.latency",
				"network.router.routing", "network.router.vc_allocation", "network.router.switch_allocation",
				"node.overhead",
			}, "the same: a put of 8 B to a neighbour takes 0.49 us, which is divided here into " +
				"two routers of 80 ns, a cable of 20 ns, 24 ns of the packet itself, 43 ns and " +
				"100 ns of software at each end", Derived,
		},
		{[]string{"network.router.buffer", "network.packet.flit"}, "not published", Assumed},
		{
			[]string{"network.routing"}, "the same: dimension order. X, Y, Z, then a, c, b agrees with " +
				"rings, pairwise exchanges and trees measured on jobs of 4x4x4 (HLC-Lab, pico)", Measured,
		},
		{
			[]string{"node.dma", "node.nic_choice"}, "the same: 38.1 GB/s were measured by all six TNIs " +
				"at once; a message takes one TNI, the next one another", Measured,
		},
		{
			[]string{"node.memory"}, "of one group of cores: HBM2 of 256 GB/s, of which a copy reads and " +
				"writes", Derived,
		},
	},
	Accuracy: []string{
		"Validation: bandwidth between neighbours is within 1 % of the published put throughput. " +
			"Collectives on 4x4x4, 8x8x8 and 32x256 nodes are compared with measurements in " +
			"[fugaku.md](validation/fugaku.md).",
		"Simplified: each virtual dimension is folded into two physical ones (X and a, Y and b, Z " +
			"and c; along b only two of three nodes are used). A ring of odd length is not folded. A ring " +
			"longer than 48, in a shape of at most two, is a snake: rings of Y and b, one after the other " +
			"along Z and c; of two such rings the first is X, a and c, the second Y, b and two of Z. The axes that " +
			"the batch system really uses are not published. A job has no links to nodes of other jobs.",
		"Order: topologies list the dimensions in routing order X, Y, Z, a, c, b; consecutive " +
			"ranks lie along X. For a job with `rank-map-bynode=YZX`, set `mapping: {order: folded, " +
			"axes: [1, 5, 2, 4, 0, 3]}`.",
		"Not modelled: barriers and small reductions in hardware (TBI).",
	},
	Small: []int{2, 2, 2},
})

// tofu returns the topology of a machine with a Tofu interconnect. Its dimensions are in the order
// in which packets use them: X, Y, Z, a, c, b. A shape of six numbers is that of the physical mesh
// and torus. Fewer numbers are virtual dimensions, each formed by two axes: X and a, Y and b, Z and
// c. The mapping "folded" lays each out as a ring. A virtual dimension of odd length is not folded.
func tofu(shape []int) string {
	if len(shape) == 6 {
		x, y, z, a, b, c := shape[0], shape[1], shape[2], shape[3], shape[4], shape[5]
		return fmt.Sprintf("{kind: torus, dims: %s, wrap: [true, true, true, false, false, "+
			"true]}", flow(x, y, z, a, c, b))
	}
	if snake := tofuSnake(shape); snake != nil {
		return fmt.Sprintf("{kind: torus, dims: %s, wrap: [false, false, false, false, false, "+
			"false]}", flow(snake.dims[:]...))
	}
	dims, wrap := make([]int, 2*len(shape)), make([]string, 2*len(shape))
	for i, n := range shape {
		across := tofuAcross(len(shape), i)
		dims[i], dims[across] = n, 1
		wrap[i], wrap[across] = "true", "false"
		if n%2 == 0 {
			dims[i], dims[across] = n/2, 2
			wrap[i] = "false"
		}
	}
	return fmt.Sprintf("{kind: torus, dims: %s, wrap: [%s]}", flow(dims...), strings.Join(wrap, ", "))
}

// tofuAcross returns the dimension across which virtual dimension i of n is folded.
func tofuAcross(n, i int) int {
	if n == 3 && i > 0 {
		return 6 - i // Y is folded by b, which is last, and Z by c
	}
	return n + i
}

// tofuMapping returns the mapping of a job: along virtual dimensions if its shape is given in
// those.
func tofuMapping(shape []int) string {
	if len(shape) == 6 {
		return ""
	}
	if snake := tofuSnake(shape); snake != nil {
		return "{order: folded, axes: " + flow(snake.axes...) + ", rings: " + flow(snake.rings...) + "}"
	}
	axes := make([]int, 0, 2*len(shape))
	for i := range shape {
		axes = append(axes, i, tofuAcross(len(shape), i))
	}
	return "{order: folded, axes: " + flow(axes...) + "}"
}
