package fabricast

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestRandomMapping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Experiment{Mapping: Mapping{Order: MappingRandom}, Seed: rapid.Uint64().Draw(t, "seed")}
		e.Network.Topology = Topology{Kind: KindTorus, Hosts: 1, Dims: []int{rapid.IntRange(1, 9).Draw(t, "x"), rapid.IntRange(1, 9).Draw(t, "y")}}
		e.describe()
		e.Node.Ranks = rapid.IntRange(1, 4).Draw(t, "ranks a node")
		e.Ranks = rapid.IntRange(1, e.places()).Draw(t, "ranks")
		hosts, err := e.hostsOfRanks()
		if err != nil || len(hosts) != e.Ranks {
			t.Fatalf("%d hosts, %v", len(hosts), err)
		}
		seen := make([]int, e.hosts())
		for _, h := range hosts {
			if seen[h]++; seen[h] > e.Node.Ranks {
				t.Fatalf("host %d is used %d times", h, seen[h])
			}
		}
	})
}

func TestMappingOfSeveralRanksANode(t *testing.T) {
	e := Experiment{Node: Node{Ranks: 2}, Ranks: 5}
	e.Network.Topology = Topology{Kind: KindTorus, Hosts: 1, Dims: []int{3}}
	e.describe()
	for order, want := range map[string][]int32{
		MappingLinear: {0, 0, 1, 1, 2}, MappingRoundRobin: {0, 1, 2, 0, 1},
	} {
		e.Mapping.Order = order
		if hosts, err := e.hostsOfRanks(); err != nil || !slices.Equal(hosts, want) {
			t.Errorf("%s: %v, %v, want %v", order, hosts, err, want)
		}
	}
}

// TestRandomIsFrozen notices a change of the random numbers, which would change
// the results of experiments that are already published.
func TestRandomIsFrozen(t *testing.T) {
	got := shuffled(8, 1)
	want := []int32{0, 6, 3, 5, 4, 2, 7, 1}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("order %v, want %v", got, want)
		}
	}
	if other := shuffled(8, 2); other[0] == got[0] && other[1] == got[1] && other[2] == got[2] {
		t.Errorf("seeds 1 and 2 give %v and %v", got, other)
	}
}
