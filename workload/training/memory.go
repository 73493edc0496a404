package training

import (
	"fmt"

	"fabricast/internal/humanize"
	"fabricast/internal/units"
	"fabricast/workload/gpu"
	"fabricast/workload/transformer"
)

// Memory is what a GPU needs, in bytes.
type Memory struct {
	// Layers and Embeddings are parameters, gradients and the optimizer's state; Activations those
	// kept for backward passes.
	Layers, Embeddings, Activations units.Bytes
}

// Total returns the sum.
func (m *Memory) Total() units.Bytes { return m.Layers + m.Embeddings + m.Activations }

// parameters are the numbers of parameters that a GPU has of a layer. Those of experts are
// replicated by fewer GPUs.
type parameters struct{ dense, experts int64 }

// endsTogether reports whether the first and the last chunk of the pipeline are on the same GPU.
func (j *Job) endsTogether() bool { return j.Parallel.Pipeline == 1 || j.mirrored() }

// parametersOf returns the parameters of a layer on one GPU.
func (j *Job) parametersOf(layer int) (n parameters) {
	n.dense, n.experts = j.Model.ParametersOnGPU(layer, j.Parallel.Tensor, j.Parallel.Expert)
	return n
}

// replicas returns how many GPUs have the same dense parameters, and the same experts.
func (j *Job) replicas() parameters {
	n := int64(j.Parallel.Context) * int64(j.Parallel.Data)
	if j.mirrored() {
		n *= 2
	}
	return parameters{n, n / int64(j.Parallel.Expert)}
}

// Memory returns what a GPU of the given stage needs.
func (j *Job) Memory(stage int) (need Memory) {
	p, m, w := &j.Parallel, &j.Model, newWorker(j)
	of := j.replicas()
	state := func(n parameters) units.Bytes {
		return units.Bytes(transformer.StateBytes(n.dense, p.Zero, of.dense) +
			transformer.StateBytes(n.experts, p.Zero, of.experts))
	}
	first := j.layersOf()
	keeps := make([]units.Bytes, j.chunks()) // by chunk: activations of one microbatch
	matrices := int64(0)
	for chunk := range keeps {
		at := j.at(stage, chunk)
		if at == 0 {
			matrices++
		}
		if at == len(first)-2 && (m.Embeddings == transformer.Untied || !j.endsTogether()) {
			matrices++
		}
		for layer := first[at]; layer < first[at+1]; layer++ {
			need.Layers += state(j.parametersOf(layer))
			keeps[chunk] += units.Bytes(m.ActivationBytes(
				layer, w.tokens, w.tensor, p.Sequence, transformer.Recompute(j.Recompute)))
		}
	}
	need.Embeddings = state(parameters{dense: matrices * m.EmbeddingParameters() / w.tensor})
	now := units.Bytes(0)
	for _, v := range j.visits(stage) {
		if v.direction.givesWeights() {
			now -= keeps[v.chunk]
		}
		if v.direction != forward {
			continue
		}
		now += keeps[v.chunk]
		if need.Activations = max(need.Activations, now); now > gpu.MostMemory {
			break // it does not fit anyway, and must not exceed 63 bits
		}
	}
	return need
}

// memory checks that every stage fits into a GPU.
func (c *check) memory(j *Job) {
	in := humanize.Memory[units.Bytes]
	for stage := range j.Parallel.Pipeline {
		need := j.Memory(stage)
		if need.Total() <= j.Accelerator.Memory {
			continue
		}
		c.fail(
			"parallel",
			fmt.Sprintf("%s on a GPU of stage %d: %s of layers, %s of embeddings, %s of activations",
				in(need.Total()), stage, in(need.Layers), in(need.Embeddings), in(need.Activations)),
			fmt.Sprintf("at most the %s of %s", in(j.Accelerator.Memory), j.Accelerator.Preset),
		)
		return
	}
}
