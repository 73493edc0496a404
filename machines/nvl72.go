package machines

import "fmt"

var _ = Register(72, Description{
	Name:    "gb200-nvl72",
	Summary: "NVIDIA DGX GB200 SuperPOD, 2024: racks of 72 GPUs on NVLink, NDR InfiniBand between them",
	Shape: Shape{
		Means:   "number of racks; a scalable unit has eight",
		Default: []int{8}, Lengths: []int{1}, Most: []int{8},
	},
	Settings: gpus{inner: "900GB/s", outer: "50GB/s", queues: 2, dma: "950GB/s"}.settings(),
	Topology: func(shape []int) string {
		return fmt.Sprintf(
			"{kind: nodes, count: %d, block: {kind: xgft, m: [1, 72], w: [1, 1]}, unit: %d, pxn: true, "+
				"outer: {kind: xgft, m: %s, w: [1, 16], width: [1, 2]}}",
			shape[0], shape[0], flow(32, units(72*shape[0], 32)),
		)
	},
	Sources: append([]Source{
		{
			[]string{"network.link.bandwidth"},
			"NVIDIA DGX SuperPOD GB200, reference architecture: units of eight racks, NDR (400 Gb/s); a ConnectX-7 " +
				"for each GPU", Published,
		},
		{
			[]string{"network.topology"}, "NVIDIA: nine trays of two NVSwitches, to each of which every GPU has a " +
				"link. Leaf switches of 64 ports with as many links up as down, by rails, are assumed", Assumed,
		},
		{
			[]string{"network.links.block.bandwidth"}, "GB200 NVL72: 1,800 GB/s of NVLink a GPU, both ways " +
				"together", Published,
		},
	}, gpuSources...),
	Accuracy: []string{
		"Validation: collectives of NCCL against nccl-tests, most of which miss (docs/validation/nccl.md).",
		"Simplified: the 18 NVSwitches of a rack are one. With all of them (`w: [1, 18]`, links of 50GB/s, " +
			"`routing.choice: queue`, `router.output_buffer`) a ring allreduce of 64 MiB takes 5 % longer.",
		gpuAccuracy,
	},
	Small: []int{1},
})
