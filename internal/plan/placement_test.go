package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/topology"
)

// TestPlacements: whatever the placements of jobs, no host is of two jobs, every rank has one, and
// each holds what its name says.
func TestPlacements(t *testing.T) {
	networks := []topology.Spec{
		topology.TorusSpec{Dims: []int{4, 3}, Hosts: 2},
		topology.DragonflySpec{P: 2, A: 3, H: 1},
		topology.FatTreeSpec{Radix: 4, Levels: 3},
	}
	rapid.Check(t, func(t *rapid.T) {
		e := experiment.Experiment{Seed: rapid.Uint64Min(1).Draw(t, "seed")}
		e.Network.Topology = rapid.SampledFrom(networks).Draw(t, "network")
		left := 14
		for i := 0; i < 4 && left > 0; i++ {
			j := experiment.Job{Workload: experiment.Workload{Program: "barrier"}}
			j.PerNode = rapid.IntRange(1, 3).Draw(t, "per node")
			hosts := rapid.IntRange(1, left).Draw(t, "hosts")
			left -= hosts
			j.Ranks = hosts*j.PerNode - rapid.IntRange(0, j.PerNode-1).Draw(t, "short")
			j.Placement.Order = rapid.SampledFrom([]string{
				experiment.PlacementLinear, experiment.PlacementNodes, experiment.PlacementRouters,
				experiment.PlacementGroups,
			}).Draw(t, "order")
			if j.Placement.Order == experiment.PlacementGroups {
				j.Placement.Group = rapid.IntRange(1, 5).Draw(t, "group")
			}
			e.Jobs = append(e.Jobs, j)
		}
		r, err := experiment.Resolve(e)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Build(r)
		if err != nil {
			t.Fatal(err)
		}
		owner := map[int32]int{}
		first := 0
		for i := range p.Jobs {
			j := &p.Jobs[i]
			if j.First != first || len(j.Hosts) != e.Jobs[i].Ranks ||
				len(j.Nodes) != (len(j.Hosts)+e.Jobs[i].PerNode-1)/e.Jobs[i].PerNode {
				t.Fatalf("job %d begins with %d and has hosts %v of %v", i, j.First, j.Hosts, j.Nodes)
			}
			first += len(j.Hosts)
			for rank, h := range j.Hosts {
				if h != j.Nodes[rank/e.Jobs[i].PerNode] {
					t.Fatalf("rank %d of %d a node is on host %d of %v", rank, e.Jobs[i].PerNode, h, j.Nodes)
				}
			}
			for _, h := range j.Nodes {
				if other, taken := owner[h]; taken {
					t.Fatalf("host %d is of jobs %d and %d", h, other, i)
				}
				owner[h] = i
			}
			heldTogether(t, p, i, owner)
		}
	})
}

// heldTogether checks that a job of random routers or groups leaves one only when none of its hosts
// is free.
func heldTogether(t *rapid.T, p *Plan, i int, owner map[int32]int) {
	placer := newPlacer(p)
	groupOf := placer.routerOf
	switch order := p.Experiment.Jobs[i].Placement.Order; order {
	case experiment.PlacementLinear:
		if !slices.IsSorted(p.Jobs[i].Nodes) {
			t.Fatalf("%s: %v", order, p.Jobs[i].Nodes)
		}
		return
	case experiment.PlacementRouters:
	case experiment.PlacementGroups:
		groupOf, _ = placer.groups(i)
	default:
		return
	}
	nodes := p.Jobs[i].Nodes
	last := groupOf(nodes[len(nodes)-1])
	begun := map[int32]bool{}
	for _, h := range nodes {
		begun[groupOf(h)] = true
	}
	for h := range int32(len(placer.owner)) {
		// a later job may have it, or none: it was free
		if other, taken := owner[h]; begun[groupOf(h)] && groupOf(h) != last && (!taken || other > i) {
			t.Fatalf("host %d of a group that was begun is left: %v", h, nodes)
		}
	}
}

// TestHostLists: lists of hosts of all kinds place as many ranks as they say.
func TestHostLists(t *testing.T) {
	f := func(list string, ranks, per int, want ...int32) {
		t.Helper()
		l := hostList{
			source: &config.Source{Name: "list", Text: list}, per: per, slots: map[string]int{},
			known: map[string][]int32{
				"n01": {1}, "n02": {2}, "n03": {3}, "n10": {10}, "rack1-a": {20}, "rack2-a": {21}, "two": {30, 31},
			},
			owner: func(int32) string { return "" },
		}
		number := 0
		if !l.sacct() {
			for line := range strings.Lines(list) {
				number++
				l.line(strings.TrimRight(line, "\n"), number)
			}
		}
		if got := l.ranks(ranks); !slices.Equal(got, want) || l.problems.Count() > 0 {
			t.Errorf("%q: %v, %v, want %v", list, got, l.problems.Problems(), want)
		}
	}
	f("n01\nn02\n", 4, 2, 1, 1, 2, 2)
	f("n02\nn01 # the other\n\n", 2, 1, 2, 1)
	f("n01\nn01\nn02\n", 3, 8, 1, 1, 2)
	f("n01:2\nn02:1", 3, 1, 1, 1, 2)
	f("n01 slots=1 max_slots=4\nn02 slots=2", 3, 1, 1, 2, 2)
	f("n10 3\nn01 1", 4, 1, 10, 10, 10, 1)
	f("n[01-03,10]", 4, 1, 1, 2, 3, 10)
	f("n[01-02],n10", 3, 1, 1, 2, 10)
	f("rack[1-2]-a", 4, 2, 20, 20, 21, 21)
	f("two\nn01", 5, 2, 30, 30, 31, 31, 1)
	f("two:3", 3, 1, 30, 30, 31)
	f("JobID|State|NodeList\n12|COMPLETED|n[01-02]\n12.batch|COMPLETED|n01\n", 2, 1, 1, 2)
	f("JobID        NodeList\n------------ ---------\n12           n[02-03]\n12.0         n02\n", 4, 2, 2, 2, 3, 3)
	f("NodeList|\nn10|\n", 1, 1, 10)
}

