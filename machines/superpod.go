package machines

import "fmt"

var _ = Register(70, Description{
	Name:    "dgx-superpod",
	Summary: "NVIDIA DGX SuperPOD of H100, 2023: nodes of 8 GPUs, eight rails of NDR InfiniBand",
	Shape: Shape{
		Means:   "number of nodes; a scalable unit has 32, and the reference four units with 127 nodes",
		Default: []int{127}, Lengths: []int{1}, Most: []int{128},
	},
	Settings: gpus{inner: "450GB/s", outer: "50GB/s", queues: 2, dma: "500GB/s"}.settings(),
	Topology: func(shape []int) string {
		n := units(shape[0], 32)
		spines := []int{0, 4, 8, 16, 16}[n]
		return fmt.Sprintf(
			"{kind: nodes, count: %d, block: {kind: xgft, m: [1, 8], w: [1, 1]}, unit: 32, pxn: true, "+
				"outer: {kind: xgft, m: %s, w: %s, width: %s}}",
			shape[0], flow(32, 8*n), flow(1, spines), flow(1, 32/spines),
		)
	},
	Sources: append([]Source{
		{
			[]string{"network.topology", "network.link.bandwidth"},
			"NVIDIA DGX SuperPOD H100, reference architecture RA-11333, network fabrics: units of 32 nodes with " +
				"8 leaf switches, rail i of every node at leaf i; 4, 8, 16 and 16 spine switches for one to four " +
				"units, 32 cables a leaf; NDR (400 Gb/s). PXN is NCCL's", Published,
		},
		{[]string{"network.links.block.bandwidth"}, "DGX H100: 900 GB/s of NVLink a GPU, both ways together", Published},
	}, gpuSources...),
	Accuracy: []string{
		"Validation: collectives of NCCL against nccl-tests, most of which miss (docs/validation/nccl.md).", oneSwitch,
		gpuAccuracy,
	},
	Small: []int{2},
})
