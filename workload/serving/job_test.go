package serving

import (
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
		{func(j *Job) { j.Accelerator.Preset = "v100" }, 8, "accelerator.preset: found v100"},
		{func(j *Job) { j.Tensor = 64 }, 64, "parallel.tensor: found 64, expected a divisor of the 32 heads"},
		{func(j *Job) { j.Tensor = 16 }, 16, "parallel.tensor: found 16, expected a divisor of the 8 heads of keys and values"},
		{func(j *Job) { j.Tensor = 3 }, 8, "parallel: found tensor 3 x expert 1, expected a divisor of the 8 ranks"},
		{func(j *Job) { j.Expert = 2 }, 8, "parallel.expert: found 2, expected 1: the model has no experts"},
		{func(j *Job) { j.Tensor = -1 }, 8, "parallel.tensor: found -1, expected a number from 1"},
		{func(j *Job) { j.Pools = Pools{Prefill: 1, Decode: 2} }, 8, "pools: found prefill 1 and decode 2, expected at least 1 of each, together the 1 instances"},
		{func(j *Job) { j.Tensor, j.Pools = 4, Pools{Prefill: 2} }, 8, "pools: found prefill 2 and decode 0"},
		{func(j *Job) { j.Batching.Tokens = 8 }, 8, "batching.requests: found 256, expected at most batching.tokens, 8"},
		{func(j *Job) { j.Batching.Memory = 101 }, 8, "batching.memory: found 101"},
		{func(j *Job) { j.Arrivals.Interval = -1 }, 8, "arrivals.interval: found -1ps"},
		{func(j *Job) { j.Arrivals = Arrivals{Requests: 1 << 20, Interval: units.Second} }, 8, "arrivals.interval: found 1s, of 1048576 requests"},
		{func(j *Job) { j.Arrivals.Prompt = -5 }, 8, "arrivals.prompt: found -5"},
		{func(j *Job) { j.Arrivals.OutputSpread = 201 }, 8, "arrivals.output_spread: found 201"},
		{func(j *Job) { j.Objectives.Token = -1 }, 8, "slo.token: found -1ps"},
		{func(j *Job) { j.Requests = []Request{{0, 1, 1}}; j.Arrivals.Prompt = 3 }, 8, "arrivals: found times or lengths beside a file"},
		{func(j *Job) { j.Requests = []Request{{0, 1, 1}}; j.Arrivals.Requests = 2 }, 8, "arrivals.requests: found 2, expected a number from 1 to 1"},
		{func(j *Job) { j.Model.Preset, j.Tensor = "llama3-405b", 4 }, 4, "parallel: found 189.0 GiB of parameters on a GPU, expected less than 90 %"},
		{func(j *Job) { j.Arrivals.Prompt, j.Tensor = 1<<20, 1 }, 1, "batching.memory: found request 1 of 1048576 + 16 tokens, expected at most the"},
		{func(j *Job) { j.Model.Hidden, j.Batching.Tokens, j.Arrivals.Prompt = 1<<20, 1<<20, 1<<20 }, 1, "found"},
	} {
		j := Job{Model: transformer.Model{Preset: "llama3-8b"}}
		c.change(&j)
		_, problems := j.Resolved(c.ranks)
		text := ""
		for _, p := range problems {
			text += p.Field + ": found " + p.Found + ", expected " + p.Expected + "\n"
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("%s\nexpected %s", text, c.want)
		}
	}
}

// Any numbers in all fields are refused, or give a job whose iterations have times that are above 0
// and in bounds.
func TestAnyFields(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		number := func(name string) int {
			return rapid.SampledFrom([]int{-1, 0, 0, 1, 2, 3, 4, 8, 90, 200, 1 << 10, 1 << 16, 1 << 20, 1<<20 + 1, 1 << 40}).Draw(r, name)
		}
		j := Job{
			Model: transformer.Model{
				Preset: rapid.SampledFrom(transformer.Presets()).Draw(r, "preset"), Layers: number("layers"), Hidden: number("hidden"),
			},
			Tensor: number("tensor"), Expert: number("expert"), Pools: Pools{number("prefill"), number("decode")},
			Batching: Batching{number("requests"), number("tokens"), number("memory")},
			Arrivals: Arrivals{
				Requests: min(number("arrivals"), 1000), Interval: units.Time(number("interval")), Prompt: number("prompt"),
				PromptSpread: number("prompt spread"), Output: number("output"), OutputSpread: number("output spread"),
			},
			Objectives: Objectives{units.Time(number("first")), units.Time(number("token"))},
		}
		j.Accelerator.Memory = units.Bytes(number("memory of a GPU")) << 20
		resolved, problems := j.Resolved(max(1, number("ranks")))
		for _, p := range problems {
			if p.Field == "" || p.Found == "" || p.Expected == "" {
				r.Fatalf("%+v", p)
			}
		}
		if len(problems) > 0 {
			return
		}
		if t := iteration(&resolved, shape{Tokens: 1, Logits: 1, Pairs: 1, Context: 1, Most: 1}, 0, 0); t <= 0 {
			r.Fatalf("an iteration of %d ps", t)
		}
		if resolved.Capacity() < block {
			r.Fatalf("%d tokens", resolved.Capacity())
		}
	})
}
