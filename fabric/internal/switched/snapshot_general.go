package switched

import (
	"math/bits"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/model"
	"fabricast/internal/offheap"
	"fabricast/internal/snapshot"
)

// StateAt visits the share of some routers in the arrays of the general path.
func (g *Routers) StateAt(v *snapshot.Visitor, x core.Extent) {
	g.B.StateAt(v, x)
	s, l, spec := &g.All, g.B.Layout, &g.B.Spec
	first, last := s.Routers.At(x.First), s.Routers.At(x.First+x.Count-1)
	ports, vcs := x.EndPorts-x.Ports, x.EndVCs-x.VCs
	snapshot.Values(v, s.Routers.Slice(x.First, x.Count))
	snapshot.Values(v, s.InputVCs.Slice(x.VCs, vcs))
	snapshot.Values(v, s.OutputVCs.Slice(x.VCs, vcs))
	for _, run := range x.Hosts {
		snapshot.Values(v, s.OutputVCs.Slice(l.FirstNICVC+run.NIC*l.NumVCs, run.NICs*l.NumVCs))
	}
	snapshot.Values(v, s.Ports.Slice(x.Ports, ports))
	indices := uint32(last.NumVCs)
	maps := last.Maps + stage.MapsOf(spec, uint32(last.NumPorts), indices)
	snapshot.Values(v, s.Maps.Slice(first.Later, maps-first.Later))
	snapshot.Values(v, s.Due.Slice(x.First*core.Wheel*s.DueWords, x.Count*core.Wheel*s.DueWords))
	queues, granted := stage.TablesOf(spec, uint32(last.NumPorts), indices)
	snapshot.Values(v, s.Queues.Slice(first.Queues, last.Queues+queues-first.Queues))
	snapshot.Values(v, s.Granted.Slice(first.Granted, last.Granted+granted-first.Granted))
	if s.Buffers.N > 0 {
		snapshot.Values(v, s.Buffers.Slice(x.VCs, vcs))
		snapshot.Values(v, s.Links.Slice(x.Ports, ports))
	}
	core.WalkLags(v, s.Lags, x.Ports, ports, spec)
	core.WalkLags(v, s.LinkLags, x.Ports, ports, spec)
	if s.Owned.N > 0 {
		snapshot.Values(v, s.Owned.Slice(x.VCs, vcs))
		snapshot.Values(v, s.Turns.Slice(x.Ports, ports))
		snapshot.Values(v, s.Asked.Slice(x.VCs, vcs))
	}
	if s.Published.N > 0 {
		for set := range uint32(stage.PublishedSets) {
			snapshot.Values(v, s.Published.Slice(set*l.FirstNICPort+x.Ports, ports))
		}
	}
	if d := g.Doors; d != nil {
		d.all.share(v, d.Doors, x)
	}
}

// StateOf visits a block's state of the general path except for its share of the arrays. Data that
// the parts hold for the active router or for an instant is not needed between windows.
func (g *Routers) StateOf(v *snapshot.Visitor, x core.Extent) {
	g.B.StateOf(v)
	p := &g.Pool
	used := p.Used
	snapshot.Value(v, &p.Used)
	snapshot.Value(v, &p.Free)
	core.WalkRange(v, &p.Packets, p.Own.First, p.Used, used)
	if p.Words > 0 {
		core.WalkRange(v, &p.Requests, p.Own.First*p.Words, p.Used*p.Words, used*p.Words)
	}
	if g.Adapt.Choices.N > 0 {
		if g.VOQ {
			core.WalkRange(v, &g.Adapt.Choices, p.Own.First, p.Used, used)
		} else {
			snapshot.Values(v, g.Adapt.Choices.Slice(x.VCs, x.EndVCs-x.VCs))
		}
	}
	if g.Doors != nil {
		g.Doors.state(v, used)
	}
	snapshot.Value(v, &g.Out.Soonest)
	snapshot.Value(v, &g.Publish.Due)
	snapshot.Value(v, &g.Publish.Changed)
	unsettled := int64(g.Publish.Unsettled)
	snapshot.Value(v, &unsettled)
	g.Publish.Unsettled = int(unsettled)
	if v.Restores() {
		g.EndVisit()
	}
}

