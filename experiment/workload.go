package experiment

import (
	"reflect"

	"fabricast/internal/config"
	"fabricast/internal/units"
	"fabricast/workload"
	"fabricast/workload/gpu"
	"fabricast/workload/serving"
	"fabricast/workload/training"
	"fabricast/workload/transformer"
)

// Workload selects a built-in program and its parameters. `fabricast programs` and package workload
// list the parameters of each program and their defaults.
type Workload struct {
	Program string `yaml:"program,omitempty"`
	// Command is a program in C and its arguments, in place of Program and its parameters.
	Command   CommandLine `yaml:"command,omitempty"`
	Algorithm string      `yaml:"algorithm,omitempty"` // algorithm of the program's collective
	// Size is the size of a message. In a collective, it is the size per pair or per rank.
	Size units.Bytes `yaml:"size,omitempty"`
	// Empty is true if the file gives a size of 0. In Size itself, 0 means not given.
	Empty      bool  `yaml:"-"`
	Iterations int   `yaml:"iterations,omitempty"`
	Root       int   `yaml:"root,omitempty"`
	Pair       []int `yaml:"pair,flow,omitempty"` // the two ranks that pingpong uses
	// Grid is the number of ranks in each dimension of a halo exchange.
	Grid     []int      `yaml:"grid,flow,omitempty"`
	Compute  units.Time `yaml:"compute,omitempty"`  // computing time per rank and iteration
	Messages int        `yaml:"messages,omitempty"` // number of messages per rank
	// Window is the maximum number of messages in flight per rank.
	Window  int    `yaml:"window,omitempty"`
	File    string `yaml:"file,omitempty"`    // path of a recording (docs/formats/recording.md), of arrivals or of tokens of experts
	Barrier string `yaml:"barrier,omitempty"` // algorithm of a recording's barriers
	By      string `yaml:"by,omitempty"`      // primitive that sends messages: send or put
	Pacing  Pacing `yaml:"pacing,omitempty"`  // pacing of a collective's messages

	// The parameters of the program training (docs/training.md).
	Model       transformer.Model `yaml:"model,omitempty"`
	Parallel    training.Parallel `yaml:"parallel,omitempty"`
	Batch       int               `yaml:"batch,omitempty"`
	Microbatch  int               `yaml:"microbatch,omitempty"`
	Schedule    string            `yaml:"schedule,omitempty"`
	Recompute   string            `yaml:"recompute,omitempty"`
	Overlap     string            `yaml:"overlap,omitempty"`
	Accelerator gpu.Accelerator   `yaml:"accelerator,omitempty"`
	Times       training.Times    `yaml:"times,omitempty"`
	Routing     training.Routing  `yaml:"routing,omitempty"`

	// The other parameters of the program serving (docs/serving.md).
	Arrivals   serving.Arrivals   `yaml:"arrivals,omitempty"`
	Batching   serving.Batching   `yaml:"batching,omitempty"`
	Pools      serving.Pools      `yaml:"pools,omitempty"`
	Objectives serving.Objectives `yaml:"slo,omitempty"`

	// resolved caches what was read from files when the parameters were resolved.
	resolved workload.Params
}

// OwnProgram reports whether the ranks run the user's own program, about which nothing is known
// before it runs.
func (e *Experiment) OwnProgram() bool {
	return e.Program != nil || e.Launch != nil || e.Workload.Command != ""
}

// puts reports whether the built-in program of a resolved experiment sends its messages by put.
func (e *Experiment) puts() bool {
	program := workload.Find(e.Workload.Program)
	if program == nil {
		return false
	}
	params, _ := program.Resolve(e.Workload.Params(e.Seed), e.Ranks)
	return params.Answered()
}

// Params converts the parameters to the type of package workload.
func (w *Workload) Params(seed uint64) workload.Params {
	p := workload.Params{
		Algorithm: w.Algorithm, Size: int64(w.Size), Empty: w.Empty, Iterations: w.Iterations,
		Pair: w.Pair, Root: w.Root, Grid: w.Grid, Compute: int64(w.Compute),
		Messages: w.Messages, Window: w.Window, File: w.File, Barrier: w.Barrier, By: w.By, Seed: seed,
		Training: training.Job{
			Model: w.Model, Parallel: w.Parallel, Batch: w.Batch, Microbatch: w.Microbatch, Schedule: w.Schedule,
			Recompute: w.Recompute, Overlap: w.Overlap, Accelerator: w.Accelerator, Times: w.Times,
			Routing: w.Routing, Seed: seed,
		},
		Serving: serving.Job{
			Arrivals: w.Arrivals, Batching: w.Batching, Pools: w.Pools, Objectives: w.Objectives, Seed: seed,
		},
	}
	return p.Reusing(&w.resolved)
}

