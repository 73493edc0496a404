package training

import (
	"cmp"
	"strings"

	"fabricast/internal/units"
)

// Accelerator describes a GPU. Fields that are 0 have the value of the preset.
type Accelerator struct {
	Preset    string      `yaml:"preset,omitempty" scalar:"true"`
	TFLOPS    int         `yaml:"tflops,omitempty"`        // peak of matrix products, in 10^12 operations a second
	Vector    int         `yaml:"vector_tflops,omitempty"` // peak of other operations
	Bandwidth units.Rate  `yaml:"bandwidth,omitempty"`     // of memory
	Memory    units.Bytes `yaml:"memory,omitempty"`
	// Efficiency is the percentage of the peak that the largest matrix products reach.
	Efficiency int `yaml:"efficiency,omitempty"`
}

// step says which percentage of a peak is reached by work of at least the given size.
type step struct{ from, percent int64 }

// product, others and access are the efficiencies of matrix products and of other kernels, by
// operations, and of accesses to memory, by bytes. They are those of Calculon's systems a100_80g and h100_80g_nvl8 (Isaev et al.,
// SC 2023; github.com/calculon-ai/calculon), fitted there to the published steps of Selene. Those of
// products are multiplied by Efficiency over that of the first step.
var (
	product = []step{{128e9, 95}, {16e9, 90}, {1e9, 60}, {0, 10}}
	others  = []step{{16e9, 95}, {1e9, 50}, {0, 10}}
	access  = []step{{100e6, 90}, {10e6, 75}, {1e6, 60}, {0, 30}}
)

// accelerators holds GPUs by their data sheets. The efficiency of Hopper is the best mean of 100
// products of bf16 that was found on an H100 SXM, 794.5 of 989 TFLOPS (github.com/stas00/ml-engineering,
// compute/accelerator, maximum achievable matmul FLOPS).
var accelerators = []Accelerator{
	// NVIDIA H100 SXM5, A100 SXM4 and H200 SXM5
	{Preset: "h100-80g", TFLOPS: 989, Vector: 134, Bandwidth: 3350e9, Memory: 80 << 30, Efficiency: 80},
	{Preset: "a100-80g", TFLOPS: 312, Vector: 78, Bandwidth: 2039e9, Memory: 80 << 30, Efficiency: 95},
	{Preset: "h200-141g", TFLOPS: 989, Vector: 134, Bandwidth: 4800e9, Memory: 141e9, Efficiency: 80},
}

// Accelerators lists the names of known GPUs.
func Accelerators() (names []string) {
	for i := range accelerators {
		names = append(names, accelerators[i].Preset)
	}
	return names
}

// Limits of an accelerator's fields.
const (
	mostTFLOPS    = 1 << 20
	mostBandwidth = units.Rate(1e15)
	mostMemory    = units.Bytes(1 << 50)
)

// accelerator fills in the fields of a GPU and checks them.
func (c *check) accelerator(a Accelerator) Accelerator {
	a.Preset = cmp.Or(a.Preset, accelerators[0].Preset)
	known := false
	for i := range accelerators {
		if of := &accelerators[i]; of.Preset == a.Preset {
			known = true
			a.TFLOPS = cmp.Or(a.TFLOPS, of.TFLOPS)
			a.Vector = cmp.Or(a.Vector, of.Vector)
			a.Bandwidth = cmp.Or(a.Bandwidth, of.Bandwidth)
			a.Memory = cmp.Or(a.Memory, of.Memory)
			a.Efficiency = cmp.Or(a.Efficiency, of.Efficiency)
		}
	}
	if !known {
		c.fail("accelerator.preset", a.Preset, "one of "+strings.Join(Accelerators(), ", "))
		return a
	}
	c.number("accelerator.tflops", a.TFLOPS, 1, mostTFLOPS)
	c.number("accelerator.vector_tflops", a.Vector, 1, mostTFLOPS)
	c.number("accelerator.efficiency", a.Efficiency, 1, 100)
	if a.Bandwidth < 1e9 || a.Bandwidth > mostBandwidth {
		c.fail("accelerator.bandwidth", a.Bandwidth.String(), "a rate from 1GB/s to "+mostBandwidth.String())
	}
	if a.Memory < 1 || a.Memory > mostMemory {
		c.fail("accelerator.memory", a.Memory.String(), "a size from 1B to "+mostMemory.String())
	}
	return a
}

// percentOf returns the efficiency of work of the given size.
func percentOf(steps []step, size int64) int64 {
	for _, s := range steps {
		if size >= s.from {
			return s.percent
		}
	}
	return 1
}

// kernel is work of a GPU that is launched at once.
type kernel struct {
	operations int64 // of matrix products
	bytes      int64 // read and written
	others     int64 // operations that are not of matrix products
}

// time returns how long the GPU takes for a kernel, in ps. As in Calculon, the times of operations
// and of accesses add up. Each is at most mostTime, which is refused.
func (a *Accelerator) time(k kernel) int64 {
	const picoseconds, most = 1e12, int64(mostTime)
	reached := int64(a.TFLOPS) * percentOf(product, k.operations) * int64(a.Efficiency)
	return min(most, units.MulDiv(k.operations, 100*product[0].percent, reached)) +
		min(most, units.MulDiv(k.others, 100, int64(a.Vector)*percentOf(others, k.others))) +
		min(most, units.MulDiv(k.bytes, 100*(picoseconds/1e6), int64(a.Bandwidth)/1e6*percentOf(access, k.bytes)))
}

// sum returns how long the GPU takes for kernels one after another, in ps.
func (a *Accelerator) sum(kernels ...kernel) (t int64) {
	for _, k := range kernels {
		t += a.time(k)
	}
	return t
}
