package experiment

import "strconv"

// Engine selects how the experiment is simulated. It does not change the prediction
// (docs/long-runs.md).
type Engine struct {
	// Workers is the number of workers unless the caller of the run sets it; 0 means one per core.
	Workers int `yaml:"workers,omitempty"`
	// Processes is the number of processes that share the run; 0 means as many as were started.
	// Sweeps start them.
	Processes int    `yaml:"processes,omitempty"`
	Mode      string `yaml:"mode,omitempty"` // EngineConservative (the default), or an optimistic mode
	// Batch is the maximum number of windows that a part executes before it receives from others.
	Batch int `yaml:"batch,omitempty"`
	// GVTInterval is the number of batches after which saved states from before the global virtual
	// time are discarded.
	GVTInterval int `yaml:"gvt_interval,omitempty"`
	// Throttle says whether batches shrink where large ones cost more than they save:
	// ThrottleDynamic (the default) or ThrottleStatic.
	Throttle string `yaml:"throttle,omitempty"`
	// KP is the number of parts (kernel processes) of each process that are rolled back separately;
	// 0 means one per worker.
	KP int `yaml:"kp,omitempty"`
	// Balance says whether routers migrate between workers during the run: BalanceStatic (the
	// default) or BalanceDynamic.
	Balance string `yaml:"balance,omitempty"`
	// Sync selects which processes synchronize at the end of a window: SyncAuto (the default),
	// SyncAll or SyncNeighbours.
	Sync string `yaml:"sync,omitempty"`
	// Streams says whether packets of a message that follow one another at a constant interval are
	// simulated together: StreamsOn (the default) or StreamsOff.
	Streams string `yaml:"streams,omitempty"`
}

// Values of Engine.Mode.
const (
	EngineConservative    = "conservative"
	EngineOptimistic      = "optimistic"
	EngineOptimisticCheck = "optimistic-check"
)

// Values of Engine.Balance.
const (
	BalanceStatic  = "static"
	BalanceDynamic = "dynamic"
)

// Values of Engine.Throttle.
const (
	ThrottleDynamic = "dynamic"
	ThrottleStatic  = "static"
)

// Values of Engine.Sync.
const (
	SyncAuto       = "auto"
	SyncAll        = "all"
	SyncNeighbours = "neighbours"
)

// Values of Engine.Streams.
const (
	StreamsOn  = "on"
	StreamsOff = "off"
)

// Defaults and limits of the optimistic modes.
const (
	defaultBatch       = 16
	defaultGVTInterval = 16
	maxBatch           = 1 << 20
	maxKP              = 64
	maxWorkers         = 1024
	maxProcesses       = 4096
)

// Optimistic reports whether parts of the network may run ahead of one another and be rolled back.
func (x *Engine) Optimistic() bool {
	return x.Mode == EngineOptimistic || x.Mode == EngineOptimisticCheck
}

// Balances reports whether routers migrate between workers.
func (x *Engine) Balances() bool { return x.Balance == BalanceDynamic }

// onlyOptimistic explains in error messages why the conservative mode rejects a field.
const onlyOptimistic = "it is for the optimistic modes of engine.mode"

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
	switch {
	case x.Throttle == "":
	case !x.Optimistic() && !v.told("engine.mode"):
		v.problem("engine.throttle", x.Throttle, "nothing", onlyOptimistic)
	default:
		v.word("engine.throttle", x.Throttle)
	}
	if x.Balance != "" {
		v.word("engine.balance", x.Balance)
	}
	if x.Sync != "" {
		v.word("engine.sync", x.Sync)
	}
	if x.Streams != "" {
		v.word("engine.streams", x.Streams)
	}
	if x.Balances() && x.Optimistic() {
		v.problem(
			"engine.balance", x.Balance, BalanceStatic, "parts that are taken back keep their routers",
		)
	}
	if x.Workers != 0 || p.Has("engine.workers") {
		v.between("engine.workers", x.Workers, 1, maxWorkers)
	}
	if x.Processes != 0 || p.Has("engine.processes") {
		v.between("engine.processes", x.Processes, 1, maxProcesses)
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
			v.problem(field.name, strconv.Itoa(field.value), "nothing", onlyOptimistic)
		default:
			v.between(field.name, field.value, 1, field.most)
		}
	}
}
