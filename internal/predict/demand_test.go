package predict

import (
	"context"
	"math"
	"strings"
	"testing"

	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/internal/plan"
)

// planOf returns the plan of an experiment.
func planOf(t *testing.T, text string) *plan.Plan {
	t.Helper()
	root, err := config.Parse(&config.Source{Name: "e.yaml", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := experiment.Decode(root, ".", nil, experiment.WholeFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := experiment.Resolve(*decoded)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Build(e)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDemandOfKinds holds demands that are known in advance: of a ring on which each node sends to the
// next one, by traffic and by a program, every link in one direction takes the same and none in the
// other takes anything; of a Go program nothing is known.
func TestDemandOfKinds(t *testing.T) {
	network := "network: {topology: {kind: torus, dims: [8]}%s}\n"
	f := func(of, routing, load string, together float64) {
		t.Helper()
		p := planOf(t, strings.Replace(network, "%s", routing, 1)+load)
		d, err := demandOf(context.Background(), p)
		if err != nil || d.of != of {
			t.Fatalf("%s: of %v, %v", load, d, err)
		}
		list := []int32{0, 0, 0, 0, 1, 1, 1, 1}
		if c := d.crossing(&p.Fabric, list); math.Abs(c-together) > 0.01 {
			t.Errorf("%s%s: %v of the hops cross, expected %v", routing, load, c, together)
		}
	}
	f(OfTraffic, "", "traffic: {pattern: neighbour, load: 50%}\n", 2./8)
	f(OfTraffic, ", routing: adaptive", "traffic: {pattern: neighbour, load: 50%}\n", 2./8)
	f(OfProgram, "", "workload: {program: ring, size: 1KiB}\n", 2./8)
	f(OfProgram, "", "workload: {program: alltoall, algorithm: simple-spread, size: 1KiB}\n", 2./8)
}
