package oracle

import (
	"slices"

	"fabricast/internal/causes"
	"fabricast/topology"
)

// switches simulates the routers and all links.
type switches struct {
	*core
	hosts     *hosts
	routers   []router
	published map[int64][]int64 // queue lengths by k and global port (see routing.GlobalView)
}

// router holds the state of one router.
type router struct {
	number int
	ports  []port    // by local index
	past   arbitrage // grants of the whole router, for adaptive routing
	// VC grants of the whole router, for adaptive routing with separate allocation
	owned  arbitrage
	passed int64 // with separable allocators, time of the last round (ps)

	agent   bool               // the router has an agent, at its last port
	handles uint64             // number of packets that the agent has received so far
	held    map[uint64]*packet // packets that the agent holds, by handle
}

// port is a port of a router, with its input side and its output side.
type port struct {
	*topology.Port
	global int

	fifos  [][]*packet // input buffers by VC; the first packet stays until its tail has left
	stored []int64     // by VC: bytes in the buffer
	left   []int64     // by VC: when the last tail left the buffer (ps)
	inMove *packet     // packet leaving through the input's crossbar port

	vcs     []outputVC // virtual channels of the output
	server  server     // crossbar port, and also the link if there are no output buffers
	outMove *packet    // packet passing through the crossbar to this output
	feeds   *port      // output to which the input's last packet went
	feeder  *port      // input from which the output's last packet came
	past    arbitrage  // past grants of the crossbar port; inputs are port*VCs+VC
	chosen  arbitrage  // with separable allocators: past grants of the input port; inputs are port*VCs+VC
	toward  int        // the output port after the one that it was granted last
	turn    int        // with separate allocation: VC after the one allocated last

	link     server // the link, if there are output buffers
	linkMove *packet
	linkPast arbitrage // past grants of the link; inputs are VCs
	traffic  Traffic

	down  bool // an event has halted its link
	loses bool // its link loses packets while it is down
	agent bool // it is the port of the router's agent
}

// busy reports whether packets are currently prevented from starting toward the port.
func (p *port) busy() bool { return p.outMove != nil || p.down && !p.loses }

// outputVC is one virtual channel of an output.
type outputVC struct {
	credit int64     // free bytes in the buffer at the other end
	holder *packet   // packet that waits for more space than there is
	held   hold      // latest period in which a packet waited so
	owner  *packet   // with separate allocation: packet that owns the VC
	owned  arbitrage // with separate allocation: past grants of the VC; inputs are port*VCs+VC
	// for the input VC: with separable allocators, the output port and VC that it was granted last
	got    [2]int
	queue  []*packet // output buffer; the first packet stays until its tail has left
	room   int64     // free bytes in the output buffer
	inside int64     // bytes that have started toward it but not on the link
}

// newSwitches creates the routers of the network.
func newSwitches(c *core) *switches {
	s := &switches{core: c, published: map[int64][]int64{}}
	g := s.spec.Graph
	s.routers = make([]router, g.Routers)
	for i := range s.routers {
		s.routers[i].number = i
		s.routers[i].passed = -1
		inputs := int(g.PortBase[i+1]-g.PortBase[i]) * s.spec.Router.VCs
		agent := s.agentOf(i)
		if agent != nil {
			s.routers[i].agent = true
			inputs += s.spec.Router.VCs
		}
		s.routers[i].past, s.routers[i].owned = newArbitrage(inputs), newArbitrage(inputs)
		for global := g.PortBase[i]; global < g.PortBase[i+1]; global++ {
			s.routers[i].ports = append(s.routers[i].ports, s.newPort(&g.Ports[global], int(global), inputs))
		}
		if agent != nil {
			plug := &topology.Port{
				Router: int32(i), Peer: topology.Unconnected, NIC: topology.Unconnected, Link: agent.Link,
			}
			s.routers[i].ports = append(s.routers[i].ports, s.newPort(plug, -1, inputs))
			s.routers[i].ports[len(s.routers[i].ports)-1].agent = true
		}
	}
	return s
}

