package serving

import (
	"cmp"
	"fmt"

	"fabricast/internal/humanize"
	"fabricast/internal/units"
	"fabricast/workload/gpu"
	"fabricast/workload/transformer"
)

// Job describes a service and its requests.
type Job struct {
	Model       transformer.Model
	Accelerator gpu.Accelerator
	// Tensor and Expert are the ranks of an instance that divide layers, and the groups of these
	// ranks that divide experts and requests. An instance has Tensor x Expert ranks.
	Tensor, Expert int
	Arrivals       Arrivals
	Batching       Batching
	Pools          Pools
	Objectives     Objectives
	Seed           uint64 // of arrivals that are drawn
	// Requests are those of a file, in ascending order of times; nil: they are drawn.
	Requests []Request
}

// Arrivals describes requests. The times between arrivals are exponentially distributed (a Poisson
// process); lengths have lognormal distributions, of which Prompt and Output are the medians and the
// spreads are the standard deviations of the logarithms, in percent. With a file only Requests applies.
type Arrivals struct {
	Requests     int        `yaml:"requests,omitempty"` // with a file: so many of its first ones; 0: all
	Interval     units.Time `yaml:"interval,omitempty"` // mean time between arrivals
	Prompt       int        `yaml:"prompt,omitempty"`   // tokens
	PromptSpread int        `yaml:"prompt_spread,omitempty"`
	Output       int        `yaml:"output,omitempty"` // tokens
	OutputSpread int        `yaml:"output_spread,omitempty"`
}

// Batching limits the work of a tensor group.
type Batching struct {
	Requests int `yaml:"requests,omitempty"` // that are in progress at once
	Tokens   int `yaml:"tokens,omitempty"`   // of an iteration
	// Memory is the percentage of a GPU's memory for parameters and the cache of keys and values.
	Memory int `yaml:"memory,omitempty"`
}

// Pools are the numbers of instances for prompts and for the tokens after the first; both 0: each
// instance does both.
type Pools struct {
	Prefill int `yaml:"prefill,omitempty"`
	Decode  int `yaml:"decode,omitempty"`
}

// Objectives are the latencies that a request should not exceed; 0: any.
type Objectives struct {
	FirstToken units.Time `yaml:"first_token,omitempty"` // from arrival
	Token      units.Time `yaml:"token,omitempty"`       // mean time between the tokens of a request
}

// Problem is a wrong field, by its path below workload.
type Problem = transformer.Problem

// Limits of fields.
const (
	mostRequests  = 1 << 20
	mostTokens    = 1 << 20 // of a prompt, an output or an iteration
	mostDegree    = 1 << 16
	mostSpread    = 200
	mostLetters   = 1 << 24 // requests x tensor groups
	mostInterval  = 1000 * units.Second
	mostObjective = 1_000_000 * units.Second
)

// Resolved returns the job with all defaults for the given number of ranks, and what is wrong.
func (j Job) Resolved(ranks int) (Job, []Problem) {
	var c check
	if j.Model == (transformer.Model{}) {
		j.Model.Preset = transformer.Presets()[0]
	}
	m, problems := j.Model.Resolved()
	j.Model = m
	c.all("model.", problems)
	j.Accelerator, problems = j.Accelerator.Resolved()
	c.all("accelerator.", problems)
	j.defaults(ranks)
	c.limits(&j)
	if len(c.problems) == 0 {
		c.instances(&j, ranks)
	}
	if len(c.problems) == 0 {
		c.work(&j)
	}
	if len(c.problems) == 0 {
		c.memory(&j)
	}
	return j, c.problems
}

// defaults fills in what is not given. Those of Batching are vLLM's.
func (j *Job) defaults(ranks int) {
	j.Expert = cmp.Or(j.Expert, 1)
	if j.Tensor == 0 {
		j.Tensor = j.widest(ranks)
	}
	b, a := &j.Batching, &j.Arrivals
	b.Requests, b.Tokens, b.Memory = cmp.Or(b.Requests, 256), cmp.Or(b.Tokens, 8192), cmp.Or(b.Memory, 90)
	if j.Requests != nil {
		a.Requests = cmp.Or(a.Requests, len(j.Requests))
		return
	}
	a.Requests, a.Interval = cmp.Or(a.Requests, 16), cmp.Or(a.Interval, 100*units.Millisecond)
	a.Prompt, a.Output = cmp.Or(a.Prompt, 256), cmp.Or(a.Output, 16)
}

