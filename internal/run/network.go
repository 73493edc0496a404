package run

import (
	"errors"
	"fmt"
	"iter"
	"syscall"

	"fabricast/abstract"
	"fabricast/engine"
	"fabricast/ethernet"
	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/failure"
	"fabricast/internal/innetwork"
	"fabricast/internal/plan"
	"fabricast/internal/predict"
	"fabricast/internal/snapshot"
	"fabricast/traffic"
)

// network is the model that carries the messages of ranks: packet by packet, or an abstract model.
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

// block is a partition block: a part of a network with its hosts. The ranks on these hosts form the
// block's endpoint.
type block interface {
	engine.Block
	fabric.Transport
	SetEndpoint(fabric.Endpoint)
	Hosts() iter.Seq[int32]
	Now() int64
}

// home is a set of hosts with an endpoint of their own: the hosts of a partition block, or of a
// cell (a group of routers that moves between blocks).
type home struct {
	hosted
	transport fabric.Transport
	number    int // among all homes of the run
}

// hosted is a set of hosts that share an endpoint.
type hosted interface {
	SetEndpoint(fabric.Endpoint)
	Hosts() iter.Seq[int32]
}

// medium is the network of a simulation.
type medium struct {
	network
	parts []block
	homes []home                   // the sets of hosts, each with one endpoint
	port  func(int) fabric.PortUse // transmit counters of a router's port, by global port number
	nic   func(int) fabric.PortUse // transmit counters of a NIC
	// connects the partition blocks to those of other processes; nil if there are none
	across shared
	// the packet-level network; nil in an abstract network, and in one that drops or pauses packets
	packets  *fabric.Network
	lossy    *ethernet.Network // nil unless the network drops or pauses packets
	carrier  traffic.Network   // of synthetic traffic; nil in an abstract network
	balancer engine.Balancer   // moves routers between the blocks; nil if routers do not move
	agent    *innetwork.Agent  // what switches reduce and copy; nil: nothing
}

// shared is a network that several processes simulate together.
type shared interface {
	Joint() engine.Processes
	Control() *cluster.Control
	// Share and ShareUse bring the sums of all processes, and the counters of their ports and NICs, to
	// each; CollectUse what the first needs for the result.
	Share()
	ShareUse()
	CollectUse()
}

// others returns the engine's connection to the partition blocks of other processes; nil if there
// are none.
func (m *medium) others() engine.Processes {
	if m.across == nil {
		return nil
	}
	return m.across.Joint()
}

// sections saves and restores the state of a network (fabric.Sections, ethernet.Sections).
type sections interface {
	Cut() string
	Save(v *snapshot.Visitor, more func(*snapshot.Visitor))
	Restore(v *snapshot.Visitor, processes int, observed bool, more func(*snapshot.Visitor))
}

// sections returns the sections of a network that has packets.
func (m *medium) sections() sections {
	if m.lossy != nil {
		return ethernet.SectionsOf(m.lossy)
	}
	return fabric.SectionsOf(m.packets)
}

// numbers returns the number of the first partition block of this process, and that of all blocks in
// all processes.
func (m *medium) numbers() (first, all int) {
	switch {
	case m.packets != nil:
		return m.packets.Numbers()
	case m.lossy != nil:
		return m.lossy.Numbers()
	}
	return 0, len(m.parts)
}

// control returns the carrier of control messages to other processes; nil if there are none.
func (m *medium) control() *cluster.Control {
	if m.across == nil {
		return nil
	}
	return m.across.Control()
}

// newMedium creates the network of a plan. ahead allows its NICs to inject packets ahead of time
// (fabric.Network.InjectAhead).
func newMedium(p *plan.Plan, o settings, ahead bool) (*medium, error) {
	switch n := &p.Experiment.Network; {
	case n.Abstract():
		return abstractOf(p, o.workers)
	case n.Ethernet():
		return ethernetOf(p, o)
	}
	var agent *innetwork.Agent
	if p.Forest != nil {
		agent = innetwork.NewAgent(p.Forest)
	}
	n, err := fabricOf(p, o, agent)
	if err != nil {
		return nil, err
	}
	if ahead {
		n.InjectAhead()
	}
	m := &medium{network: n, port: n.Port, nic: n.Sent, packets: n, carrier: n, balancer: o.balancer(n), agent: agent}
	if cluster.Several(o.group) {
		m.across = n
	}
	for _, b := range n.Blocks() {
		m.parts = append(m.parts, b)
	}
	for _, c := range n.Cells().List() {
		m.homes = append(m.homes, home{c, c.Block, c.Number()})
	}
	return m, nil
}

