package training

import (
	"testing"

	"fabricast/workload/transformer"
)

// ring returns the time of an operation in ps if data flow on a ring at bytes a second, as an
// estimate without a network.
func ring(sizes [families]int, rate float64, latency int64) func(o *op) int64 {
	return func(o *op) int64 {
		n := float64(sizes[o.family])
		times := 1.0
		if o.call == allreduce {
			times = 2
		}
		return int64(times*(n-1))*latency + int64(times*(n-1)/n*float64(o.n)/rate*1e12)
	}
}

func TestSelene(t *testing.T) {
	for _, row := range []struct {
		model                                string
		pipeline, virtual, batch, microbatch int
		full, reduced                        float64
	}{
		{"megatron-22b", 1, 1, 4, 4, 1.42, 1.10},
		{"gpt3-175b", 8, 3, 64, 1, 18.13, 13.75},
		{"megatron-530b", 35, 3, 280, 1, 49.05, 37.83},
		{"megatron-1t", 64, 1, 512, 1, 94.42, 71.49},
	} {
		for _, reduced := range []bool{false, true} {
			j := Job{
				Model:    transformer.Model{Preset: row.model},
				Parallel: Parallel{Tensor: 8, Pipeline: row.pipeline, Virtual: row.virtual, Sequence: reduced},
				Batch:    row.batch, Microbatch: row.microbatch, Recompute: "full",
				Accelerator: Accelerator{Preset: "a100-80g"},
			}
			want := row.full
			if reduced {
				j.Recompute, want = "selective", row.reduced
			}
			j, problems := j.Resolved(8 * row.pipeline)
			if len(problems) > 0 {
				t.Fatal(row.model, problems)
			}
			sizes := j.layout().sizes()
			got, computed := play(j.scripts(), ring(sizes, 195e9, 1_000_000), 20_000_000+int64(float64(j.sent())/22.5e9*1e12))
			t.Logf("%s %v: %.2f s, computes %.2f, published %.2f: %+.1f %%, bubble %.2f", row.model, reduced, float64(got)/1e12, float64(computed)/1e12, want,
				100*(float64(got)/1e12/want-1), float64(j.Bubble())/1e12)
		}
	}
}
