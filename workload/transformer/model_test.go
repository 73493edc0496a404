package transformer

import (
	"math"
	"testing"
)

func preset(t *testing.T, name string) Model {
	t.Helper()
	p, found := Preset(name)
	if !found {
		t.Fatalf("no preset %s", name)
	}
	m, problems := p.Resolved()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return m
}

func within(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if math.Abs(got/want-1) > share {
		t.Errorf("%s: %g, published %g", what, got, want)
	}
}

// The names of models state their numbers of parameters; the active ones are published.
func TestParameters(t *testing.T) {
	for name, want := range map[string]float64{
		"megatron-22b": 22e9, "gpt3-175b": 175e9, "megatron-530b": 530e9, "megatron-1t": 1008e9,
		"llama3-8b": 8.03e9, "llama3-70b": 70.6e9, "llama3-405b": 405.9e9,
		"mixtral-8x7b": 46.7e9, "deepseek-v3": 671e9,
	} {
		m := preset(t, name)
		within(t, name, float64(m.Parameters()), want, 0.01)
	}
	mixtral, deepseek := preset(t, "mixtral-8x7b"), preset(t, "deepseek-v3")
	within(t, "active of mixtral", float64(mixtral.Active()), 12.9e9, 0.02)
	within(t, "active of deepseek", float64(deepseek.Active()), 37e9, 0.02)
}

// Narayanan et al. 2021, equation 3 without recomputation: 72 B s L h^2 (1 + s/6h + V/12Lh), where
// the term of the logits has no recomputation.
func TestOperations(t *testing.T) {
	for _, name := range []string{"megatron-22b", "gpt3-175b", "megatron-530b", "megatron-1t"} {
		m := preset(t, name)
		s, l, h, v := float64(m.Sequence), float64(m.Layers), float64(m.Hidden), float64(m.Vocabulary)
		want := 72 * 64 * s * l * h * h * (1 + s/(6*h) + v/(12*l*h))
		within(t, name, m.StepOperations(64), want, 1e-9)
	}
}

// Figure 1 of Korthikanti et al. 2023, in GiB: parameters and optimizer of the layers, activations
// without recomputation, and with sequence parallelism and selective recomputation. The figures are
// those of the first pipeline stage.
func TestSelene(t *testing.T) {
	for _, row := range []struct {
		model                       string
		batch, pipeline, virtual    int64
		state, activations, reduced float64
	}{
		{"megatron-22b", 4, 1, 1, 45.5625, 59.25, 9.5625},
		{"gpt3-175b", 1, 8, 3, 45.5625, 66.84375, 12.3515625},
		{"megatron-530b", 1, 35, 3, 31.640625, 114.0234375, 23.076171875},
		{"megatron-1t", 1, 64, 1, 32.958984375, 131.25, 26.5625},
	} {
		m := preset(t, row.model)
		const tensor, gib = 8, 1 << 30
		layers := int64(m.Layers)
		state := StateBytes(m.LayerParameters(0)*layers/tensor/row.pipeline, 0, 1)
		within(t, row.model+" state", float64(state)/gib, row.state, 0.05)
		held := float64(layers) // layers of microbatches that the first stage holds
		if row.virtual > 1 {
			held *= 1 + float64(row.pipeline-1)/float64(row.pipeline*row.virtual)
		}
		tokens := row.batch * int64(m.Sequence)
		none := m.ActivationBytes(0, tokens, tensor, false, RecomputeNone)
		within(t, row.model+" activations", float64(none)*held/gib, row.activations, 0.05)
		selective := m.ActivationBytes(0, tokens, tensor, true, RecomputeSelective)
		within(t, row.model+" with sequence parallelism", float64(selective)*held/gib, row.reduced, 0.05)
		if full := m.ActivationBytes(0, tokens, tensor, false, RecomputeFull); full != 2*tokens*int64(m.Hidden) {
			t.Errorf("%s: %d bytes of a layer's input", row.model, full)
		}
	}
}

// ZeRO divides the optimizer's state, then gradients, then parameters.
func TestStateBytes(t *testing.T) {
	for zero, want := range []int64{18000, 6000 + 1500, 2000 + 500 + 1500, 250 + 500 + 1500} {
		if got := StateBytes(1000, zero, 8); got != want {
			t.Errorf("ZeRO-%d: %d bytes, want %d", zero, got, want)
		}
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		model Model
		field string
	}{
		{Model{Preset: "gpt4"}, "preset"},
		{Model{Preset: "tiny", Heads: -1}, "heads"},
		{Model{Preset: "tiny", KVHeads: 5}, "kv_heads"},
		{Model{Preset: "tiny", Activation: "relu"}, "activation"},
		{Model{Preset: "tiny", TopK: 2}, "top_k"},
		{Model{Preset: "tiny", Experts: 2, TopK: 3}, "top_k"},
		{Model{Preset: "tiny", Rope: 3}, "rope"},
		{Model{}, "layers"},
		{Model{Preset: "llama3-405b", Hidden: 1 << 20, Sequence: 1 << 22}, "layers"},
	} {
		_, problems := c.model.Resolved()
		if len(problems) == 0 || problems[0].Field != c.field {
			t.Errorf("%+v: %+v, expected a problem of %s", c.model, problems, c.field)
		}
	}
	for _, name := range Presets() {
		m := preset(t, name)
		if again, problems := m.Resolved(); again != m || len(problems) > 0 {
			t.Errorf("%s: %+v resolves to %+v, %v", name, m, again, problems)
		}
	}
}
