package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/topology"
)

// topologyOf is the network of an experiment.
func topologyOf(t interface{ Fatal(args ...any) }, e *experiment.Resolved) topology.Topology {
	network, err := BuildTopology(e)
	if err != nil {
		t.Fatal(err)
	}
	return network
}

func TestRandomMapping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := experiment.Experiment{
			Mapping: experiment.Mapping{Order: experiment.MappingRandom},
			Seed:    rapid.Uint64().Draw(t, "seed"),
		}
		e.Workload.Program = "barrier"
		e.Network.Topology = topology.TorusSpec{
			Hosts: 1,
			Dims:  []int{rapid.IntRange(1, 9).Draw(t, "x"), rapid.IntRange(1, 9).Draw(t, "y")},
		}
		e.Node.Ranks = rapid.IntRange(1, 4).Draw(t, "ranks a node")
		most := e.Node.Ranks
		for _, k := range e.Network.Topology.(topology.TorusSpec).Dims {
			most *= k
		}
		e.Ranks = rapid.IntRange(1, most).Draw(t, "ranks")
		r, err := experiment.Resolve(e)
		if err != nil {
			t.Fatal(err)
		}
		hosts, err := hostsOfRanks(r, topologyOf(t, r))
		if err != nil || len(hosts) != e.Ranks {
			t.Fatalf("%d hosts, %v", len(hosts), err)
		}
		seen := make([]int, r.Hosts())
		for _, h := range hosts {
			if seen[h]++; seen[h] > e.Node.Ranks {
				t.Fatalf("host %d is used %d times", h, seen[h])
			}
		}
	})
}

