package experiment

import (
	"math/bits"
	"strconv"

	"fabricast/collective"
	"fabricast/fabric"
	"fabricast/internal/config"
	"fabricast/internal/units"
	"fabricast/mpi"
	"fabricast/workload"
)

// Pacing makes NICs pause between the packets of a collective or a built-in program
// (docs/workloads.md).
type Pacing struct {
	// Gap is the pause after each packet, in packet times: a number; mod, for the message overlap
	// degree of each step minus 1; or hops, for the largest hop count of each step minus 1.
	Gap string `yaml:"gap,omitempty" scalar:"true"`
	// Scale multiplies the packet period 1 + gap that mod and hops yield; default: 100%.
	Scale units.Fraction `yaml:"scale,omitempty"`
	// Barrier adds barriers among the ranks: start for one at the start, or a number n for one at
	// the start and one before every n steps.
	Barrier string `yaml:"barrier,omitempty"`
}

// Values of Pacing.Gap and Pacing.Barrier.
const (
	PacingMOD   = "mod"
	PacingHops  = "hops"
	PacingStart = "start"
)

// GapUnit is the granularity of Node.Gap, as a share of a packet time.
const GapUnit = units.Whole / fabric.GapUnit

// packetTimes formats a gap as in a file.
func packetTimes(f units.Fraction) string { return f.String() }

// maxScale is the largest value of Pacing.Scale.
const maxScale = 100 * units.Whole

// Given reports whether any field is set.
func (p *Pacing) Given() bool { return *p != (Pacing{}) }

// Derived reports whether the gaps are computed from the steps of the communication pattern (mod or
// hops).
func (p *Pacing) Derived() bool { return p.Gap == PacingMOD || p.Gap == PacingHops }

func (f filler) pacing(path string, p *Pacing) {
	if !p.Given() {
		return
	}
	give(f, path+".gap", &p.Gap, "0")
	if p.Derived() {
		give(f, path+".scale", &p.Scale, units.Whole)
	}
}

// pacingOfPrograms is a hint for error messages: how the collectives of a user's own program are
// paced.
const pacingOfPrograms = "the collectives that a program calls are paced as in collectives: " +
	"{alltoall: {pacing: mod}}"

// pacing checks the pacing of a built-in program.
func (v *validator) pacing(program *workload.Program) {
	const path = "workload.pacing"
	p := &v.e.Workload.Pacing
	if p.Given() && !program.Paceable() {
		v.problem(
			path,
			"pacing of "+program.Name,
			"pacing of a program whose messages follow from its parameters",
			"node: {gap: 1} is a gap for all messages of any program",
		)
		return
	}
	v.paced(path, p, collective.Kind(program.Name))
	if !p.Given() || program.Collective(workload.Params{}) != nil {
		return
	}
	v.demand(p.Barrier == "", path+".barrier", p.Barrier, "no barrier: it is for collectives")
	v.demand(
		!p.Derived() || program.Round(workload.Params{}) != nil,
		path+".gap",
		p.Gap,
		"a number of packet times: "+program.Name+" has no steps that are the same in all iterations",
	)
}

// paced checks the pacing of a collective.
func (v *validator) paced(path string, p *Pacing, kind collective.Kind) {
	if !p.Given() {
		return
	}
	switch {
	case v.told(path + ".gap"):
	case !p.Derived():
		n, err := strconv.Atoi(p.Gap)
		if err != nil {
			v.problem(
				path+".gap",
				p.Gap,
				PacingMOD+", "+PacingHops+", or a whole number of packet times",
				config.DidYouMean(p.Gap, []string{PacingMOD, PacingHops}),
			)
		} else {
			v.between(path+".gap", n, 0, fabric.MaxGap)
		}
		v.demand(
			p.Scale == 0 && !v.e.positions.Has(path+".scale"), path+".scale", percentage(p.Scale),
			"no scale: it is for the gaps of "+PacingMOD+" and "+PacingHops,
		)
	default:
		v.demand(p.Scale > 0 && p.Scale <= maxScale, path+".scale", percentage(p.Scale),
			"a share above 0%, up to "+percentage(maxScale)+", of the time from packet to packet")
	}
	if p.Barrier == "" || p.Barrier == PacingStart {
		return
	}
	n, err := strconv.Atoi(p.Barrier)
	v.demand(
		err == nil && n >= 1, path+".barrier", p.Barrier,
		PacingStart+", or a whole number of steps, at least 1",
	)
	v.demand(kind == collective.KindAlltoall, path+".barrier", p.Barrier,
		PacingStart+": only in an all-to-all do all ranks go through the same steps")
}

// percentage formats a share as in a file.
func percentage(f units.Fraction) string {
	if f == 0 {
		return "0%"
	}
	return units.Span{Share: f}.String()
}

// Every returns the number of steps between barriers in the form of mpi.Pacing.Every: mpi.Once for
// one barrier at the start, 0 for none.
func (p *Pacing) Every() int {
	if p.Barrier == PacingStart {
		return mpi.Once
	}
	n, _ := strconv.Atoi(p.Barrier)
	return n
}

// scaled returns the gap after scaling: the packet period 1 + gap is multiplied by Scale and
// rounded down to whole packet times.
func (p *Pacing) scaled(gap uint32) uint32 {
	hi, lo := bits.Mul64(1+uint64(gap), uint64(p.Scale))
	period, _ := bits.Div64(hi, lo, uint64(units.Whole))
	return uint32(min(max(period, 1)-1, fabric.MaxGap))
}

// Fixed returns the constant gap of all messages, in packet times, or 0 if gaps are computed.
func (p *Pacing) Fixed() uint32 {
	gap, err := strconv.ParseUint(p.Gap, 10, 32)
	if err != nil {
		return 0
	}
	return uint32(gap)
}
