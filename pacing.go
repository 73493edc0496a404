package fabricast

import (
	"iter"
	"math/bits"
	"strconv"

	"fabricast/collective"
	"fabricast/fabric"
	"fabricast/internal/config"
	"fabricast/mpi"
	"fabricast/pacing"
	"fabricast/workload"
)

// Pacing has NICs pause between the packets of a collective (docs/workloads.md).
type Pacing struct {
	// Gap is for how many packet times: a number, or mod for the message overlap degree of each step, less one.
	Gap   string   `yaml:"gap,omitempty" scalar:"true"`
	Scale Fraction `yaml:"scale,omitempty"` // of mod's time from packet to packet, 1 + gap; default: 100%
	// Barrier has the ranks meet: at the start, or there and then before every so many steps.
	Barrier string `yaml:"barrier,omitempty"`
}

// Words of a pacing.
const (
	PacingMOD   = "mod"
	PacingStart = "start"
)

// maxScale bounds the scale of gaps.
const maxScale = 100 * Whole

func (p *Pacing) given() bool { return *p != (Pacing{}) }

func (f filler) pacing(path string, p *Pacing) {
	if !p.given() {
		return
	}
	give(f, path+".gap", &p.Gap, "0")
	if p.Gap == PacingMOD {
		give(f, path+".scale", &p.Scale, Whole)
	}
}

// pacingOfPrograms is how collectives of other programs are paced.
const pacingOfPrograms = "the collectives that a program calls are paced as in collectives: {alltoall: {pacing: mod}}"

// pacing checks that of a program by name.
func (v *validator) pacing(program *workload.Program) {
	const path = "workload.pacing"
	if v.e.Workload.Pacing.given() && program.Collective(workload.Params{}) == nil {
		v.problem(path, "pacing of "+program.Name, "pacing of a collective", pacingOfPrograms)
		return
	}
	v.paced(path, &v.e.Workload.Pacing, collective.Kind(program.Name))
}

// paced checks the pacing of a collective.
func (v *validator) paced(path string, p *Pacing, kind collective.Kind) {
	if !p.given() {
		return
	}
	if p.Gap != PacingMOD {
		n, err := strconv.Atoi(p.Gap)
		if err != nil {
			v.problem(path+".gap", p.Gap, PacingMOD+", or a whole number of packet times", config.DidYouMean(p.Gap, []string{PacingMOD}))
		} else {
			v.between(path+".gap", n, 0, fabric.MaxGap)
		}
		v.demand(p.Scale == 0 && !v.e.positions.Has(path+".scale"), path+".scale", percentage(p.Scale), "no scale: it is for the gaps of "+PacingMOD)
	} else {
		v.demand(p.Scale > 0 && p.Scale <= maxScale, path+".scale", percentage(p.Scale),
			"a share above 0%, up to "+percentage(maxScale)+", of the time from packet to packet")
	}
	if p.Barrier == "" || p.Barrier == PacingStart {
		return
	}
	n, err := strconv.Atoi(p.Barrier)
	v.demand(err == nil && n >= 1, path+".barrier", p.Barrier, PacingStart+", or a whole number of steps, at least 1")
	v.demand(kind == collective.KindAlltoall, path+".barrier", p.Barrier,
		PacingStart+": only in an all-to-all do all ranks go through the same steps")
}

// percentage writes a share as a file does.
func percentage(f Fraction) string {
	if f == 0 {
		return "0%"
	}
	return Span{Share: f}.String()
}

// every is mpi.Pacing.Every.
func (p *Pacing) every() int {
	if p.Barrier == PacingStart {
		return mpi.Once
	}
	n, _ := strconv.Atoi(p.Barrier)
	return n
}

// pace finds how the messages of a resolved experiment are paced; nil if they are not.
func (e *Experiment) pace(plan *plan) (*mpi.Pacing, error) {
	p := &e.Workload.Pacing
	if e.ownProgram() || !p.given() {
		return nil, nil
	}
	once := workload.Find(e.Workload.Program).Collective(e.Workload.params(e.Seed))
	paced, err := p.rule().Schedule(plan.paths(), plan.hosts, once)
	if err != nil {
		return nil, &InternalError{err}
	}
	return paced, nil
}

// scaled is a gap after which packets follow one another in Scale of the time, rounded
// down to whole packet times.
func (p *Pacing) scaled(gap uint32) uint32 {
	hi, lo := bits.Mul64(1+uint64(gap), uint64(p.Scale))
	period, _ := bits.Div64(hi, lo, uint64(Whole))
	return uint32(min(max(period, 1)-1, fabric.MaxGap))
}

// paths are what the routes of messages depend on.
func (p *plan) paths() *pacing.Network {
	return &pacing.Network{
		Graph: p.fabric.Graph, Routing: p.fabric.Routing, Adaptive: p.fabric.Adaptive, Seed: p.fabric.Seed,
	}
}

// Gaps returns the gaps that MOD pacing gives to the steps of a pattern between hosts of
// the experiment's network, with its routing (see pacing.Network.Gaps).
func (l *Layout) Gaps(pattern iter.Seq[pacing.Message]) ([]uint32, error) {
	p, err := l.e.build()
	if err != nil {
		return nil, err
	}
	return p.paths().Gaps(pattern)
}

// PacingResult sums up the gaps, in packet times, of the steps of a collective.
type PacingResult struct {
	Steps int     `json:"steps"` // 1 if all are alike
	Least uint32  `json:"least_gap"`
	Mean  float64 `json:"mean_gap"`
	Most  uint32  `json:"largest_gap"`
}

func pacingResult(p *mpi.Pacing) *PacingResult {
	if p == nil {
		return nil
	}
	r := &PacingResult{Steps: len(p.Gaps), Least: p.Gaps[0]}
	sum := uint64(0)
	for _, gap := range p.Gaps {
		r.Least, r.Most = min(r.Least, gap), max(r.Most, gap)
		sum += uint64(gap)
	}
	r.Mean = float64(sum) / float64(len(p.Gaps))
	return r
}
