package training

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fabricast/internal/units"
	"fabricast/workload/gpu"
	"fabricast/workload/transformer"
)

// Job describes a training step.
type Job struct {
	Model    transformer.Model
	Parallel Parallel
	// Batch is the number of sequences of a step, Microbatch that of a pass of one data rank.
	Batch, Microbatch int
	Schedule          string
	Recompute         string
	// Overlap is what proceeds beside computation: OverlapNone, OverlapData, OverlapPipeline or
	// OverlapAll.
	Overlap     string
	Accelerator gpu.Accelerator
	Times       Times
	Routing     Routing
	// Loads, if not nil, say how many tokens each expert gets, in place of Routing.Distribution.
	Loads *Loads
	Seed  uint64 // of the popularity of experts
}

// Parallel says how many ranks divide the work in each way. Ranks are numbered with tensor fastest,
// then context, data and pipeline.
type Parallel struct {
	Tensor int `yaml:"tensor,omitempty"`
	// Sequence divides what lies between the matrix products among the tensor ranks.
	Sequence bool `yaml:"sequence,omitempty"`
	Pipeline int  `yaml:"pipeline,omitempty"`
	Virtual  int  `yaml:"virtual,omitempty"` // chunks of layers of each pipeline stage
	Data     int  `yaml:"data,omitempty"`
	// Expert is the number of consecutive context and data ranks that divide the experts.
	Expert  int `yaml:"expert,omitempty"`
	Context int `yaml:"context,omitempty"`
	Zero    int `yaml:"zero,omitempty"` // stage of ZeRO
}

// Values of Job.Schedule and Job.Overlap.
const (
	OneFOneB        = "1f1b"
	Interleaved     = "interleaved"
	ZeroBubble      = "zero-bubble"
	DualPipe        = "dualpipe"
	OverlapNone     = "none"
	OverlapData     = "data"
	OverlapPipeline = "pipeline"
	OverlapAll      = "all"
)

// Schedules lists the words of Job.Schedule.
func Schedules() []string { return []string{OneFOneB, Interleaved, ZeroBubble, DualPipe} }

// Recomputations lists the words of Job.Recompute.
func Recomputations() []string {
	return []string{
		string(transformer.RecomputeNone), string(transformer.RecomputeSelective), string(transformer.RecomputeFull),
	}
}

// Overlaps lists the words of Job.Overlap, the default first.
func Overlaps() []string { return []string{OverlapAll, OverlapData, OverlapPipeline, OverlapNone} }

// Times are measured times of one microbatch on one GPU, in place of computed ones. Forward is the
// time of a layer's forward pass, and Backward that of its backward pass, with what is recomputed
// but without communication; Head and HeadBackward those of the logits; Optimizer that of a step of
// the optimizer.
type Times struct {
	Forward      units.Time `yaml:"forward,omitempty"`
	Backward     units.Time `yaml:"backward,omitempty"`
	Head         units.Time `yaml:"head,omitempty"`
	HeadBackward units.Time `yaml:"head_backward,omitempty"`
	Optimizer    units.Time `yaml:"optimizer,omitempty"`
}

// mostTime is the longest of Times, and mostCount the largest batch, degree of parallelism and
// number of passes of a stage.
const (
	mostTime  = gpu.MostTime
	mostCount = 1 << 20
)

// Problem is a wrong field, by its path below workload.
type Problem = transformer.Problem

