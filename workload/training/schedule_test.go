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

// drawSchedule draws a schedule that divides the backward pass, with as few microbatches as it
// admits or more, and so many that its bubble is that of the paper.
func drawSchedule(r *rapid.T) Job {
	j := Job{Schedule: rapid.SampledFrom([]string{ZeroBubble, DualPipe}).Draw(r, "schedule"), Microbatch: 1}
	p, least := &j.Parallel, 1
	p.Tensor, p.Context, p.Expert = 1, 1, 1
	p.Pipeline, p.Data, p.Virtual = rapid.IntRange(2, 9).Draw(r, "stages"), 1, 1
	if j.Schedule == DualPipe {
		p.Pipeline += p.Pipeline % 2
		least = 2 * p.Pipeline
	}
	j.Batch = least + 2*rapid.IntRange(0, 15).Draw(r, "more microbatches")
	j.Model.Layers = p.Pipeline
	return j
}

// A stage computes each microbatch of a chunk once forward, then the gradients of its inputs, then
// those of its weights, and keeps at most as many activations as the papers say: those of p
// microbatches (ZB-H1), or of p+1 halves of them (DualPipe).
func TestDividedBackward(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		j := drawSchedule(r)
		p, m := j.Parallel.Pipeline, j.Microbatches()
		most := min(m, p)
		if j.Schedule == DualPipe {
			most = p + 1
		}
		for stage := range p {
			list := j.visits(stage)
			if n := held(list); n > most {
				r.Fatalf("stage %d: activations of %d passes, at most %d", stage, n, most)
			}
			forwards, gradients, sums := map[visit]bool{}, map[visit]bool{}, map[visit]bool{}
			for i, v := range list {
				key := visit{chunk: v.chunk, microbatch: v.microbatch}
				if v.paired && (v.direction != forward || list[i+1].direction != backward || list[i+1].chunk == v.chunk) {
					r.Fatalf("stage %d: %+v with %+v", stage, v, list[i+1])
				}
				switch {
				case v.direction == forward && !forwards[key]:
					forwards[key] = true
				case v.direction == inputs && forwards[key] && !gradients[key],
					v.direction == backward && forwards[key] && !gradients[key]:
					gradients[key], sums[key] = true, v.direction == backward
				case v.direction == weights && gradients[key] && !sums[key]:
					sums[key] = true
				default:
					r.Fatalf("stage %d: %+v", stage, v)
				}
			}
			for key, done := range sums {
				if !done {
					r.Fatalf("stage %d: no gradients of the weights of %+v", stage, key)
				}
			}
			if len(forwards) != m*len(visitsByChunk(list))/j.chunks() || len(sums) != len(forwards) {
				r.Fatalf("stage %d: %d forward passes, %d backward", stage, len(forwards), len(sums))
			}
		}
	})
}

// visitsByChunk returns the chunks that visits pass.
func visitsByChunk(list []visit) map[int]bool {
	chunks := map[int]bool{}
	for _, v := range list {
		chunks[v.chunk] = true
	}
	return chunks
}

// Without communication, and with equal times F, B and W of forward passes and both parts of
// backward passes, bubbles are those of the papers: (p-1)(F+B-W) of ZB-H1, a third of that of 1F1B,
// and (p/2-1)(F&B + B+W - 3W) of DualPipe, whose F&B is F+B+W. That of ZB-H1 also holds for B >= F >= W.
// All messages find their pass.
func TestBubbles(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		j := drawSchedule(r)
		p := int64(j.Parallel.Pipeline)
		j.Batch = max(j.Batch, int(p))
		f, b, w := int64(60), int64(60), int64(60)
		want := (p/2 - 1) * (f + b + w + b + w - 3*w)
		if j.Schedule == ZeroBubble {
			w = rapid.Int64Range(10, f).Draw(r, "weights")
			b = rapid.Int64Range(f, 2*f).Draw(r, "inputs")
			want = (p - 1) * (f + b - w)
		}
		times := map[direction]int64{forward: f, inputs: b, weights: w, backward: b + w}
		var scripts []*script
		for stage := range int(p) {
			s := j.newBuilder(stage).arranged(
				j.visits(stage),
				func(visit) int { return 0 },
				func(v visit) body { return body{{action: compute, n: times[v.direction]}} },
			)
			scripts = append(scripts, s)
		}
		took, computed := play(scripts, func(*op) int64 { return 0 }, 0)
		if each := int64(j.Microbatches()) * (f + b + w); computed != each || took-computed != want {
			r.Fatalf("%d stages, %d microbatches: %d computed of %d, bubble %d, want %d",
				p, j.Microbatches(), computed, each, took-computed, want)
		}
	})
}