// take is the inverse of Params: it sets the fields from the parameters of package workload.
func (w *Workload) take(p workload.Params) {
	w.Algorithm, w.Size, w.Empty, w.Iterations = p.Algorithm, units.Bytes(p.Size), p.Empty, p.Iterations
	w.Pair, w.Root, w.Grid, w.Compute = p.Pair, p.Root, p.Grid, units.Time(p.Compute)
	w.Messages, w.Window, w.File, w.Barrier, w.By = p.Messages, p.Window, p.File, p.Barrier, p.By
	j := &p.Training
	w.Model, w.Parallel, w.Batch, w.Microbatch, w.Schedule = j.Model, j.Parallel, j.Batch, j.Microbatch, j.Schedule
	w.Recompute, w.Overlap, w.Accelerator, w.Times = j.Recompute, j.Overlap, j.Accelerator, j.Times
	w.Routing = j.Routing
	s := &p.Serving
	w.Arrivals, w.Batching, w.Pools, w.Objectives = s.Arrivals, s.Batching, s.Pools, s.Objectives
	w.resolved = p
}

// workload checks the program and its parameters, and fills in their defaults.
func (v *validator) workload() {
	w := &v.e.Workload
	if w.Command != "" {
		v.command()
		return
	}
	if v.e.OwnProgram() {
		switch only := (Workload{Pacing: w.Pacing}); {
		case w.Pacing.Given() && reflect.DeepEqual(*w, only):
			v.problem(
				"workload.pacing",
				"pacing of a program by name",
				"none: the experiment runs a program of its own",
				pacingOfPrograms,
			)
		case !reflect.ValueOf(*w).IsZero():
			v.problem("workload", "both a named program and a Go function", "one of them", "")
		}
		return
	}
	if reflect.ValueOf(*w).IsZero() {
		v.problem(
			"workload",
			"nothing to run",
			"a program by name, or traffic",
			v.howToRun(),
		)
		return
	}
	program := workload.Find(w.Program)
	if program == nil {
		names := workload.Names()
		v.problem("workload.program", w.Program, config.OneOf(names), config.DidYouMean(w.Program, names))
		return
	}
	v.pacing(program)
	before := len(v.problems)
	v.numbersOfWorkload()
	if len(v.problems) > before {
		return
	}
	params, problems := program.Resolve(w.Params(v.e.Seed), v.e.Ranks)
	for _, p := range problems {
		v.parameter(p)
	}
	w.take(params)
}

// howToRun says how something to run is given to a file that names nothing.
func (v *validator) howToRun() string {
	if v.e.network != nil && v.e.network.file != nil {
		return "as in --set workload.program=allreduce --set workload.size=1MiB; one in C comes after --, " +
			"as in fabricast run FILE -n RANKS -- PROGRAM"
	}
	return "a program in Go is given this file by fabricast.LoadMachine, one in C comes after --, " +
		"as in fabricast run FILE.yaml -n RANKS -- PROGRAM"
}

// numbersOfWorkload refuses numbers that are 0.
func (v *validator) numbersOfWorkload() {
	w := &v.e.Workload
	p, b, a := &w.Parallel, &w.Batching, &w.Arrivals
	for _, number := range []struct {
		name string
		n    int
	}{
		{"iterations", w.Iterations},
		{"messages", w.Messages},
		{"window", w.Window},
		{"batch", w.Batch},
		{"microbatch", w.Microbatch},
		{"parallel.tensor", p.Tensor},
		{"parallel.pipeline", p.Pipeline},
		{"parallel.virtual", p.Virtual},
		{"parallel.data", p.Data},
		{"parallel.expert", p.Expert},
		{"parallel.context", p.Context},
		{"arrivals.requests", a.Requests},
		{"arrivals.prompt", a.Prompt},
		{"arrivals.output", a.Output},
		{"batching.requests", b.Requests},
		{"batching.tokens", b.Tokens},
		{"batching.memory", b.Memory},
	} {
		v.notZero("workload."+number.name, int64(number.n), "a number of at least 1")
	}
	v.notZero("workload.arrivals.interval", int64(a.Interval), "a time above 0")
}

// command checks that a command stands alone.
func (v *validator) command() {
	w := v.e.Workload
	program := w.Program
	w.Command = ""
	switch {
	case v.e.Program != nil:
		v.problem("workload.command", "both a command and a Go function", "one of them", "")
	case program != "":
		v.problem(
			"workload.program", program, "none beside a command", "a command is a program with its arguments",
		)
	case w.Pacing.Given():
		v.problem("workload.pacing", "pacing of a program by name", "none beside a command", pacingOfPrograms)
	case !reflect.ValueOf(w).IsZero():
		v.problem(
			"workload", "parameters of a program by name", "none beside a command",
			"arguments are part of the command, as in command: ./cg -n 100",
		)
	}
}

// notZero records a problem if a field was set to 0 in the file, where 0 would mean "not given".
func (v *validator) notZero(path string, n int64, expected string) {
	v.demand(n != 0 || !v.e.positions.Has(path), path, "0", expected)
}

// parameter records a problem with a program's parameter.
func (v *validator) parameter(p *workload.Problem) {
	if len(p.Lines) > 0 {
		v.problems = append(v.problems, p.Lines...)
		return
	}
	path, found := "workload."+p.Param, p.Found
	switch p.Param {
	case "ranks":
		path = p.Param
	case "size":
		if found != "" {
			found = v.e.Workload.Size.String()
		}
	case "compute":
		found = v.e.Workload.Compute.String()
	}
	v.problem(path, found, p.Expected, config.DidYouMean(found, p.Choices))
}
