package plan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"fabricast/experiment"
	"fabricast/internal/usercache"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// drawNetwork draws a small network, which may be refused.
func drawNetwork(t *rapid.T) *experiment.Resolved {
	small := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
	e := experiment.Experiment{Workload: experiment.Workload{Program: "barrier"}}
	e.Network.Topology = rapid.SampledFrom([]func() topology.Spec{
		func() topology.Spec {
			return topology.TorusSpec{
				Hosts: small("hosts", 1, 2), Dims: rapid.SliceOfN(rapid.IntRange(1, 5), 1, 3).Draw(t, "dims"),
			}
		},
		func() topology.Spec {
			return topology.FatTreeSpec{Radix: 2 * small("half radix", 1, 4), Levels: small("levels", 1, 3)}
		},
		func() topology.Spec {
			return topology.DragonflySpec{P: small("p", 1, 2), A: small("a", 1, 4), H: small("h", 1, 2)}
		},
		func() topology.Spec { return topology.SlimFlySpec{Q: 3, Hosts: small("hosts", 1, 2)} },
		func() topology.Spec {
			dims := []int{small("k", 2, 4), small("k", 2, 6)}
			return topology.TwistedTorusSpec{
				Dims: dims, Twist: []topology.Twist{{Of: 0, Along: 1, By: small("by", 1, dims[1]-1)}}, Hosts: 1,
			}
		},
		func() topology.Spec {
			return topology.HammingMeshSpec{
				Board: []int{small("a", 1, 4), 1}, Boards: []int{small("x", 1, 3), small("y", 1, 2)},
			}
		},
		func() topology.Spec {
			return topology.HyperXSpec{Dims: rapid.SliceOfN(rapid.IntRange(2, 4), 1, 3).Draw(t, "dims")}
		},
	}).Draw(t, "topology")()
	e.Network.Routing = rapid.SampledFrom([]routing.Spec{
		nil,
		routing.DOROptions{},
		routing.MinimalOptions{},
		routing.ShortestOptions{},
		routing.ShortestOptions{Classes: routing.NoClasses},
		routing.ValiantOptions{},
		routing.NCAOptions{},
		routing.UpDownOptions{},
		routing.AdaptiveOptions{},
		routing.ROMMOptions{},
		routing.UGALLOptions{Weights: []int{1, 2}},
		routing.UGALLOptions{},
	}).Draw(t, "routing")
	e.Network.Router.VCs = small("vcs", 0, 4)
	e.Node.NICs = small("nics", 1, 2)
	r, err := experiment.Resolve(e)
	if err != nil {
		t.Skip(err)
	}
	return r
}

// proved returns what provedBefore does on a network, and whether it was proved anew.
func proved(
	cache *usercache.Folder, e *experiment.Resolved, topo topology.Topology, a routing.Algorithm,
) (report *deadlock.Report, anew bool, err error) {
	text, _ := networkKey(e)
	report, err = provedBefore(cache, e, topo.Graph(), text, func() (*deadlock.Report, error) {
		anew = true
		return checkDeadlock(e, topo, a)
	})
	return report, anew, err
}

// TestVerdictsAreAsNew: over random networks and algorithms whose verdicts are in one cache, a kept report equals a new
// one, whole proofs are made once, and other searches are repeated each time.
func TestVerdictsAreAsNew(t *testing.T) {
	path := t.TempDir()
	builds := 0
	rapid.Check(t, func(t *rapid.T) {
		e := drawNetwork(t)
		topo, err := BuildTopology(e)
		if err != nil {
			t.Skip(err)
		}
		a, err := makeRouting(e, topo, e.Network.Router.VCs)
		if err != nil {
			t.Skip(err)
		}
		want, wrong := checkDeadlock(e, topo, a)
		cache := usercache.At(path, "this program")
		for range 2 {
			got, _, err := proved(cache, e, topo, a)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(err, wrong) {
				t.Fatalf("%+v (%v), proved anew %+v (%v)", got, err, want, wrong)
			}
		}
		_, anew, _ := proved(cache, e, topo, a)
		if whole := wrong == nil && want.Whole() && !want.Sampled; anew == whole {
			t.Fatalf("proved again: %v, with report %+v and error %v", anew, want, wrong)
		}
		builds++
		if _, anew, _ := proved(usercache.At(path, fmt.Sprint("build ", builds)), e, topo, a); !anew {
			t.Fatal("another build of the program relies on the verdict")
		}
	})
}

