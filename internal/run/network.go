package run

import (
	"iter"

	"fabricast/abstract"
	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/failure"
	"fabricast/internal/plan"
	"fabricast/internal/predict"
	"fabricast/internal/processes"
	"fabricast/internal/units"
	"fabricast/node"
)

// network is what carries the messages of ranks: packet by packet, or by an abstract model.
type network interface {
	Observe(fabric.Observation)
	EndObservation(end int64)
	Verify() error
	Deadlock() *fabric.Deadlock
	Totals() fabric.Totals
	Progress() fabric.Totals
	Balance() float64
	Close()
}

// block is a part of a network, with the hosts of which the ranks make up its endpoint.
type block interface {
	engine.Block
	fabric.Transport
	SetEndpoint(fabric.Endpoint)
	Hosts() iter.Seq[int32]
	Now() int64
}

// home is where hosts have an endpoint of their own: a part of a network, or a cell of it.
type home struct {
	hosted
	transport fabric.Transport
}

// hosted are hosts that have an endpoint together.
type hosted interface {
	SetEndpoint(fabric.Endpoint)
	Hosts() iter.Seq[int32]
}

// medium is the network of a simulation.
type medium struct {
	network
	parts []block
	homes []home                   // of the hosts
	port  func(int) fabric.PortUse // what went out of a router's port, by its global number
	nic   func(int) fabric.PortUse // what went out of a NIC
	// joins the parts to those of other processes; nil if there are none
	across *fabric.Network
	// the network itself; nil if it has no packets
	packets  *fabric.Network
	balancer engine.Balancer // moves routers between the parts; nil if none does
}

// others joins the parts to those of other processes, for the engine.
func (m *medium) others() engine.Processes {
	if m.across == nil {
		return nil
	}
	return m.across.Joint()
}

// newMedium makes the network of a plan; ahead lets its NICs inject before their time
// (fabric.Network.InjectAhead).
func newMedium(p *plan.Plan, o settings, ahead bool) (*medium, error) {
	if p.Experiment.Network.Abstract() {
		return abstractOf(p, o.workers)
	}
	n, err := fabricOf(p, o)
	if err != nil {
		return nil, err
	}
	if ahead {
		n.InjectAhead()
	}
	m := &medium{network: n, port: n.Port, nic: n.NIC, packets: n, balancer: o.balancer(n)}
	if processes.Several(o.group) {
		m.across = n
	}
	for _, b := range n.Blocks() {
		m.parts = append(m.parts, b)
	}
	for _, c := range n.Cells().List() {
		m.homes = append(m.homes, home{c, c.Block})
	}
	return m, nil
}

// abstractOf makes a network without packets. What goes over a host link is what its NIC takes.
func abstractOf(p *plan.Plan, workers int) (*medium, error) {
	spec, err := predict.Abstract(p)
	if err != nil {
		return nil, err
	}
	if p.Experiment.Network.LogGOPS() { // what is next depends on all ranks
		workers = 1
	}
	n, err := abstract.New(spec, workers)
	if err != nil {
		return nil, &failure.InternalError{Err: err}
	}
	ports := p.Fabric.Graph.Ports
	m := &medium{network: n, nic: n.Sent, port: func(port int) fabric.PortUse {
		if nic := ports[port].NIC; nic >= 0 {
			return n.Received(int(nic))
		}
		return fabric.PortUse{}
	}}
	for _, b := range n.Blocks() {
		m.parts, m.homes = append(m.parts, b), append(m.homes, home{b, b})
	}
	return m, nil
}

// synchronous tells whether senders know at once that their messages have met their receives.
func synchronous(p *plan.Plan) bool {
	s := p.Experiment.Network.Parameters.S
	return p.Experiment.Network.LogGOPS() && s != nil && *s < largestMessage
}

// largestMessage is a size that no message exceeds.
const largestMessage units.Bytes = 1 << 40

// processor is how the ranks' processors take part in communication; nil as in networks of packets.
func processor(p *plan.Plan) *node.Processor {
	n := &p.Experiment.Network
	if !n.LogGOPS() {
		return nil
	}
	made := &node.Processor{
		PerByte: *n.Parameters.OverheadPerByte, Gap: *n.Parameters.Gap, NICPerByte: *n.Parameters.GapPerByte,
		Synchronous: synchronous(p),
	}
	if made.Synchronous {
		made.EagerUpTo = *n.Parameters.S
	}
	return made
}

// overhead is what each send and each receive costs the processor.
func overhead(p *plan.Plan) int64 {
	if o := p.Experiment.Network.Parameters.Overhead; o != nil && p.Experiment.Network.Routerless() {
		return int64(*o)
	}
	return int64(p.Experiment.Node.Overhead)
}
