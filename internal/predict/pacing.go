package predict

import (
	"iter"

	"fabricast/internal/plan"
	"fabricast/mpi"
	"fabricast/pacing"
)

// Gaps returns the gaps, in packet times, that MOD pacing gives to the steps of a communication
// pattern on the experiment's network (see pacing.Network.Gaps). The pattern yields messages
// between hosts.
func (l *Layout) Gaps(pattern iter.Seq[pacing.Message]) ([]uint32, error) {
	p, err := plan.Build(l.e)
	if err != nil {
		return nil, err
	}
	return p.Paths().Gaps(pattern)
}

// PacingResult summarizes the gaps of the steps of a collective, in packet times.
type PacingResult struct {
	Steps int     `json:"steps"` // 1 if all steps have the same gap
	Least uint32  `json:"least_gap"`
	Mean  float64 `json:"mean_gap"`
	Most  uint32  `json:"largest_gap"`
}

// SumUpPacing summarizes a pacing: its number of steps and its smallest, mean and largest gap. It
// returns nil if p is nil.
func SumUpPacing(p *mpi.Pacing) *PacingResult {
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
