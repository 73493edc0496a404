package nodes

import (
	"slices"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/mpi"
	"fabricast/pacing"
	"fabricast/routing"
)

// A pattern's gaps follow the experiment's network, routing and mapping.
func TestGapsOfALayout(t *testing.T) {
	e := producttest.Torus(8)
	e.Network.Routing = routing.DOROptions{Tie: routing.TieUp}
	l, err := e.Layout()
	if err != nil {
		t.Fatal(err)
	}
	shift := func(yield func(pacing.Message) bool) {
		for step := range 4 {
			for host := range 8 {
				if !yield(pacing.Message{Step: step, From: host, To: (host + step + 1) % 8}) {
					return
				}
			}
		}
	}
	if got, err := l.Gaps(shift); err != nil || !slices.Equal(got, []uint32{0, 1, 2, 3}) {
		t.Errorf("gaps %d, %v", got, err)
	}
}

// MOD pacing of a named program is what a program in Go gets that paces itself by the gaps
// of the same pattern, and ranks elsewhere have other gaps.
func TestMODPacing(t *testing.T) {
	e := producttest.Torus(4, 4)
	e.Workload = experiment.Workload{
		Program:   "alltoall",
		Algorithm: "ring",
		Size:      4000,
		Pacing:    experiment.Pacing{Gap: "mod"},
	}
	named := producttest.Run(t, &e)
	if p := named.Pacing; p == nil || p.Steps != 15 || p.Least != 0 || p.Most == 0 || p.Mean <= 0 {
		t.Fatalf("%+v", named.Pacing)
	}
	l, err := e.Layout()
	if err != nil {
		t.Fatal(err)
	}
	gaps, err := l.Gaps(func(yield func(pacing.Message) bool) {
		for step := range 15 {
			for host := range 16 {
				if !yield(pacing.Message{Step: step, From: host, To: (host + step + 1) % 16}) {
					return
				}
			}
		}
	})
	if err != nil || slices.Max(gaps) != named.Pacing.Most {
		t.Fatalf("gaps %d, %v", gaps, err)
	}
	inGo := e
	inGo.Workload = experiment.Workload{}
	inGo.Program = func(r *mpi.Rank) {
		r.Pace(&mpi.Pacing{Gaps: gaps})
		r.Alltoall(mpi.Size(16*4000), mpi.Size(16*4000), "ring")
	}
	if r := producttest.Run(t, &inGo); r.Hash != named.Hash || r.SimulatedTime != named.SimulatedTime {
		t.Errorf(
			"in Go %v and %s, by name %v and %s",
			r.SimulatedTime, r.Hash, named.SimulatedTime, named.Hash,
		)
	}
	e.Mapping.Order = experiment.MappingRandom
	if r := producttest.Run(t, &e); *r.Pacing == *named.Pacing {
		t.Errorf("ranks on other hosts have the same gaps: %+v", r.Pacing)
	}
}

// In a broadcast down a binomial tree on a ring no two messages of a step share a link, whenever
// its ranks have received. Counted by the messages of each rank alone, some would.
func TestMODPacingOfATree(t *testing.T) {
	e := producttest.Torus(16)
	e.Network.Routing = routing.DOROptions{Tie: routing.TieUp}
	e.Workload = experiment.Workload{
		Program:   "broadcast",
		Algorithm: "binomial",
		Size:      4000,
		Pacing:    experiment.Pacing{Gap: "mod"},
	}
	if p := producttest.Run(t, &e).Pacing; *p != (fabricast.PacingResult{Steps: 4}) {
		t.Errorf("%+v", *p)
	}
}

func TestFixedPacing(t *testing.T) {
	e := producttest.Torus(8)
	e.Workload = experiment.Workload{Program: "alltoall", Algorithm: "ring", Size: 100}
	plain := producttest.Run(t, &e)
	if plain.Pacing != nil {
		t.Errorf("%+v without pacing", plain.Pacing)
	}
	e.Workload.Pacing.Gap = "0"
	if r := producttest.Run(t, &e); r.Hash != plain.Hash || *r.Pacing != (fabricast.PacingResult{Steps: 1}) {
		t.Errorf("a gap of 0: %s, %+v; none: %s", r.Hash, r.Pacing, plain.Hash)
	}
	// A packet of 112 bytes takes 14 ns: after each but the last, 1000 times as long passes.
	e.Workload.Pacing.Gap = "1000"
	if r := producttest.Run(t, &e); r.SimulatedTime < 6*1001*14*fabricast.Nanosecond || r.Pacing.Mean != 1000 {
		t.Errorf("with gaps of 1000 %v, without %v", r.SimulatedTime, plain.SimulatedTime)
	}
}
