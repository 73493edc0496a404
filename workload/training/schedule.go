package training

// visit is a forward or backward pass of a stage through one of its chunks of layers.
type visit struct {
	chunk, microbatch int
	direction         direction
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
			return visit{0, k, d}
		}
		round := stages * chunks
		chunk := k % round / stages
		if d == backward {
			chunk = chunks - 1 - chunk
		}
		return visit{chunk, k/round*stages + k%stages, d}
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

// held returns the largest number of chunks whose activations a stage keeps at once.
func held(list []visit) (most int) {
	now := 0
	for _, v := range list {
		if v.direction == backward {
			now--
			continue
		}
		now++
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
