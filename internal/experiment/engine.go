package experiment

import "strconv"

// Engine selects how the experiment is simulated, which changes nothing that is predicted
// (docs/optimistic.md).
type Engine struct {
	Mode string `yaml:"mode,omitempty"` // EngineConservative (the default) or another
	// Batch is how many windows a part executes at most before it hears of others.
	Batch int `yaml:"batch,omitempty"`
	// GVTInterval is after how many such batches saved states are given up that lie before the
	// global virtual time.
	GVTInterval int `yaml:"gvt_interval,omitempty"`
	// KP is the number of parts (kernel processes) of each process that are undone one by one; 0: one
	// for each worker.
	KP int `yaml:"kp,omitempty"`
}

// Values of Engine.Mode.
const (
	EngineConservative    = "conservative"
	EngineOptimistic      = "optimistic"
	EngineOptimisticCheck = "optimistic-check"
)

// Defaults and limits of the optimistic modes.
const (
	defaultBatch       = 16
	defaultGVTInterval = 16
	maxBatch           = 1 << 20
	maxKP              = 64
)

// Optimistic reports whether parts of the network run ahead of one another.
func (x *Engine) Optimistic() bool {
	return x.Mode == EngineOptimistic || x.Mode == EngineOptimisticCheck
}

func (f filler) engine(x *Engine) {
	if !x.Optimistic() {
		return
	}
	give(f, "engine.batch", &x.Batch, defaultBatch)
	give(f, "engine.gvt_interval", &x.GVTInterval, defaultGVTInterval)
}

func (v *validator) engine() {
	x, p := &v.e.Engine, v.e.positions
	if x.Mode != "" {
		v.word("engine.mode", x.Mode)
	}
	for _, field := range []struct {
		name  string
		value int
		most  int
	}{
		{"engine.batch", x.Batch, maxBatch},
		{"engine.gvt_interval", x.GVTInterval, maxBatch},
		{"engine.kp", x.KP, maxKP},
	} {
		given := field.value != 0 || p.Has(field.name)
		switch {
		case !given || v.told("engine.mode"):
		case !x.Optimistic():
			v.problem(
				field.name, strconv.Itoa(field.value), "nothing",
				"it is for the optimistic modes of engine.mode",
			)
		default:
			v.between(field.name, field.value, 1, field.most)
		}
	}
}
