package tune

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fabricast/collective"
)

// Algorithms that need to know the machine are candidates where they can run, with options that make a
// difference there.
func TestCandidatesFitTheMachine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "machine.yaml")
	for _, c := range []struct {
		network    string
		onHost     int
		ranks      int
		has, lacks []collective.Algorithm
	}{
		{
			"{kind: torus, dims: [4, 4]}", 1, 16,
			[]collective.Algorithm{"swing", "swing/ports=1", "bucket", "bine"},
			[]collective.Algorithm{"groups", "hierarchical", "hierarchical/leaders=0"},
		},
		{
			"{kind: torus, dims: [4, 4]}", 3, 8,
			[]collective.Algorithm{"bine", "hierarchical", "hierarchical/leaders=0"},
			[]collective.Algorithm{"swing", "hierarchical/leaders=2"},
		},
		{
			"{kind: torus, dims: [4, 4]}", 3, 7,
			[]collective.Algorithm{"hierarchical"},
			[]collective.Algorithm{"swing", "hierarchical/leaders=0"},
		},
		{
			"{kind: dragonfly, p: 2, a: 4, h: 2}", 1, 72,
			[]collective.Algorithm{"groups", "groups/leaders=2"},
			[]collective.Algorithm{"swing", "hierarchical"},
		},
	} {
		text := fmt.Sprintf(
			"network: {topology: %s}\nnode: {ranks: %d}\nworkload: {program: allreduce, size: 8B}\n", c.network, c.onHost,
		)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		tune, err := New(context.Background(), file, &Spec{
			Kind: collective.KindAllreduce, Sizes: []int64{1024}, Ranks: []int{c.ranks},
		})
		if err != nil {
			t.Fatal(err)
		}
		var names []collective.Algorithm
		for _, p := range tune.cells[0].points {
			names = append(names, p.algorithm)
		}
		for _, a := range c.has {
			if !slices.Contains(names, a) {
				t.Errorf("%s on %d ranks: found %v, expected %s", c.network, c.ranks, names, a)
			}
		}
		for _, a := range c.lacks {
			if slices.Contains(names, a) {
				t.Errorf("%s on %d ranks: found %s", c.network, c.ranks, a)
			}
		}
	}
}
