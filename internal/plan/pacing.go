package plan

import (
	"fabricast/collective"
	"fabricast/internal/failure"
	"fabricast/mpi"
	"fabricast/pacing"
	"fabricast/workload"
)

// Pacer returns the pacer of a program's collectives; nil if the experiment does not pace them.
func (p *Plan) Pacer() *pacing.Pacer {
	e := p.Experiment
	if !e.Collectives.PacesAny() {
		return nil
	}
	rules := map[collective.Kind]pacing.Rule{}
	for i, one := range e.Collectives.Each() {
		if one.Pacing.Given() {
			rules[collective.Kinds()[i]] = one.Pacing.Rule()
		}
	}
	return pacing.NewPacer(p.Paths(), p.Hosts, p.Machine(), rules)
}

// Pace computes the pacing of a built-in program's messages. It returns nil if they are not paced.
func (p *Plan) Pace() (*mpi.Pacing, error) {
	e := p.Experiment
	said := &e.Workload.Pacing
	if e.OwnProgram() || !said.Given() {
		return nil, nil
	}
	once := workload.Find(e.Workload.Program).Round(e.Workload.Params(e.Seed))
	world := p.Machine().World()
	paced, err := said.Rule().Schedule(p.Paths(), p.Hosts, func(c collective.Comm) { once(collective.At(c, world)) })
	if err != nil {
		return nil, &failure.InternalError{Err: err}
	}
	return paced, nil
}

// Paths returns the parts of the plan that determine the routes of messages.
func (p *Plan) Paths() *pacing.Network {
	return &pacing.Network{
		Graph: p.Fabric.Graph, Routing: p.Fabric.Routing, Adaptive: p.Fabric.Adaptive, Seed: p.Fabric.Seed,
	}
}
