package training

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"fabricast/node"
	"fabricast/node/nodetest"
	"fabricast/workload/gpu"
	"fabricast/workload/transformer"
)

// run runs steps of a job on a network on which a message takes latency ps, and byteTime for each byte.
func run(t interface{ Fatal(...any) }, j Job, steps int, latency, byteTime int64) *node.Stats {
	ranks := j.Ranks()
	spec := node.Spec{Hosts: ranks, NICsPerHost: 1, Memory: 1e10, HostOf: make([]int32, ranks)}
	for i := range spec.HostOf {
		spec.HostOf[i] = int32(i)
	}
	w, err := node.NewWorld(spec, j.Launch(steps, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	network := &nodetest.Network{Latency: latency, ByteTime: byteTime}
	network.Run(w, ranks, 1)
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	if n := w.Finished(); n != ranks {
		t.Fatal(fmt.Sprintf("%d of %d ranks finished: %v", n, ranks, w.Deadlock()))
	}
	if s := w.Stats(); s.Unmet > 0 {
		t.Fatal(fmt.Sprintf("%d messages were not received", s.Unmet))
	}
	return w.Stats()
}

// drawJob draws a small job and its number of ranks. Most are valid.
func drawJob(r *rapid.T) (j Job, ranks int) {
	number := func(name string, from, to int) int { return rapid.IntRange(from, to).Draw(r, name) }
	word := func(name string, words ...string) string { return rapid.SampledFrom(words).Draw(r, name) }
	p := &j.Parallel
	p.Tensor, p.Pipeline, p.Context = 1<<number("tensor", 0, 2), number("pipeline", 1, 3), number("context", 1, 2)
	p.Data, p.Zero = number("data", 1, 3), number("zero", 0, 3)
	p.Sequence = rapid.Bool().Draw(r, "sequence")
	j.Model = transformer.Model{
		Layers: number("layers", 4, 9), Hidden: 16, Heads: 4, KVHeads: 4, Sequence: 24, Vocabulary: 32,
		Activation: word("activation", transformer.GELU, transformer.SwiGLU),
		Attention:  word("attention", transformer.Unfused, transformer.Flash),
		Embeddings: word("embeddings", transformer.Tied, transformer.Untied),
	}
	if number("experts", 0, 2) == 0 {
		j.Model.Experts, j.Model.TopK, j.Model.Shared, j.Model.Dense = 4, number("top_k", 1, 3), number("shared", 0, 1), 1
		p.Expert = number("expert", 1, 2)
		j.Routing = Routing{
			Distribution: word("distribution", Distributions()...), Parameter: number("parameter", 1, 3),
		}
		if p.Expert == 2 && rapid.Bool().Draw(r, "nodes limited") {
			j.Routing.PerNode = number("ranks of a node", 1, 2)
			j.Routing.Nodes = 2 / j.Routing.PerNode
		}
	}
	if number("latent", 0, 4) == 0 {
		j.Model.KVRank, j.Model.Rope, j.Model.QueryRank = 8, 4, 8
	}
	j.Microbatch = number("microbatch", 1, 2)
	microbatches := number("microbatches", 1, 4)
	j.Recompute = word("recompute", Recomputations()...)
	j.Overlap = word("overlap", Overlaps()...)
	switch {
	case p.Pipeline == 1:
	case number("interleave", 0, 2) == 0:
		p.Virtual = number("virtual", 2, 3)
		microbatches *= p.Pipeline
	case number("zero bubble", 0, 2) == 0:
		j.Schedule, j.Recompute = ZeroBubble, word("recompute", Recomputations()[:2]...)
	case number("dualpipe", 0, 1) == 0:
		j.Schedule, j.Recompute = DualPipe, word("recompute", Recomputations()[:2]...)
		j.Overlap = word("overlap", OverlapAll, OverlapPipeline)
		p.Pipeline, p.Zero = 2*number("half of the stages", 1, 2), min(p.Zero, 1)
		microbatches = 2 * (p.Pipeline + number("pairs", 0, 2))
	}
	j.Batch = p.Data * j.Microbatch * microbatches
	return j, p.Tensor * p.Pipeline * p.Context * p.Data
}

// All jobs that are not refused end, with no message left, and every rank has waited or computed
// until the end of the last one. Operations of all ranks together are those of the model.
func TestRandomJobs(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		given, ranks := drawJob(r)
		j, problems := given.Resolved(ranks)
		if len(problems) > 0 {
			for _, p := range problems {
				if p.Field == "" || p.Found == "" || p.Expected == "" {
					r.Fatalf("%+v", p)
				}
			}
			return
		}
		steps := rapid.IntRange(1, 2).Draw(r, "steps")
		s := run(r, j, steps, 1000, 1)
		sum := int64(0)
		for _, n := range s.Counts {
			sum += n
		}
		if all := int64(s.End) * int64(ranks); sum > all || s.Counts[computed] <= 0 {
			r.Fatalf("%v ps of %d", s.Counts, all)
		}
		if got, want := executed(&j), expected(&j); got != want {
			r.Fatalf("%d operations, the model has %d", got, want)
		}
	})
}