// abstractOf creates a network without packets. The traffic of a host link is that of its NIC.
func abstractOf(p *plan.Plan, workers int) (*medium, error) {
	spec, err := predict.Abstract(p)
	if err != nil {
		return nil, err
	}
	if p.Experiment.Network.LogGOPS() { // one worker, because the next event depends on all ranks
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
		m.parts, m.homes = append(m.parts, b), append(m.homes, home{b, b, len(m.homes)})
	}
	return m, nil
}

// ethernetOf creates a network that drops or pauses packets.
func ethernetOf(p *plan.Plan, o settings) (*medium, error) {
	n, err := ethernet.NewAcross(p.Ethernet(), o.allBlocks(), o.group)
	if err != nil {
		return nil, p.RefuseEthernet(err)
	}
	what := o.recording(p.Experiment)
	if rule := following(p, &what.Flows); rule != nil {
		n.Follow(*rule)
	}
	m := &medium{network: n, port: n.Port, nic: n.Sent, lossy: n, carrier: n}
	if cluster.Several(o.group) {
		m.across = n
	}
	for _, b := range n.Blocks() {
		m.parts, m.homes = append(m.parts, b), append(m.homes, home{b, b, b.Number()})
	}
	return m, nil
}

// fabricOf creates a packet-level network for the workers and processes of a run. agent is that of the
// switches; nil if they only pass on packets.
func fabricOf(p *plan.Plan, o settings, agent *innetwork.Agent) (*fabric.Network, error) {
	spec := p.Fabric
	if agent != nil {
		spec.Doors = p.InNetwork(agent)
	}
	if o.balances(p.Experiment) {
		spec.Cells = plan.CellsEach * o.allBlocks()
	}
	network, err := fabric.NewAcross(spec, o.allBlocks(), o.group)
	if err != nil {
		return nil, refuseNetwork(p.Experiment, err)
	}
	network.SetStreams(p.Experiment.Engine.Streams != experiment.StreamsOff)
	if o.team == nil {
		network.Sync(syncs[p.Experiment.Engine.Sync])
	}
	return network, nil
}

// syncs maps the values of engine.sync.
var syncs = map[string]fabric.Sync{
	experiment.SyncAll: fabric.SyncAll, experiment.SyncNeighbours: fabric.SyncNeighbours,
}

// refuseNetwork converts an error from creating the network to a configuration error, unless the
// operating system caused it.
func refuseNetwork(e *experiment.Resolved, err error) error {
	var refused syscall.Errno
	if errors.As(err, &refused) {
		return fmt.Errorf(
			"this machine does not let the network be simulated (its limits may be too low: ulimit -a): %w",
			err,
		)
	}
	return e.Refuse("network", "a network", "one that can be simulated", err.Error())
}

// BalanceBy makes the balancer returned by move move routers between workers, instead of the
// balancer that the experiment selects. It is for tests.
func BalanceBy(move func(*fabric.Cells) engine.Balancer) Option {
	return func(s *settings) { s.move = move }
}

// balances reports whether routers move between the workers of a run.
func (s *settings) balances(e *experiment.Resolved) bool {
	return (e.Engine.Balances() || s.move != nil) && s.allBlocks() > 1 && s.unbalanced(e) == ""
}

// unbalanced returns the reason why routers cannot move between the workers of a run; "" if they
// can.
func (s *settings) unbalanced(e *experiment.Resolved) string {
	what := s.recording(e)
	return first([]reason{
		{e.Network.Abstract(), "the network has no packets"},
		{e.Network.Ethernet(), "routers of networks that drop or pause packets do not move"},
		{s.recorded() && what.Given(), "the run records while it goes on (record:)"},
		{s.hottest > 0, "links are watched (--watch)"},
		{
			cluster.Several(s.group) && e.Network.Routing.Name() == experiment.RoutingUGALG,
			"each of several processes knows the queues of all routers (ugal-g)",
		},
		{s.checkpoints != nil || s.from != nil, "checkpoints keep the division into blocks"},
	})
}

// tellOfBalance warns if the experiment requests that routers move between workers, but they
// cannot.
func (s *settings) tellOfBalance(e *experiment.Resolved) {
	if !e.Engine.Balances() || s.note == nil {
		return
	}
	if reason := s.unbalanced(e); reason != "" {
		s.note("engine.balance: routers stay with their workers, because " + reason)
	}
}

// balancer returns the balancer that moves routers between the blocks of a network; nil if there is
// none.
func (s *settings) balancer(n *fabric.Network) engine.Balancer {
	if !n.Cells().Move() {
		return nil
	}
	if s.move != nil {
		return s.move(n.Cells())
	}
	return fabric.NewBalancer(n.Cells())
}

// balanced adds to a result the balance of work between workers, and the number of router moves. b
// is nil if routers could not move.
func (r *Result) balanced(n network, b engine.Balancer) {
	r.Balance = n.Balance()
	if b, ok := b.(*fabric.Balancer); ok {
		r.Moves = b.Moves()
	}
}
