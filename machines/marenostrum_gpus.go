package machines

import "fmt"

var _ = Register(86, Description{
	Name:    "marenostrum5-gpus",
	Summary: "MareNostrum 5 ACC, BSC 2023, by GPU: nodes of 4 H100, a port of NDR200 InfiniBand each",
	Shape: Shape{
		Means:   "nodes per leaf switch, leaf switches per island, number of islands",
		Default: []int{16, 10, 7}, Lengths: []int{3}, Most: []int{16, 10, 16},
	},
	Settings: gpus{
		inner: "150GB/s", outer: "25GB/s",
		links:  ", outer/level1: {bandwidth: 50GB/s}, outer/level2: {bandwidth: 50GB/s}",
		queues: 4, dma: "475GB/s",
	}.settings(),
	Topology: func(shape []int) string {
		return fmt.Sprintf(
			"{kind: nodes, count: %d, block: {kind: fully-connected, routers: 4, hosts: 1}, "+
				"outer: {kind: xgft, m: %s, w: [1, 8, 5], width: [1, 4, 4]}}",
			shape[0]*shape[1]*shape[2], flow(4*shape[0], shape[1], shape[2]),
		)
	},
	Sources: append([]Source{
		{
			[]string{
				"network.link.bandwidth", "network.links.outer/level1.bandwidth", "network.links.outer/level2.bandwidth",
			},
			"BSC, MareNostrum 5 documentation: four H100 a node with a port of NDR200 each; switches have NDR " +
				"(400 Gb/s) between them", Published,
		},
		{
			[]string{"network.topology"}, "the fat tree of `marenostrum5`, all ports of a node at one leaf switch; " +
				"four GPUs joined directly", Derived,
		},
		{
			[]string{"network.links.block.bandwidth"}, "H100: 18 links of NVLink with 25 GB/s each way, six to each " +
				"of the three other GPUs", Derived,
		},
	}, gpuSources...),
	Accuracy: []string{
		"Validation: collectives of NCCL against nccl-tests, most of which miss (docs/validation/nccl.md).",
		"Simplified: as `marenostrum5`, whose host is a node; here it is a GPU.", gpuAccuracy,
	},
	Small: []int{2, 2, 2},
})
