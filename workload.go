package fabricast

import (
	"reflect"

	"fabricast/internal/config"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/workload"
)

// Workload is a program by name, with its parameters. Which parameters a
// program takes, and their defaults, is told by `fabricast programs` and by
// package workload.
type Workload struct {
	Program    string `yaml:"program"`
	Algorithm  string `yaml:"algorithm,omitempty"` // of a collective
	Size       Bytes  `yaml:"size,omitempty"`      // of a message; of a collective: for each pair or rank
	Iterations int    `yaml:"iterations,omitempty"`
	Root       int    `yaml:"root,omitempty"`
	Pair       []int  `yaml:"pair,flow,omitempty"` // the two ranks of pingpong
	Grid       []int  `yaml:"grid,flow,omitempty"` // ranks in each dimension of a halo exchange
	Compute    Time   `yaml:"compute,omitempty"`   // of each rank in each iteration
	Messages   int    `yaml:"messages,omitempty"`  // of each rank
	Window     int    `yaml:"window,omitempty"`    // most messages of a rank that are under way
	File       string `yaml:"file,omitempty"`      // a recording (docs/formats/recording.md)
	Barrier    string `yaml:"barrier,omitempty"`   // algorithm of a recording's barriers
	By         string `yaml:"by,omitempty"`        // how messages travel: send or put
	Pacing     Pacing `yaml:"pacing,omitempty"`    // of a collective's messages

	// resolved keeps what resolving has found in files.
	resolved workload.Params
}

// ownProgram tells whether the ranks run a program of the user's own, of which nothing is
// known before it runs.
func (e *Experiment) ownProgram() bool { return e.Program != nil || e.Launch != nil }

// program is what every rank of a resolved experiment runs.
func (e *Experiment) program(pacing *mpi.Pacing) (node.Launcher, error) {
	switch {
	case e.Launch != nil:
		return e.Launch, nil
	case e.Program != nil:
		table, err := e.Collectives.Choose()
		return mpi.ProgramsBy(e.Program, table), err
	}
	loop, err := e.loop(pacing)
	if err != nil {
		return nil, &InternalError{err} // Resolve has accepted the parameters
	}
	return loop.Programs(), nil
}

// loop is the program that a resolved experiment names.
func (e *Experiment) loop(pacing *mpi.Pacing) (*mpi.Loop, error) {
	params := e.Workload.params(e.Seed)
	params.Pacing = pacing
	return workload.Build(e.Workload.Program, params, e.Ranks)
}

// puts tells whether the program of a resolved experiment puts messages.
func (e *Experiment) puts() bool {
	program := workload.Find(e.Workload.Program)
	if program == nil {
		return false
	}
	params, _ := program.Resolve(e.Workload.params(e.Seed), e.Ranks)
	return params.Answered()
}

func (w *Workload) params(seed uint64) workload.Params {
	p := workload.Params{
		Algorithm: w.Algorithm, Size: int64(w.Size), Iterations: w.Iterations,
		Pair: w.Pair, Root: w.Root, Grid: w.Grid, Compute: int64(w.Compute),
		Messages: w.Messages, Window: w.Window, File: w.File, Barrier: w.Barrier, By: w.By, Seed: seed,
	}
	return p.Reusing(&w.resolved)
}

// take is the way back from params.
func (w *Workload) take(p workload.Params) {
	w.Algorithm, w.Size, w.Iterations = p.Algorithm, Bytes(p.Size), p.Iterations
	w.Pair, w.Root, w.Grid, w.Compute = p.Pair, p.Root, p.Grid, Time(p.Compute)
	w.Messages, w.Window, w.File, w.Barrier, w.By = p.Messages, p.Window, p.File, p.Barrier, p.By
	w.resolved = p
}

// workload checks the program and its parameters, and fills in the defaults of those.
func (v *validator) workload() {
	w := &v.e.Workload
	if v.e.ownProgram() {
		switch only := (Workload{Pacing: w.Pacing}); {
		case w.Pacing.given() && reflect.DeepEqual(*w, only):
			v.problem("workload.pacing", "pacing of a program by name", "none: the experiment runs a program of its own", pacingOfPrograms)
		case !reflect.ValueOf(*w).IsZero():
			v.problem("workload", "both a named program and a Go function", "one of them", "")
		}
		return
	}
	if reflect.ValueOf(*w).IsZero() {
		v.problem("workload", "nothing to run", "a program by name, or traffic", "a program in Go is given this file by fabricast.LoadMachine, one in C comes after --, as in fabricast run FILE.yaml -n RANKS -- PROGRAM")
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
	v.notZero("workload.size", int64(w.Size), "a size of at least 1B")
	v.notZero("workload.iterations", int64(w.Iterations), "a number of at least 1")
	v.notZero("workload.messages", int64(w.Messages), "a number of at least 1")
	v.notZero("workload.window", int64(w.Window), "a number of at least 1")
	if len(v.problems) > before {
		return
	}
	params, problems := program.Resolve(w.params(v.e.Seed), v.e.Ranks)
	for _, p := range problems {
		v.parameter(p)
	}
	w.take(params)
}

// notZero refuses a zero that was written: elsewhere it means "not given".
func (v *validator) notZero(path string, n int64, expected string) {
	v.demand(n != 0 || !v.e.positions.Has(path), path, "0", expected)
}

// parameter reports what is wrong with a parameter of a program.
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
