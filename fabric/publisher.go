package fabric

import (
	"math"
)

// publisher publishes the queue lengths (flits) of a block to all routers, for routing.Informed.
// From (k+1)*interval until (k+2)*interval, readers see the lengths just before k*interval, for
// every integer k.
//
// No window is longer than an interval, see layout.findLookahead. So a window has at most one
// publication, no block reads a publication in the window that writes it, and with three sets of
// lengths none is read while it is written. Nothing is published where no length has changed.
type publisher struct {
	interval  int64        // ps; 0 = nothing is published
	due       int64        // ps: time of the next publication
	changed   bool         // packets may have started since the last one
	unsettled int          // publications until all sets hold the lengths of the last one
	settling  bool         // the publication of this window is one of these
	fresh     bool         // the last publication may have changed a set, see across.publishes
	lengths   array[int32] // flits, by set and global port
	ports     uint32
	events    *eventWheel
	out       *outputVCs // whose queues they are
	routers   array[generalRouter]
}

const publishedSets = 3

func newPublisher(g *stages) publisher {
	interval := g.b.layout.publishes()
	return publisher{
		interval: interval, due: interval, lengths: g.all.published, ports: g.b.layout.nicPorts,
		events: g.events, out: &g.out, routers: g.all.routers,
	}
}

// next returns the next window in which the block has to publish; math.MaxInt64 if what is
// published stays valid.
func (p *publisher) next() int64 {
	switch {
	case p.interval == 0:
	case p.changed || p.unsettled > 0:
		return p.due / p.events.calendar.length
	case p.out.soonest != Forever:
		return max(p.due, (p.out.soonest/p.interval+1)*p.interval) / p.events.calendar.length
	}
	return math.MaxInt64
}

// beginWindow prepares the publication of this window. Publications of skipped windows would not
// have changed anything.
func (p *publisher) beginWindow() {
	if p.interval == 0 {
		return
	}
	if start := p.events.calendar.start; p.due < start {
		p.due = (start + p.interval - 1) / p.interval * p.interval
	}
	if p.due < p.events.calendar.end {
		p.changed, p.out.soonest = false, Forever
		p.settling = p.unsettled > 0
		p.unsettled = max(0, p.unsettled-1)
	}
}

// endWindow publishes the queues of those of the block's `count` routers that have not been
// published in this window.
func (p *publisher) endWindow(count uint32) {
	if p.interval == 0 || p.due >= p.events.calendar.end {
		return
	}
	for number := p.events.first; number < p.events.first+count; number++ {
		p.publish(p.events.routers.at(number))
	}
	p.due += p.interval
	p.fresh = p.settling || p.unsettled == publishedSets-1
}

// publish publishes the queues of a router, once a window, before the router's events at or after
// the time of publication.
func (p *publisher) publish(r *routerState) {
	x := p.routers.at(r.number)
	if x.published == p.due {
		return
	}
	x.published = p.due
	number := p.due / p.interval
	before, now := uint32((number-1)%publishedSets)*p.ports, uint32(number%publishedSets)*p.ports
	v := p.out
	for port := range uint32(x.ports) {
		length := int32(0)
		for out := port * v.vcs; out < (port+1)*v.vcs; out++ {
			o := v.outlets.at(r.lanes + out)
			v.pull(o, p.due-1)
			length += v.capacity - o.credit
			if v.buffered {
				length += v.buffers.at(r.lanes + out).inside
			}
			if o.n > 0 {
				v.soonest = min(v.soonest, o.next())
			}
		}
		*p.lengths.at(now + r.ports + port) = length
		if *p.lengths.at(before + r.ports + port) != length {
			p.unsettled = publishedSets - 1
		}
	}
}

// published returns the queue length (flits) of a router's port that readers see now.
func (p *publisher) published(r *routerState, port uint16) int64 {
	known := p.events.now/p.interval - 1
	if known < 1 {
		return 0
	}
	return int64(*p.lengths.at(uint32(known%publishedSets)*p.ports + r.ports + uint32(port)))
}
