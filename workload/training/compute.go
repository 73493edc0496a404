package training

import (
	"fabricast/internal/units"
	"fabricast/workload/gpu"
	"fabricast/workload/transformer"
)

// layerTimes are the times of the parts of a layer between two communications, in ps. Kernels are fused as in Megatron-LM: bias
// with GELU, and bias, dropout and the residual connection.
type layerTimes struct {
	norm     int64 // before attention, and before the FFN
	project  int64 // into heads
	core     int64 // scores, softmax and the product with values
	output   int64 // of attention
	residual int64 // after attention, and after the FFN
	route    int64 // to experts
	ffn      int64
	shared   int64 // experts that all tokens pass
}

// sum returns the time of the whole layer.
func (l *layerTimes) sum() int64 {
	return 2*l.norm + l.project + l.core + l.output + 2*l.residual + l.route + l.ffn + l.shared
}

// scale multiplies all parts by to/from.
func (l *layerTimes) scale(to, from int64) {
	for _, part := range []*int64{
		&l.norm, &l.project, &l.core, &l.output, &l.residual, &l.route, &l.ffn, &l.shared,
	} {
		*part = units.MulDiv(*part, to, max(1, from))
	}
}

// element is the number of bytes of an activation or a parameter.
const element = transformer.ParameterBytes

// worker computes the work of one GPU of a job for one microbatch.
type worker struct {
	job    *Job
	tokens int64 // of the microbatch on the GPU's context rank
	outer  int64 // of these, those between matrix products
	tensor int64
	// cost is what kernels take one after another: the time of the GPU.
	cost func(kernels ...gpu.Kernel) int64
}

func newWorker(j *Job) *worker {
	p := &j.Parallel
	w := &worker{
		job: j, tensor: int64(p.Tensor), cost: j.Accelerator.Sum,
		tokens: int64(j.Microbatch) * int64(j.Model.Sequence) / int64(p.Context),
	}
	w.outer = w.tokens
	if p.Sequence {
		w.outer = w.tokens / w.tensor
	}
	return w
}

// direction is a pass's direction.
type direction uint8

const (
	forward  direction = iota
	backward           // the whole backward pass
	inputs             // its part that computes the gradients of inputs
	weights            // its part that computes the gradients of weights
)

// passesBack reports whether a pass computes the gradients of inputs, and givesWeights whether it
// computes those of weights.
func (d direction) passesBack() bool   { return d == backward || d == inputs }
func (d direction) givesWeights() bool { return d == backward || d == weights }

// products returns the kernels of a matrix product of n rows: one forward; backward one for the
// gradient of the input and one for that of the weights, which is added to a sum in memory.
func products(n, in, out int64, d direction) (list []gpu.Kernel) {
	k := gpu.Product(n, in, out)
	if d != weights {
		list = append(list, k)
	}
	if d.givesWeights() {
		k.Bytes = element*(n*in+n*out) + 2*transformer.GradientBytes*in*out
		list = append(list, k)
	}
	return list
}

// norm, activated, dropped and softmax return kernels over n elements. Their operations are those
// that Calculon counts.
func norm(n int64, d direction) gpu.Kernel { return either(d, gpu.Norm(n), gpu.Vector(n, 4, 21)) }

func softmax(n int64, d direction) gpu.Kernel { return gpu.Vector(n, choose(d, 2, 3), choose(d, 5, 8)) }

// dropped is dropout, with a mask of one byte, and the addition of so many other operands.
func dropped(n, others int64) gpu.Kernel {
	k := gpu.Vector(n, 2+others, 1+others)
	k.Bytes += n
	return k
}

// activated is GELU or the product of an activation with a gate, of so many inputs.
func activated(n, inputs int64, d direction) gpu.Kernel {
	return either(d, gpu.Activated(n, inputs), gpu.Vector(n, 1+2*inputs, 11+2*inputs))
}

// either returns one of two kernels by direction, none for gradients of weights.
func either(d direction, ahead, back gpu.Kernel) gpu.Kernel {
	switch d {
	case forward:
		return ahead
	case weights:
		return gpu.Kernel{}
	}
	return back
}

// choose returns one of two numbers by direction. Gradients of weights cost nothing but products.
func choose(d direction, ahead, back int64) int64 {
	switch d {
	case forward:
		return ahead
	case weights:
		return 0
	}
	return back
}

// layer returns the times of a layer in one direction, without recomputation.
func (w *worker) layer(i int, d direction) (l layerTimes) {
	m, t := &w.job.Model, w.tensor
	h := int64(m.Hidden)
	l.norm = w.cost(norm(w.outer*h, d))
	if d != weights {
		l.residual = w.cost(dropped(w.outer*h, 1))
	}
	of := m.Projections()
	for _, x := range of.Shared {
		l.project += w.cost(products(w.tokens, x[0], x[1], d)...)
	}
	for _, x := range of.Inner {
		l.project += w.cost(products(w.tokens, x[0], x[1]/t, d)...)
	}
	for _, x := range of.Outer {
		l.output += w.cost(products(w.tokens, x[0]/t, x[1], d)...)
	}
	if d != weights {
		l.core = w.cost(w.core(d)...)
	}
	if !m.HasExperts(i) {
		l.ffn = w.cost(w.ffn(w.tokens, int64(m.FFN), d)...)
		return l
	}
	p := &w.job.Parallel
	l.route = w.cost(products(w.outer, h, int64(m.Experts), d)...)
	local := int64(m.Experts / p.Expert)
	one := w.ffn((w.tokens*int64(m.TopK)+local-1)/local, int64(m.ExpertFFN), d)
	l.ffn = local * w.cost(one...)
	l.shared = int64(m.Shared) * w.cost(w.ffn(w.tokens, int64(m.ExpertFFN), d)...)
	return l
}