// TestCycleIsProvedAnew: a cycle is not kept, so that it can be shown each time.
func TestCycleIsProvedAnew(t *testing.T) {
	cache := usercache.At(t.TempDir(), "this program")
	e, topo, a := onRing(
		t, topology.TorusSpec{Hosts: 1, Dims: []int{5}}, routing.ShortestOptions{Classes: routing.NoClasses},
	)
	for range 2 {
		var cycle *deadlock.CycleError
		if _, anew, err := proved(cache, e, topo, a); !anew || !errors.As(err, &cycle) || len(cycle.Cycle) != 5 {
			t.Fatalf("proved anew: %v, %v", anew, err)
		}
	}
}

// TestDamagedVerdict: a verdict whose file is damaged is proved anew.
func TestDamagedVerdict(t *testing.T) {
	path := t.TempDir()
	cache := usercache.At(path, "this program")
	e, topo, a := onRing(t, topology.TorusSpec{Dims: []int{5}}, nil)
	prove := func(wantAnew bool) {
		t.Helper()
		report, anew, err := proved(cache, e, topo, a)
		if err != nil || anew != wantAnew || report.String() != "free of deadlock" {
			t.Fatalf("%v, %v, proved anew: %v", report, err, anew)
		}
	}
	prove(true)
	prove(false)
	names, err := filepath.Glob(filepath.Join(path, "*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%q, %v", names, err)
	}
	if err := os.WriteFile(names[0], []byte(`{"Destinations":5}`), 0o600); err != nil {
		t.Fatal(err)
	}
	prove(true)
	prove(false)
}

// ownRing is a user's topology: it counts as another one whatever its options are.
type ownRing struct{ topology.TorusSpec }

// TestOwnCodeIsProvedAnew: what depends on a user's Go code, or on pointers, is never kept.
func TestOwnCodeIsProvedAnew(t *testing.T) {
	cache := usercache.At(t.TempDir(), "this program")
	ring := topology.TorusSpec{Hosts: 1, Dims: []int{5}}
	f := func(spec topology.Spec, r routing.Spec, want bool) {
		t.Helper()
		e, topo, a := onRing(t, spec, r)
		for i := range 2 {
			if _, anew, err := proved(cache, e, topo, a); err != nil || anew != (want || i == 0) {
				t.Errorf("%T and %T: proved anew: %v, %v", spec, r, anew, err)
			}
		}
	}
	f(ring, nil, false)
	f(ownRing{ring}, routing.UpDownOptions{}, true)
	f(ring, routing.Own(func(t topology.Topology, vcs int) (routing.Algorithm, error) {
		return routing.NewUpDown(t.Graph(), vcs, 0)
	}), true)
}

func onRing(t *testing.T, spec topology.Spec, r routing.Spec) (
	*experiment.Resolved, topology.Topology, routing.Algorithm,
) {
	t.Helper()
	x := experiment.Experiment{Workload: experiment.Workload{Program: "barrier"}}
	x.Network.Topology, x.Network.Routing = spec, r
	e, err := experiment.Resolve(x)
	if err != nil {
		t.Fatal(err)
	}
	topo, err := BuildTopology(e)
	if err != nil {
		t.Fatal(err)
	}
	a, err := makeRouting(e, topo, e.Network.Router.VCs)
	if err != nil {
		t.Fatal(err)
	}
	return e, topo, a
}
