package fabricast

import "fabricast/topology"

// PreviewSchema is the version of a preview's JSON.
const PreviewSchema = "fabricast.check/1"

// Preview is what is known about an experiment before it runs.
type Preview struct {
	Schema   string   `json:"schema"` // PreviewSchema
	Version  string   `json:"version"`
	Hosts    int      `json:"hosts"`
	Routers  int      `json:"routers"`
	Links    int      `json:"links"` // between routers, one for each direction
	ZeroLoad ZeroLoad `json:"zero_load"`
	Memory   Forecast `json:"memory_forecast"`
	Routing  string   `json:"routing"`  // name of the algorithm
	Deadlock string   `json:"deadlock"` // what the check for deadlock found
	// IdleNICs are NICs of each node that no message leaves by: with nic_choice port there are more of them than ports.
	IdleNICs int `json:"idle_nics,omitempty"`
	// Pacing sums up the gaps of workload.pacing, once FindPacing has found them.
	Pacing *PacingResult `json:"pacing,omitempty"`
	// Experiment is the experiment with every default, those included that follow from the network.
	Experiment *Experiment `json:"-"`

	plan *plan
}

// Forecast checks what Preview checks, and tells only how much memory a run will need: for many experiments,
// as the distances of all hosts take long to measure.
func (e *Experiment) Forecast() (Forecast, error) {
	resolved, p, err := e.check()
	if err != nil {
		return Forecast{}, err
	}
	return resolved.forecast(p), nil
}

// check resolves a copy of the experiment and checks everything that a run would check before it begins.
func (e *Experiment) check() (*Experiment, *plan, error) {
	resolved := *e
	if err := resolved.Resolve(); err != nil {
		return nil, nil, err
	}
	p, err := resolved.build()
	if err != nil {
		return nil, nil, err
	}
	if resolved.HasTraffic() {
		if _, err := resolved.trafficLoad(p.topology); err != nil {
			return nil, nil, err
		}
	}
	return &resolved, p, nil
}

// Preview resolves the experiment, checks everything a run would check before it
// begins, and tells what can be told without running. The experiment itself is
// not changed.
func (e *Experiment) Preview() (*Preview, error) {
	resolved, p, err := e.check()
	if err != nil {
		return nil, err
	}
	g := p.fabric.Graph
	zero, err := resolved.zeroLoad(p)
	if err != nil {
		return nil, err
	}
	return &Preview{
		Schema: PreviewSchema, Version: FullVersion(),
		Hosts: g.Hosts, Routers: g.Routers, Links: routerLinks(g),
		ZeroLoad: zero,
		Memory:   resolved.forecast(p),
		Routing:  p.routingName(), Deadlock: p.deadlock.String(),
		IdleNICs:   resolved.idleNICs(p),
		Experiment: resolved,
		plan:       p,
	}, nil
}

// mostPaced bounds the ranks for which a preview finds MOD's gaps.
const mostPaced = 2048

// FindPacing finds the gaps of workload.pacing, unless they are MOD's and would take long: of more than 2048 ranks. Of
// so many it takes some seconds.
func (p *Preview) FindPacing() error {
	e := p.Experiment
	if e.Workload.Pacing.Gap == PacingMOD && e.Ranks > mostPaced {
		return nil
	}
	paced, err := e.pace(p.plan)
	p.Pacing = pacingResult(paced)
	return err
}

// idleNICs counts the NICs of each node that no message leaves by, whatever the program: those beyond the ports by
// which messages leave routers, if these choose the NIC (chooseNIC).
func (e *Experiment) idleNICs(p *plan) int {
	g := p.fabric.Graph
	if e.Node.NICChoice != NICPort || e.ownProgram() || e.HasTraffic() || g.Hosts > g.Routers || p.fabric.Adaptive != nil || perPacket(p.fabric.Routing) {
		return 0
	}
	most := 0
	for r := range g.Routers {
		ports := 0
		for port := g.PortBase[r]; port < g.PortBase[r+1]; port++ {
			if g.Ports[port].NIC == topology.Unconnected {
				ports++
			}
		}
		most = max(most, ports)
	}
	return max(0, e.Node.NICs-most)
}

// routerLinks counts the links between routers, each direction for itself.
func routerLinks(g *topology.Graph) int {
	n := 0
	for i := range g.Ports {
		if g.Ports[i].Peer != topology.Unconnected {
			n++
		}
	}
	return n
}
