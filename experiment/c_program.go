package experiment

import (
	"maps"
	"slices"
	"strconv"

	"fabricast/internal/units"
)

// Settings of C programs (package cmpi). But for Compute.Ranks, they have no effect on other programs.

// Compute selects how much simulated time computation takes.
type Compute struct {
	Mode string `yaml:"mode,omitempty" json:"mode" scalar:"true"`
	// Factor multiplies the measured processor time; 0 means 1.
	Factor Factor `yaml:"factor,omitempty" json:"factor"`
	// Ranks multiplies the computation of ranks of any program, by the rank as text.
	Ranks map[string]Factor `yaml:"ranks,omitempty" json:"ranks,omitempty"`
}

// Values of Compute.Mode.
const (
	ComputeNone     = "none"     // computation takes no simulated time
	ComputeMeasured = "measured" // computation takes the processor time measured on this machine
	// like measured, but marked loops run only some of their iterations
	ComputeSampled = "sampled"
)

// Values of Experiment.Payload.
const (
	PayloadCarry = "carry" // messages carry their contents
	PayloadOmit  = "omit"  // messages carry sizes only
)

// Factor is a number above 0, up to 1,000,000.
type Factor float64

// Set implements config.Setter. It returns a *units.Error if text is not a number in that range.
func (f *Factor) Set(text string) error {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > 0 && n <= maxFactor) {
		return &units.Error{Found: text, Expected: "a number above 0, up to 1000000, such as 1.5"}
	}
	*f = Factor(n)
	return nil
}

const maxFactor = 1_000_000

// inC checks the fields of C programs, and of computation.
func (v *validator) inC() {
	if mode := v.e.Compute.Mode; mode != "" {
		v.word("compute.mode", mode)
	}
	v.demand(
		v.e.Compute.Factor >= 0 && v.e.Compute.Factor <= maxFactor, "compute.factor",
		v.e.Compute.Factor, "a number above 0, up to 1000000",
	)
	for _, name := range slices.Sorted(maps.Keys(v.e.Compute.Ranks)) {
		rank, err := strconv.Atoi(name)
		field, factor := "compute.ranks."+name, v.e.Compute.Ranks[name]
		v.demand(err == nil && rank >= 0 && strconv.Itoa(rank) == name, field, name, "a rank, as in {3: 1.2}")
		v.demand(factor > 0 && factor <= maxFactor, field, factor, "a number above 0, up to 1000000")
	}
	if payload := v.e.Payload; payload != "" {
		v.word("payload", payload)
	}
}