// ffn returns the kernels of an FFN of inner size f for n tokens.
func (w *worker) ffn(n, f int64, d direction) []gpu.Kernel {
	m := &w.job.Model
	h, inner := int64(m.Hidden), f/w.tensor
	into := m.Matrices() - 1
	list := products(n, h, into*inner, d)
	list = append(list, activated(n*inner, into, d))
	return append(list, products(n, inner, h, d)...)
}

// core returns the kernels of the attention's core.
func (w *worker) core(d direction) []gpu.Kernel {
	m, t := &w.job.Model, w.tensor
	scores := w.tokens * int64(m.Sequence) * int64(m.Heads) / t
	operations := w.scoreOperations()
	// queries and outputs, and keys and values of the whole sequence
	context := int64(w.job.Parallel.Context)
	heads := w.tokens * (2*int64(m.Heads) + 2*context*int64(m.KVHeads)) * int64(m.HeadSize) / t
	if m.Attention == transformer.Flash {
		// masked blocks are skipped; the backward pass has five products in place of two, as it
		// computes the scores again (Dao, FlashAttention-2, arXiv 2307.08691)
		return []gpu.Kernel{{Operations: choose(d, operations/2, operations/4*5), Bytes: element * heads * choose(d, 1, 2)}}
	}
	half := gpu.Kernel{Operations: operations / 2, Bytes: element * (heads/2 + scores)}
	if d == forward {
		return []gpu.Kernel{half, softmax(scores, d), dropped(scores, 0), half}
	}
	return []gpu.Kernel{half, half, dropped(scores, 0), softmax(scores, d), half, half}
}

// scoreOperations returns the operations of the attention's core in a forward pass of the GPU.
func (w *worker) scoreOperations() int64 {
	p := &w.job.Parallel
	return int64(w.job.Microbatch) * w.job.Model.ScoreOperations() / int64(p.Context) / w.tensor
}

// head returns the time of the last norm, the logits and the loss.
func (w *worker) head(d direction) int64 {
	t := &w.job.Times
	given := t.HeadBackward
	if d == forward {
		given = t.Head
	}
	if given > 0 {
		if d == forward || d == backward {
			return int64(given)
		}
		return units.MulDiv(int64(given), w.headOf(d), max(1, w.headOf(backward)))
	}
	return w.headOf(d)
}

// headOf returns the computed time of the head.
func (w *worker) headOf(d direction) int64 {
	m := &w.job.Model
	h, v := int64(m.Hidden), int64(m.Vocabulary)/w.tensor
	list := append(products(w.tokens, h, v, d), norm(w.outer*h, d))
	// the loss reads logits for their maximum, for the sum of exponentials, and writes them in
	// single precision; its gradient replaces them
	return w.cost(append(list, gpu.Vector(w.tokens*v, choose(d, 5, 3), choose(d, 5, 2)))...)
}

// embedding returns the time of the input embedding: rows are copied, and gradients added to rows,
// which are weights.
func (w *worker) embedding(d direction) int64 {
	n := w.tokens * int64(w.job.Model.Hidden)
	switch d {
	case forward:
		return w.cost(gpu.Vector(n, 2, 0))
	case inputs:
		return 0
	}
	return w.cost(gpu.Vector(n, 6, 1))
}

// optimizer returns the time of a step of Adam over n parameters in mixed precision, as Megatron-LM
// does it: gradients of four bytes are set to zero, read for their norm, and scaled; parameters,
// gradients and both moments are read and all but the gradients written; parameters are copied.
func (w *worker) optimizer(n int64) int64 {
	if t := w.job.Times.Optimizer; t > 0 {
		return int64(t)
	}
	const (
		gradients  = 5 * transformer.GradientBytes // zero, norm, scaling, use
		copies     = 4 + transformer.ParameterBytes
		bytes      = gradients + 2*transformer.OptimizerBytes + copies
		operations = 14
	)
	return w.cost(gpu.Kernel{Bytes: bytes * n, Others: operations * n})
}

// times returns the times of a layer in one direction. Given times replace the computed ones,
// divided in the same proportions. again is what a backward pass computes again, before it computes
// gradients of inputs.
func (w *worker) times(i int, d direction) (l, again layerTimes) {
	l = w.layer(i, d)
	t := &w.job.Times
	if d == forward {
		if t.Forward > 0 {
			l.scale(int64(t.Forward), l.sum())
		}
		return l, again
	}
	repeated := w.repeated(i)
	if d.passesBack() {
		again = repeated
	}
	if t.Forward > 0 {
		back := w.layer(i, backward)
		whole := back.sum() + repeated.sum()
		l.scale(int64(t.Backward), whole)
		again.scale(int64(t.Backward), whole)
	}
	return l, again
}

// repeated returns the computed times of what the backward pass of a layer computes again.
func (w *worker) repeated(i int) (again layerTimes) {
	switch transformer.Recompute(w.job.Recompute) {
	case transformer.RecomputeFull:
		return w.layer(i, forward)
	case transformer.RecomputeSelective:
		if w.job.Model.Attention == transformer.Unfused {
			again.core = w.cost(w.core(forward)...)
		}
	}
	return again
}
