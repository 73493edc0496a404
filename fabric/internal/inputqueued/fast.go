package inputqueued

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/model"
	"fabricast/internal/snapshot"
)

// Routers are the routers of a block on the fast path: with input queues.
type Routers struct {
	nic.NICs
	flitTime    int64 // see layout
	roundRobins bool
	special     bool // uneven or roundRobins
	// one route for each pair of hosts, NICs that send one message after the other, and no special
	// features: packets may pass as trains
	Plain   bool
	Direct  bool // plain, and not reported
	early   bool // plain, and NICs may inject packets before it is time, see postAhead
	Streams bool // plain, and NICs need not be looked at packet by packet in this window

	VCs      VCs          // virtual channels with their packets
	Ports    OutputPorts  // when ports are free
	credit   CreditReturn // for packets that wait for it
	Loader   loader       // loads ahead what visits need
	observer Observer     // nil unless that is what links, buffers or packets do
	reported bool         // something is reported while it runs

	activations uint64   // of the last window
	requesters  []uint32 // timers of VCs whose packets ask at one instant
}

// Observer is what an observer gets to know of the routers.
type Observer interface {
	// load prefetches what the observer will use of a port.
	Load(port uint32)
	// came is called when a packet comes into an empty buffer at the time at (ps), and has to wait for
	// the tail of the one before it.
	Came(number uint32, at int64)
	// blocked is called for a packet that asks for an output that is busy, or whose input is.
	Blocked(r *core.Router, timer uint32, in *core.VC)
	// stall is called for a VC whose packet has asked and not started.
	Stall(r *core.Router, timer uint32, in *core.VC)
	// released is called when the packet of an input VC that held the output VC `+"`to`"+` starts. The
	// packets that waited for it ask again at the time free (ps).
	Released(r *core.Router, index, to uint32, free int64)
	// injected is called for a packet that a NIC with credit sends now.
	Injected(nic uint32, n *nic.Sender, flits uint32)
	// unstallNIC is called for a NIC that had no credit and has some now.
	UnstallNIC(nic uint32, n *nic.Sender)
	// packetwise reports whether each packet has to be looked at now, by before and after. If not, they
	// need not be until the time until (ps).
	Packetwise() bool
	Until() int64
	// before is called before a packet asks for its output, and after when it has.
	Before(r *core.Router, timer uint32)
	After(r *core.Router, timer uint32)
}

// Begin makes the routers of a block that runs. Its messages and its mail must be there. giveBack is
// that of nics.begin.
func (b *Routers) Begin(s *core.State, n *nic.State, giveBack func(*core.CreditMail)) {
	b.NICs.Begin(s, n, giveBack)
	l := b.Layout
	b.flitTime, b.roundRobins = l.FlitTime, l.RoundRobins
	b.special = l.Uneven || l.RoundRobins
	b.Plain = l.OneRoute && !b.special && b.Bus == nil && b.Send.Turns == nil
	b.Direct, b.Streams = b.Plain, b.Plain
	b.VCs = VCs{
		Layout: l, events: &b.Events, all: s.VCs, More: s.VCWaits, ports: s.Ports, classes: b.Classes,
	}
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
		Layout: l, events: &b.Events, vcs: &b.VCs, ports: &b.Ports, messages: &b.Messages,
		routers: b.Routers, nics: n.Senders, receivers: n.Receivers, numVCs: l.NumVCs, count: b.Count,
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

// Recut makes what is known of the block's routers fit those that it has now.
func (b *Routers) Recut() {
	b.VCs.sweeps(b.Count)
	b.Loader.count = b.Count
	b.Loader.measure()
}

// Observe makes an observer see what routers and NICs do; nil: nobody looks at packets.
func (b *Routers) Observe(x Observer) {
	b.reported = true
	if x != nil {
		b.observer, b.Loader.observer, b.Direct = x, x, false
	}
}

// RunWindow simulates all routers for the window that has begun.
func (b *Routers) RunWindow() { b.activateAll() }

// TakeCredit adds credit from another block, or from a NIC's I/O bus, to the output it is for.
func (b *Routers) TakeCredit(c *core.CreditMail) { b.credit.take(c) }

// SentBy returns what a port has sent.
func (b *Routers) SentBy(port uint32) core.LinkCount { return b.Ports.count(port) }

// Remark records all timers of a router again.
func (b *Routers) Remark(r *core.Router) { b.Events.Remark(r) }

// StateAt goes over the share of some routers in the arrays of all blocks.
func (b *Routers) StateAt(v *snapshot.Visitor, x core.Extent) {
	b.NICs.StateAt(v, x)
	b.VCs.StateAt(v, x)
	b.Ports.StateAt(v, x)
}

// PacketsAt goes over the packets at some routers.
func (b *Routers) PacketsAt(v *snapshot.Visitor, x core.Extent) { b.VCs.packets(v, x) }

// DiscardAt gives the memory back of routers that another process has got.
func (b *Routers) DiscardAt(x core.Extent) {
	b.VCs.discard(x)
	b.Ports.discard(x)
	b.NICs.Discard(x)
}

// StateOf goes over what a block has besides its share of arrays and its messages.
func (b *Routers) StateOf(v *snapshot.Visitor, _ core.Extent) {
	b.NICs.StateOf(v)
	b.VCs.Pool.state(v)
}

// TakePackets takes in packets from another block.
func (b *Routers) TakePackets(x *core.Box) {
	for i := range x.Packets {
		b.push(&x.Packets[i])
	}
}