// widest returns the largest tensor group within a node of eight GPUs that can divide the model and
// the ranks.
func (j *Job) widest(ranks int) int {
	m := &j.Model
	for n := 8; n > 1; n-- {
		divides := func(of int) bool { return of%n == 0 }
		if j.Expert > 0 && divides(ranks/j.Expert) && ranks/j.Expert > 0 && divides(m.Heads) && divides(m.KVHeads) &&
			divides(m.FFN) && divides(m.Vocabulary) && divides(m.ExpertFFN) {
			return n
		}
	}
	return 1
}

// check collects problems.
type check struct{ problems []Problem }

func (c *check) fail(field, found, expected string) {
	c.problems = append(c.problems, Problem{Field: field, Found: found, Expected: expected})
}

func (c *check) all(path string, list []Problem) {
	for _, p := range list {
		c.fail(path+p.Field, p.Found, p.Expected)
	}
}

func (c *check) number(field string, n, least, most int) {
	if n < least || n > most {
		c.fail(field, fmt.Sprint(n), fmt.Sprintf("a number from %d to %d", least, most))
	}
}

func (c *check) time(field string, t, least, most units.Time) {
	if t < least || t > most {
		c.fail(field, t.String(), fmt.Sprintf("a time from %v to %v", least, most))
	}
}

// limits checks each field on its own.
func (c *check) limits(j *Job) {
	c.number("parallel.tensor", j.Tensor, 1, mostDegree)
	c.number("parallel.expert", j.Expert, 1, mostDegree)
	c.number("batching.requests", j.Batching.Requests, 1, mostTokens)
	c.number("batching.tokens", j.Batching.Tokens, 1, mostTokens)
	c.number("batching.memory", j.Batching.Memory, 1, 100)
	c.number("pools.prefill", j.Pools.Prefill, 0, mostDegree)
	c.number("pools.decode", j.Pools.Decode, 0, mostDegree)
	c.time("slo.first_token", j.Objectives.FirstToken, 0, mostObjective)
	c.time("slo.token", j.Objectives.Token, 0, mostObjective)
	a := &j.Arrivals
	if j.Requests != nil {
		c.file(j)
		return
	}
	c.number("arrivals.requests", a.Requests, 1, mostRequests)
	c.time("arrivals.interval", a.Interval, 1, mostInterval)
	if a.Requests > 0 && int64(a.Interval) > mostSpan/int64(a.Requests) {
		c.fail("arrivals.interval", fmt.Sprintf("%v, of %d requests", a.Interval, a.Requests),
			"arrivals within "+units.Time(mostSpan).String())
	}
	c.number("arrivals.prompt", a.Prompt, 1, mostTokens)
	c.number("arrivals.prompt_spread", a.PromptSpread, 0, mostSpread)
	c.number("arrivals.output", a.Output, 1, mostTokens)
	c.number("arrivals.output_spread", a.OutputSpread, 0, mostSpread)
}

// file checks that with a file nothing is given that it says, and that it has enough requests.
func (c *check) file(j *Job) {
	a := j.Arrivals
	a.Requests = 0
	if a != (Arrivals{}) {
		c.fail("arrivals", "times or lengths beside a file", "requests alone: the file says the others")
	}
	c.number("arrivals.requests", j.Arrivals.Requests, 1, len(j.Requests))
}

