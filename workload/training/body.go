package training

import "fabricast/workload/calls"

// Dimension is what a communication is for.
type Dimension uint8

const (
	Tensor Dimension = iota
	Context
	Expert
	Pipeline
	Data
	Embedding
	dimensions
)

// Dimensions lists the names of all dimensions, by Dimension.
func Dimensions() []string {
	return []string{"tensor", "context", "expert", "pipeline", "data", "embedding"}
}

// action is what an op does.
type action uint8

const (
	compute       action = iota // for n ps
	communicate                 // a collective
	exchange                    // starts to send n bytes to the next context rank, and to receive as many
	awaitExchange               // waits for all of these
	signal                      // lets the second stream pass an expect
	expect                      // in the second stream: waits for a signal
	mark                        // in the second stream: lets the first one pass an await
	await                       // waits for a mark
	begin                       // a collective of a lane, which proceeds beside what follows
	finish                      // waits for the collective of a lane
)

// op is an operation of a stream.
type op struct {
	action    action
	dimension Dimension
	call      call
	family    family
	lane      uint8 // of begin and finish
	placed    bool  // n is a number of amounts.places
	n         int64 // ps, or bytes: of all ranks' data together, or for an allreduce of each
}

// call is the collective of an op.
type call = calls.Call

const (
	allreduce     = calls.Allreduce
	allgather     = calls.Allgather
	reduceScatter = calls.ReduceScatter
	alltoall      = calls.Alltoall
)

// Steps of a route, whose number is in n.
const (
	dispatch = calls.Others + iota
	dispatchWithin
	combineWithin
	combine
)

// body is the operations of a pass.
type body []op

func (b *body) compute(t int64) {
	switch last := len(*b) - 1; {
	case t == 0:
	case last >= 0 && (*b)[last].action == compute && !(*b)[last].placed:
		(*b)[last].n += t
	default:
		*b = append(*b, op{action: compute, n: t})
	}
}

func (b *body) do(a action, d Dimension) { *b = append(*b, op{action: a, dimension: d}) }

// builder makes the bodies of one stage.
type builder struct {
	*worker
	sizes [families]int // ranks of a group of each family
	stage int
	first []int // by chunk of the pipeline: its first layer
	known map[int]*route
	amounts
}

// newBuilder returns the builder of a stage.
func (j *Job) newBuilder(stage int) *builder {
	return &builder{
		worker: newWorker(j), sizes: j.layout().sizes(), stage: stage, first: j.layersOf(), known: map[int]*route{},
	}
}

// communicate adds a collective, unless there is nobody else.
func (w *builder) communicate(b *body, d Dimension, c call, f family, bytes int64) {
	if w.sizes[f] > 1 && bytes > 0 {
		*b = append(*b, op{action: communicate, dimension: d, call: c, family: f, n: bytes})
	}
}

// enter gathers what the tensor ranks have divided, before a matrix product. leave adds what they
// have computed, after one: in a forward pass always, in a backward pass at the place of enter.
// copies is the number of times that a token passes.
func (w *builder) enter(b *body, copies int64) {
	if w.job.Parallel.Sequence {
		w.communicate(b, Tensor, allgather, tensorGroup, copies*w.activation())
	}
}

func (w *builder) leave(b *body, copies int64) {
	c := allreduce
	if w.job.Parallel.Sequence {
		c = reduceScatter
	}
	w.communicate(b, Tensor, c, tensorGroup, copies*w.activation())
}

// activation returns the bytes of a microbatch's activations between layers.
func (w *builder) activation() int64 { return w.tokens * int64(w.job.Model.Hidden) * element }

// core adds the attention's core: keys and values of the other context ranks arrive on a ring while
// those at hand are used (Liu et al., Ring Attention, arXiv 2310.01889). The backward pass also
// returns their gradients.
func (w *builder) core(b *body, t int64, d direction) {
	m, c := &w.job.Model, int64(w.job.Parallel.Context)
	bytes := choose(d, 1, 2) * 2 * w.tokens * int64(m.KVHeads) * int64(m.HeadSize) * element / w.tensor
	if m.Latent() {
		bytes = choose(d, 1, 2) * w.tokens * int64(m.KVRank+m.Rope) * element
	}
	for i := range c {
		if i+1 < c {
			*b = append(*b, op{action: exchange, dimension: Context, n: bytes})
		}
		b.compute(t*(i+1)/c - t*i/c)
		if i+1 < c {
			b.do(awaitExchange, Context)
		}
	}
}

// forward adds a layer's forward pass, also as part of a backward pass that repeats it.
func (w *builder) forward(b *body, layer int, l *layerTimes) {
	b.compute(l.norm)
	w.enter(b, 1)
	b.compute(l.project)
	w.core(b, l.core, forward)
	b.compute(l.output)
	w.leave(b, 1)
	b.compute(l.residual + l.norm)
	w.experts(b, layer, l, forward)
	b.compute(l.residual)
}

