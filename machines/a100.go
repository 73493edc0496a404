package machines

import "fmt"

var _ = Register(71, Description{
	Name:    "dgx-a100",
	Summary: "DGX A100 SuperPOD, as Selene, 2020: nodes of 8 GPUs, eight rails of HDR InfiniBand",
	Shape: Shape{
		Means:   "number of nodes; a scalable unit has 20",
		Default: []int{100}, Lengths: []int{1}, Most: []int{100},
	},
	Settings: gpus{inner: "300GB/s", outer: "25GB/s", queues: 2, dma: "325GB/s"}.settings(),
	Topology: func(shape []int) string {
		return fmt.Sprintf(
			"{kind: nodes, count: %d, block: {kind: xgft, m: [1, 8], w: [1, 1]}, unit: 20, pxn: true, "+
				"outer: {kind: xgft, m: %s, w: [1, 20]}}",
			shape[0], flow(20, 8*units(shape[0], 20)),
		)
	},
	Sources: append([]Source{
		{
			[]string{"network.link.bandwidth"},
			"NVIDIA, Hot Chips 32: a port of HDR InfiniBand (200 Gb/s) for each of eight GPUs", Published,
		},
		{
			[]string{"network.topology"}, "six NVSwitches a node (Hot Chips 32); leaf switches of 40 ports, each for " +
				"one rail of 20 nodes, with as many links up as down. The machine has a third level beyond " +
				"100 nodes", Assumed,
		},
		{[]string{"network.links.block.bandwidth"}, "A100: 600 GB/s of NVLink a GPU, both ways together", Published},
	}, gpuSources...),
	Accuracy: []string{"Validation: none; nothing has been compared with measurements.", oneSwitch, gpuAccuracy},
	Small:    []int{2},
})
