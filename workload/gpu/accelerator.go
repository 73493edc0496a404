package gpu

import (
	"cmp"
	"fmt"
	"strings"

	"fabricast/internal/units"
	"fabricast/workload/transformer"
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

// Presets lists the names of known GPUs.
func Presets() (names []string) {
	for i := range accelerators {
		names = append(names, accelerators[i].Preset)
	}
	return names
}

// Limits of an accelerator's fields, and MostTime of what a kernel takes.
const (
	mostTFLOPS    = 1 << 20
	mostBandwidth = units.Rate(1e15)
	MostMemory    = units.Bytes(1 << 50)
	MostTime      = 1000 * units.Second
)

// Resolved returns the GPU with the values of its preset, and what is wrong.
func (a Accelerator) Resolved() (Accelerator, []transformer.Problem) {
	var problems []transformer.Problem
	fail := func(field, found, expected string) {
		problems = append(problems, transformer.Problem{Field: field, Found: found, Expected: expected})
	}
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
		fail("preset", a.Preset, "one of "+strings.Join(Presets(), ", "))
		return a, problems
	}
	number := func(field string, n, least, most int) {
		if n < least || n > most {
			fail(field, fmt.Sprint(n), fmt.Sprintf("a number from %d to %d", least, most))
		}
	}
	number("tflops", a.TFLOPS, 1, mostTFLOPS)
	number("vector_tflops", a.Vector, 1, mostTFLOPS)
	number("efficiency", a.Efficiency, 1, 100)
	if a.Bandwidth < 1e9 || a.Bandwidth > mostBandwidth {
		fail("bandwidth", a.Bandwidth.String(), "a rate from 1GB/s to "+mostBandwidth.String())
	}
	if a.Memory < 1 || a.Memory > MostMemory {
		fail("memory", a.Memory.String(), "a size from 1B to "+MostMemory.String())
	}
	return a, problems
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
