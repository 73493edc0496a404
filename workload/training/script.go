package training

import (
	"fabricast/workload/transformer"
)

// script is what all ranks of a stage do in a step.
type script struct {
	passes []pass
	bodies []body
	beside body // the second stream
	amounts
}

// pass is a pass of a microbatch, between the messages of the pipeline. from and to are stages, -1
// for none. The last pass of a step is the optimizer's.
type pass struct {
	body, from, to int32
	in, out        int32 // tags
}

// nobody is the stage of a pass that neither receives nor sends.
const nobody = -1

// bucketParameters is the number of parameters from which on gradients are reduced together, as in
// Megatron-LM's distributed optimizer.
const bucketParameters = 40_000_000

// scripts returns the scripts of all stages.
func (j *Job) scripts() []*script {
	list := make([]*script, j.Parallel.Pipeline)
	for stage := range list {
		list[stage] = j.script(stage)
	}
	return list
}

// script returns the script of a stage.
func (j *Job) script(stage int) *script {
	w := j.newBuilder(stage)
	list := j.visits(stage)
	of := w.data(list)
	s := w.arranged(list, of.kind, func(v visit) body { return w.pass(v.chunk, v.direction, of.hooks(v)) })
	s.beside = of.beside
	s.passes = append(s.passes, pass{body: int32(len(s.bodies)), from: nobody, to: nobody})
	s.bodies = append(s.bodies, w.end(of))
	s.amounts = w.amounts
	return s
}

// arranged returns the passes of visits. kind tells microbatches apart whose passes differ, and work
// returns the operations of a visit.
func (w *builder) arranged(list []visit, kind func(v visit) int, work func(v visit) body) *script {
	s := &script{}
	known := map[visit]int32{} // bodies by what makes them differ
	number := func(v visit, operations func() body) int32 {
		key := visit{chunk: v.chunk, microbatch: kind(v), direction: v.direction, paired: v.paired}
		if _, found := known[key]; !found {
			known[key] = int32(len(s.bodies))
			s.bodies = append(s.bodies, operations())
		}
		return known[key]
	}
	for i := 0; i < len(list); i++ {
		v := list[i]
		p := w.messages(v)
		if !v.paired {
			p.body = number(v, func() body { return work(v) })
			s.passes = append(s.passes, p)
			continue
		}
		i++
		other := list[i]
		q := w.messages(other)
		both := number(v, func() body { return merged([lanes]body{work(v), work(other)}) })
		nothing := number(visit{chunk: nobody}, func() body { return nil })
		s.passes = append(s.passes,
			pass{body: nothing, from: p.from, in: p.in, to: nobody},
			pass{body: both, from: q.from, in: q.in, to: p.to, out: p.out},
			pass{body: nothing, from: nobody, to: q.to, out: q.out},
		)
	}
	return s
}

// messages returns from whom a visit's pass receives, and to whom it sends. The tag is the chunk of
// the pipeline that receives, and the direction.
func (w *builder) messages(v visit) pass {
	p := pass{from: nobody, to: nobody}
	if v.direction == weights {
		return p
	}
	at := w.at(v.chunk)
	tag := func(place int) int32 { return int32(2*place) + int32(choose(v.direction, 0, 1)) }
	stage := func(place int) int32 { return int32(w.job.stageOf(w.stage, v.chunk, place)) }
	before, after := at-1, at+1
	if v.direction != forward {
		before, after = after, before
	}
	if before >= 0 && before < len(w.first)-1 {
		p.from, p.in = stage(before), tag(at)
	}
	if after >= 0 && after < len(w.first)-1 {
		p.to, p.out = stage(after), tag(after)
	}
	return p
}

// sent returns the bytes of a message of the pipeline: tensor ranks send a part each.
func (j *Job) sent() int64 {
	w := newWorker(j)
	return w.tokens * int64(j.Model.Hidden) * element / w.tensor
}

// dataStream is the communication of data ranks in a step, and what the passes do for it.
type dataStream struct {
	w       *builder
	beside  body
	signals int              // that gradients wait for, after the last microbatch
	closes  map[int]bool     // units after which, in the backward pass, a bucket is complete
	opens   map[int]bool     // units before which, in the forward pass, a bucket begins
	sums    map[int]elements // by unit that closes a bucket
	buckets [][]int          // by chunk: units that close a bucket, in the order of the backward pass
}

// elements are parameters of a bucket.
type elements = parameters

// parametersOfUnit returns the parameters that a GPU has of a layer or an embedding.
func (w *builder) parametersOfUnit(unit int) parameters {
	m := &w.job.Model
	switch {
	case unit >= 0:
		return w.job.parametersOf(unit)
	case unit == outputUnit && m.Embeddings == transformer.Tied && w.job.endsTogether():
		return parameters{} // those of the input
	}
	return parameters{dense: m.EmbeddingParameters() / w.tensor}
}

// data returns the communication of data ranks for the given visits of the stage.
func (w *builder) data(list []visit) *dataStream {
	s := &dataStream{w: w, closes: map[int]bool{}, opens: map[int]bool{}, sums: map[int]elements{}}
	of := w.job.replicas()
	if of.dense == 1 && of.experts == 1 {
		return s
	}
	zero := w.job.Parallel.Zero
	if zero == 3 {
		s.sharded(list)
		return s
	}
	for chunk := range w.job.chunks() {
		s.divide(chunk)
	}
	if zero > 0 {
		s.gather()
	}
	for _, v := range list {
		if v.direction.givesWeights() && (zero == 2 || s.kind(v) == 1) {
			s.reduce(v.chunk)
		}
	}
	s.beside.do(mark, Data)
	return s
}