// executed returns the operations of matrix products of all ranks in the forward passes of a step.
func executed(j *Job) (n int64) {
	w := newWorker(j)
	w.cost = func(kernels ...gpu.Kernel) (n int64) {
		for _, k := range kernels {
			n += k.Operations
		}
		return n
	}
	for stage := range j.Parallel.Pipeline {
		b := j.newBuilder(stage)
		for _, v := range j.visits(stage) {
			if v.direction != forward {
				continue
			}
			for _, unit := range b.units(v.chunk) {
				switch {
				case unit >= 0:
					l := w.layer(unit, forward)
					n += l.sum()
				case unit == outputUnit:
					n += w.head(forward)
				}
			}
		}
	}
	return n * int64(j.Ranks()/j.Parallel.Pipeline)
}

// expected returns the operations of the model for a batch, without the masked half of the scores
// where that is skipped, and with what all tensor ranks do alike.
func expected(j *Job) int64 {
	m := &j.Model
	n := m.ForwardOperations()
	if m.Attention == transformer.Flash {
		n -= int64(m.Layers) * m.ScoreOperations() / 2
	}
	for _, x := range m.Projections().Shared {
		n += int64(m.Layers) * int64(j.Parallel.Tensor-1) * 2 * int64(m.Sequence) * x[0] * x[1]
	}
	return n * int64(j.Batch)
}

// wire returns the bytes that all ranks of a group send for an op by rings.
func wire(o *op, ranks int64) int64 {
	if o.call == allreduce {
		return 2 * (ranks - 1) * o.n
	}
	return ranks * (ranks - 1) * ((o.n + ranks - 1) / ranks)
}

// wire returns the bytes that all ranks of a group send for an op, in the mean over the places of
// groups.
func (s *script) wire(o *op, ranks int64) (n int64) {
	switch {
	case o.call >= dispatch:
		sent := s.routes[o.n].there(o.call == dispatchWithin || o.call == combineWithin, int(ranks))
		for from := range int(ranks) {
			for to := range int(ranks) {
				if from != to {
					n += sent(from, to)
				}
			}
		}
		return n
	case o.placed:
		for _, each := range s.places[o.n] {
			one := *o
			one.n = each
			n += wire(&one, ranks)
		}
		return n / int64(len(s.places[o.n]))
	}
	return wire(o, ranks)
}

// sentBy returns the bytes that all ranks of a job send in a step, by dimension, as the scripts say.
func sentBy(j *Job) (bytes [dimensions]int64) {
	l := j.layout()
	sizes := l.sizes()
	for _, s := range j.scripts() {
		ranks := int64(l.tensor * l.replicas)
		add := func(b body) {
			for i := range b {
				switch o := &b[i]; o.action {
				case communicate, begin:
					group := int64(sizes[o.family])
					bytes[o.dimension] += s.wire(o, group) * ranks / group
				case exchange:
					bytes[o.dimension] += o.n * ranks
				}
			}
		}
		for _, p := range s.passes {
			add(s.bodies[p.body])
			if p.to != nobody {
				bytes[Pipeline] += j.sent() * ranks
			}
		}
		add(s.beside)
	}
	return bytes
}