// Resolved returns the job with all defaults for the given number of ranks, and what is wrong.
func (j Job) Resolved(ranks int) (Job, []Problem) {
	var c check
	if j.Model == (transformer.Model{}) {
		j.Model.Preset = transformer.Presets()[0]
	}
	m, problems := j.Model.Resolved()
	j.Model = m
	for _, p := range problems {
		c.fail("model."+p.Field, p.Found, p.Expected)
	}
	j.Accelerator, problems = j.Accelerator.Resolved()
	for _, p := range problems {
		c.fail("accelerator."+p.Field, p.Found, p.Expected)
	}
	j.Microbatch = cmp.Or(j.Microbatch, 1)
	j.defaults(ranks)
	c.number("microbatch", j.Microbatch, 1, mostCount)
	c.number("batch", j.Batch, 1, mostCount)
	c.word("schedule", j.Schedule, Schedules())
	c.word("recompute", j.Recompute, Recomputations())
	c.word("overlap", j.Overlap, Overlaps())
	c.times(&j.Times)
	c.degrees(&j.Parallel)
	if len(c.problems) == 0 {
		c.parallel(&j, ranks)
	}
	if len(c.problems) == 0 {
		c.batch(&j)
	}
	if len(c.problems) == 0 {
		c.schedule(&j)
		c.routing(&j)
	}
	if len(c.problems) == 0 {
		c.work(&j)
	}
	if len(c.problems) == 0 {
		c.memory(&j)
	}
	return j, c.problems
}

// defaults fills in what is not given.
func (j *Job) defaults(ranks int) {
	p := &j.Parallel
	for _, degree := range []*int{&p.Tensor, &p.Pipeline, &p.Virtual, &p.Expert, &p.Context} {
		*degree = cmp.Or(*degree, 1)
	}
	if others := p.Tensor * p.Pipeline * p.Context; p.Data == 0 && others > 0 && others <= mostCount {
		p.Data = max(1, ranks/others)
	}
	if p.Data > 0 && p.Pipeline > 0 && p.Data <= mostCount && p.Pipeline <= mostCount {
		j.Batch = cmp.Or(j.Batch, p.Data*p.Pipeline*j.Microbatch)
	}
	if p.Virtual > 1 {
		j.Schedule = cmp.Or(j.Schedule, Interleaved)
	}
	j.Schedule = cmp.Or(j.Schedule, OneFOneB)
	j.Recompute = cmp.Or(j.Recompute, string(transformer.RecomputeNone))
	j.Overlap = cmp.Or(j.Overlap, OverlapAll)
	j.Routing.Distribution = cmp.Or(j.Routing.Distribution, Balanced)
	j.Routing.Parameter = cmp.Or(j.Routing.Parameter, 1)
}

// Microbatches returns the number of microbatches of a step on each data rank.
func (j *Job) Microbatches() int { return j.Batch / (j.Microbatch * j.Parallel.Data) }

// Ranks returns the number of ranks of a resolved job.
func (j *Job) Ranks() int {
	p := &j.Parallel
	return p.Tensor * p.Context * p.Data * p.Pipeline
}

// mirrored reports whether each stage also has the layers of the stage at its mirror place, for
// microbatches that pass the pipeline the other way.
func (j *Job) mirrored() bool { return j.Schedule == DualPipe }

// chunks returns the number of chunks of layers of each stage.
func (j *Job) chunks() int {
	if j.mirrored() {
		return 2
	}
	return j.Parallel.Virtual
}

// layersOf returns the first layer of each chunk of the pipeline, and their end.
func (j *Job) layersOf() []int {
	return layersOf(j.Model.Layers, j.Parallel.Pipeline*j.Parallel.Virtual)
}

// at returns the place of a chunk of a stage in the pipeline.
func (j *Job) at(stage, chunk int) int {
	if !j.mirrored() {
		return chunk*j.Parallel.Pipeline + stage
	}
	place := min(stage, j.Parallel.Pipeline-1-stage)
	if chunk == 1 {
		place = j.Parallel.Pipeline - 1 - place
	}
	return place
}

// stageOf returns the stage that has a place of the pipeline for the microbatches of a chunk of the
// given stage.
func (j *Job) stageOf(stage, chunk, place int) int {
	if j.mirrored() && j.at(stage, chunk) != stage {
		return j.Parallel.Pipeline - 1 - place
	}
	return place % j.Parallel.Pipeline
}

// overlaps reports whether what ("data" or "pipeline") proceeds beside computation.
func (j *Job) overlaps(what string) bool { return j.Overlap == OverlapAll || j.Overlap == what }

// check collects problems.
type check struct{ problems []Problem }

func (c *check) fail(field, found, expected string) {
	c.problems = append(c.problems, Problem{Field: field, Found: found, Expected: expected})
}