// PacketsAt visits the packets at some routers and NICs, after StateAt has visited their arrays.
// Packets keep their IDs.
func (g *Routers) PacketsAt(v *snapshot.Visitor, x core.Extent) {
	s, walk := &g.All, packetWalk{g, v}
	if g.Adapt.Choices.N > 0 && !g.VOQ {
		snapshot.Values(v, g.Adapt.Choices.Slice(x.VCs, x.EndVCs-x.VCs))
	}
	for number := x.VCs; number < x.EndVCs; number++ {
		in := s.InputVCs.At(number)
		walk.list(in.Here)
		walk.list(in.Coming)
		walk.list(stage.List{First: s.OutputVCs.At(number).More})
		if s.Buffers.N > 0 {
			walk.list(s.Buffers.At(number).Queue)
		}
	}
	for _, run := range x.Hosts {
		number := g.B.FirstNICVC + run.NIC*g.NumVCs
		for end := number + run.NICs*g.NumVCs; number < end; number++ {
			walk.list(stage.List{First: s.OutputVCs.At(number).More})
		}
	}
	if g.VOQ && !g.Adaptive {
		for number := x.First; number < x.First+x.Count; number++ {
			walk.queues(s.Routers.At(number))
		}
	}
}

// packetWalk visits packets of a block.
type packetWalk struct {
	*Routers
	v *snapshot.Visitor
}

// queues visits the packets in a router's virtual output queues.
func (walk packetWalk) queues(router *stage.Router) {
	s := &walk.All
	for index := range uint32(router.NumVCs) {
		requests := s.Requests(router, index)
		for w := range uint32(router.Words) {
			for m := *requests.Word(w); m != 0; m &= m - 1 {
				out := w<<6 + uint32(bits.TrailingZeros64(m))
				walk.list(*s.Queues.At(router.Queues + index*uint32(router.NumVCs) + out))
			}
		}
	}
}

// list visits the packets of a list. The last one's Next may have any value.
func (walk packetWalk) list(l stage.List) {
	v, p, adapt := walk.v, &walk.Pool, &walk.Adapt
	for id := l.First; id != 0; id = p.Packets.At(id).Next {
		snapshot.Value(v, p.Packets.At(id))
		if p.Words > 0 {
			snapshot.Values(v, p.Requests.Slice(id*p.Words, p.Words))
		}
		if adapt.Choices.N > 0 && walk.VOQ {
			snapshot.Value(v, adapt.Choices.At(id))
		}
		if id == l.Last {
			return
		}
	}
}

// DiscardAt releases the memory of routers that have moved to another process.
func (g *Routers) DiscardAt(x core.Extent) {
	g.B.Discard(x)
	s := &g.All
	ports, vcs := x.EndPorts-x.Ports, x.EndVCs-x.VCs
	offheap.Discard(s.InputVCs.Slice(x.VCs, vcs))
	offheap.Discard(s.OutputVCs.Slice(x.VCs, vcs))
	offheap.Discard(s.Ports.Slice(x.Ports, ports))
	first, end := s.Routers.At(x.First), s.Queues.N
	if next := x.First + x.Count; next < s.Routers.N {
		end = s.Routers.At(next).Queues
	}
	offheap.Discard(s.Queues.Slice(first.Queues, end-first.Queues))
}

// TakePackets processes packets and feedback from another block.
func (g *Routers) TakePackets(x *core.Box) {
	for i := range x.Packets {
		m := &x.Packets[i]
		id := g.pushNew(m.Router, m.VC, m.Packet, m.Span)
		if g.Doors != nil {
			*g.Doors.riders.At(id) = x.Riders[i]
		}
	}
	for i := range x.Feedback {
		g.Doors.takeMail(&x.Feedback[i])
	}
}

// TakeCredits adds credit from another block to its outputs.
func (g *Routers) TakeCredits(x *core.Box) {
	for i := range x.Credits {
		g.TakeCredit(&x.Credits[i])
	}
}

// TakeCredit adds credit from another block, or from a NIC's I/O bus, to its output.
func (g *Routers) TakeCredit(c *core.CreditMail) {
	g.Out.GiveBack(g.B.Routers.At(c.Router), c.VC, c.At, c.Flits)
}

// SetEndpoint installs the endpoint of the block's hosts.
func (g *Routers) SetEndpoint(e model.Endpoint) { g.B.SetEndpoint(e) }

// SentBy returns the transmit counters of a port.
func (g *Routers) SentBy(port uint32) core.LinkCount {
	c := g.Crossbar.Ports.At(port)
	return core.LinkCount{Flits: c.Flits, Packets: c.Packets}
}

// Recut updates internal data after the block's routers have changed.
func (g *Routers) Recut() {
	g.Loader.count = g.B.Count
	g.Loader.measure()
}

// Remark records all timers of a router again.
func (g *Routers) Remark(r *core.Router) {
	g.Wheel.Remark(r)
	g.Events.Remark(r)
}
