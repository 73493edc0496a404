package training

// dual makes the passes of a stage by DualPipe.
type dual struct {
	list            []visit
	ahead, back     [2]int  // next microbatch of a chunk
	open            []visit // passes whose gradients of weights are postponed
	stage, opposite int     // distance from the nearer end of the pipeline, and from the middle
}

// dualPipe returns the passes of a stage by DualPipe (DeepSeek-AI, DeepSeek-V3 Technical Report,
// arXiv 2412.19437, section 3.2.1 and figure 5; order of passes: github.com/deepseek-ai/DualPipe).
// Microbatches enter the pipeline at both ends. A stage has two chunks: chunk 0 is that in which
// microbatches have come fewer stages when they reach it. Most forward passes of one chunk proceed
// together with a backward pass of the other one. There are at least twice as many microbatches as
// stages, and both numbers are even.
func dualPipe(stage, stages, microbatches int) []visit {
	d := &dual{stage: min(stage, stages-1-stage)}
	d.opposite = stages/2 - 1 - d.stage
	for range 2 * d.opposite {
		d.forward(0)
	}
	for range d.stage + 1 {
		d.forward(0)
		d.forward(1)
	}
	for range d.opposite {
		d.inputs(1)
		d.weights()
		d.forward(1)
	}
	for i := range microbatches/2 - stages + d.stage + 1 {
		if i == 0 && d.opposite == 0 { // together they would delay both halves of the pipeline
			d.forward(0)
			d.backward(1)
		} else {
			d.pair(0)
		}
		d.pair(1)
	}
	for range d.opposite {
		d.backward(1)
		d.pair(1)
	}
	d.end()
	return d.list
}

// end adds the last passes, after all forward passes.
func (d *dual) end() {
	half := (d.stage + 1) / 2
	for i := range d.stage + 1 {
		if i > half || i == half && d.stage%2 == 1 {
			d.inputs(1)
		} else {
			d.backward(1)
		}
		if i >= half {
			d.inputs(0)
		} else {
			d.backward(0)
		}
	}
	for range d.opposite {
		d.weights()
		d.inputs(0)
	}
	for len(d.open) > 0 {
		d.weights()
	}
}

// add adds the next pass of a chunk, by its counter.
func (d *dual) add(chunk int, in direction, next *[2]int) {
	d.list = append(d.list, visit{chunk: chunk, microbatch: next[chunk], direction: in})
	next[chunk]++
}

func (d *dual) forward(chunk int)  { d.add(chunk, forward, &d.ahead) }
func (d *dual) backward(chunk int) { d.add(chunk, backward, &d.back) }

// pair adds a forward pass of a chunk together with a backward pass of the other one.
func (d *dual) pair(chunk int) {
	d.forward(chunk)
	d.list[len(d.list)-1].paired = true
	d.backward(1 - chunk)
}

// inputs adds a backward pass whose gradients of weights are computed later.
func (d *dual) inputs(chunk int) {
	d.add(chunk, inputs, &d.back)
	d.open = append(d.open, d.list[len(d.list)-1])
}

// weights adds the gradients of weights that have been postponed for the longest time.
func (d *dual) weights() {
	v := d.open[0]
	d.open = d.open[1:]
	v.direction = weights
	d.list = append(d.list, v)
}
