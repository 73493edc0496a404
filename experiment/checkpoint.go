package experiment

import (
	"math/bits"
	"reflect"

	"fabricast/internal/restart"
	"fabricast/internal/units"
)

// Checkpoint is a model of a job that repeats the program, saves its state, and goes on from there after
// failures (docs/faults.md). It is computed from the predicted time of the program, and does not change
// that.
type Checkpoint struct {
	Repeats int64 `yaml:"repeats,omitempty"` // how often the job runs the program
	// A checkpoint takes Save, or the time of Size bytes at Bandwidth.
	Save      units.Time  `yaml:"save,omitempty"`
	Size      units.Bytes `yaml:"size,omitempty"`
	Bandwidth units.Rate  `yaml:"bandwidth,omitempty"`
	Restart   units.Time  `yaml:"restart,omitempty"` // time from a failure until the job works again
	Period    string      `yaml:"period,omitempty"`  // work between two checkpoints: young, daly or a time
	// Rate is the mean number of failures of a node in a day, of Nodes nodes.
	Rate  units.Fraction `yaml:"rate,omitempty"`
	Nodes int            `yaml:"nodes,omitempty"` // 0: as many as the job has hosts
	// Failures are the times at which the job fails, in place of Rate, from its start.
	Failures []units.Time `yaml:"failures,flow,omitempty"`
}

// Values of Checkpoint.Period.
const (
	PeriodYoung = "young"
	PeriodDaly  = "daly"
)

// Given reports whether there is a model of checkpoints.
func (c *Checkpoint) Given() bool { return !reflect.ValueOf(*c).IsZero() }

// checkpoint fills in the defaults of the model of checkpoints, if there is one.
func (f filler) checkpoint(c *Checkpoint) {
	if !c.Given() {
		return
	}
	give(f, "checkpoint.repeats", &c.Repeats, 1)
	if c.Rate != 0 {
		give(f, "checkpoint.period", &c.Period, PeriodDaly)
	}
}

// maxRepeats is the largest Checkpoint.Repeats, maxNodes the largest Nodes.
const (
	maxRepeats = 1_000_000_000_000
	maxNodes   = 100_000_000
)

func (v *validator) checkpoint() {
	c, p := &v.e.Checkpoint, v.e.positions
	if !c.Given() {
		v.demand(!p.Has("checkpoint"), "checkpoint", "", "how long checkpoints take, and when the job fails")
		return
	}
	if !v.demand(!v.e.HasTraffic(), "checkpoint", "checkpoints of traffic", "those of a program") {
		return
	}
	v.demand(c.Repeats >= 1 && c.Repeats <= maxRepeats, "checkpoint.repeats", c.Repeats, "a number from 1 to 1000000000000")
	bySize := c.Size != 0 || c.Bandwidth != 0
	v.demand(bySize != (c.Save != 0), "checkpoint.save", c.Save, "a time, or in its place size and bandwidth")
	v.demand(!bySize || c.Size > 0 && c.Bandwidth > 0, "checkpoint.bandwidth", c.Bandwidth, "a size and a bandwidth above 0")
	v.demand(c.Save >= 0 && c.Save <= maxFaultTime, "checkpoint.save", c.Save, "a time up to "+maxFaultTime.String())
	v.demand(c.Restart >= 0 && c.Restart <= maxFaultTime, "checkpoint.restart", c.Restart, "a time up to "+maxFaultTime.String())
	v.demand((c.Rate != 0) != (len(c.Failures) > 0), "checkpoint.rate", c.Rate, "either a rate or the times of failures")
	v.demand(c.Rate >= 0, "checkpoint.rate", c.Rate, "a mean number of failures of a node in a day, such as 0.65%")
	v.demand(c.Nodes >= 0 && c.Nodes <= maxNodes, "checkpoint.nodes", c.Nodes, "a number of nodes")
	v.demand(c.Nodes == 0 || c.Rate != 0, "checkpoint.nodes", c.Nodes, "none with times of failures")
	v.demand(len(c.Failures) <= MaxFaults, "checkpoint.failures", len(c.Failures), "at most 10000 times")
	for i, at := range c.Failures {
		path := index("checkpoint.failures", i)
		v.faultTime(path, at)
		v.demand(i == 0 || at > c.Failures[i-1], path, at, "a time after the one before")
	}
	if c.Period == PeriodYoung || c.Period == PeriodDaly {
		v.demand(c.Rate != 0, "checkpoint.period", c.Period, "a time, as failures have no rate")
		return
	}
	var period units.Time
	v.demand(
		period.Set(c.Period) == nil && period >= units.Nanosecond && period <= maxFaultTime, "checkpoint.period", c.Period,
		"young, daly or a time from 1ns to "+maxFaultTime.String(),
	)
}

// Model returns the model of a job on some hosts whose program takes a given time; false if it is longer
// than can be counted.
func (c *Checkpoint) Model(program units.Time, hosts int, seed uint64) (m restart.Model, ok bool) {
	const day = 24 * 3600 * units.Second / units.Nanosecond
	hi, work := bits.Mul64(uint64(program), uint64(c.Repeats))
	if hi >= uint64(units.Nanosecond) {
		return m, false
	}
	work, _ = bits.Div64(hi, work, uint64(units.Nanosecond))
	m = restart.Model{Save: int64(c.saves() / units.Nanosecond), Restart: int64(c.Restart / units.Nanosecond), Seed: seed}
	for _, at := range c.Failures {
		m.At = append(m.At, int64(at/units.Nanosecond))
	}
	if c.Rate != 0 {
		if c.Nodes > 0 {
			hosts = c.Nodes
		}
		mean := float64(day) / (float64(c.Rate) / float64(units.Whole) * float64(hosts))
		m.MTTF = max(1, int64(min(mean, restart.MaxMTTF)))
	}
	var period units.Time
	switch c.Period {
	case PeriodYoung:
		m.Period = restart.Young(m.Save, m.MTTF)
	case PeriodDaly:
		m.Period = restart.Daly(m.Save, m.MTTF)
	default:
		if period.Set(c.Period) != nil {
			return m, false
		}
		m.Period = int64(period / units.Nanosecond)
	}
	m.Work = int64(min(work, restart.MaxWork))
	return m, work <= restart.MaxWork
}

// saves returns the time of a checkpoint.
func (c *Checkpoint) saves() units.Time {
	if c.Bandwidth == 0 {
		return c.Save
	}
	hi, lo := bits.Mul64(uint64(c.Size), uint64(units.Second))
	if hi >= uint64(c.Bandwidth) {
		return maxFaultTime
	}
	q, _ := bits.Div64(hi, lo, uint64(c.Bandwidth))
	return units.Time(min(q, uint64(maxFaultTime)))
}
