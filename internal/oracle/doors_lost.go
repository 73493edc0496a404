package oracle

import (
	"math"
	"slices"

	"fabricast/fabric"
	"fabricast/routing"
)

// avoiding returns the candidates that a packet takes where links lose packets while they are down: those at
// ports that are up and the escape channels, or all of them if all ports are down.
func (s *switches) avoiding(r *router, all []routing.Candidate) []routing.Candidate {
	lost := func(c routing.Candidate) bool { return r.ports[c.Port].down && r.ports[c.Port].loses }
	if !slices.ContainsFunc(all, func(c routing.Candidate) bool { return !lost(c) }) {
		return all
	}
	return slices.DeleteFunc(all, func(c routing.Candidate) bool { return lost(c) && !c.Escape })
}

// loses reports whether a port loses a packet that starts now, and whose tail is at the other end at the time
// until (ps): the link is down, or goes down before.
func (d *doors) loses(out *port, until int64) bool {
	return out.loses && (out.down || slices.ContainsFunc(d.spec.Doors.Events, func(e fabric.Event) bool {
		return e.Kind == fabric.Down && int64(e.At) > d.now && int64(e.At) < until && d.concerns(&e, out)
	}))
}

// losesFrom is loses for the direction from a NIC, which is up now. A NIC that stays down completes its packet.
func (d *doors) losesFrom(n *nic, until int64) bool {
	own := func(kind fabric.EventKind, after int64) (times []int64) {
		for _, e := range d.spec.Doors.Events {
			if e.Kind == kind && e.FromNIC && d.spec.Graph.PortBase[e.Router]+e.Port == n.plug && int64(e.At) > after {
				times = append(times, int64(e.At))
			}
		}
		return times
	}
	return d.spec.Doors.Timeout > 0 && slices.ContainsFunc(own(fabric.Down, d.now), func(at int64) bool {
		return at < until && len(own(fabric.Up, at)) > 0
	})
}

// lose takes a packet that a port loses, and whose tail leaves it at time tail (ps). It takes no space at the
// other end.
func (d *doors) lose(p *packet, out *port, tail int64) {
	d.earn(&out.vcs[p.outVC].credit, p.wire)
	post := int64(0)
	if !d.buffered() {
		post = int64(d.spec.Router.SwitchTraversal) + int64(d.spec.Router.Latency)
	}
	d.expectAgain(p, tail-post)
}

// expectAgain has a NIC send a lost packet again a timeout after its tail has left (ps), or give it up.
func (d *doors) expectAgain(p *packet, left int64) {
	d.totals.Lost++
	if p.vain == fabric.MostRepeats {
		return
	}
	timeout := float64(d.spec.Doors.Timeout) * math.Exp2(float64(min(p.losses, fabric.MostDoublings)))
	n := &d.hosts.nics[p.msg.Src]
	lost := &packet{
		msg: p.msg, index: p.index, last: p.last, payload: p.payload, wire: p.wire, injected: p.injected, entry: p.entry,
		turn: p.turn, control: p.control, value: p.value, losses: p.losses + 1, vain: p.vain, refused: -1,
	}
	router, _ := d.switches.port(n.plug)
	order := [4]int64{repeatTask, int64(n.number), p.number()}
	d.plan(router.number, left+int64(timeout), order, func() {
		n.again = append(n.again, lost)
		d.hosts.injectAt(d.now, n)
	})
}

// number returns the number of a packet among those of its NIC. Replies come after others.
func (p *packet) number() int64 {
	if p.control {
		return 1<<32 + int64(p.turn)
	}
	return int64(p.turn)
}

// settled reports whether neither links nor routing change any more.
func (d *doors) settled() bool {
	later := func(e fabric.Event) bool { return int64(e.At) > d.now }
	return !slices.ContainsFunc(d.spec.Doors.Events, later) && d.epoch() == len(d.spec.Doors.Epochs)
}

// injectAgain injects the first of the packets that links have lost, if it can start now.
func (h *hosts) injectAgain(n *nic) {
	p := n.again[0]
	if h.now < n.server.end {
		h.injectAt(n.server.end, n)
		return
	}
	h.doors.aimAgain(n, p)
	if n.credit[p.entry] < h.nicNeeds(p) {
		return
	}
	h.spend(&n.credit[p.entry], p.wire)
	tail := n.server.transfer(h.now, p.wire)
	n.again = n.again[1:]
	n.repeats++
	if h.doors.settled() {
		p.vain++
	}
	h.totals.Repeated++
	if p.epoch > 0 && !p.control && h.doors.otherWay(p) {
		h.totals.Rerouted++
	}
	n.traffic.Packets++
	n.traffic.Bytes += p.wire
	h.enterNetwork(n, p, tail)
}

// enterNetwork puts a packet whose head leaves a NIC now, and whose tail leaves at the time tail (ps), on the
// link to its router.
func (h *hosts) enterNetwork(n *nic, p *packet, tail int64) {
	latency := int64(h.link(&h.spec.Graph.Ports[n.plug]).Latency)
	if h.doors != nil && h.doors.losesFrom(n, tail+latency) {
		h.earn(&n.credit[p.entry], p.wire)
		h.doors.expectAgain(p, tail)
	} else {
		h.switches.arrive(p, n.plug, p.entry, h.now+latency, tail-h.now)
	}
	h.injectAt(n.server.end, n)
}

// aimAgain gives a packet that its NIC may send again now its route.
func (d *doors) aimAgain(n *nic, p *packet) {
	own := p.entry
	p.renewed = false
	if r := d.hosts.perPacket(); r != nil {
		p.coin = mix(mix(mix(d.spec.Seed)^uint64(n.number)) ^ (1<<62 | n.repeats))
		header, vc := r.StartPacket(p.msg.Src, p.msg.Dst, p.coin)
		p.header, p.entry = header, int(vc)
	}
	d.aim(p)
	if d.spec.Router.Injection == fabric.VCsInTurn && !p.control {
		p.entry = own
	}
}
