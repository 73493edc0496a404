package inputqueued

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/model"
	"fabricast/internal/snapshot"
)

// Routers are the routers of a block on the fast path, that is, with input queues.
type Routers struct {
	nic.NICs
	flitTime    int64 // see core.Layout.FlitTime
	roundRobins bool
	special     bool // Uneven or roundRobins is set
	// Plain means one route for each pair of hosts, NICs that send one message after another, and
	// no special features. Packets can then pass as trains.
	Plain      bool
	Direct     bool // Plain is set, and the run is not observed
	early      bool // Plain, and NICs may inject packets ahead of time (see postAhead)
	streamable bool // packets can form streams
	Bursts     bool // Plain, and NICs need not be simulated packet by packet in this window

	VCs         VCs         // virtual channels with their packets
	Ports       OutputPorts // times at which ports are free
	streams     streams
	portStreams core.Array[core.PortStreams] // see core.State

	credit   CreditReturn // returns credit to packets that wait for it
	Loader   loader       // prefetches data for router activations
	observer Observer     // nil unless links, buffers or packets are observed
	reported bool         // the run is observed

	activations uint64   // number of router activations in the last window
	timers      uint64   // number of timers that were due in them
	requesters  []uint32 // timers of VCs whose packets make simultaneous requests
}

// Observer is notified of events in the routers.
type Observer interface {
	// Load prefetches the data that the observer will use for a port.
	Load(port uint32)
	// Came is called when a packet arrives in an empty buffer at the time `at` (ps), and has to
	// wait for the tail of the previous one.
	Came(number uint32, at int64)
	// Blocked is called for a packet that requests an output while the output or the packet's input
	// is busy.
	Blocked(r *core.Router, timer uint32, in *core.VC)
	// Stall is called for a VC whose packet has made a request and not started.
	Stall(r *core.Router, timer uint32, in *core.VC)
	// Released is called when the packet of input VC `index` that held output VC `to` starts. The
	// packets that waited for the output VC repeat their requests at the time free (ps).
	Released(r *core.Router, index, to uint32, free int64)
	// Injected is called for a packet that a NIC with credit sends now.
	Injected(nic uint32, n *nic.Sender, flits uint32)
	// UnstallNIC is called for a NIC that had no credit and now has some.
	UnstallNIC(nic uint32, n *nic.Sender)
	// Packetwise reports whether Before and After must be called for each packet from now on. If
	// not, they need not be called until the time returned by Until (ps).
	Packetwise() bool
	Until() int64
	// EachPacket reports whether Before and After must be called for each packet at all times.
	EachPacket() bool
	// StreamOn and StreamFrom are called for packets of a stream that have started on the link of a
	// port, or that a NIC has sent: at the times first, first+pace, ... (ps), of a number of flits each.
	StreamOn(port uint32, packets uint32, first, pace int64, flits uint32)
	StreamFrom(nic uint32, packets uint32, first, pace int64, flits uint32)
	// Before is called before a packet requests its output, and After afterwards.
	Before(r *core.Router, timer uint32)
	After(r *core.Router, timer uint32)
}

