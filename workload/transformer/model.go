package transformer

import (
	"cmp"
	"fmt"
)

// Model describes a decoder-only transformer. Fields that are 0 or "" have the value of the preset,
// or else the default.
type Model struct {
	Preset string `yaml:"preset,omitempty" scalar:"true"`
	Layers int    `yaml:"layers,omitempty"`
	Hidden int    `yaml:"hidden,omitempty"`
	Heads  int    `yaml:"heads,omitempty"`
	// KVHeads is the number of heads of keys and values, which groups of query heads share (GQA).
	// Default: Heads.
	KVHeads  int `yaml:"kv_heads,omitempty"`
	HeadSize int `yaml:"head_size,omitempty"` // default: Hidden/Heads
	FFN      int `yaml:"ffn,omitempty"`       // inner size of a dense layer's FFN; default: 4 Hidden
	// Activation is GELU, for an FFN of two matrices, or SwiGLU, for one of three.
	Activation string `yaml:"activation,omitempty"`
	// Attention is Unfused, if the scores are kept in memory, or Flash.
	Attention  string `yaml:"attention,omitempty"`
	Vocabulary int    `yaml:"vocabulary,omitempty"`
	Sequence   int    `yaml:"sequence,omitempty"` // tokens of a sequence
	// Embeddings is Tied, if input and output have the same matrix, or Untied.
	Embeddings string `yaml:"embeddings,omitempty"`

	// Experts is the number of experts that share the work of an FFN; 0: all layers are dense. Each
	// token passes TopK of them, and Shared experts that all tokens pass.
	Experts   int `yaml:"experts,omitempty"`
	TopK      int `yaml:"top_k,omitempty"`
	Shared    int `yaml:"shared_experts,omitempty"`
	ExpertFFN int `yaml:"expert_ffn,omitempty"`   // inner size of an expert; default: FFN
	Dense     int `yaml:"dense_layers,omitempty"` // the first layers, which have no experts

	// QueryRank, KVRank and Rope are the ranks of the low-rank projections of multi-head latent
	// attention, and the size of the part of a head that carries the position (DeepSeek-V2); all 0
	// for other attention.
	QueryRank int `yaml:"query_rank,omitempty"`
	KVRank    int `yaml:"kv_rank,omitempty"`
	Rope      int `yaml:"rope,omitempty"`
}

// Values of Model.Activation, Model.Attention and Model.Embeddings.
const (
	GELU    = "gelu"
	SwiGLU  = "swiglu"
	Unfused = "unfused"
	Flash   = "flash"
	Tied    = "tied"
	Untied  = "untied"
)

// Problem is a wrong field of a model, or of how it is trained.
type Problem struct{ Field, Found, Expected string }

// Limits of fields, far above those of any model. They keep all products below 2^63.
const (
	mostLayers = 1 << 14
	mostSize   = 1 << 20 // hidden, FFN, vocabulary and heads
	mostTokens = 1 << 22 // of a sequence
)

