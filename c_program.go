package fabricast

import (
	"strconv"

	"fabricast/internal/units"
)

// What an experiment says of programs in C (package cmpi). It does not matter to others.

// Compute is what computation of a program in C costs.
type Compute struct {
	Mode   string `yaml:"mode,omitempty" json:"mode" scalar:"true"`
	Factor Factor `yaml:"factor,omitempty" json:"factor"` // that processor time is multiplied by; 0: 1
}

// Modes of computation.
const (
	ComputeNone     = "none"     // costs nothing
	ComputeMeasured = "measured" // the processor time that it takes on this machine
	ComputeSampled  = "sampled"  // likewise, but only in loops of which the program runs some iterations
)

// Payloads.
const (
	PayloadCarry = "carry" // messages carry their contents
	PayloadOmit  = "omit"  // messages carry sizes only
)

// Factor is a positive number.
type Factor float64

// Set implements config.Setter.
func (f *Factor) Set(text string) error {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > 0 && n <= maxFactor) {
		return &units.Error{Found: text, Expected: "a number above 0, up to 1000000, such as 1.5"}
	}
	*f = Factor(n)
	return nil
}

const maxFactor = 1_000_000

// inC checks what is said of programs in C.
func (v *validator) inC() {
	if mode := v.e.Compute.Mode; mode != "" {
		v.choice("compute.mode", mode, ComputeNone, ComputeMeasured, ComputeSampled)
	}
	v.demand(v.e.Compute.Factor >= 0 && v.e.Compute.Factor <= maxFactor, "compute.factor", v.e.Compute.Factor, "a number above 0, up to 1000000")
	if payload := v.e.Payload; payload != "" {
		v.choice("payload", payload, PayloadCarry, PayloadOmit)
	}
}

// measured is how computation was measured, nil if it was not.
func (e *Experiment) measured() *Compute {
	if e.Launch == nil || e.Compute.Mode != ComputeMeasured && e.Compute.Mode != ComputeSampled {
		return nil
	}
	c := e.Compute
	if c.Factor == 0 {
		c.Factor = 1
	}
	return &c
}
