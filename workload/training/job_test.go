package training

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/units"
	"fabricast/workload/transformer"
)

// Wrong fields are named, with what was found and what is expected.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		change func(j *Job)
		ranks  int
		want   string
	}{
		{func(j *Job) { j.Model.Preset = "gpt5" }, 8, "model.preset: found gpt5"},
		{func(j *Job) { j.Parallel.Tensor = 5 }, 5, "parallel.tensor: found 5, expected a divisor of the 96 heads"},
		{func(j *Job) { j.Parallel = Parallel{Tensor: 8, Data: 3} }, 8, "parallel: found tensor 8 x context 1 x data 3"},
		{func(j *Job) { j.Parallel.Expert = 2 }, 8, "parallel.expert: found 2, expected 1"},
		{func(j *Job) { j.Batch = 9 }, 8, "batch: found 9, expected a multiple of 8"},
		{func(j *Job) { j.Schedule = Interleaved }, 8, "parallel.virtual: found 1 chunks on 1 stages"},
		{func(j *Job) { j.Parallel = Parallel{Pipeline: 4, Virtual: 2}; j.Batch = 6 }, 4, "batch: found 6, 6 microbatches"},
		{func(j *Job) { j.Accelerator.Preset = "v100" }, 8, "accelerator.preset: found v100"},
		{func(j *Job) { j.Times.Forward = 1 }, 8, "times: found only one"},
		{func(j *Job) { j.Parallel.Zero = 3; j.Overlap = OverlapNone }, 8, "overlap: found none"},
		{
			func(j *Job) { j.Schedule, j.Parallel.Pipeline = ZeroBubble, 4; j.Recompute = "full" }, 4,
			"recompute: found full, expected none or selective, with schedule: zero-bubble",
		},
		{func(j *Job) { j.Schedule = ZeroBubble }, 8, "parallel.pipeline: found 1, expected at least 2"},
		{func(j *Job) { j.Schedule = DualPipe; j.Parallel.Pipeline, j.Batch = 3, 12 }, 3, "parallel.pipeline: found 3, expected an even"},
		{func(j *Job) { j.Schedule = DualPipe; j.Parallel.Pipeline = 4 }, 4, "batch: found 4, 4 microbatches, expected an even number of microbatches that is at least 8"},
		{func(j *Job) { j.Schedule = DualPipe; j.Parallel = Parallel{Pipeline: 4, Zero: 2}; j.Batch = 8 }, 4, "parallel.zero: found 2, expected 0 or 1"},
		{func(j *Job) { j.Schedule = DualPipe; j.Parallel.Pipeline, j.Batch, j.Overlap = 4, 8, OverlapData }, 4, "overlap: found data, expected pipeline or all"},
		{func(j *Job) { j.Schedule = DualPipe; j.Parallel = Parallel{Pipeline: 4, Virtual: 2}; j.Batch = 8 }, 4, "schedule: found dualpipe, expected interleaved"},
		{func(j *Job) { j.Routing.Distribution = "even" }, 8, "routing.distribution: found even, expected one of balanced"},
		{func(j *Job) { j.Routing.Distribution = Zipf }, 8, "routing: found a model without experts"},
		{
			func(j *Job) {
				j.Model.Preset, j.Parallel.Expert, j.Routing = "mixtral-8x7b", 8, Routing{PerNode: 3, Nodes: 1}
			}, 8, "routing.node_ranks: found 3, expected a divisor of the 8 expert ranks",
		},
		{
			func(j *Job) {
				j.Model.Preset, j.Parallel.Expert, j.Routing = "mixtral-8x7b", 8, Routing{PerNode: 4, Nodes: 3}
			}, 8, "routing.nodes: found 3, expected a number from 1 to 2",
		},
		// 175 billion parameters of 18 bytes on each GPU
		{func(*Job) {}, 8, "parallel: found 3.108 TiB"},
	} {
		j := Job{Model: transformer.Model{Preset: "gpt3-175b"}}
		c.change(&j)
		_, problems := j.Resolved(c.ranks)
		text := ""
		for _, p := range problems {
			text += p.Field + ": found " + p.Found + ", expected " + p.Expected + "\n"
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("got %q, want %q", text, c.want)
		}
	}
}

// No values of fields make anything but problems or a job that computes for some time.
func TestExtremes(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		number := func() int {
			if rapid.IntRange(0, 3).Draw(r, "usual") > 0 {
				return rapid.SampledFrom([]int{0, 1, 2, 4, 8}).Draw(r, "usual value")
			}
			return rapid.SampledFrom([]int{-1, 3, 1 << 13, 1 << 20, 1 << 22, 1 << 40, math.MaxInt, math.MinInt}).Draw(r, "value")
		}
		m := transformer.Model{Preset: rapid.SampledFrom(transformer.Presets()).Draw(r, "preset")}
		for _, field := range []*int{
			&m.Layers, &m.Hidden, &m.Heads, &m.KVHeads, &m.HeadSize, &m.FFN, &m.Vocabulary, &m.Sequence, &m.Experts,
			&m.TopK, &m.Shared, &m.ExpertFFN, &m.Dense, &m.QueryRank, &m.KVRank, &m.Rope,
		} {
			if rapid.IntRange(0, 4).Draw(r, "given") == 0 {
				*field = number()
			}
		}
		j := Job{Model: m, Batch: number(), Microbatch: number(), Recompute: "full"}
		p := &j.Parallel
		for _, field := range []*int{
			&p.Tensor, &p.Pipeline, &p.Virtual, &p.Data, &p.Expert, &p.Context, &p.Zero, &j.Accelerator.TFLOPS,
		} {
			*field = number()
		}
		j.Accelerator.Memory = units.Bytes(number())
		j, problems := j.Resolved(rapid.SampledFrom([]int{1, 2, 8, 64, 1 << 20}).Draw(r, "ranks"))
		if len(problems) > 0 {
			return
		}
		for _, b := range j.script(0).bodies {
			for _, o := range b {
				if o.n < 0 {
					r.Fatalf("%+v of %+v", o, j)
				}
			}
		}
	})
}