// divide divides the parameters of a chunk into buckets.
func (s *dataStream) divide(chunk int) {
	list := s.w.units(chunk)
	sum := elements{}
	var closed []int
	for i := len(list) - 1; i >= 0; i-- {
		n := s.w.parametersOfUnit(list[i])
		sum.dense, sum.experts = sum.dense+n.dense, sum.experts+n.experts
		if sum.dense+sum.experts < bucketParameters && i > 0 {
			continue
		}
		s.closes[list[i]], s.opens[list[i]] = true, true
		s.sums[list[i]] = sum
		closed = append(closed, list[i])
		sum = elements{}
	}
	s.buckets = append(s.buckets, closed)
}

// gather adds the gathering of parameters, in the order in which they are used.
func (s *dataStream) gather() {
	for _, closed := range s.buckets {
		for i := len(closed) - 1; i >= 0; i-- {
			s.collect(allgather, s.sums[closed[i]], transformer.ParameterBytes)
			s.beside.do(mark, Data)
		}
	}
}

// reduce adds the reduction of a chunk's gradients.
func (s *dataStream) reduce(chunk int) {
	c := allreduce
	if s.w.job.Parallel.Zero > 0 {
		c = reduceScatter
	}
	for _, unit := range s.buckets[chunk] {
		s.beside.do(expect, Data)
		s.collect(c, s.sums[unit], transformer.GradientBytes)
		s.signals++
	}
}

// collect adds a collective over dense parameters and one over experts.
func (s *dataStream) collect(c call, n elements, bytes int64) {
	s.w.communicate(&s.beside, Data, c, dataGroup, bytes*n.dense)
	s.w.communicate(&s.beside, Data, c, expertDataGroup, bytes*n.experts)
}

// ahead is the number of units whose parameters are gathered before they are used, if each GPU
// keeps only a part of them.
const ahead = 2

// sharded adds the communication of ZeRO-3: parameters are gathered for each use, and gradients
// reduced after each backward pass of a unit.
func (s *dataStream) sharded(list []visit) {
	type use struct {
		n elements
		d direction
	}
	var uses []use
	for _, v := range list {
		units := s.w.units(v.chunk)
		for i := range units {
			unit := units[i]
			if v.direction != forward {
				unit = units[len(units)-1-i]
			}
			uses = append(uses, use{s.w.parametersOfUnit(unit), v.direction})
		}
	}
	for i := range len(uses) + ahead {
		if i >= ahead {
			s.beside.do(expect, Data)
			if past := uses[i-ahead]; past.d.givesWeights() {
				s.collect(reduceScatter, past.n, transformer.GradientBytes)
			}
		}
		if i < len(uses) {
			if uses[i].d != weights {
				s.collect(allgather, uses[i].n, transformer.ParameterBytes)
			}
			s.beside.do(mark, Data)
		}
	}
	s.beside.do(mark, Data)
}

// kind tells the microbatches apart whose passes differ: 1 for the first one of a chunk in a forward
// pass, or the last one in a pass that computes gradients of weights.
func (s *dataStream) kind(v visit) int {
	last := s.w.job.Microbatches() - 1
	if s.w.job.mirrored() {
		last = s.w.job.Microbatches()/2 - 1
	}
	if v.direction == forward && v.microbatch == 0 || v.direction.givesWeights() && v.microbatch == last {
		return 1
	}
	return 0
}

// hooks returns what a pass does for the communication of data ranks.
func (s *dataStream) hooks(v visit) (h hooks) {
	zero, beside := s.w.job.Parallel.Zero, s.w.job.overlaps(OverlapData)
	switch {
	case len(s.beside) == 0:
	case zero == 3:
		h.before = func(b *body, _ int) { b.do(await, Data) }
		h.after = func(b *body, _ int) { b.do(signal, Data) }
	case v.direction != forward:
		if beside && v.direction.givesWeights() && (zero == 2 || s.kind(v) == 1) {
			h.after = func(b *body, unit int) {
				if s.closes[unit] {
					b.do(signal, Data)
				}
			}
		}
	case zero > 0 && s.kind(v) == 1 && beside:
		h.before = func(b *body, unit int) {
			if s.opens[unit] {
				b.do(await, Data)
			}
		}
	case zero > 0 && s.kind(v) == 1 && v.chunk == 0:
		h.before = func(b *body, unit int) {
			if unit == s.w.units(0)[0] {
				for range s.sums {
					b.do(await, Data)
				}
			}
		}
	}
	return h
}

// end returns the end of a step: gradients of the tied embedding are added between the first and
// the last stage, all reductions are awaited, and the optimizer updates the parameters.
func (w *builder) end(s *dataStream) (b body) {
	p, m := &w.job.Parallel, &w.job.Model
	if len(s.beside) > 0 {
		if !w.job.overlaps(OverlapData) {
			for range s.signals {
				b.do(signal, Data)
			}
		}
		b.do(await, Data)
	}
	ends := w.stage == 0 || w.stage == p.Pipeline-1
	if m.Embeddings == transformer.Tied && ends && !w.job.endsTogether() {
		w.communicate(&b, Embedding, allreduce, endsGroup, transformer.GradientBytes*m.EmbeddingParameters()/w.tensor)
	}
	var n parameters
	for chunk := range w.job.chunks() {
		for _, unit := range w.units(chunk) {
			of := w.parametersOfUnit(unit)
			n.dense, n.experts = n.dense+of.dense, n.experts+of.experts
		}
	}
	if of := w.job.replicas(); p.Zero > 0 {
		n.dense, n.experts = (n.dense+of.dense-1)/of.dense, (n.experts+of.experts-1)/of.experts
	}
	b.compute(w.optimizer(n.dense + n.experts))
	return b
}
