package training

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Chunk by chunk, each microbatch passes once in each direction, forward before backward, in the
// order of microbatches.
func TestVisits(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		stages := rapid.IntRange(1, 6).Draw(r, "stages")
		chunks := 1
		if stages > 1 {
			chunks = rapid.IntRange(1, 4).Draw(r, "chunks")
		}
		microbatches := rapid.IntRange(1, 12).Draw(r, "microbatches")
		if chunks > 1 {
			microbatches = stages * rapid.IntRange(1, 4).Draw(r, "rounds")
		}
		for stage := range stages {
			next := map[[2]any]int{}
			list := visits(stage, stages, chunks, microbatches)
			for _, v := range list {
				key := [2]any{v.chunk, v.direction}
				if next[key] != v.microbatch {
					r.Fatalf("stage %d: microbatch %d after %d", stage, v.microbatch, next[key])
				}
				next[key]++
				if v.direction == backward && next[[2]any{v.chunk, forward}] <= v.microbatch {
					r.Fatalf("stage %d: %+v before its forward pass", stage, v)
				}
			}
			if len(list) != 2*chunks*microbatches {
				r.Fatalf("stage %d: %d passes", stage, len(list))
			}
		}
	})
}

// The number of chunks in memory of the first stage is that of Korthikanti et al. 2023, section
// 4.2.3: p without interleaving, and p v (1 + (p-1)/(p v)) with it.
func TestVisitsInMemory(t *testing.T) {
	for _, c := range []struct{ stages, chunks, microbatches, want int }{
		{8, 1, 64, 8}, {8, 3, 64, 3*8 + 7}, {35, 3, 280, 3*35 + 34}, {4, 1, 2, 2}, {1, 1, 5, 1},
	} {
		if got := held(visits(0, c.stages, c.chunks, c.microbatches)); got != c.want {
			t.Errorf("%+v: %d chunks in memory", c, got)
		}
	}
}

// Llama 3 405B has 126 layers on 16 stages: the first and the last have one fewer (Llama team 2024,
// section 3.3.2).
func TestLayersOf(t *testing.T) {
	want := []int{0, 7}
	for i := range 14 {
		want = append(want, 7+8*(i+1))
	}
	want = append(want, 126)
	if got := layersOf(126, 16); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	rapid.Check(t, func(r *rapid.T) {
		chunks := rapid.IntRange(1, 20).Draw(r, "chunks")
		layers := rapid.IntRange(chunks, 100).Draw(r, "layers")
		first := layersOf(layers, chunks)
		if first[chunks] != layers {
			r.Fatalf("%v of %d", first, layers)
		}
		for i := range chunks {
			if n := first[i+1] - first[i]; n < layers/chunks || n > layers/chunks+1 {
				r.Fatalf("%v", first)
			}
		}
	})
}
