package fabric

import (
	"math"

	"fabricast/routing"
)

// publisher makes the lengths of a block's queues known to all routers, for
// routing.Informed: as they were just before the times k*interval, for whole k, from
// (k+1)*interval until (k+2)*interval.
//
// No window is longer than an interval, see layout.findLookahead. So a window has at most one such time,
// nobody reads in it what is published in it, and of three sets of lengths none
// is read while it is written. Where nothing changes, nothing is published.
type publisher struct {
	interval  int64        // ps; 0 = nothing is published
	due       int64        // ps: time of the next publication
	changed   bool         // packets may have started since the last one
	unsettled int          // publications until all sets hold the lengths of the last one
	credit    int64        // ps: not before this will credit shorten a queue
	lengths   array[int32] // flits, by set and global port
	ports     uint32
}

const publishedSets = 3

// newPublisher returns the publisher of a network's blocks.
func newPublisher(l *layout, lengths array[int32]) publisher {
	interval := l.publishes()
	return publisher{interval: interval, due: interval, credit: Forever, lengths: lengths, ports: uint32(len(l.wiring))}
}

// publishes is the interval (ps) at which queues are published; 0 = not at all.
func (l *layout) publishes() int64 {
	if informed, ok := l.spec.Adaptive.(routing.Informed); ok {
		return informed.Interval()
	}
	return 0
}

// nextPublication is the window in which the block has to publish something; math.MaxInt64
// if what is published holds.
func (g *general) nextPublication() int64 {
	p := &g.publish
	switch {
	case p.interval == 0:
	case p.changed || p.unsettled > 0:
		return p.due / g.b.calendar.length
	case p.credit != Forever:
		return max(p.due, (p.credit/p.interval+1)*p.interval) / g.b.calendar.length
	}
	return math.MaxInt64
}

// beginWindow prepares for a publication in this window. Those in windows that were
// left out would not have changed anything.
func (g *general) beginWindow() {
	p, b := &g.publish, g.b
	if p.interval == 0 {
		return
	}
	if start := b.calendar.start; p.due < start {
		p.due = (start + p.interval - 1) / p.interval * p.interval
	}
	if p.due < b.calendar.end {
		p.changed, p.credit = false, Forever
		p.unsettled = max(0, p.unsettled-1)
	}
}

// endWindow publishes the queues of the routers that have not yet in this window.
func (g *general) endWindow() {
	p, b := &g.publish, g.b
	if p.interval == 0 || p.due >= b.calendar.end {
		return
	}
	for number := b.first; number < b.first+b.count; number++ {
		g.publishQueues(b.routers.at(number), g.routers.at(number))
	}
	p.due += p.interval
}

// publishQueues publishes the queues of a router, unless it has, before anything is
// done there at the time of publication or later.
func (g *general) publishQueues(r *routerState, x *generalRouter) {
	p := &g.publish
	if x.published == p.due {
		return
	}
	x.published = p.due
	number := p.due / p.interval
	before, now := uint32((number-1)%publishedSets)*p.ports, uint32(number%publishedSets)*p.ports
	for port := range uint32(x.ports) {
		length := int32(0)
		for out := port * g.vcs; out < (port+1)*g.vcs; out++ {
			o := g.outlets.at(r.lanes + out)
			g.pull(o, p.due-1)
			length += g.capacity - o.credit + o.inside
			if o.n > 0 {
				p.credit = min(p.credit, o.times[0])
			}
		}
		*p.lengths.at(now + r.ports + port) = length
		if *p.lengths.at(before + r.ports + port) != length {
			p.unsettled = publishedSets - 1
		}
	}
}

// Published implements routing.GlobalView.
func (v *view) Published(router int32, port uint16) int64 {
	p := &v.g.publish
	known := v.g.b.now/p.interval - 1
	if known < 1 {
		return 0
	}
	return int64(*p.lengths.at(uint32(known%publishedSets)*p.ports + v.g.b.routers.at(uint32(router)).ports + uint32(port)))
}
