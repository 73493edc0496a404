package traffic_test

import (
	"testing"

	"pgregory.net/rapid"

	"fabricast/fabric"
	"fabricast/traffic"
)

// TestOldestFirstIsFair: if all hosts offer one host the same load, more than it can receive, and the
// message that was generated first goes first, each of them has the same share of what is accepted,
// however far away it is. On meshes: on tori packets of another dateline class may have space when the
// oldest has none.
func TestOldestFirstIsFair(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dims := rapid.SampledFrom([][]int{{4}, {7}, {8}, {3, 3}, {4, 2}}).Draw(r, "dims")
		vcs := rapid.IntRange(1, 3).Draw(r, "vcs")
		spec, top := network(t, vcs, false, dims...)
		spec.Router.Arbiter = fabric.Age
		hosts := spec.Graph.Hosts
		hot := rapid.Int32Range(0, int32(hosts-1)).Draw(r, "hot")
		p, err := traffic.New(traffic.Spec{Name: "hot-spot", Hosts: []int32{hot}, Share: traffic.LoadUnit}, top)
		if err != nil {
			t.Fatal(err)
		}
		l := load(t, "uniform", top, rapid.Float64Range(1.5/float64(hosts), 0.9).Draw(r, "load"))
		l.Pattern, l.Seed = p, rapid.Uint64().Draw(r, "seed")
		l.Arrivals.Process = rapid.SampledFrom([]traffic.Process{traffic.Bernoulli, traffic.Poisson}).Draw(r, "process")
		// hosts do not generate exactly alike, so some 1,000 messages of each are measured
		o := measureAs(t, spec, l, 1, traffic.Measure{Precision: 0.05, Tolerance: 0.01, Bin: 500_000})
		if share := 1 / float64(hosts); o.SentMin < 0.88*share || o.SentMax > 1.12*share {
			r.Errorf("hosts send %.4f to %.4f, not %.4f each", o.SentMin, o.SentMax, share)
		}
	})
}
