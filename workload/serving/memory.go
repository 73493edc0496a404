package serving

import (
	"fabricast/internal/units"
	"fabricast/workload/transformer"
)

// usable returns the memory of a GPU for parameters and the cache of keys and values.
func (j *Job) usable() units.Bytes {
	return units.Bytes(units.MulDiv(int64(j.Accelerator.Memory), int64(j.Batching.Memory), 100))
}

// Weights returns the bytes of the parameters on a GPU.
func (j *Job) Weights() units.Bytes {
	m := &j.Model
	matrices := int64(1)
	if m.Embeddings == transformer.Untied {
		matrices = 2
	}
	n := matrices * m.EmbeddingParameters() / int64(j.Tensor)
	for layer := range m.Layers {
		dense, experts := m.ParametersOnGPU(layer, j.Tensor, j.Expert)
		n += dense + experts
	}
	return units.Bytes(transformer.ParameterBytes * n)
}

// cacheBytes returns the bytes of a token's keys and values on a GPU.
func (j *Job) cacheBytes() int64 { return int64(j.Model.Layers) * j.Model.CacheBytes(j.Tensor) }

// block is the number of tokens by which memory for keys and values is given, as in vLLM (Kwon et
// al., SOSP 2023).
const block = 16

// blocks returns the number of tokens of the blocks that n tokens need.
func blocks(n int64) int64 { return (n + block - 1) / block * block }

// Capacity returns the number of tokens whose keys and values a tensor group can keep.
func (j *Job) Capacity() int64 {
	return int64(j.usable()-j.Weights()) / j.cacheBytes() / block * block
}
