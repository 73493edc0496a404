package machines

import "fmt"

var _ = Register(78, Description{
	Name:    "trainium2",
	Summary: "AWS Trn2 UltraServers, 2024: four instances of 16 Trainium2 chips, a torus of 4x4 each, in rings",
	Shape: Shape{
		Means: "instances of an UltraServer: 4, or 1 for an instance alone", Default: []int{4}, Lengths: []int{1},
		Most: []int{4},
	},
	Settings: chipTorusSettings("107GB/s"),
	Topology: func(shape []int) string {
		return fmt.Sprintf("{kind: torus, dims: [4, 4, %d]}", shape[0])
	},
	Sources: append([]Source{
		{
			[]string{"network.topology"}, "AWS Neuron documentation: the 16 chips of an instance are a torus of 4x4; the " +
				"four instances of an UltraServer join their chips in rings", Published,
		},
		{
			[]string{"network.link.bandwidth"}, "AWS Neuron documentation: NeuronLink-v3, 1.28 TB/s of a chip, both ways " +
				"together, over six links, alike: how they divide it is not published", Assumed,
		},
	}, chipTorusSources...),
	Accuracy: []string{
		"Validation: none; nothing has been compared with measurements.",
		"Not modelled: EFA, the network between UltraServers.",
	},
	Small: []int{1},
})
