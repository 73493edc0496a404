package machines

import "fmt"

var _ = Register(74, Description{
	Name:    "alibaba-hpn",
	Summary: "Alibaba HPN 7.0, 2024: nodes of 8 GPUs, two 200 Gb/s ports a GPU in two planes",
	Shape: Shape{
		Means:   "number of nodes; a segment has 128, a pod 15 segments",
		Default: []int{1920}, Lengths: []int{1}, Most: []int{1920},
	},
	Settings: gpus{
		inner: "200GB/s", outer: "25GB/s", links: ", outer/level1: {bandwidth: 50GB/s}", queues: 3, dma: "250GB/s",
	}.settings(),
	Topology: func(shape []int) string {
		return fmt.Sprintf(
			"{kind: nodes, count: %d, block: {kind: xgft, m: [1, 8], w: [1, 1]}, nics: 16, planes: 2, unit: 128, "+
				"pxn: true, outer: {kind: xgft, m: %s, w: [1, 60]}}",
			shape[0], flow(128, 8*units(shape[0], 128)),
		)
	},
	Sources: append([]Source{
		{
			[]string{"network.topology", "network.link.bandwidth", "network.links.outer/level1.bandwidth"},
			"Qian et al., Alibaba HPN: A Data Center Network for Large Language Model Training, SIGCOMM 2024: " +
				"eight GPUs a node with two ports of 200 Gb/s each, at two independent switches in two planes; " +
				"switches with 128 ports down and 60 of 400 Gb/s up; 1,024 GPUs a segment, 15 segments", Published,
		},
		{[]string{"network.links.block.bandwidth"}, "NVLink of an H800, 400 GB/s both ways together", Assumed},
	}, gpuSources...),
	Accuracy: []string{
		"Validation: none; nothing has been compared with measurements.", oneSwitch,
		"Simplified: no spare ports, and nothing above the pod. Frames are taken for packets of InfiniBand.",
		gpuAccuracy,
	},
	Small: []int{2},
})