func (c *check) number(field string, n, least, most int) {
	if n < least || n > most {
		c.fail(field, fmt.Sprint(n), fmt.Sprintf("a number from %d to %d", least, most))
	}
}

func (c *check) word(field, found string, words []string) {
	if !slices.Contains(words, found) {
		c.fail(field, found, "one of "+strings.Join(words, ", "))
	}
}

func (c *check) times(t *Times) {
	for _, one := range []struct {
		field string
		time  units.Time
	}{
		{"forward", t.Forward},
		{"backward", t.Backward},
		{"head", t.Head},
		{"head_backward", t.HeadBackward},
		{"optimizer", t.Optimizer},
	} {
		if one.time < 0 || one.time > mostTime {
			c.fail("times."+one.field, one.time.String(), "a time from 0ps to "+mostTime.String())
		}
	}
	if (t.Forward > 0) != (t.Backward > 0) {
		c.fail("times", "only one of forward and backward", "both, or none")
	}
}

// degrees checks each degree of parallelism on its own.
func (c *check) degrees(p *Parallel) {
	for _, degree := range []struct {
		field string
		n     int
	}{
		{"tensor", p.Tensor},
		{"pipeline", p.Pipeline},
		{"virtual", p.Virtual},
		{"data", p.Data},
		{"expert", p.Expert},
		{"context", p.Context},
	} {
		c.number("parallel."+degree.field, degree.n, 1, mostCount)
	}
	c.number("parallel.zero", p.Zero, 0, 3)
}

// parallel checks that the model can be divided among the ranks.
func (c *check) parallel(j *Job, ranks int) {
	p, m := &j.Parallel, &j.Model
	product := int64(p.Tensor) * int64(p.Context)
	if product <= mostCount {
		product *= int64(p.Data)
	}
	if product <= mostCount {
		product *= int64(p.Pipeline)
	}
	if product != int64(ranks) {
		c.fail(
			"parallel",
			fmt.Sprintf("tensor %d x context %d x data %d x pipeline %d", p.Tensor, p.Context, p.Data, p.Pipeline),
			fmt.Sprintf("a product of %d, the number of ranks", ranks),
		)
		return
	}
	divides := func(field string, by, n int, what string) {
		if n%by != 0 {
			c.fail("parallel."+field, fmt.Sprint(by), fmt.Sprintf("a divisor of the %d %s", n, what))
		}
	}
	divides("tensor", p.Tensor, m.Heads, "heads")
	divides("tensor", p.Tensor, m.KVHeads, "heads of keys and values")
	divides("tensor", p.Tensor, m.FFN, "columns of the FFN")
	divides("tensor", p.Tensor, m.Vocabulary, "entries of the vocabulary, which is padded for that")
	divides("context", p.Context, m.Sequence, "tokens of a sequence")
	if p.Sequence && m.Sequence%p.Context == 0 {
		divides("tensor", p.Tensor, m.Sequence/p.Context, "tokens that a sequence has on a context rank")
	}
	switch {
	case m.Experts > 0:
		divides("tensor", p.Tensor, m.ExpertFFN, "columns of an expert")
		divides("expert", p.Expert, m.Experts, "experts")
		divides("expert", p.Expert, p.Context*p.Data, "context and data ranks")
		if p.Tensor > 1 && !p.Sequence {
			c.fail("parallel.sequence", "false", "true: with experts, tensor ranks divide the sequence")
		}
	case p.Expert > 1:
		c.fail("parallel.expert", fmt.Sprint(p.Expert), "1: the model has no experts")
	}
	if chunks := p.Pipeline * p.Virtual; p.Virtual > m.Layers || chunks > m.Layers {
		c.fail("parallel.pipeline", fmt.Sprintf("%d stages of %d chunks", p.Pipeline, p.Virtual),
			fmt.Sprintf("at most the %d layers", m.Layers))
	}
	if p.Zero >= 2 && !j.overlaps(OverlapData) {
		c.fail("overlap", j.Overlap, OverlapData+" or "+OverlapAll+" with zero: 2 and 3, which reduce after each microbatch")
	}
}

