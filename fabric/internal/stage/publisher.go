package stage

import (
	"math"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// publisher publishes the queue lengths (flits) of a block to all routers, for routing.Informed.
// From (k+1)*Interval to (k+2)*Interval, readers see the lengths just before k*Interval, for every
// integer k.
//
// No window is longer than an interval (see Layout.findLookahead). So a window has at most one
// publication, no block reads a publication in the window that writes it, and with three sets of
// lengths none is read while it is written. If no length has changed, nothing is published.
type publisher struct {
	Interval  int64             // time between publications (ps); 0: nothing is published
	Due       int64             // time of the next publication (ps)
	Changed   bool              // packets may have started since the last publication
	Unsettled int               // number of publications until all sets contain the lengths of the last one
	settling  bool              // the publication of this window is one of those counted by Unsettled
	Fresh     bool              // the last publication may have changed a set, see across.publishes
	Lengths   core.Array[int32] // queue lengths in flits, by set and global port
	Ports     uint32
	events    *core.EventWheel
	Out       *OutputVCs // output VCs whose queue lengths are published
	routers   core.Array[Router]
}

const PublishedSets = 3

func newPublisher(g *Stages) publisher {
	interval := g.B.Layout.Publishes()
	return publisher{
		Interval: interval, Due: interval, Lengths: g.All.Published, Ports: g.B.Layout.FirstNICPort,
		events: g.Events, Out: &g.Out, routers: g.All.Routers,
	}
}

// Next returns the next window in which the block has to publish, or math.MaxInt64 if the published
// lengths stay valid.
func (p *publisher) Next() int64 {
	switch {
	case p.Interval == 0:
	case p.Changed || p.Unsettled > 0:
		return p.Due / p.events.Calendar.Length
	case p.Out.Soonest != model.Forever:
		return max(p.Due, (p.Out.Soonest/p.Interval+1)*p.Interval) / p.events.Calendar.Length
	}
	return math.MaxInt64
}

// BeginWindow prepares the publication of this window. Publications in skipped windows would not
// have changed anything.
func (p *publisher) BeginWindow() {
	if p.Interval == 0 {
		return
	}
	if start := p.events.Calendar.Start; p.Due < start {
		p.Due = (start + p.Interval - 1) / p.Interval * p.Interval
	}
	if p.Due < p.events.Calendar.End {
		p.Changed, p.Out.Soonest = false, model.Forever
		p.settling = p.Unsettled > 0
		p.Unsettled = max(0, p.Unsettled-1)
	}
}

// EndWindow publishes the queues of those of the block's `count` routers that have not been
// published in this window yet.
func (p *publisher) EndWindow(count uint32) {
	if p.Interval == 0 || p.Due >= p.events.Calendar.End {
		return
	}
	for number := p.events.First; number < p.events.First+count; number++ {
		p.Publish(p.events.Routers.At(number))
	}
	p.Due += p.Interval
	p.Fresh = p.settling || p.Unsettled == PublishedSets-1
}

// Publish publishes the queues of a router, once per window, before the router's events at or after
// the time of publication.
func (p *publisher) Publish(r *core.Router) {
	x := p.routers.At(r.Number)
	if x.published == p.Due {
		return
	}
	x.published = p.Due
	number := p.Due / p.Interval
	before, now := uint32((number-1)%PublishedSets)*p.Ports, uint32(number%PublishedSets)*p.Ports
	v := p.Out
	for port := range uint32(x.NumPorts) {
		length := int32(0)
		for out := port * v.NumVCs; out < (port+1)*v.NumVCs; out++ {
			o := v.VCs.At(r.FirstVC + out)
			v.pull(o, p.Due-1)
			length += v.Capacity - o.Credit
			if v.Buffered {
				length += v.buffers.At(r.FirstVC + out).Inside
			}
			if o.N > 0 {
				v.Soonest = min(v.Soonest, o.Next())
			}
		}
		*p.Lengths.At(now + r.FirstPort + port) = length
		if *p.Lengths.At(before + r.FirstPort + port) != length {
			p.Unsettled = PublishedSets - 1
		}
	}
}

// published returns the queue length (flits) of a router's port that readers currently see.
func (p *publisher) published(r *core.Router, port uint16) int64 {
	known := p.events.Now/p.Interval - 1
	if known < 1 {
		return 0
	}
	return int64(*p.Lengths.At(uint32(known%PublishedSets)*p.Ports + r.FirstPort + uint32(port)))
}
