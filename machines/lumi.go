package machines

import "fmt"

var _ = Register(50, Description{
	Name:    "lumi",
	Summary: "LUMI-G, CSC Kajaani 2022: 3,072 nodes of four NICs, Slingshot 11 dragonfly",
	Shape: Shape{
		Means:   "number of groups; a group has 128 nodes",
		Default: []int{24},
		Lengths: []int{1},
		Most:    []int{161},
	},
	Settings: slingshot,
	Topology: func(shape []int) string {
		return fmt.Sprintf("{kind: dragonfly, p: 4, a: 32, h: 5, g: %d}", shape[0])
	},
	Sources: append([]Source{
		{
			[]string{"network.topology"}, "LUMI's documentation: 2,978 nodes in 24 groups of " +
				"124; groups of 128 here, as four places of each are empty. The number of " +
				"global links is not published: that of a switch is Frontier's, which gives 6.9 " +
				"between any two groups", Assumed,
		},
	}, slingshotSources...),
	Accuracy: append([]string{
		"Validation: collectives of one process a node on 4 to 100 nodes are compared with " +
			"measurements in [pico.md](validation/pico.md). The bandwidth between groups is the least " +
			"certain number.",
		"Simplified: the groups of LUMI-C and of storage are omitted.",
	}, slingshotAccuracy...),
	Small: []int{2},
})
