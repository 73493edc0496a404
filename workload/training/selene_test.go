package training

import (
	"math"
	"testing"

	"fabricast/workload/gpu"
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

// The eight steps of table 5 of Korthikanti et al. 2023, on Selene: seconds with full recomputation,
// and with sequence parallelism and selective recomputation. One set of efficiencies is for all.
func TestSelene(t *testing.T) {
	for _, row := range []struct {
		model                                string
		pipeline, virtual, batch, microbatch int
		full, selective                      float64
	}{
		{"megatron-22b", 1, 1, 4, 4, 1.42, 1.10},
		{"gpt3-175b", 8, 3, 64, 1, 18.13, 13.75},
		{"megatron-530b", 35, 3, 280, 1, 49.05, 37.83},
		{"megatron-1t", 64, 1, 512, 1, 94.42, 71.49},
	} {
		for _, want := range []struct {
			recompute transformer.Recompute
			seconds   float64
		}{{transformer.RecomputeFull, row.full}, {transformer.RecomputeSelective, row.selective}} {
			j, problems := Job{
				Model: transformer.Model{Preset: row.model},
				Parallel: Parallel{
					Tensor: 8, Pipeline: row.pipeline, Virtual: row.virtual,
					Sequence: want.recompute == transformer.RecomputeSelective,
				},
				Batch: row.batch, Microbatch: row.microbatch, Recompute: string(want.recompute),
				Accelerator: gpu.Accelerator{Preset: "a100-80g"},
			}.Resolved(8 * row.pipeline)
			if len(problems) > 0 {
				t.Fatal(row.model, problems)
			}
			const nvlink, infiniband = 300e9 * 0.65, 25e9 * 0.9
			sent := int64(20e6 + float64(j.sent())/infiniband*1e12)
			took, _ := play(j.scripts(), ring(j.layout().sizes(), nvlink, 1e6), sent)
			off := float64(took)/1e12/want.seconds - 1
			t.Logf("%s, %s: %.2f s, published %.2f: %+.1f %%", row.model, want.recompute, float64(took)/1e12, want.seconds, 100*off)
			if math.Abs(off) > 0.1 {
				t.Errorf("%s, %s: %+.1f %%", row.model, want.recompute, 100*off)
			}
		}
	}
}
