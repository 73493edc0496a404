package training

// visit is a pass of a stage through one of its chunks of layers.
type visit struct {
	chunk, microbatch int
	direction         direction
	paired            bool // a forward pass that proceeds together with the backward pass after it
}

// visits returns the passes of a stage of a job in their order.
func (j *Job) visits(stage int) []visit {
	p := &j.Parallel
	switch j.Schedule {
	case ZeroBubble:
		return zeroBubble(stage, p.Pipeline, j.Microbatches())
	case DualPipe:
		return dualPipe(stage, p.Pipeline, j.Microbatches())
	}
	return visits(stage, p.Pipeline, p.Virtual, j.Microbatches())
}

// visits returns the passes of a stage in their order: one forward, one backward (PipeDream-Flush;
// Narayanan et al., SC 2021, figure 4), or interleaved over chunks, in which case the number of
// microbatches is a multiple of that of stages.
func visits(stage, stages, chunks, microbatches int) []visit {
	all := chunks * microbatches
	warm := min(all, stages-1-stage)
	if chunks > 1 {
		warm = min(all, 2*(stages-1-stage)+(chunks-1)*stages)
	}
	// k-th pass in one direction: groups of as many microbatches as stages pass chunk after chunk
	at := func(k int, d direction) visit {
		if chunks == 1 {
			return visit{microbatch: k, direction: d}
		}
		round := stages * chunks
		chunk := k % round / stages
		if d == backward {
			chunk = chunks - 1 - chunk
		}
		return visit{chunk: chunk, microbatch: k/round*stages + k%stages, direction: d}
	}
	list := make([]visit, 0, 2*all)
	for k := range all + warm {
		if k < all {
			list = append(list, at(k, forward))
		}
		if k >= warm {
			list = append(list, at(k-warm, backward))
		}
	}
	return list
}

// zeroBubble returns the passes of a stage by ZB-H1 (Qi et al., Zero Bubble Pipeline Parallelism,
// ICLR 2024, figure 3): one forward, one backward, but each stage postpones the gradients of weights
// by as many microbatches as it has stages before it. So the next stage back can go on sooner, and
// all stages keep the activations of as many microbatches as there are stages.
func zeroBubble(stage, stages, microbatches int) []visit {
	warm := min(microbatches, stages-1-stage)
	list := make([]visit, 0, 3*microbatches)
	add := func(k int, d direction) {
		if k >= 0 && k < microbatches {
			list = append(list, visit{microbatch: k, direction: d})
		}
	}
	for k := range microbatches + warm {
		add(k, forward)
		add(k-warm, inputs)
		add(k-warm-stage, weights)
	}
	for k := max(0, microbatches-stage); k < microbatches; k++ {
		add(k, weights)
	}
	return list
}

// held returns the largest number of chunks whose activations a stage keeps at once.
func held(list []visit) (most int) {
	now := 0
	for _, v := range list {
		switch {
		case v.direction == forward:
			now++
		case v.direction.givesWeights():
			now--
		}
		most = max(most, now)
	}
	return most
}

// layersOf returns the first layer of each chunk of the pipeline in the order of the layers, and
// their end. Layers left over by the division go to chunks from the second one on, and to the first
// one last, because the first and the last chunk also have an embedding.
func layersOf(layers, chunks int) []int {
	first := make([]int, chunks+1)
	for i := range chunks {
		n := layers / chunks
		if turn := (i + chunks - 1) % chunks; turn < layers%chunks {
			n++
		}
		first[i+1] = first[i] + n
	}
	return first
}
