package paths

import (
	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = Register(40, Description[REPSOptions]{
	Summary: "paths of packets that arrived without a mark are used again, else drawn",
	Source:  "Bonato et al., REPS, 2024; uet-htsim, buffer_reps.h",
	Make: func(o *REPSOptions) Chooser {
		freeze := o.Freeze
		if freeze == 0 {
			freeze = 10 * units.Millisecond
		}
		return reps{paths: numberOf(o.Paths), freeze: int64(freeze)}
	},
	Examples: []string{"", "paths: 128, freeze: 100us", "paths: 1"},
})

// REPSOptions are the options of the algorithm "reps" in experiments.
type REPSOptions struct {
	Paths  int        `yaml:"paths" help:"entropy values of a flow, a power of two" default:"64"`
	Freeze units.Time `yaml:"freeze" help:"for so long after a timeout only known paths are used" default:"10ms"`
}

// Name implements Spec.
func (REPSOptions) Name() string { return "reps" }

// Check returns what is wrong with the options.
func (o *REPSOptions) Check() []topology.Mistake {
	list := checkPaths(o.Paths)
	if o.Freeze < 0 {
		list = append(list, topology.Mistake{Field: "freeze", Found: o.Freeze.String(), Expected: "at least 0"})
	}
	return list
}

// reps uses good paths again (recycled entropy packet spraying; Bonato et al., arXiv:2407.21625),
// as uet-htsim has it (buffer_reps.h, uec_mp.cpp). A ring holds the entropy values of the last 8
// packets that arrived without a mark. Each is used once, the oldest first; without any, a path is
// drawn. After a timeout the ring is frozen: its values are used over and over, whether used or
// not. When the freeze has ended, the ring is emptied, and 16 packets explore drawn paths.
type reps struct {
	flow[repsState]
	paths  int
	freeze int64 // ps
}

const (
	repsRing    = 8
	repsExplore = 16
)

type repsState struct {
	draws
	Thaw    int64 // when a freeze ends (ps)
	Values  [repsRing]uint16
	Valid   [repsRing]bool // not used yet
	Head    uint8          // where the next value is put
	Stored  uint8          // number of values, used ones included
	Fresh   uint8          // number of values not used yet
	Turn    uint8          // the next to be used during a freeze
	Explore uint8          // packets that are still to explore
	Frozen  bool
}

// Start implements Chooser.
func (r reps) Start(s []uint64, seed uint64) { r.of(s).Seed = seed }

// Next implements Chooser.
func (r reps) Next(s []uint64, _ int64) uint16 {
	f := r.of(s)
	switch {
	case f.Explore > 0:
		f.Explore--
	case f.Frozen && f.Stored > 0:
		at := f.Turn
		f.Turn = (f.Turn + 1) % f.Stored
		return f.take(at)
	case !f.Frozen && f.Fresh > 0:
		return f.take((f.Head + repsRing - f.Fresh) % repsRing)
	}
	return f.below(r.paths)
}

// take returns a value, which then counts as used.
func (f *repsState) take(at uint8) uint16 {
	if f.Valid[at] {
		f.Valid[at] = false
		f.Fresh--
	}
	return f.Values[at]
}

// Acked implements Chooser.
func (r reps) Acked(s []uint64, entropy uint16, marked bool, now int64) {
	f := r.of(s)
	f.thaw(now)
	if marked {
		return
	}
	if !f.Valid[f.Head] {
		f.Fresh++
	}
	f.Values[f.Head], f.Valid[f.Head] = entropy, true
	f.Head = (f.Head + 1) % repsRing
	f.Stored = min(f.Stored+1, repsRing)
}

// thaw ends a freeze whose time is over.
func (f *repsState) thaw(now int64) {
	if f.Frozen && now > f.Thaw {
		*f = repsState{draws: f.draws, Explore: repsExplore}
	}
}

// Cut implements Chooser.
func (r reps) Cut(s []uint64, _ uint16, now int64) { r.of(s).thaw(now) }

// Expired implements Chooser.
func (r reps) Expired(s []uint64, _ uint16, now int64) {
	f := r.of(s)
	if !f.Frozen && f.Explore == 0 {
		f.Frozen, f.Thaw = true, now+r.freeze
	}
	f.thaw(now)
}
