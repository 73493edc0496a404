package machines

import (
	"fmt"
	"slices"
)

// tpu are the numbers in which generations of TPU pods differ.
type tpu struct {
	name, summary string
	place         int
	link          string // of one direction
	linkSource    Source
	most          int   // chips along a dimension
	pod           []int // the default shape
	podSource     string
}

func (p tpu) register() struct{} {
	return Register(p.place, Description{
		Name: p.name, Summary: p.summary,
		Shape: Shape{
			Means:   "chips along x, y and z; k, k, 2k and k, 2k, 2k are twisted",
			Default: p.pod, Lengths: []int{3}, Most: []int{p.most, p.most, p.most},
		},
		Settings: chipTorusSettings(p.link),
		Topology: tpuSlice,
		Sources: append([]Source{
			p.linkSource,
			{
				[]string{"network.topology"}, p.podSource + " Twists as in Cámara et al. 2010, to which the paper on " +
					"TPU v4 refers; those of the machine are not published in full", Published,
			},
		}, chipTorusSources...),
		Accuracy: []string{
			"Validation: none; nothing has been compared with measurements.",
			"Simplified: slices below a cube of 4x4x4 have rings as well. Not modelled: optical switches, which set a " +
				"slice up before it runs; links to hosts; the network between slices.",
		},
		Small: []int{2, 2, 4},
	})
}

// tpuSlice returns the torus of a slice, twisted where a slice of its sizes can be.
func tpuSlice(shape []int) string {
	kind := "torus"
	if k := slices.Min(shape); slices.Max(shape) == 2*k && !slices.ContainsFunc(shape, func(n int) bool {
		return n != k && n != 2*k
	}) {
		kind = "twisted-torus"
	}
	return fmt.Sprintf("{kind: %s, dims: %s}", kind, flow(shape...))
}

var (
	_ = tpu{
		name: "tpu-v4", summary: "Google TPU v4, 2020: 4,096 chips in a 3-D torus of cubes of 4x4x4",
		place: 75, link: "50GB/s", most: 64, pod: []int{16, 16, 16},
		linkSource: Source{
			[]string{"network.link.bandwidth"},
			"Jouppi et al., TPU v4, ISCA 2023: six links of 50 GB/s a direction",
			Published,
		},
		podSource: "Jouppi et al., ISCA 2023: 4,096 chips, 64 cubes; twisted tori of k, k, 2k and k, 2k, 2k.",
	}.register()
	_ = tpu{
		name: "tpu-v5p", summary: "Google TPU v5p, 2023: 8,960 chips in a 3-D torus; slices of up to 6,144",
		place: 76, link: "100GB/s", most: 28, pod: []int{16, 16, 24},
		linkSource: Source{
			[]string{"network.link.bandwidth"}, "Google Cloud, TPU v5p: 1,200 GB/s of ICI a chip, both ways together; " +
				"six links", Derived,
		},
		podSource: "Google Cloud, TPU v5p: 8,960 chips, largest slice 16x16x24; k, k, 2k and k, 2k, 2k may be twisted.",
	}.register()
	_ = tpu{
		name: "tpu-v7x", summary: "Google TPU7x (Ironwood), 2025: 9,216 chips in a 3-D torus",
		place: 77, link: "100GB/s", most: 36, pod: []int{16, 16, 36},
		linkSource: Source{
			[]string{"network.link.bandwidth"}, "stas00/ml-engineering: 1,200 GB/s of ICI a chip, both ways together; " +
				"six links", Derived,
		},
		podSource: "Google Cloud, TPU7x: 9,216 chips; that they can be 16x16x36 is assumed.",
	}.register()
)
