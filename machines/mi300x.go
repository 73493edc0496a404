package machines

import "fmt"

var _ = Register(73, Description{
	Name:    "mi300x",
	Summary: "nodes of eight AMD MI300X, 2023: GPUs joined directly, a port of NDR InfiniBand each",
	Shape: Shape{
		Means:   "number of nodes",
		Default: []int{128}, Lengths: []int{1}, Most: []int{128},
	},
	Settings: gpus{inner: "64GB/s", outer: "50GB/s", queues: 8, dma: "498GB/s"}.settings(),
	Topology: func(shape []int) string {
		return fmt.Sprintf(
			"{kind: nodes, count: %d, block: {kind: fully-connected, routers: 8, hosts: 1}, unit: 32, pxn: true, "+
				"outer: {kind: xgft, m: %s, w: [1, 16], width: [1, 2]}}",
			shape[0], flow(32, 8*units(shape[0], 32)),
		)
	},
	Sources: append([]Source{
		{
			[]string{"network.link.bandwidth"},
			"Microsoft Azure, ND MI300X v5: eight ports of NDR (400 Gb/s) for eight GPUs", Published,
		},
		{
			[]string{"network.topology"}, "a link between any two of the eight GPUs (AMD). The network beyond nodes is " +
				"taken for that of a DGX SuperPOD", Assumed,
		},
		{
			[]string{"network.links.block.bandwidth"}, "MI300X: 128 GB/s of Infinity Fabric a link, both ways " +
				"together", Published,
		},
	}, gpuSources...),
	Accuracy: []string{"Validation: none; nothing has been compared with measurements.", gpuAccuracy},
	Small:    []int{2},
})
