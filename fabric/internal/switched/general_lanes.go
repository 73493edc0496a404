package switched

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/model"
)

// lanes sends packets from NICs that have a lane for each class (see nic.Senders.Lane).
type lanes struct{ *Routers }

// inject is like Routers.inject. Any event that may allow the NIC to send sets its timer.
func (g lanes) inject(timer uint32) {
	b := g.B
	if !b.Events.TakeTimer(g.R, timer) {
		return
	}
	id := g.R.FirstNIC + timer - uint32(g.R.Wakes)
	n := b.Send.NICs.At(id)
	if n.Free > b.Events.Now {
		b.Events.SetEarlier(g.R, timer, n.Free)
		return
	}
	class, again := g.nextLane(id)
	if class == noLane {
		if again < model.Forever {
			b.Events.SetEarlier(g.R, timer, again)
		}
		return
	}
	g.sendFrom(id, class)
	b.Events.SetEarlier(g.R, timer, n.Free)
}

const noLane = ^uint32(0)

// nextLane returns the class whose lane sends the next packet of a NIC now. If none can, it returns
// noLane, and the earliest time (ps) at which that may have changed without credit that is not known yet.
func (g lanes) nextLane(id uint32) (best uint32, again int64) {
	b, rank, lacks := g.B, int64(0), model.Forever
	best, again = noLane, model.Forever
	for i := range b.Spec.Router.Classes {
		class := uint32(i)
		lane := b.Send.Lane(id, class)
		switch {
		case lane.Fetched == 0:
			continue
		case lane.Ready[0] > b.Events.Now:
			again = min(again, lane.Ready[0])
			continue
		}
		if at, credited := g.creditOf(id, class, lane); !credited {
			again, lacks = min(again, at), min(lacks, lane.Ready[0])
			continue
		}
		if r := b.Send.Rank(id, class); best == noLane || r < rank {
			best, rank = class, r
		}
	}
	if best == noLane && lacks < model.Forever && g.Observer != nil {
		n := b.Send.NICs.At(id)
		n.Stalled, n.Ready[0] = true, lacks // Next is when the NIC's wait for credit began
	}
	return best, again
}

// creditOf reports whether there is credit for the next packet of a lane. Otherwise it returns when more
// credit is known (ps); model.Forever: that sets the NIC's timer.
func (g lanes) creditOf(id, class uint32, lane *nic.Sender) (at int64, credited bool) {
	if g.injectInTurn {
		lane.VC = class*g.SetVCs + uint32(lane.Packets%uint64(g.SetVCs))
	}
	o := g.Out.VCs.At(g.B.FirstNICVC + id*g.NumVCs + lane.VC)
	if g.Out.Credited(o, g.Out.Flow.NicNeeds(lane, g.B.Send.NextSize(lane))) {
		return 0, true
	}
	if o.Wanted = o.N == 0; o.Wanted {
		return model.Forever, false
	}
	return o.Next(), false
}

// sendFrom sends the next packet of a lane of a NIC.
func (g lanes) sendFrom(id, class uint32) {
	b := g.B
	lane := b.Send.Lane(id, class)
	size := b.Send.NextSize(lane)
	flits := size & core.FlitMask
	g.Out.VCs.At(b.FirstNICVC + id*g.NumVCs + lane.VC).Credit -= int32(flits)
	if g.Observer != nil {
		g.Observer.Injected(id, b.Send.NICs.At(id), uint32(flits))
	}
	port := uint32(b.Spec.Graph.NICPort[id])
	link := b.Classes.At(uint32(b.Spec.Graph.Ports[port].Link))
	tail := b.Send.SendFrom(id, class, int64(flits), link.Inject)
	g.pushNew(g.R.Number, port*g.NumVCs+lane.VC, core.Packet{
		Time: b.Events.Now + link.Entry, Route: lane.Route, Msg: model.MsgID(lane.Head), Flits: size, Out: lane.Out,
	}, uint32(tail-b.Events.Now))
	b.Advance(g.R, id, lane)
}
