package experiment

import "fabricast/internal/units"

// RandomFaults are failures of links between routers at random times. They are exponentially
// distributed, or those of a file.
type RandomFaults struct {
	Rate   units.Fraction `yaml:"rate,omitempty"`   // mean number of failures of a link in 30 days of service
	Repair units.Time     `yaml:"repair,omitempty"` // mean time to repair
	// File has times in service before a failure, in place of Rate, and with each the time to repair, in
	// place of Repair, or none.
	File  string     `yaml:"file,omitempty"`
	Until units.Time `yaml:"until,omitempty"` // no link fails from then on
}

// Given reports whether links fail at random times.
func (r *RandomFaults) Given() bool { return *r != (RandomFaults{}) }

// IsRepairTime reports whether a link may be repaired for that long, and what is expected.
func IsRepairTime(t units.Time) (expected string, ok bool) {
	return "from " + leastFault.String() + " to " + maxFaultTime.String(), t >= leastFault && t <= maxFaultTime
}

func (v *validator) randomFaults(r *RandomFaults) {
	p := v.e.positions
	if !r.Given() && !p.Has("faults.random") {
		return
	}
	if r.File == "" {
		v.demand(
			r.Rate > 0, "faults.random.rate", r.Rate,
			"a number of failures of a link in 30 days, such as 0.05%, or a faults.random.file",
		)
	} else {
		v.demand(
			r.Rate == 0 && !p.Has("faults.random.rate"), "faults.random.rate", r.Rate,
			"none: faults.random.file has the times in service",
		)
	}
	if r.File == "" || r.Repair != 0 || p.Has("faults.random.repair") {
		expected, ok := IsRepairTime(r.Repair)
		v.demand(ok, "faults.random.repair", r.Repair, "a mean time "+expected)
	}
	v.demand(
		r.Until > 0 && r.Until <= maxFaultTime, "faults.random.until", r.Until,
		"a time up to "+maxFaultTime.String()+", as faults are drawn before the run",
	)
}