// FuzzHostLists: whatever a list of hosts and the file of their names hold, ranks are on hosts of the
// network, or it is told what is wrong.
func FuzzHostLists(f *testing.F) {
	f.Add("n[1-3]\nn4:2", "n1 0\nn2 1\nn3 2\nn4 0 1 1", uint8(5), uint8(1))
	f.Add("a slots=2\na", "a 7", uint8(3), uint8(2))
	f.Add("n[0-99999999],x[", "n 9\nn 8", uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, list, names string, ranks, per uint8) {
		e := experiment.Experiment{}
		e.Network.Topology = topology.TorusSpec{Hosts: 2, Dims: []int{2, 2}}
		e.Jobs = []experiment.Job{{
			Workload: experiment.Workload{Program: "barrier"}, PerNode: 1 + int(per%3),
			Placement: experiment.Placement{File: written(t, list), Hosts: written(t, names)},
		}}
		e.Jobs[0].Ranks = 1 + int(ranks)%(8*e.Jobs[0].PerNode)
		r, err := experiment.Resolve(e)
		if err != nil {
			t.Fatal(err)
		}
		network, err := BuildTopology(r)
		if err != nil {
			t.Fatal(err)
		}
		p := &Plan{Experiment: r, Topology: network}
		hosts, err := newPlacer(p).place(0)
		if err != nil {
			refused(t, err)
			return
		}
		if len(hosts) != e.Jobs[0].Ranks || slices.Min(hosts) < 0 ||
			slices.Max(hosts) >= int32(network.Graph().Hosts) {
			t.Fatalf("%d ranks on %v", e.Jobs[0].Ranks, hosts)
		}
	})
}

// TestForecastOfJobs: a job in a list is forecast to take what it takes without one, and what it has
// of all hosts; several what they take together.
func TestForecastOfJobs(t *testing.T) {
	forecast := func(jobs int) Forecast {
		e := experiment.Experiment{}
		e.Network.Topology = topology.TorusSpec{Dims: []int{8, 8}}
		w := experiment.Workload{Program: "alltoall", Algorithm: "simple-spread", Size: 1024}
		if e.Workload, e.Ranks = w, 16; jobs > 0 {
			e.Workload, e.Ranks = experiment.Workload{}, 0
		}
		for i := range jobs {
			e.Jobs = append(e.Jobs, experiment.Job{Name: fmt.Sprint("j", i), Workload: w, Ranks: 16})
		}
		r, err := experiment.Resolve(e)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Build(r)
		if err != nil {
			t.Fatal(err)
		}
		return p.Forecast()
	}
	plain, one, three := forecast(0), forecast(1), forecast(3)
	const hosts = 64
	if one.Ranks != plain.Ranks+hosts*jobHostMemory || one.Network != plain.Network ||
		three.Ranks != 3*one.Ranks {
		t.Errorf("%+v without jobs, %+v as a job, %+v of three", plain, one, three)
	}
}

// TestGroupsOfTopologies: random groups are those of dragonflies and the blocks of hierarchies.
func TestGroupsOfTopologies(t *testing.T) {
	f := func(spec topology.Spec, size int) {
		t.Helper()
		built, err := spec.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		r := &experiment.Resolved{}
		r.Jobs = make([]experiment.Job, 1)
		p := newPlacer(&Plan{Experiment: r, Topology: built})
		groupOf, err := p.groups(0)
		if err != nil {
			t.Fatal(err)
		}
		count := map[int32]int{}
		for h := range int32(built.Graph().Hosts) {
			count[groupOf(h)]++
		}
		for group, n := range count {
			if n != size {
				t.Errorf("group %d of %s has %d hosts, want %d", group, built.Kind(), n, size)
			}
		}
	}
	f(topology.DragonflySpec{P: 2, A: 4, H: 2}, 8)
	f(
		topology.HierarchySpec{
			Block: topology.TorusSpec{Dims: []int{2, 2}, Hosts: 2},
			Outer: topology.TorusSpec{Dims: []int{3}},
		},
		8,
	)
}