// Begin creates the parts of a block that are needed to run. Its messages and its mail must already
// exist. giveBack is as in nic.NICs.Begin.
func (b *Routers) Begin(s *core.State, n *nic.State, giveBack func(*core.CreditMail)) {
	b.NICs.Begin(s, n, giveBack)
	l := b.Layout
	b.flitTime, b.roundRobins = l.FlitTime, l.RoundRobins
	b.special = l.Uneven || l.RoundRobins
	b.streamable = l.OneRoute && !l.RoundRobins && b.Bus == nil && b.Send.Turns == nil
	b.Plain = b.streamable && !l.Uneven
	b.Direct, b.Bursts, b.Send.Bursts = b.Plain, b.Plain, b.Plain
	b.VCs = VCs{
		Layout: l, events: &b.Events, all: s.VCs, More: s.VCWaits, ports: s.Ports, classes: b.Classes,
		streams: &b.streams, fifoStreams: s.FIFOStreams,
	}
	b.portStreams = s.PortStreams
	b.streams = streams{On: b.streamable, uneven: l.Uneven, least: leastPackets, rests: shortRest}
	b.VCs.sweeps(b.Count)
	b.Ports = OutputPorts{
		events: &b.Events, vcs: &b.VCs, numVCs: l.NumVCs, flit: l.Spec.Packet.Flit, classes: b.Classes,
		Ports: s.Ports, more: s.More, share: 1<<32/uint64(l.NumVCs) + 1, roundRobins: l.RoundRobins,
	}
	b.credit = CreditReturn{
		numVCs: l.NumVCs, events: &b.Events, vcs: &b.VCs, mail: &b.Mail,
		routers: b.Routers,
	}
	b.Loader = loader{
		Layout: l, events: &b.Events, pool: &b.VCs.Pool, share: b.Ports.share, messages: &b.Messages,
		routers: b.Routers, vcs: s.VCs, ports: s.Ports, nics: n.Senders, receivers: n.Receivers, numVCs: l.NumVCs, count: b.Count,
		From: core.PrefetchFrom,
	}
	b.Loader.measure()
}

// InjectAhead lets idle NICs inject messages of one packet as soon as they are posted.
func (b *Routers) InjectAhead() {
	b.early = b.Plain
	b.Loader.posts = b.early && b.OneNIC
}

// SetEndpoint installs the endpoint of the block's hosts.
func (b *Routers) SetEndpoint(e model.Endpoint) {
	b.NICs.SetEndpoint(e)
	b.Loader.prefetcher = b.Send.Prefetcher
}

// Recut updates internal data after the block's routers have changed.
func (b *Routers) Recut() {
	b.VCs.sweeps(b.Count)
	b.Loader.count = b.Count
	b.Loader.measure()
}

// Observe sets the observer of routers and NICs. If x is nil, packets are not observed
// individually.
func (b *Routers) Observe(x Observer) {
	b.reported = true
	b.streams.On = b.streams.On && b.Plain
	if x != nil {
		b.observer, b.Loader.observer, b.Direct = x, x, false
		b.streams.On = b.streams.On && !x.EachPacket()
	}
}

// RunWindow simulates all routers for the current window.
func (b *Routers) RunWindow() {
	if len(b.streams.passed) > 0 {
		border{streaming{b}}.sendPassed()
	}
	b.activateAll()
}

// TakeCredit adds credit from another block, or from a NIC's I/O bus, to its output.
func (b *Routers) TakeCredit(c *core.CreditMail) { b.credit.take(c) }

// SentBy returns the transmit counters of a port.
func (b *Routers) SentBy(port uint32) core.LinkCount { return b.Ports.count(port) }

// Remark records all timers of a router again.
func (b *Routers) Remark(r *core.Router) { b.Events.Remark(r) }

// StateAt visits the state of some routers in the arrays shared by all blocks.
func (b *Routers) StateAt(v *snapshot.Visitor, x core.Extent) {
	b.NICs.StateAt(v, x)
	b.VCs.StateAt(v, x)
	b.Ports.StateAt(v, x)
	streaming{b}.streamsAt(v, x)
}

// PacketsAt visits the packets at some routers.
func (b *Routers) PacketsAt(v *snapshot.Visitor, x core.Extent) { b.VCs.packets(v, x) }

// DiscardAt releases the memory of routers that have moved to another process.
func (b *Routers) DiscardAt(x core.Extent) {
	b.VCs.discard(x)
	b.Ports.discard(x)
	b.NICs.Discard(x)
}

// StateOf visits the state of a block except for its share of the common arrays and its messages.
func (b *Routers) StateOf(v *snapshot.Visitor, _ core.Extent) {
	b.NICs.StateOf(v)
	b.VCs.Pool.state(v)
	b.streams.state(v, b.VCs.fifoStreams.N+b.portStreams.N)
}
