package transformer

import "strings"

// presets holds published models, each with its source.
var presets = []Model{
	// for first tries and tests: no published model
	{Preset: "tiny", Layers: 4, Hidden: 16, Heads: 4, Vocabulary: 32, Sequence: 8},
	// Korthikanti et al. 2023, table 3; the vocabulary is that of GPT-2, padded
	{Preset: "megatron-22b", Layers: 48, Hidden: 6144, Heads: 64, Vocabulary: 51200, Sequence: 2048},
	{Preset: "gpt3-175b", Layers: 96, Hidden: 12288, Heads: 96, Vocabulary: 51200, Sequence: 2048},
	{Preset: "megatron-530b", Layers: 105, Hidden: 20480, Heads: 128, Vocabulary: 51200, Sequence: 2048},
	{Preset: "megatron-1t", Layers: 128, Hidden: 25600, Heads: 160, Vocabulary: 51200, Sequence: 2048},
	// Llama team, "The Llama 3 Herd of Models", arXiv 2407.21783, table 3
	{
		Preset: "llama3-8b", Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, FFN: 14336, Activation: SwiGLU,
		Attention: Flash, Vocabulary: 128256, Sequence: 8192, Embeddings: Untied,
	},
	{
		Preset: "llama3-70b", Layers: 80, Hidden: 8192, Heads: 64, KVHeads: 8, FFN: 28672, Activation: SwiGLU,
		Attention: Flash, Vocabulary: 128256, Sequence: 8192, Embeddings: Untied,
	},
	{
		Preset: "llama3-405b", Layers: 126, Hidden: 16384, Heads: 128, KVHeads: 8, FFN: 53248, Activation: SwiGLU,
		Attention: Flash, Vocabulary: 128256, Sequence: 8192, Embeddings: Untied,
	},
	// Jiang et al., "Mixtral of Experts", arXiv 2401.04088, table 1
	{
		Preset: "mixtral-8x7b", Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadSize: 128, FFN: 14336,
		Activation: SwiGLU, Attention: Flash, Vocabulary: 32000, Sequence: 4096, Embeddings: Untied,
		Experts: 8, TopK: 2,
	},
	// DeepSeek-AI, "DeepSeek-V3 Technical Report", arXiv 2412.19437, section 4.2
	{
		Preset: "deepseek-v3", Layers: 61, Hidden: 7168, Heads: 128, HeadSize: 128, FFN: 18432,
		Activation: SwiGLU, Attention: Flash, Vocabulary: 129280, Sequence: 4096, Embeddings: Untied,
		Experts: 256, TopK: 8, Shared: 1, ExpertFFN: 2048, Dense: 3, QueryRank: 1536, KVRank: 512, Rope: 64,
	},
}

// Preset returns the model of the given name.
func Preset(name string) (m Model, found bool) {
	for _, p := range presets {
		if p.Preset == name {
			return p, true
		}
	}
	return Model{}, false
}

// Presets lists the names of all presets.
func Presets() (names []string) {
	for i := range presets {
		names = append(names, presets[i].Preset)
	}
	return names
}

func presetList() string { return strings.Join(Presets(), ", ") }
