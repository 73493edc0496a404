package probe

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/model"
)

// Hold is the latest period in which an output VC was held by a packet that waited for space.
type Hold struct {
	from, to int64 // when the VC was held last: start and end (ps); `to` is Forever as long as it is held
}

// Held records that a packet starts to hold an output VC because it lacks space.
func (x *Observer) Held(out uint32) {
	h := &x.holds[out-x.firstVC]
	if h.to != model.Forever {
		*h = Hold{x.events.Now, model.Forever}
	}
}

// creditAt returns how long (ps) a packet that made its request at the time `asked` has waited for
// a held output VC.
func (h *Hold) creditAt(asked, now int64) int64 {
	return max(0, min(now, h.to)-max(asked, h.from))
}

// Starts counts a packet that starts through the crossbar now. It must be called before any state
// except the packet's queue changes.
func (x *Observer) Starts(index, id uint32, p *stage.Packet) {
	g := x.general
	in := g.In.At(index)
	out := uint32(p.Out)
	asked := p.Ready
	if !g.VOQ {
		asked = in.Ask
	}
	if g.Separate {
		asked = g.Alloc.AskedAt(index).Crossbar
	}
	asked = max(asked, p.Ready)
	port := g.Crossbar.At(uint32(*g.PortOf.At(out)))
	inFree := int64(0)
	from := g.Port(index)
	if last := g.Crossbar.At(uint32(g.Crossbar.At(from).Feeds)); uint32(last.Feeder) == from {
		inFree = last.Free
	}
	h := &x.holds[g.R.FirstVC+out-x.firstVC]
	credit := max(x.events.Now-max(asked, port.Free, inFree), h.creditAt(asked, x.events.Now))
	if h.to == model.Forever {
		h.to = x.events.Now
	}
	ready := p.Ready + g.Alloc.GrantTime
	if g.Separate { // the wait for a virtual channel counts as waiting for credit
		first := g.Alloc.AskedAt(index).VC + g.Alloc.GrantTime
		asked, credit = first, credit+asked-first
	}
	wait := x.split(asked, port.Free, inFree, credit)
	flits := uint32(p.Flits & core.FlitMask)
	if x.Causes && p.Flits&core.LastPacket != 0 {
		x.chargeStart(x.messages.Division(p.Msg), port.Router < 0, &wait)
	}
	if x.Hops {
		x.name(model.Crossed, p.Msg, p.Flits, g.R.FirstPort+uint32(*g.PortOf.At(out)), out%x.numVCs)
		x.comesFrom(g.R, index)
		x.hop.Needs = g.Out.Flow.Needs(out, g.Out.Flow.Asks(index, p))
		x.hop.Ready, x.hop.Asked = ready, asked
	}
	x.noteWaits(g.R.FirstPort+uint32(*g.PortOf.At(out))-x.firstPort, wait)
	if x.buffers != nil {
		x.pileUpGeneral(g.R.FirstVC + index)
		x.pile = append(x.pile, piled{int64(flits), ready}) // it has already been removed from its queue
		x.measure(g.R.FirstVC + index - x.firstVC)
	}
	if x.logs(g.R.Number) {
		x.passage(g.R, index, out, x.messages.At(p.Msg), flits, ready, asked, wait)
	}
}

// noteWaits adds the waits of a packet that reaches the link, or its output buffer, now.
func (x *Observer) noteWaits(link uint32, wait tally) {
	for what, time := range wait {
		if time > 0 {
			x.wait(link, what, time)
		}
	}
}

// pileUpGeneral implements pileUp for the general path.
func (x *Observer) pileUpGeneral(number uint32) {
	g := x.general
	in := g.In.VCs.At(number)
	x.pile = x.pile[:0]
	for _, l := range []stage.List{in.Here, in.Coming} {
		for id := l.First; id != 0; id = g.Pool.Packets.At(id).Next {
			p := g.Pool.Packets.At(id)
			x.pile = append(x.pile, piled{int64(p.Flits & core.FlitMask), p.Ready + g.Alloc.GrantTime})
		}
	}
	if g.VOQ && !g.Adaptive {
		x.pileUpQueues(number)
	}
}

// pileUpQueues adds the packets in the virtual output queues of a VC.
func (x *Observer) pileUpQueues(channel uint32) {
	g := x.general
	number := uint32(x.spec.Graph.Ports[channel/g.NumVCs].Router)
	r, s := x.events.Routers.At(number), g.All.Routers.At(number)
	index, vcs := channel-r.FirstVC, uint32(r.NumVCs)
	for out := range vcs {
		if !g.All.Requests(s, index).Has(out) {
			continue
		}
		q := g.In.Queues.At(s.Queues + index*vcs + out)
		for id := q.First; ; id = g.Pool.Packets.At(id).Next {
			p := g.Pool.Packets.At(id)
			x.pile = append(x.pile, piled{int64(p.Flits & core.FlitMask), p.Ready + g.Alloc.GrantTime})
			if id == q.Last {
				break
			}
		}
	}
}