func (s *switches) newPort(plug *topology.Port, global, inputs int) port {
	vcs := s.spec.Router.VCs
	p := port{
		Port:     plug,
		global:   global,
		fifos:    make([][]*packet, vcs),
		stored:   make([]int64, vcs),
		left:     slices.Repeat([]int64{-int64(s.spec.Router.Turnaround)}, vcs),
		vcs:      make([]outputVC, vcs),
		past:     newArbitrage(inputs),
		chosen:   newArbitrage(inputs),
		linkPast: newArbitrage(vcs),
		loses:    s.spec.Doors != nil && s.spec.Doors.Timeout > 0,
	}
	p.server.rate = min(int64(s.link(p.Port).Bandwidth), int64(s.spec.Router.Bandwidth))
	if s.buffered() {
		p.server.rate = int64(s.spec.Router.Bandwidth)
		p.link.rate = int64(s.link(p.Port).Bandwidth)
	}
	for v := range p.vcs {
		p.vcs[v].credit = int64(s.spec.Router.Buffer)
		p.vcs[v].room = int64(s.spec.Router.OutputBuffer)
		p.vcs[v].owned = newArbitrage(inputs)
		p.vcs[v].got = [2]int{0, -1}
	}
	return p
}

// port returns the router and the port of a global port ID.
func (s *switches) port(global int32) (*router, *port) {
	r := &s.routers[s.spec.Graph.Ports[global].Router]
	return r, &r.ports[global-s.spec.Graph.PortBase[r.number]]
}

// arrive schedules the arrival of a packet through a global port: its head at time h (ps), and its
// tail span ps later. The previous router keeps its own copy of the packet, because the tail is
// still there.
func (s *switches) arrive(before *packet, global int32, vc int, h, span int64) {
	r, in := s.port(global)
	arrived := *before
	p := &arrived
	s.events.add(h, arrivals, r.number, func() {
		delays := s.spec.Router
		p.inPort, p.inVC = in.global-int(s.spec.Graph.PortBase[r.number]), vc
		switch {
		case s.doors != nil && s.doors.takes(r, p):
			p.outPort, p.outVC = len(r.ports)-1, vc
		case s.doors != nil && s.spec.Adaptive == nil:
			s.doors.onward(r, p)
		case s.spec.Adaptive == nil:
			out, outVC, header := s.spec.Routing.Next(int32(r.number), p.header)
			p.outPort, p.outVC, p.header = int(out), int(outVC)+s.base(p.msg), header
		}
		p.answer = nil
		p.ready = h + int64(delays.Routing) + int64(delays.VCAllocation) + int64(delays.SwitchAllocation)
		p.came = p.ready
		p.charge(causes.Pipeline, p.ready-h)
		p.wait = waiting{}
		p.asksFrom(p.ready-s.grantTime(), in.left[vc]+int64(delays.Turnaround))
		p.span = span
		p.started, p.owns, p.since = false, false, -1
		in.fifos[vc] = append(in.fifos[vc], p)
		in.stored[vc] += p.wire
		if in.stored[vc] > int64(delays.Buffer) {
			s.violation("router %d port %d VC %d: buffer overflow", r.number, p.inPort, vc)
		}
		s.passAt(p.ask, r)
	})
}

// passAt schedules an attempt to start packets at time t (ps). Additional attempts have no effect.
func (s *switches) passAt(t int64, r *router) {
	s.events.add(t, passes, r.number, func() { s.pass(r) })
}

// returnCredit returns credit for bytes of an input buffer to the sender, which gets it after the
// link's latency.
func (s *switches) returnCredit(in *port, vc int, bytes int64) {
	at := s.now + int64(s.link(in.Port).Latency)
	if in.NIC != topology.Unconnected {
		s.hosts.earnAt(at, in.NIC, vc, bytes)
		return
	}
	upstream, out := s.port(in.Peer)
	s.events.add(at, arrivals, upstream.number, func() {
		s.earn(&out.vcs[vc].credit, bytes)
		s.passAt(s.now, upstream)
	})
}
