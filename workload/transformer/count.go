package transformer

// HasExperts reports whether layer i, counted from 0, has experts.
func (m *Model) HasExperts(i int) bool { return m.Experts > 0 && i >= m.Dense }

// Latent reports whether the model has multi-head latent attention.
func (m *Model) Latent() bool { return m.KVRank > 0 }

// keySize is the size of a head of queries and keys; that of values is HeadSize.
func (m *Model) keySize() int64 { return int64(m.HeadSize + m.Rope) }

// Projections are the sizes of the matrices of attention, each as its inputs and its outputs.
// Those of Shared do not depend on the head and are the same on all GPUs of a tensor group.
type Projections struct{ Shared, Inner, Outer [][2]int64 }

// Projections returns the matrices of one layer's attention: those into heads, and that back.
func (m *Model) Projections() (p Projections) {
	h, a, k, d := int64(m.Hidden), int64(m.Heads), int64(m.KVHeads), int64(m.HeadSize)
	p.Outer = [][2]int64{{a * d, h}}
	if !m.Latent() {
		p.Inner = [][2]int64{{h, a*d + 2*k*d}}
		return p
	}
	r, down := int64(m.KVRank), int64(m.KVRank+m.Rope)
	query := [2]int64{h, a * m.keySize()}
	if q := int64(m.QueryRank); q > 0 {
		down, query[0] = down+q, q
	}
	p.Shared, p.Inner = [][2]int64{{h, down}}, [][2]int64{query, {r, 2 * a * d}}
	return p
}

// elements returns the number of elements of matrices.
func elements(matrices [][2]int64) (n int64) {
	for _, x := range matrices {
		n += x[0] * x[1]
	}
	return n
}

// AttentionParameters returns the number of parameters of one layer's attention.
func (m *Model) AttentionParameters() int64 {
	p := m.Projections()
	return elements(p.Shared) + elements(p.Inner) + elements(p.Outer)
}

// Matrices is the number of matrices of an FFN.
func (m *Model) Matrices() int64 {
	if m.Activation == SwiGLU {
		return 3
	}
	return 2
}

// ExpertParameters returns the number of parameters of one expert.
func (m *Model) ExpertParameters() int64 { return m.Matrices() * int64(m.Hidden) * int64(m.ExpertFFN) }

// DenseParameters returns the number of parameters of a layer's FFN, or of the parts of a layer
// with experts that all tokens pass: the router and the shared experts.
func (m *Model) DenseParameters(layer int) int64 {
	if m.HasExperts(layer) {
		return int64(m.Hidden)*int64(m.Experts) + int64(m.Shared)*m.ExpertParameters()
	}
	return m.Matrices() * int64(m.Hidden) * int64(m.FFN)
}

// LayerParameters returns the number of parameters of a layer.
func (m *Model) LayerParameters(layer int) int64 {
	n := m.AttentionParameters() + m.DenseParameters(layer)
	if m.HasExperts(layer) {
		n += int64(m.Experts) * m.ExpertParameters()
	}
	return n
}

// EmbeddingParameters returns the number of parameters of one embedding matrix.
func (m *Model) EmbeddingParameters() int64 { return int64(m.Vocabulary) * int64(m.Hidden) }

// Parameters returns the number of parameters of the model.
func (m *Model) Parameters() int64 {
	n := m.EmbeddingParameters()
	if m.Embeddings == Untied {
		n *= 2
	}
	for i := range m.Layers {
		n += m.LayerParameters(i)
	}
	return n
}

// Active returns the number of parameters that a token passes, without the input embedding.
func (m *Model) Active() int64 {
	n := m.EmbeddingParameters()
	for i := range m.Layers {
		n += m.AttentionParameters() + m.DenseParameters(i)
		if m.HasExperts(i) {
			n += int64(m.TopK) * m.ExpertParameters()
		}
	}
	return n
}

// ScoreOperations returns the operations of attention scores and of their product with the values,
// in a forward pass of one layer over one sequence. Masked scores count too, as usual for the
// utilization of GPUs.
func (m *Model) ScoreOperations() int64 {
	s := int64(m.Sequence)
	return 2 * s * s * int64(m.Heads) * (m.keySize() + int64(m.HeadSize))
}

// ForwardOperations returns the operations of all matrix products in a forward pass over one
// sequence. A backward pass has twice as many.
func (m *Model) ForwardOperations() int64 {
	return 2*int64(m.Sequence)*m.Active() + int64(m.Layers)*m.ScoreOperations()
}

// StepOperations is the number of operations of a step over the given number of sequences: forward
// and backward, without recomputation. It is the numerator of the model flops utilization.
func (m *Model) StepOperations(sequences int) float64 {
	return 3 * float64(m.ForwardOperations()) * float64(sequences)
}