// Resolved returns the model with the values of its preset and all defaults, and what is wrong.
func (m Model) Resolved() (Model, []Problem) {
	var problems []Problem
	if m.Preset != "" {
		preset, found := Preset(m.Preset)
		if !found {
			return m, []Problem{{"preset", m.Preset, "one of " + presetList()}}
		}
		m.fill(&preset)
	}
	m.KVHeads = cmp.Or(m.KVHeads, m.Heads)
	if m.Heads > 0 {
		m.HeadSize = cmp.Or(m.HeadSize, m.Hidden/m.Heads)
	}
	m.FFN = cmp.Or(m.FFN, 4*m.Hidden)
	m.Activation = cmp.Or(m.Activation, GELU)
	m.Attention = cmp.Or(m.Attention, Unfused)
	m.Embeddings = cmp.Or(m.Embeddings, Tied)
	if m.Experts > 0 {
		m.ExpertFFN = cmp.Or(m.ExpertFFN, m.FFN)
		m.TopK = cmp.Or(m.TopK, 1)
	}
	number := func(field string, n, least, most int) {
		if n < least || n > most {
			problems = append(problems, Problem{field, fmt.Sprint(n), fmt.Sprintf("a number from %d to %d", least, most)})
		}
	}
	word := func(field, found string, words ...string) {
		for _, w := range words {
			if w == found {
				return
			}
		}
		problems = append(problems, Problem{field, found, words[0] + " or " + words[1]})
	}
	number("layers", m.Layers, 1, mostLayers)
	number("hidden", m.Hidden, 1, mostSize)
	number("heads", m.Heads, 1, mostSize)
	number("kv_heads", m.KVHeads, min(1, m.Heads), max(1, m.Heads))
	number("head_size", m.HeadSize, 1, mostSize)
	number("ffn", m.FFN, 1, mostSize)
	number("vocabulary", m.Vocabulary, 1, mostSize)
	number("sequence", m.Sequence, 1, mostTokens)
	word("activation", m.Activation, GELU, SwiGLU)
	word("attention", m.Attention, Unfused, Flash)
	word("embeddings", m.Embeddings, Tied, Untied)
	number("experts", m.Experts, 0, mostLayers)
	number("top_k", m.TopK, min(1, m.Experts), m.Experts)
	number("shared_experts", m.Shared, 0, m.Experts)
	number("expert_ffn", m.ExpertFFN, min(1, m.Experts), mostSize*min(1, m.Experts))
	number("dense_layers", m.Dense, 0, m.Layers*min(1, m.Experts))
	number("query_rank", m.QueryRank, 0, mostSize*min(1, m.KVRank))
	number("kv_rank", m.KVRank, 0, mostSize)
	number("rope", m.Rope, 0, mostSize*min(1, m.KVRank))
	if n := m.scale(); len(problems) == 0 && n > MostOperations {
		problems = append(problems, Problem{
			"layers", fmt.Sprintf("about %.2g operations for a sequence", n), fmt.Sprintf("at most %.2g", float64(MostOperations)),
		})
	}
	return m, problems
}

// MostOperations is an upper bound of the operations of a forward pass of one microbatch. Below it
// no sum of this package exceeds 63 bits.
const MostOperations = 1 << 57

// scale estimates the operations of a forward pass over one sequence from above, also if they exceed
// 63 bits.
func (m *Model) scale() float64 {
	h, heads, s := float64(m.Hidden), float64(m.Heads)*float64(m.HeadSize+m.Rope), float64(m.Sequence)
	ranks := float64(m.QueryRank + m.KVRank + m.Rope)
	ffn := float64(m.FFN) + float64(m.Experts+m.Shared)*float64(m.ExpertFFN+1)
	layer := 4*h*heads + ranks*(h+2*heads) + 3*h*ffn
	return 2 * s * (float64(m.Layers)*(layer+2*s*heads) + 2*float64(m.Vocabulary)*h)
}

// fill gives the fields that are not given the values of another model.
func (m *Model) fill(from *Model) {
	for _, f := range [][2]*int{
		{&m.Layers, &from.Layers},
		{&m.Hidden, &from.Hidden},
		{&m.Heads, &from.Heads},
		{&m.KVHeads, &from.KVHeads},
		{&m.HeadSize, &from.HeadSize},
		{&m.FFN, &from.FFN},
		{&m.Vocabulary, &from.Vocabulary},
		{&m.Sequence, &from.Sequence},
		{&m.Experts, &from.Experts},
		{&m.TopK, &from.TopK},
		{&m.Shared, &from.Shared},
		{&m.ExpertFFN, &from.ExpertFFN},
		{&m.Dense, &from.Dense},
		{&m.QueryRank, &from.QueryRank},
		{&m.KVRank, &from.KVRank},
		{&m.Rope, &from.Rope},
	} {
		*f[0] = cmp.Or(*f[0], *f[1])
	}
	for _, f := range [][2]*string{
		{&m.Activation, &from.Activation}, {&m.Attention, &from.Attention}, {&m.Embeddings, &from.Embeddings},
	} {
		*f[0] = cmp.Or(*f[0], *f[1])
	}
}
