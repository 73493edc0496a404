package training

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast/workload/gpu"
	"fabricast/workload/transformer"
)

// Shares are at most as large as allowed, add up to the total, and a larger weight has no smaller
// share but for what rounding leaves.
func TestApportion(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		weights := rapid.SliceOfN(rapid.Int64Range(1, 1<<52), 1, 40).Draw(r, "weights")
		most := rapid.Int64Range(1, 1<<20).Draw(r, "most")
		total := rapid.Int64Range(0, most*int64(len(weights))).Draw(r, "total")
		shares, sum := apportion(total, weights, most), int64(0)
		for i, n := range shares {
			sum += n
			for k := range shares {
				if weights[i] > weights[k] && n+1 < shares[k] {
					r.Fatalf("%v for %v", shares, weights)
				}
			}
		}
		if sum != total || slices.Max(shares) > most {
			r.Fatalf("%v: %d of %d, at most %d each", shares, sum, total, most)
		}
	})
}

// Every token of a rank goes to as many experts as it passes, to each at most once, and to at most
// as many nodes as allowed; a node gets no more copies than it has tokens for its experts.
func TestRoute(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		j := Job{
			Model:    transformer.Model{Preset: "deepseek-v3"},
			Parallel: Parallel{Expert: 64}, Batch: 64, Seed: rapid.Uint64().Draw(r, "seed"),
			Routing: Routing{
				Distribution: rapid.SampledFrom(Distributions()).Draw(r, "distribution"),
				Parameter:    rapid.IntRange(1, 4).Draw(r, "parameter"),
				Nodes:        rapid.IntRange(1, 8).Draw(r, "nodes"), PerNode: 8,
			},
			Accelerator: gpu.Accelerator{Memory: 1e15},
		}
		j, problems := j.Resolved(64)
		if len(problems) > 0 {
			r.Fatal(problems)
		}
		w := newWorker(&j)
		of := w.route(rapid.IntRange(3, 60).Draw(r, "layer"))
		token := int64(j.Model.Hidden) * element
		sum, out, copies := int64(0), int64(0), int64(0)
		for _, n := range of.experts {
			if sum += n; n > w.outer {
				r.Fatalf("%d of %d tokens to an expert", n, w.outer)
			}
		}
		for node, n := range of.copies {
			inside := int64(0)
			for _, m := range of.out[node*8 : node*8+8] {
				inside += m
			}
			if out += inside; n > inside || n > w.outer*token {
				r.Fatalf("%d bytes of copies on a node, %d for its experts", n, inside)
			}
			copies += n
		}
		if sum != w.outer*8 || out != sum*token || copies > int64(j.Routing.Nodes)*w.outer*token {
			r.Fatalf("%d tokens, %d bytes, %d bytes of copies", sum, out, copies)
		}
	})
}

// Ranks wait longer for experts whose popularity differs, and the less the more even it is.
func TestUnbalanced(t *testing.T) {
	waits := func(r Routing) int64 {
		j, problems := Job{
			Model: transformer.Model{
				Layers: 2, Hidden: 256, Heads: 4, Sequence: 512, Vocabulary: 512, Experts: 16, TopK: 4,
			},
			Parallel: Parallel{Data: 8, Expert: 8}, Routing: r, Seed: 1,
		}.Resolved(8)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return run(t, j, 1, 1000, 1).Counts[exposed+int(Expert)]
	}
	balanced := waits(Routing{})
	even := waits(Routing{Distribution: Dirichlet, Parameter: 100})
	uneven := waits(Routing{Distribution: Dirichlet, Parameter: 1})
	zipf := waits(Routing{Distribution: Zipf})
	if balanced >= even || even >= uneven || balanced >= zipf {
		t.Errorf("exposed expert time: %d balanced, %d, %d, %d", balanced, even, uneven, zipf)
	}
}
