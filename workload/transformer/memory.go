package transformer

// Recompute is which activations are computed again in the backward pass.
type Recompute string

const (
	RecomputeNone      Recompute = "none"
	RecomputeSelective Recompute = "selective" // those of the attention's core
	RecomputeFull      Recompute = "full"      // all but the inputs of layers
)

// Bytes of a parameter in training with mixed precision: a parameter of two bytes, a gradient in
// single precision, and the optimizer's copy of the parameter and its two moments.
const (
	ParameterBytes = 2
	GradientBytes  = 4
	OptimizerBytes = 12
)

// StateBytes returns the bytes that n parameters take on a GPU: parameters, gradients and the
// optimizer's state. zero is the stage of ZeRO (Rajbhandari et al., SC 2020): from 1 on the
// optimizer's state is divided among shards GPUs, from 2 on also gradients, at 3 also parameters.
func StateBytes(n int64, zero int, shards int64) int64 {
	bytes := int64(0)
	for from, each := range []int64{ParameterBytes, GradientBytes, OptimizerBytes} {
		if zero >= 3-from {
			bytes += (n*each + shards - 1) / shards
		} else {
			bytes += n * each
		}
	}
	return bytes
}

// ActivationBytes returns the bytes of the activations that a GPU keeps of one layer for the
// backward pass of one microbatch (Korthikanti et al. 2023, table 2). tokens is the microbatch's
// number of tokens on the GPU before it is divided among the tensor ranks; sequence says whether
// these also divide what lies between their matrix products. With Flash attention the scores are
// never kept. The activations of experts are those of an FFN, times the experts of a token.
func (m *Model) ActivationBytes(layer int, tokens, tensor int64, sequence bool, r Recompute) int64 {
	h := int64(m.Hidden)
	outer := tensor // of what is divided only with sequence parallelism
	if !sequence {
		outer = 1
	}
	if r == RecomputeFull {
		return 2 * tokens * h / outer
	}
	// an FFN of inner size f keeps 2sbh of input, 4sbf before and after the activation (two more for
	// SwiGLU); for f = 4h this is the 19sbh of the paper, with a mask of one byte
	inner, each := int64(m.FFN), int64(1)
	if m.HasExperts(layer) {
		inner, each = int64(m.ExpertFFN), int64(m.TopK+m.Shared)
	}
	// 10: inputs of two norms, of both products, and two masks of dropout; 8: queries, keys, values
	// and the attention's output
	kv := 2 * int64(m.KVHeads)
	heads := int64(m.Heads)
	attention := 2 * tokens * int64(m.HeadSize) * (2*heads + kv)
	bytes := 10*tokens*h/outer + attention/tensor + 2*m.Matrices()*tokens*inner*each/tensor
	if r == RecomputeNone && m.Attention == Unfused {
		bytes += 5 * heads * tokens * int64(m.Sequence) / tensor
	}
	return bytes
}

// ParametersOnGPU returns the parameters of a layer on one of the GPUs that divide it: tensor ranks
// divide each matrix, and expert groups of them the experts, which are counted apart.
func (m *Model) ParametersOnGPU(layer, tensor, expert int) (dense, experts int64) {
	t := int64(tensor)
	p := m.Projections()
	dense = elements(p.Shared) // all tensor ranks have them
	for _, list := range [][][2]int64{p.Inner, p.Outer} {
		for _, x := range list {
			dense += x[0] * x[1] / t
		}
	}
	dense += (m.DenseParameters(layer) + t - 1) / t
	if m.HasExperts(layer) {
		experts = int64(m.Experts/expert) * m.ExpertParameters() / t
	}
	return dense, experts
}

// CacheBytes returns the bytes that a token takes in the cache of one layer's keys and values, on one
// of the tensor ranks that divide the heads. With latent attention all of them keep the same vector.
func (m *Model) CacheBytes(tensor int) int64 {
	if m.Latent() {
		return ParameterBytes * int64(m.KVRank+m.Rope)
	}
	return ParameterBytes * 2 * int64(m.KVHeads/tensor) * int64(m.HeadSize)
}
