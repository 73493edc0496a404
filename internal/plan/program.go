package plan

import (
	"fabricast/experiment"
	"fabricast/internal/failure"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/workload"
)

// Program returns the program that every rank runs. A built-in program sends its messages with the
// given pacing, which may be nil.
func (p *Plan) Program(pacing *mpi.Pacing) (node.Launcher, error) {
	e := p.Experiment
	switch {
	case e.Launch != nil:
		return e.Launch, nil
	case e.Program != nil:
		table, err := e.Collectives.Choose()
		return mpi.ProgramsBy(e.Program, table), err
	}
	if e.Workload.Command != "" {
		return nil, e.Refuse(
			"workload.command", string(e.Workload.Command)+", which has not been opened", "a program that can run",
			"the command fabricast opens it; in Go, Launch is what package cmpi makes of it",
		)
	}
	if !workload.Find(e.Workload.Program).Loops() {
		table, err := e.Collectives.Choose()
		if err != nil {
			return nil, err
		}
		launch, err := workload.Launch(e.Workload.Program, e.Workload.Params(e.Seed), e.Ranks, table)
		return launch, internal(err)
	}
	loop, err := loop(e, pacing)
	if err != nil {
		return nil, internal(err)
	}
	return loop.Programs(), nil
}

// internal returns an error that cannot happen, because Resolve has accepted the parameters.
func internal(err error) error {
	if err == nil {
		return nil
	}
	return &failure.InternalError{Err: err}
}

// loop builds the built-in program that a resolved experiment names.
func loop(e *experiment.Resolved, pacing *mpi.Pacing) (*mpi.Loop, error) {
	params := e.Workload.Params(e.Seed)
	params.Pacing = pacing
	l, err := workload.Build(e.Workload.Program, params, e.Ranks)
	if err == nil && e.Node.Work != (experiment.Work{}) {
		l.Coroutines = true // work in the middle of rounds cannot be replayed without a stack
	}
	return l, err
}
