package serving

import (
	"fabricast/workload/calls"
	"fabricast/workload/gpu"
	"fabricast/workload/transformer"
)

// Dimension is what a communication is for.
type Dimension uint8

const (
	Tensor Dimension = iota
	Expert
	dimensions
)

// Dimensions lists the names of all dimensions of communication that ranks wait for, by Dimension.
func Dimensions() []string { return []string{"tensor", "expert"} }

// op is a computation, or a collective.
type op struct {
	compute   int64 // ps; 0: a collective
	dimension Dimension
	call      calls.Call
	bytes     int64 // of all ranks' data together, or for an allreduce of each
}

// part is a list of operations that is repeated: a layer, or what is before or after all.
type part struct {
	ops   []op
	times int
}

// element is the number of bytes of an activation or a parameter.
const element = transformer.ParameterBytes

// builder makes the operations of a rank for an iteration.
type builder struct {
	job    *Job
	s      *shape
	tensor int64
	hidden int64
	part   part
}

func (b *builder) compute(kernels ...gpu.Kernel) {
	t := b.job.Accelerator.Sum(kernels...)
	switch last := len(b.part.ops) - 1; {
	case t == 0:
	case last >= 0 && b.part.ops[last].compute > 0:
		b.part.ops[last].compute += t
	default:
		b.part.ops = append(b.part.ops, op{compute: t})
	}
}

// communicate adds a collective, unless there is nobody else or nothing to say.
func (b *builder) communicate(d Dimension, c calls.Call, bytes int64) {
	size := b.job.Tensor
	if d == Expert {
		size = b.job.Expert
	}
	if size > 1 && bytes > 0 {
		b.part.ops = append(b.part.ops, op{dimension: d, call: c, bytes: bytes})
	}
}

// take returns the part that has been made, for so many times.
func (b *builder) take(times int) part {
	p := b.part
	p.times = times
	b.part = part{}
	return p
}

// parts returns the operations of an iteration for the ranks of a tensor group. Groups with nothing
// to do take part in what experts do.
func (j *Job) parts(s *shape) (list []part) {
	m := &j.Model
	b := builder{job: j, s: s, tensor: int64(j.Tensor), hidden: int64(m.Hidden)}
	n, h := s.Tokens, b.hidden
	if n > 0 {
		b.compute(gpu.Vector(n*h, 2, 0))
		b.communicate(Tensor, calls.Allreduce, element*n*h)
	}
	list = append(list, b.take(1))
	dense := m.Layers
	if m.Experts > 0 {
		dense = m.Dense
	}
	for _, kind := range []struct {
		experts bool
		layers  int
	}{{false, dense}, {true, m.Layers - dense}} {
		if kind.layers == 0 {
			continue
		}
		if n > 0 {
			b.attention()
		}
		if kind.experts {
			b.experts()
		} else if n > 0 {
			b.compute(b.ffn(n, int64(m.FFN))...)
			b.communicate(Tensor, calls.Allreduce, element*n*h)
		}
		if n > 0 {
			b.compute(gpu.Vector(n*h, 3, 1))
		}
		list = append(list, b.take(kind.layers))
	}
	if v := int64(m.Vocabulary); s.Logits > 0 {
		b.compute(gpu.Norm(s.Logits*h), gpu.Product(s.Logits, h, v/b.tensor))
		b.communicate(Tensor, calls.Allgather, element*s.Logits*v)
		b.compute(gpu.Vector(s.Logits*v, 2, 5)) // the next token of each sequence
	}
	return append(list, b.take(1))
}

// attention adds a layer's attention, the residual connection after it, and the norm of the FFN.
func (b *builder) attention() {
	m, n := &b.job.Model, b.s.Tokens
	b.compute(gpu.Norm(n * b.hidden))
	of := m.Projections()
	for _, x := range of.Shared {
		b.compute(gpu.Product(n, x[0], x[1]))
	}
	for _, x := range of.Inner {
		b.compute(gpu.Product(n, x[0], x[1]/b.tensor))
	}
	b.compute(b.core())
	for _, x := range of.Outer {
		b.compute(gpu.Product(n, x[0]/b.tensor, x[1]))
	}
	b.communicate(Tensor, calls.Allreduce, element*n*b.hidden)
	b.compute(gpu.Vector(n*b.hidden, 3, 1), gpu.Norm(n*b.hidden))
}

// core returns the kernel of the attention's core, which reads the cache: masked scores are skipped,
// and scores are not kept, as in FlashAttention.
func (b *builder) core() gpu.Kernel {
	m, s := &b.job.Model, b.s
	heads := int64(m.Heads) / b.tensor
	return gpu.Kernel{
		Operations: 2 * heads * (s.Pairs*b.job.scoreWidth() + s.Decodes*b.job.decodeWidth()),
		Bytes: element*s.Tokens*heads*b.job.scoreWidth() + // queries and outputs
			(s.Context+s.Tokens)*m.CacheBytes(b.job.Tensor), // read, and written
	}
}

// scoreWidth returns the number of products of a pair of a query and a key in a head: the score, and
// the weighted value. decodeWidth is that of tokens after the first, for which latent attention uses
// the vector in the cache as it is (DeepSeek-V2, arXiv 2405.04434).
func (j *Job) scoreWidth() int64 { return 2*int64(j.Model.HeadSize) + int64(j.Model.Rope) }

func (j *Job) decodeWidth() int64 {
	if m := &j.Model; m.Latent() {
		return 2*int64(m.KVRank) + int64(m.Rope)
	}
	return j.scoreWidth()
}

// ffn returns the kernels of an FFN of inner size f for n tokens.
func (b *builder) ffn(n, f int64) []gpu.Kernel {
	inner, into := f/b.tensor, b.job.Model.Matrices()-1
	return []gpu.Kernel{
		gpu.Product(n, b.hidden, into*inner), gpu.Activated(n*inner, into), gpu.Product(n, inner, b.hidden),
	}
}

// experts adds the FFN of a layer with experts. All groups send as many tokens as the one that has
// most, as with padding; all experts get as many.
func (b *builder) experts() {
	m, n, h := &b.job.Model, b.s.Tokens, b.hidden
	groups := int64(b.job.Expert)
	if n > 0 {
		b.compute(gpu.Product(n, h, int64(m.Experts)))
		for range m.Shared {
			b.compute(b.ffn(n, int64(m.ExpertFFN))...)
		}
		if m.Shared > 0 && groups > 1 {
			b.communicate(Tensor, calls.Allreduce, element*n*h)
		}
	}
	copies := b.s.Most * int64(m.TopK)
	sent := element * copies * h
	if groups > 1 {
		b.communicate(Expert, calls.Alltoall, sent/b.tensor)
		b.communicate(Tensor, calls.Allgather, sent)
	}
	// experts of this rank that get a token
	used := max(1, min(int64(m.Experts)/groups, copies))
	one := b.job.Accelerator.Sum(b.ffn((copies+used-1)/used, int64(m.ExpertFFN))...)
	b.part.ops = append(b.part.ops, op{compute: used * one})
	if groups == 1 {
		b.communicate(Tensor, calls.Allreduce, element*n*h)
		return
	}
	b.communicate(Tensor, calls.ReduceScatter, sent)
	b.communicate(Expert, calls.Alltoall, sent/b.tensor)
	b.communicate(Tensor, calls.Allgather, element*n*h)
}
