package tune

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fabricast/collective"
)

// Algorithms that need to know the machine are candidates where they can run.
func TestCandidatesFitTheMachine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "machine.yaml")
	for _, c := range []struct {
		network string
		ranks   int
		has     []collective.Algorithm
		lacks   collective.Algorithm
	}{
		{"{kind: torus, dims: [4, 4]}", 16, []collective.Algorithm{"swing", "swing/ports=1", "bucket", "bine", "hierarchical"}, "groups"},
		{"{kind: torus, dims: [4, 4]}", 7, []collective.Algorithm{"bine", "hierarchical/leaders=0"}, "swing"},
		{"{kind: dragonfly, p: 2, a: 4, h: 2}", 72, []collective.Algorithm{"groups", "groups/leaders=2"}, "swing"},
	} {
		text := "network: {topology: " + c.network + "}\nworkload: {program: allreduce, size: 8B}\n"
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
		if slices.Contains(names, c.lacks) {
			t.Errorf("%s on %d ranks: found %s", c.network, c.ranks, c.lacks)
		}
	}
}
