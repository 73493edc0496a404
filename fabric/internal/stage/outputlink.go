package stage

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// outputLinks holds the output buffers of a block's routers, and the links behind them.
type outputLinks struct {
	Shape
	events  *core.EventWheel
	wheel   *DueWheel
	pool    *PacketPool
	arbiter *arbiter
	out     *OutputVCs
	Buffers core.Array[OutBuffer]
	links   core.Array[OutLink]
	rates   core.Array[core.Rate] // by link class
	flit    int64                 // size of a flit in bytes
	shares  core.Shares           // of links among classes
	classed bool                  // routers have classes
	post    int64                 // time through the crossbar to the output buffer (ps)

	// The following fields belong to the active router.
	here        core.ArrayPart[OutLink]
	buffersHere core.ArrayPart[OutBuffer]
	first       uint32      // ID of its first port
	Busy        core.Bitmap // ports whose links may have a packet to send
	Words       uint32      // number of words of Busy for the active router
}

func newOutputLinks(g *Stages) outputLinks {
	spec := &g.B.Spec
	rates := make([]core.Rate, len(spec.Links))
	for i, link := range spec.Links {
		rates[i] = core.NewRate(int64(link.Bandwidth))
	}
	return outputLinks{
		Shape: g.Shape, events: g.Events, wheel: &g.Wheel, pool: &g.Pool, arbiter: &g.Arbiter,
		out: &g.Out, Buffers: g.All.Buffers, links: g.All.Links, rates: core.ArrayOf(rates),
		flit: spec.Packet.Flit, post: int64(spec.Router.SwitchTraversal) + int64(spec.Router.Latency),
		shares: core.NewShares(g.B.Layout, g.All.LinkLags), classed: g.B.Classed,
		Busy: core.NewBitmap(core.WordsOf(int(g.PortOf.N))),
	}
}

// enter makes a router the active one.
func (l *outputLinks) enter(r *core.Router, x *Router) {
	l.here = l.links.From(r.FirstPort)
	l.buffersHere, l.first = l.Buffers.From(r.FirstVC), r.FirstPort
	l.Words = uint32(x.Words)
}

// At returns a link of the active router.
func (l *outputLinks) At(port uint32) *OutLink { return l.here.At(port) }

// bufferAt returns an output buffer of the active router.
func (l *outputLinks) bufferAt(out uint32) *OutBuffer { return l.buffersHere.At(out) }

// Buffer puts a packet that starts through the crossbar now into its output buffer. Its tail leaves
// the input buffer at `leave` (ps).
func (l *outputLinks) Buffer(o *OutputVC, id uint32, p *Packet, leave int64) {
	out := uint32(p.Out)
	flits := int32(p.Flits & core.FlitMask)
	buf := l.bufferAt(out)
	buf.Room -= flits
	l.out.Spend(out, buf.Room)
	buf.Inside += flits
	p.Ready, p.Span = l.events.Now+l.post, uint32(leave-l.events.Now)
	q := &buf.Queue
	idle := q.First == 0
	l.pool.Add(q, id, p)
	if idle && p.Ready >= l.At(l.Port(out)).Free {
		l.out.arm(out, o, p.Ready)
	}
}

// First returns the output VC of the packet that a link takes now: the first in arbitration order
// that is in its output buffer and has credit. ok is false if there is none or the link is busy.
func (l *outputLinks) First(port uint32) (out uint32, ok bool) {
	link := l.At(port)
	if link.Free > l.events.Now || link.Down {
		return 0, false
	}
	first := port * l.NumVCs
	chosen, key := l.NumVCs, model.Rank{}
	for vc := range l.NumVCs {
		p := l.atLink(first + vc)
		if p == nil {
			continue
		}
		if k := l.linkKey(link, first, vc, p); chosen == l.NumVCs || k.Before(key) {
			chosen, key = vc, k
		}
	}
	return first + chosen, chosen < l.NumVCs
}

// atLink returns the first packet of an output buffer if it has arrived there and has credit. If
// only credit is missing, it arms the timer for the credit's return.
func (l *outputLinks) atLink(out uint32) *Packet {
	id := l.bufferAt(out).Queue.First
	if id == 0 {
		return nil
	}
	p := l.pool.Packets.At(id)
	if p.Ready > l.events.Now {
		return nil
	}
	o := l.out.At(out)
	if l.out.Credited(o, l.out.Flow.LinkNeeds(out, p)) {
		return p
	}
	if !o.Armed {
		l.out.wantCredit(out, o)
	}
	return nil
}

// linkKey returns the rank of a packet that requests a link whose first output VC is `first`.
func (l *outputLinks) linkKey(link *OutLink, first, vc uint32, p *Packet) model.Rank {
	buf := l.bufferAt(first + vc)
	h := past{granted: buf.granted}
	if l.arbiter.Memory == model.LastGrant {
		h.turn = int64((vc + l.NumVCs - link.last) % l.NumVCs)
	}
	rank := l.arbiter.order(p, max(p.Ready, buf.left), h)
	if l.classed {
		return model.Rank{l.shares.Rank(l.first+first/l.NumVCs, vc/l.SetVCs), rank[0]}
	}
	return rank
}

// Start moves the first packet of an output buffer onto the link. Its tail leaves at `leave` (ps).
func (l *outputLinks) Start(port, out uint32, class uint16) (id uint32, p *Packet, leave int64) {
	link, buf, o := l.At(port), l.bufferAt(out), l.out.At(out)
	now := l.events.Now
	id = buf.Queue.First
	p = l.pool.Packets.At(id)
	buf.Queue.First = p.Next
	flits := int32(p.Flits & core.FlitMask)
	o.Credit -= flits
	buf.Inside -= flits
	if link.Free != now {
		link.Fraction = 0
	}
	var took int64
	took, link.Fraction = l.rates.At(uint32(class)).Duration(int64(flits)*l.flit, link.Fraction)
	leave = max(now+took, p.Ready+int64(p.Span))
	link.Free, link.leaving, link.flits, link.last = leave, out, uint32(flits), out-port*l.NumVCs+1
	buf.left, buf.granted = leave, now+1
	if l.classed {
		l.shares.Grant(l.first+port, (out-port*l.NumVCs)/l.SetVCs, uint32(flits))
	}
	l.wheel.ArmHere(l.wheel.Timers.Links+port, leave)
	if next := buf.Queue.First; next != 0 {
		if at := l.pool.Packets.At(next).Ready; at > leave {
			l.out.arm(out, o, at)
		}
	}
	return id, p, leave
}

// Freed records that a link has become free, together with the space of the departed packet in its
// output buffer. It returns that buffer's VC.
func (l *outputLinks) Freed(port uint32) (out uint32) {
	link := l.At(port)
	l.bufferAt(link.leaving).Room += int32(link.flits)
	l.Busy.Set(port)
	return link.leaving
}
