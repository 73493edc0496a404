package ethernetoracle

import (
	"math/big"

	"fabricast/internal/units"
)

// account holds what is in the shared buffer of a switch of a class of what came in through a port.
type account struct {
	bytes    int64 // in the reserve and the shared part
	headroom int64
	paused   bool  // its sender has been told to pause
	since    int64 // when (ps)
	why      Pause // but for its end
	pausing  *pausing
}

// above returns the bytes of an account in the shared part of the buffer.
func (n *network) above(a *account) int64 { return max(0, a.bytes-n.spec.Switch.Shared.Reserve) }

// headroomOf returns the size of the headroom of a port (bytes).
func (n *network) headroomOf(port int) int64 {
	s := n.spec.Switch.Shared
	if !s.Pauses {
		return 0
	}
	if s.Headroom != 0 {
		return s.Headroom
	}
	// what the other end sends until the pause is there, what is on the link then, and two packets
	link := n.spec.Graph.Ports[port].Link
	time := 2*n.latency(link) + n.spec.Switch.Latency + n.takes(n.spec.Packet.Control, link)
	bytes := new(big.Int).Mul(big.NewInt(int64(n.spec.Links[link].Bandwidth)), big.NewInt(time))
	return bytes.Div(bytes, big.NewInt(1_000_000_000_000)).Int64() + 1 + 2*n.spec.Packet.MTU
}

// threshold returns what each port of a router may have of a class in the shared part (bytes).
func (n *network) threshold(router, class int) int64 {
	s := n.spec.Switch.Shared
	free := s.Size
	for port := n.spec.Graph.PortBase[router]; port < n.spec.Graph.PortBase[router+1]; port++ {
		for each := range n.classes() {
			free -= s.Reserve + n.headroomOf(int(port)) + n.above(n.ports[port].input(each))
		}
	}
	return max(0, free) * int64(n.alphaOf(class)) / int64(units.Whole)
}

// ordinary reports whether a packet fits into the reserve and the shared part.
func (n *network) ordinary(p *packet) bool {
	after := n.ports[p.ingress].input(p.class).bytes + p.size - n.spec.Switch.Shared.Reserve
	return after <= 0 || after <= n.threshold(int(n.spec.Graph.Ports[p.ingress].Router), p.class)
}

// admits reports whether the shared buffer has room for a packet.
func (n *network) admits(p *packet) bool {
	return n.ordinary(p) || n.ports[p.ingress].input(p.class).headroom+p.size <= n.headroomOf(p.ingress)
}

// charge accounts for a packet that is queued, and pauses its sender if it has to.
func (n *network) charge(out *port, p *packet) {
	s := n.spec.Switch.Shared
	if s == nil {
		return
	}
	in := n.ports[p.ingress].input(p.class)
	if n.ordinary(p) {
		in.bytes += p.size
	} else {
		in.headroom += p.size
	}
	if !s.Pauses || in.paused {
		return
	}
	above := n.above(in)
	if in.headroom > 0 || above > 0 && above >= n.threshold(int(n.spec.Graph.Ports[p.ingress].Router), p.class) {
		in.paused, in.since = true, n.now
		in.why = Pause{In: p.ingress, Out: out.id, Class: p.class, Begin: n.now, PassedOn: out.paused[p.class]}
		n.counts.Pauses++
		n.byClass[p.class].Pauses++
		in.pausing = &pausing{}
		n.tell(p.ingress, p.class, true)
	}
}

// refund accounts for a packet that has left, and lets its sender go on if it may.
func (n *network) refund(p *packet) {
	s := n.spec.Switch.Shared
	if s == nil {
		return
	}
	in := n.ports[p.ingress].input(p.class)
	from := min(in.headroom, p.size)
	in.headroom -= from
	in.bytes -= p.size - from
	if !in.paused || in.headroom > 0 {
		return
	}
	above := n.above(in)
	if above == 0 || above+s.Resume <= n.threshold(int(n.spec.Graph.Ports[p.ingress].Router), p.class) {
		in.paused = false
		in.why.End = n.now
		n.pauses = append(n.pauses, in.why)
		n.counts.Paused += n.now - in.since
		n.byClass[p.class].Paused += n.now - in.since
		n.ends(in.pausing, p)
		n.tell(p.ingress, p.class, false)
	}
}

// frameTakes returns how long (ps) a frame takes from a port to what sends to it.
func (n *network) frameTakes(in int) int64 {
	link := n.spec.Graph.Ports[in].Link
	return n.takes(n.spec.Packet.Control, link) + n.latency(link)
}

// tell sends a frame to what sends to a port, to pause a class of it or to end its pause.
func (n *network) tell(in, class int, pause bool) {
	g := n.spec.Graph
	here := g.Ports[in]
	arrival, by := n.now+n.frameTakes(in), n.ports[in].input(class).pausing
	if here.NIC >= 0 {
		sender := n.nics[here.NIC]
		n.at(arrival, pausesNIC, sender.id, 0, func() {
			sender.paused[class], sender.pausedBy[class] = pause, by
			n.start(sender)
		})
		return
	}
	sender := n.ports[here.Peer]
	n.at(arrival, pausesPort, sender.id, 0, func() {
		sender.paused[class], sender.pausedBy[class] = pause, by
		n.serve(sender)
	})
}