func TestMappingOfSeveralRanksANode(t *testing.T) {
	e := experiment.Experiment{Node: experiment.Node{Ranks: 2}, Ranks: 5}
	e.Network.Topology = topology.TorusSpec{Hosts: 1, Dims: []int{3}}
	e.Workload.Program = "barrier"
	for order, want := range map[string][]int32{
		experiment.MappingLinear: {0, 0, 1, 1, 2}, experiment.MappingRoundRobin: {0, 1, 2, 0, 1},
	} {
		e.Mapping.Order = order
		r, err := experiment.Resolve(e)
		if err != nil {
			t.Fatal(err)
		}
		if hosts, err := hostsOfRanks(r, topologyOf(t, r)); err != nil || !slices.Equal(hosts, want) {
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

// addressed are networks whose hosts have addresses.
var addressed = []string{
	"{dims: [4, 3, 2]}", "{dims: [7]}", "{dims: [2, 3], hosts: 3}", "{kind: mesh, dims: [2, 2, 2, 2, 2]}",
	"{kind: hyperx, dims: [3, 4], hosts: 2}", "{kind: hierarchy, block: {kind: mesh, dims: [2, 3]}, outer: {kind: torus, dims: [3, 2]}}",
	"{kind: hierarchy, block: {kind: fully-connected, routers: 3, hosts: 2}, outer: {kind: torus, dims: [2, 3]}}",
}

// mapped reads a mapping on a network.
func mapped(
	t interface{ Fatal(args ...any) },
	folder, network, text string,
	ranks int,
) ([]int32, topology.Topology, error) {
	path := filepath.Join(folder, "mapping.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	text = fmt.Sprintf("network: {topology: %s}\nranks: %d\nworkload: {program: barrier}\n", network, ranks)
	root, err := config.Parse(&config.Source{Name: "e.yaml", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	e, err := experiment.Decode(root, ".", nil, experiment.WholeFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	e.Mapping = experiment.Mapping{File: path}
	r, err := experiment.Resolve(*e)
	if err != nil {
		t.Fatal(err)
	}
	n := topologyOf(t, r)
	hosts, err := hostsOfRanks(r, n)
	return hosts, n, err
}

// addressLine is a record with the address of a host.
func addressLine(n topology.Topology, rank, host, most int) string {
	g := n.Graph()
	router := int(g.Ports[g.NICPort[host*g.NICsPerHost]].Router)
	text := fmt.Sprint(rank)
	for _, c := range topology.Coordinates(n, router, nil) {
		text += fmt.Sprint(" ", c)
	}
	first := host
	for first > 0 && int(g.Ports[g.NICPort[(first-1)*g.NICsPerHost]].Router) == router {
		first--
	}
	if most > 1 {
		text += fmt.Sprint(" ", host-first)
	}
	return text + "\n"
}

// TestMappingByAddress: hosts may be written by number and by address, and are the same.
func TestMappingByAddress(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		network := rapid.SampledFrom(addressed).Draw(t, "network")
		_, n, err := mapped(t, folder, network, "0 0\n", 1)
		if err != nil {
			t.Fatal(err)
		}
		var places []int
		for h := range n.Graph().Hosts {
			places = append(places, h)
		}
		places = rapid.Permutation(places).Draw(t, "places")
		most := n.Graph().Hosts / n.Graph().Routers
		text := ""
		for rank, host := range places {
			if rapid.Bool().Draw(t, "by address") {
				text += addressLine(n, rank, host, most)
			} else {
				text += fmt.Sprintln(rank, host)
			}
		}
		got, _, err := mapped(t, folder, network, text, len(places))
		if err != nil {
			t.Fatal(err)
		}
		for rank, host := range places {
			if int(got[rank]) != host {
				t.Fatalf("rank %d on host %d, want %d:\n%s", rank, got[rank], host, text)
			}
		}
	})
}

// TestAddressesAreCoordinates: the first dimension is the fastest.
func TestAddressesAreCoordinates(t *testing.T) {
	hosts, _, err := mapped(t, t.TempDir(), "{dims: [4, 3, 2]}", "0 3 1 1 # NSIM's form\n1 0 2 0\n", 2)
	if want := []int32{3 + 4*(1+3*1), 4 * 2}; err != nil || !slices.Equal(hosts, want) {
		t.Errorf("%v, %v, want %v", hosts, err, want)
	}
}

// TestWrongAddressesHaveTheirPlace names line and column of what is wrong.
func TestWrongAddressesHaveTheirPlace(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct{ network, text, want string }{
		{"{dims: [4, 3, 2]}", "0 0\n1 3 4 1\n", "mapping.txt:2:5: y: found 4, expected a number from 0 to 2"},
		{"{dims: [4, 3, 2]}", "0 1 1 1\n1 1 1 1\n", "mapping.txt:2:3: host: found host 17 for rank 0 and for rank 1"},
		{"{dims: [4, 3, 2]}", "0 1 1\n", "mapping.txt:1:1: record: found 0 1 1, expected a rank and a host, such as 0 17, or a rank and the host's coordinates x, y, z"},
		{"{dims: [4, 3, 2]}", "0\n", "mapping.txt:1:1: record: found 0, expected a rank and a host"},
		{"{dims: [4, 3, 2]}", "0 1 1 -1\n", "mapping.txt:1:7: z: found -1"},
		{"{dims: [4, 3, 2]}", "9 1 1 1\n", "mapping.txt:1:1: rank: found 9"},
		{"{dims: [2, 3], hosts: 3}", "0 1 1 3\n", "mapping.txt:1:7: host of the router: found 3, expected a number from 0 to 2"},
		{"{kind: fat-tree, radix: 4, levels: 2}", "0 1 1\n", "mapping.txt:1:1: record: found 0 1 1, expected a rank and a host, such as 0 17"},
		{"{kind: hierarchy, block: {kind: mesh, dims: [2]}, outer: {kind: dragonfly, p: 1, a: 2, h: 1}}", "0 1 1\n", "expected a rank and a host, such as 0 17"},
	} {
		_, _, err := mapped(t, folder, c.network, c.text, 2)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %q: %v, want %q", c.network, c.text, err, c.want)
		}
	}
}
