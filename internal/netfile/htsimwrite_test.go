package netfile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/netfile"
	"fabricast/topology"
)

// TestHtsimIsWritten: a fat tree of any size that htsim can describe is found again in the network, with the
// same numbers, whatever the order of its switches.
func TestHtsimIsWritten(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		small := rapid.IntRange(1, 3)
		down, tors, aggs, bundle := small.Draw(t, "down"), small.Draw(t, "tors"), small.Draw(t, "aggs"), small.Draw(t, "bundle")
		pods, cores, wide := 1, 0, 1
		if rapid.Bool().Draw(t, "three") {
			pods, cores, wide = rapid.IntRange(2, 3).Draw(t, "pods"), small.Draw(t, "cores"), small.Draw(t, "wide")
		}
		tier := func(number, rate, down, up, bundle int) string {
			text := fmt.Sprintf("Tier %d\nDownlink_speed_Gbps %d\nDownlink_Latency_ns %d\nRadix_Down %d\n", number, rate, 10*number, down)
			if up > 0 {
				text += fmt.Sprintf("Radix_Up %d\n", up)
			}
			if bundle > 1 {
				text += fmt.Sprintf("Bundle %d\n", bundle)
			}
			return text
		}
		want := fmt.Sprintf("Nodes %d\nTiers %d\nPodsize %d\n", pods*tors*down, 2+min(cores, 1), tors*down) +
			tier(0, 100, down, aggs*bundle, 1) + tier(1, 200, tors*bundle, cores*wide, bundle)
		if cores > 0 {
			want += tier(2, 400, pods*wide, 0, wide)
		}
		n := readNetwork(t, folder, want)
		shuffled(t, n)
		top, err := n.Spec.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		cables := append(make([]netfile.Cable, 2), n.Cables...)
		if err := netfile.FindFormat("htsim").Write(&got, top, cables); err != nil {
			t.Fatalf("%v\n%s", err, want)
		}
		if got.String() != want {
			t.Errorf("written as\n%s\nwas\n%s", got.String(), want)
		}
	})
}

func readNetwork(t *rapid.T, folder, text string) *netfile.Network {
	path := filepath.Join(folder, "x.topo")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	n, problems := netfile.Read(path, 1)
	if len(problems) > 0 {
		t.Fatalf("%v\n%s", problems, text)
	}
	return n
}

// shuffled changes the order of the links of a network.
func shuffled(t *rapid.T, n *netfile.Network) {
	n.Spec.Edges = rapid.Permutation(n.Spec.Edges).Draw(t, "edges")
}

// TestNotForHtsim: the error says why a network is no fat tree of htsim's.
func TestNotForHtsim(t *testing.T) {
	build := func(s topology.Spec) topology.Topology {
		top, err := s.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		return top
	}
	edges := func(hosts []int, pairs ...int) topology.Topology {
		s := topology.IrregularSpec{Hosts: hosts}
		for i := range hosts {
			s.Names = append(s.Names, fmt.Sprint("s", i))
		}
		for pair := range slices.Chunk(pairs, 2) {
			s.Edges = append(s.Edges, topology.Edge{A: pair[0], B: pair[1]})
		}
		return build(s)
	}
	for want, top := range map[string]topology.Topology{
		"not on neighbouring tiers":     edges([]int{1, 1}, 0, 1),
		"s1 has 2 hosts where others":   edges([]int{1, 2, 0}, 0, 2, 1, 2),
		"not joined to all switches of": edges([]int{1, 1, 0, 0}, 0, 2, 1, 2, 1, 3),
		"parallel links upward":         edges([]int{1, 1, 0}, 0, 2, 1, 2, 1, 2),
		"not joined to one switch of":   edges([]int{1, 1, 0, 0, 0, 0, 0}, 0, 2, 1, 3, 2, 4, 3, 4, 2, 5, 3, 6),
		"reaches s2 over two switches":  edges([]int{1, 0, 0}, 0, 1),
		"this network has no hosts":     edges([]int{0, 0}, 0, 1),
	} {
		err := netfile.FindFormat("htsim").Write(new(strings.Builder), top, make([]netfile.Cable, len(top.LinkClasses())))
		if unfit := (*netfile.Unfit)(nil); !errors.As(err, &unfit) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
