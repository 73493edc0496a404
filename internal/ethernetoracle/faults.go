package ethernetoracle

import (
	"slices"

	"fabricast/ethernet"
	"fabricast/internal/units"
	"fabricast/topology"
)

// direction is one direction of a link, and what is on it.
type direction struct {
	down    bool
	avoided bool
	rate    units.Rate // 0: that of its class
	flying  []*packet  // being sent, or on the way
}

// scheduleChanges schedules the changes of links.
func (n *network) scheduleChanges() {
	g := n.spec.Graph
	n.directions = make([]direction, len(g.Ports)+len(g.NICPort))
	for i, c := range n.spec.Changes {
		n.at(c.At, linkChanges, i, 0, func() { n.change(c) })
	}
}

// outOf returns the direction out of a port.
func (n *network) outOf(port int) *direction { return &n.directions[port] }

// fromNIC returns the direction from a NIC.
func (n *network) fromNIC(nic int) *direction { return &n.directions[len(n.ports)+nic] }

// change makes a change of a direction.
func (n *network) change(c ethernet.Change) {
	d := &n.directions[c.Way]
	switch c.Kind {
	case ethernet.Down:
		d.down = true
		for _, p := range d.flying {
			p.broken = true
		}
		if int(c.Way) < len(n.ports) {
			n.loseQueued(n.ports[c.Way])
		}
	case ethernet.Up:
		d.down = false
		if nic := int(c.Way) - len(n.ports); nic >= 0 {
			n.start(n.nics[nic])
		}
	case ethernet.SetRate:
		d.rate = c.Rate
	case ethernet.Avoid:
		d.avoided = true
	case ethernet.Use:
		d.avoided = false
	}
}

// loseQueued loses what waits at an output.
func (n *network) loseQueued(out *port) {
	for class := range n.classes() {
		for _, p := range of(class, out.queue) {
			out.queue = slices.DeleteFunc(out.queue, func(other *packet) bool { return other == p })
			n.refund(p)
			n.loseOnLink(p)
		}
		out.left[class] = 0
	}
	for _, p := range out.headers {
		n.loseOnLink(p)
	}
	out.headers = nil
}

// loseOnLink counts a packet that a link has lost.
func (n *network) loseOnLink(p *packet) {
	n.lose(p, []filler{{Failure, 1}})
	if p.hasPayload() {
		n.counts.Lost++
	} else {
		n.counts.HeadersLost++
	}
}

// sends puts a packet on a link, and returns how long it takes to be sent (ps).
func (n *network) sends(d *direction, p *packet, link uint16) int64 {
	d.flying = append(d.flying, p)
	if d.rate == 0 {
		return n.takes(p.size, link)
	}
	rate := int64(d.rate)
	return (p.size*1_000_000_000_000 + rate - 1) / rate
}

// lands takes a packet from a link after its end has arrived.
func (d *direction) lands(p *packet) {
	d.flying = slices.DeleteFunc(d.flying, func(other *packet) bool { return other == p })
}

// graphNow returns the network by which routers choose, and the distances in it.
func (n *network) graphNow() (*topology.Graph, [][]int) {
	g, d := n.spec.Graph, n.distance
	for i, e := range n.spec.Epochs {
		if e.At <= n.now {
			if n.epochDistance[i] == nil {
				n.epochDistance[i] = distances(e.Graph)
			}
			g, d = e.Graph, n.epochDistance[i]
		}
	}
	return g, d
}

// settled reports whether all changes have been made.
func (n *network) settled() bool {
	for _, c := range n.spec.Changes {
		if c.At > n.now {
			return false
		}
	}
	for _, e := range n.spec.Epochs {
		if e.At > n.now {
			return false
		}
	}
	return true
}

// anyDown reports whether a link is down.
func (n *network) anyDown() bool {
	return slices.ContainsFunc(n.directions, func(d direction) bool { return d.down })
}

// Numbers of failures in a row after which a flow sends no more.
const (
	mostLate = 7
	mostAsks = 64
)

// givesUp reports whether a flow sends no more.
func (n *network) givesUp(f *sender) bool {
	if f.late < mostLate && f.asks < mostAsks || !n.settled() || !n.anyDown() {
		return false
	}
	return n.meetsDown(f.nic.id, f.dst) || n.meetsDown(f.dst, f.nic.id)
}

// meetsDown reports whether packets between two NICs can come to a link that is down, or to a router
// from which no way leads on.
func (n *network) meetsDown(src, dst int) bool {
	if n.fromNIC(src).down || n.outOf(int(n.spec.Graph.NICPort[dst])).down {
		return true
	}
	return n.meetsFrom(n.routerOf(src), n.routerOf(dst))
}

// meetsFrom is meetsDown from a router to another.
func (n *network) meetsFrom(at, to int) bool {
	if at == to {
		return false
	}
	g, d := n.graphNow()
	ports := closer(g, d, at, to)
	return len(ports) == 0 || slices.ContainsFunc(ports, func(port int) bool {
		return n.outOf(port).down || n.meetsFrom(g.NextRouter(port), to)
	})
}