// What ranks send is what the scripts say, and that is what the formulas of the manual say.
func TestBytes(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		given, ranks := drawJob(r)
		j, problems := given.Resolved(ranks)
		if len(problems) > 0 {
			r.Skip()
		}
		by := sentBy(&j)
		all := int64(0)
		for _, n := range by {
			all += n
		}
		if got := int64(run(r, j, 1, 1000, 1).Bytes); got != all {
			r.Fatalf("%d bytes were sent, the scripts say %v", got, by)
		}
		if want := formulas(&j); want[Tensor] >= 0 && want != by {
			r.Fatalf("bytes by dimension: %v, expected %v", by, want)
		}
	})
}

// formulas returns the bytes that all ranks of a job of dense layers send in a step, by dimension;
// -1 of tensor ranks if the model has experts.
func formulas(j *Job) (want [dimensions]int64) {
	p, m := &j.Parallel, &j.Model
	if m.Experts > 0 {
		want[Tensor] = -1
		return want
	}
	t, c, d, all := int64(p.Tensor), int64(p.Context), int64(p.Data), int64(j.Ranks())
	passes := int64(j.Microbatches()) // of a chunk in one direction
	stages := all / int64(p.Pipeline) // ranks of a stage
	layers, chunks := int64(m.Layers), int64(p.Pipeline*p.Virtual)
	tokens := int64(j.Microbatch) * int64(m.Sequence) / c
	activation := tokens * int64(m.Hidden) * 2
	again := int64(0)
	if j.Recompute == "full" {
		again = 1
	}
	// tensor: (t-1)/t of an activation for each all-gather or reduce-scatter of a rank, of which an
	// allreduce is two; 4 of each layer and direction, as 2 allreduces
	ends := int64(4) // of embedding and logits: half an allreduce of each in each direction
	gathers := 4*layers*(2+again) + ends
	if !p.Sequence { // a stage gathers what another has sent in parts
		gathers += 2 * (chunks - 1)
	}
	loss := 2 * (t - 1) * 12 * tokens * stages / t
	want[Tensor] = passes * (gathers*(t-1)*activation*stages/t + loss)
	want[Pipeline] = passes * 2 * (chunks - 1) * activation / t * stages
	kv := 2 * tokens * int64(m.KVHeads*m.HeadSize) * 2 / t
	if m.Latent() {
		kv = tokens * int64(m.KVRank+m.Rope) * 2
	}
	want[Context] = passes * layers * (c - 1) * kv * (1 + 2 + again) * stages
	if m.Embeddings == transformer.Tied && !j.endsTogether() {
		want[Embedding] = 2 * 4 * m.EmbeddingParameters() / t * stages
	}
	replicas := c * d
	if j.Schedule == DualPipe { // a stage and its mirror have the same parameters
		replicas *= 2
	}
	want[Data] = dataFormula(j, replicas, stages)
	return want
}

// dataFormula returns the bytes that data ranks send: of n parameters of a GPU, each rank sends
// (d-1)/d of the gradients for a reduce-scatter, and of the parameters for each all-gather.
func dataFormula(j *Job, d, ranks int64) (bytes int64) {
	p := &j.Parallel
	microbatches := int64(j.Microbatches())
	reductions, gathers := int64(1), int64(1)
	switch {
	case p.Zero >= 2:
		reductions = microbatches
	}
	if p.Zero == 3 {
		gathers = 2 * microbatches
	}
	for stage := range p.Pipeline {
		w := j.newBuilder(stage)
		for chunk := range j.chunks() {
			sum := int64(0) // all buckets of these models are whole chunks
			for _, unit := range w.units(chunk) {
				n := w.parametersOfUnit(unit).dense
				if p.Zero == 3 {
					bytes += ranks * (d - 1) * (gathers*((2*n+d-1)/d) + reductions*((4*n+d-1)/d))
				}
				sum += n
			}
			switch p.Zero {
			case 0:
				bytes += ranks * 2 * (d - 1) * 4 * sum / d
			case 1, 2:
				bytes += ranks * (d - 1) * (gathers*((2*sum+d-1)/d) + reductions*((4*sum+d-1)/d))
			}
		}
	}
	return bytes
}