// batch checks that the batch can be divided into microbatches, in the order of the schedule.
func (c *check) batch(j *Job) {
	p := &j.Parallel
	each := int64(j.Microbatch) * int64(p.Data)
	if int64(j.Batch)%each != 0 {
		c.fail("batch", fmt.Sprint(j.Batch), fmt.Sprintf("a multiple of %d: microbatch x data", each))
		return
	}
	m := j.Microbatches()
	switch {
	case j.Schedule != Interleaved && p.Virtual > 1:
		c.fail("schedule", j.Schedule, Interleaved+" with several chunks a stage")
	case j.Schedule == Interleaved && (p.Virtual < 2 || p.Pipeline < 2):
		c.fail("parallel.virtual", fmt.Sprintf("%d chunks on %d stages", p.Virtual, p.Pipeline),
			"at least 2 chunks and stages with schedule: interleaved")
	case j.Schedule == Interleaved && m%p.Pipeline != 0:
		c.fail("batch", fmt.Sprintf("%d, %d microbatches", j.Batch, m),
			fmt.Sprintf("microbatches that are a multiple of the %d stages, with schedule: interleaved", p.Pipeline))
	case int64(m)*int64(j.chunks())*int64(p.Pipeline) > mostPasses:
		c.fail("batch", fmt.Sprintf("%d microbatches in %d chunks", m, j.chunks()*p.Pipeline),
			fmt.Sprintf("at most %d passes of chunks", mostPasses))
	}
}

// schedule checks what schedules that divide the backward pass need.
func (c *check) schedule(j *Job) {
	p, m := &j.Parallel, j.Microbatches()
	if j.Schedule != ZeroBubble && j.Schedule != DualPipe {
		return
	}
	with := ", with schedule: " + j.Schedule
	if j.Recompute == string(transformer.RecomputeFull) {
		c.fail("recompute", j.Recompute,
			"none or selective"+with+", which keeps activations until the gradients of weights are computed")
	}
	if j.Schedule == ZeroBubble {
		if p.Pipeline < 2 {
			c.fail("parallel.pipeline", fmt.Sprint(p.Pipeline), "at least 2 stages"+with)
		}
		return
	}
	if p.Pipeline%2 != 0 {
		c.fail("parallel.pipeline", fmt.Sprint(p.Pipeline), "an even number of stages"+with)
	}
	if m%2 != 0 || m < 2*p.Pipeline {
		c.fail("batch", fmt.Sprintf("%d, %d microbatches", j.Batch, m),
			fmt.Sprintf("an even number of microbatches that is at least %d, twice the stages%s", 2*p.Pipeline, with))
	}
	if p.Zero > 1 {
		c.fail("parallel.zero", fmt.Sprint(p.Zero), "0 or 1"+with)
	}
	if !j.overlaps(OverlapPipeline) {
		c.fail("overlap", j.Overlap, OverlapPipeline+" or "+OverlapAll+with+", in which stages send to each other at once")
	}
}

// mostPasses is the largest number of passes of all stages in one direction.
const mostPasses = 1 << 22

// work checks that the passes of a microbatch take no longer than a simulation can be.
func (c *check) work(j *Job) {
	if n := float64(j.Microbatch) * float64(j.Model.ForwardOperations()); n > transformer.MostOperations {
		c.fail("microbatch", fmt.Sprintf("%d, about %.2g operations", j.Microbatch, n),
			fmt.Sprintf("at most %.2g", float64(transformer.MostOperations)))
		return
	}
	w := newWorker(j)
	t := w.head(forward) + w.head(backward) + w.embedding(forward) + w.embedding(backward)
	for layer := 0; layer < j.Model.Layers && t <= int64(mostTime); layer++ {
		ahead, _ := w.times(layer, forward)
		back, again := w.times(layer, backward)
		t += ahead.sum() + back.sum() + again.sum()
	}
	if t > int64(mostTime) {
		c.fail("microbatch", fmt.Sprintf("%d, whose passes take longer", j.Microbatch), "passes of at most "+mostTime.String())
	}
}