// instances checks that the ranks are instances, and that the model can be divided among their ranks.
func (c *check) instances(j *Job, ranks int) {
	m, p := &j.Model, &j.Pools
	each := j.Tensor * j.Expert
	if each > ranks || ranks%each != 0 {
		c.fail("parallel", fmt.Sprintf("tensor %d x expert %d", j.Tensor, j.Expert),
			fmt.Sprintf("a divisor of the %d ranks", ranks))
		return
	}
	if p.Prefill+p.Decode > 0 && (p.Prefill < 1 || p.Decode < 1 || p.Prefill+p.Decode != ranks/each) {
		c.fail("pools", fmt.Sprintf("prefill %d and decode %d", p.Prefill, p.Decode),
			fmt.Sprintf("at least 1 of each, together the %d instances of %d ranks", ranks/each, each))
	}
	divides := func(field string, by, n int, what string) {
		if n%by != 0 {
			c.fail("parallel."+field, fmt.Sprint(by), fmt.Sprintf("a divisor of the %d %s", n, what))
		}
	}
	divides("tensor", j.Tensor, m.Heads, "heads")
	divides("tensor", j.Tensor, m.KVHeads, "heads of keys and values")
	divides("tensor", j.Tensor, m.FFN, "columns of the FFN")
	divides("tensor", j.Tensor, m.Vocabulary, "entries of the vocabulary, which is padded for that")
	switch {
	case m.Experts > 0:
		divides("tensor", j.Tensor, m.ExpertFFN, "columns of an expert")
		divides("expert", j.Expert, m.Experts, "experts")
	case j.Expert > 1:
		c.fail("parallel.expert", fmt.Sprint(j.Expert), "1: the model has no experts")
	}
	if j.Batching.Requests > j.Batching.Tokens {
		c.fail("batching.requests", fmt.Sprint(j.Batching.Requests),
			fmt.Sprintf("at most batching.tokens, %d: each request gets a token in an iteration", j.Batching.Tokens))
	}
	if j.Arrivals.Requests > mostLetters/j.Expert {
		c.fail("arrivals.requests", fmt.Sprint(j.Arrivals.Requests),
			fmt.Sprintf("at most %d with %d expert groups", mostLetters/j.Expert, j.Expert))
	}
}

// work checks that the largest iteration takes no longer than a simulation can be, and needs no
// numbers of more than 63 bits.
func (c *check) work(j *Job) {
	m, b := &j.Model, &j.Batching
	longest := int64(0)
	for _, q := range j.requests() {
		longest = max(longest, q.tokens())
	}
	width := float64(m.Heads) * float64(j.scoreWidth()+j.decodeWidth())
	n := 2 * float64(b.Tokens) * float64(j.Expert) *
		(float64(m.Active()) + float64(m.Layers)*float64(longest)*width)
	if n > transformer.MostOperations {
		c.fail("batching.tokens", fmt.Sprintf("%d, about %.2g operations", b.Tokens, n),
			fmt.Sprintf("at most %.2g", float64(transformer.MostOperations)))
		return
	}
	parts := j.parts(&shape{
		Tokens: int64(b.Tokens), Logits: int64(b.Requests), Pairs: int64(b.Tokens) * longest,
		Decodes: int64(b.Tokens) * longest, Context: longest * int64(b.Requests), Most: int64(b.Tokens),
	})
	took := 0.0
	for i := range parts {
		for _, o := range parts[i].ops {
			took += float64(o.compute) * float64(parts[i].times)
		}
	}
	if took > float64(gpu.MostTime) {
		c.fail("batching.tokens", fmt.Sprintf("%d, whose iteration takes longer", b.Tokens),
			"iterations of at most "+gpu.MostTime.String())
	}
}

// memory checks that the parameters fit into a GPU, and each request into its cache.
func (c *check) memory(j *Job) {
	in := humanize.Memory[units.Bytes]
	usable, weights := j.usable(), j.Weights()
	if weights >= usable {
		c.fail("parallel", in(weights)+" of parameters on a GPU",
			fmt.Sprintf("less than %d %% of the %s of %s", j.Batching.Memory, in(j.Accelerator.Memory), j.Accelerator.Preset))
		return
	}
	capacity := j.Capacity()
	for i, q := range j.requests() {
		if blocks(q.tokens()) > capacity {
			c.fail("batching.memory", fmt.Sprintf("request %d of %d + %d tokens", i+1, q.Prompt, q.Output),
				fmt.Sprintf("at most the %d tokens that fit into %s beside the parameters", capacity, in(usable-weights)))
			return
		}
	}
}