// backward adds a layer's backward pass.
func (w *builder) backward(b *body, layer int, l *layerTimes) {
	b.compute(l.residual)
	w.experts(b, layer, l, backward)
	b.compute(l.norm + l.residual)
	w.enter(b, 1)
	b.compute(l.output)
	w.core(b, l.core, backward)
	b.compute(l.project)
	w.leave(b, 1)
	b.compute(l.norm)
}

// experts adds the FFN of a layer. With experts, tokens are sent to theirs and back.
func (w *builder) experts(b *body, layer int, l *layerTimes, d direction) {
	m := &w.job.Model
	if !m.HasExperts(layer) {
		w.enter(b, 1)
		b.compute(l.ffn)
		w.leave(b, 1)
		return
	}
	copies := int64(m.TopK)
	sent := copies * w.activation()
	if w.job.Parallel.Sequence {
		sent /= w.tensor
	}
	if d == forward {
		b.compute(l.route)
	}
	if m.Shared > 0 {
		w.enter(b, 1)
		b.compute(l.shared)
		w.leave(b, 1)
	}
	if w.job.balanced() {
		w.communicate(b, Expert, alltoall, expertGroup, sent)
		w.enter(b, copies)
		b.compute(l.ffn)
		w.leave(b, copies)
		w.communicate(b, Expert, alltoall, expertGroup, sent)
	} else {
		w.routed(b, layer, l.ffn, d)
	}
	if d == backward {
		b.compute(l.route)
	}
}

// gathered adds the collective by which a tensor group gets whole what a stage has sent in parts.
func (w *builder) gathered(b *body) {
	if !w.job.Parallel.Sequence {
		w.communicate(b, Tensor, allgather, tensorGroup, w.activation())
	}
}

// at returns the place of a chunk of the stage in the pipeline.
func (w *builder) at(chunk int) int { return w.job.at(w.stage, chunk) }

// isFirst and isLast report whether a chunk has an embedding.
func (w *builder) isFirst(chunk int) bool { return w.at(chunk) == 0 }
func (w *builder) isLast(chunk int) bool  { return w.at(chunk) == len(w.first)-2 }

// hooks are called in a pass before and after the work of each layer and embedding; nil: nothing.
type hooks struct{ before, after func(b *body, unit int) }

func (h hooks) call(f func(b *body, unit int), b *body, unit int) {
	if f != nil {
		f(b, unit)
	}
}

// Units of parameters beside layers.
const (
	inputUnit  = -1
	outputUnit = -2
)

// pass returns the operations of a pass through a chunk.
func (w *builder) pass(chunk int, d direction, h hooks) (b body) {
	units := w.units(chunk)
	at := func(i int) int { return i }
	if d != forward {
		at = func(i int) int { return len(units) - 1 - i }
	}
	if d == forward && !w.isFirst(chunk) || d.passesBack() && !w.isLast(chunk) {
		w.gathered(&b)
	}
	for i := range units {
		unit := units[at(i)]
		h.call(h.before, &b, unit)
		w.unit(&b, unit, d)
		h.call(h.after, &b, unit)
	}
	return b
}

// units lists the layers of a chunk, and its embeddings, in the order of the forward pass.
func (w *builder) units(chunk int) (list []int) {
	if w.isFirst(chunk) {
		list = append(list, inputUnit)
	}
	for layer := w.first[w.at(chunk)]; layer < w.first[w.at(chunk)+1]; layer++ {
		list = append(list, layer)
	}
	if w.isLast(chunk) {
		list = append(list, outputUnit)
	}
	return list
}

// unit adds the work of a layer or an embedding.
func (w *builder) unit(b *body, unit int, d direction) {
	switch {
	case d == weights:
		w.weights(b, unit)
	case unit == inputUnit && d == forward:
		b.compute(w.embedding(d))
		w.leave(b, 1)
	case unit == inputUnit:
		w.enter(b, 1)
		b.compute(w.embedding(d))
	case unit == outputUnit && d == forward:
		w.enter(b, 1)
		b.compute(w.head(d))
		// the loss needs the maximum and the sum over all columns, and the logit of the target
		const numbers, single = 3, 4
		w.communicate(b, Tensor, allreduce, tensorGroup, numbers*single*w.tokens)
	case unit == outputUnit:
		b.compute(w.head(d))
		w.leave(b, 1)
	default:
		l, again := w.times(unit, d)
		if d == forward {
			w.forward(b, unit, &l)
			return
		}
		if again.sum() > again.core {
			w.forward(b, unit, &again)
		} else {
			b.compute(again.core)
		}
		w.backward(b, unit, &l)
	}
}

// weights adds the gradients of a unit's weights.
func (w *builder) weights(b *body, unit int) {
	switch unit {
	case inputUnit:
		b.compute(w.embedding(weights))
	case outputUnit:
		b.compute(w.head(weights))
	default:
		l, _ := w.times(unit, weights)
		if w.job.Model.HasExperts(unit) && !w.job.balanced() {
			w.routed(b, unit, l.ffn, weights)
			l.ffn = 0
		}
		b.compute(l.sum())
	}
}
