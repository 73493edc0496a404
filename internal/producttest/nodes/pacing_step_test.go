package nodes

import (
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/mpi"
)

// shiftTime is how long a shift by 4 on a ring of 16 nodes takes, in which 4 messages share each
// link, over the time that one of the messages takes alone. The ranks begin at random times within
// the skew.
func shiftTime(t *testing.T, gap uint32, skew fabricast.Time) float64 {
	t.Helper()
	e, err := fabricast.Load("../../../examples/pacing.yaml", "network.topology.dims=[16]")
	if err != nil {
		t.Fatal(err)
	}
	const packets, ranks, shift = 256, 16, 4
	e.Workload, e.Noise = experiment.Workload{}, experiment.Noise{}
	e.Imbalance = experiment.Imbalance{
		Distribution: experiment.ImbalanceUniform,
		Order:        experiment.OrderRandom,
		Width:        fabricast.Span{Time: skew},
	}
	e.Ranks = 0
	e.Program = func(r *mpi.Rank) {
		message := mpi.Size(packets * 2016)
		receive := r.Irecv(message, (r.Rank()+ranks-shift)%ranks, 0)
		send := r.IsendWith(message, (r.Rank()+shift)%ranks, 0, mpi.Options{Gap: gap})
		r.WaitAll([]mpi.Request{receive, send})
	}
	return float64(producttest.Run(t, e).SimulatedTime-skew) / (packets * 512_000)
}

// MOD pacing is what a step needs, and no more: with a gap of 3 the four messages of a link take
// four times as long as one, with less they block one another. But then the links are full, and a
// microsecond between the ranks is enough for them to block one another all the same; a gap of one
// more bears a hundred.
func TestMODGapOfAStep(t *testing.T) {
	for _, c := range []struct {
		gap         uint32
		skew        fabricast.Time
		least, most float64
	}{
		{0, 0, 8, 16},
		{2, 0, 8, 16},
		{3, 0, 4, 4.1},
		{4, 0, 5, 5.1},
		{3, fabricast.Microsecond, 8, 16},
		{4, fabricast.Microsecond, 4.9, 5.1},
		{4, 100 * fabricast.Microsecond, 4.9, 5.1},
	} {
		if x := shiftTime(t, c.gap, c.skew); x < c.least || x > c.most {
			t.Errorf(
				"gap %d, skew %v: %.2f times that of a message, want %.1f to %.1f",
				c.gap, c.skew, x, c.least, c.most,
			)
		}
	}
}
