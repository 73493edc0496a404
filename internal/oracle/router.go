package oracle

import (
	"cmp"
	"slices"

	"fabricast/fabric"
	"fabricast/topology"
)

// router is one input-queued router.
type router struct {
	number int
	ports  []port // by local number
}

// port is one port of a router, its input side and its output side.
type port struct {
	*topology.Port
	global int

	fifos  [][]*packet // input buffers by VC; the first packet stays until its tail has left
	stored []int64     // bytes in each of them
	inMove *packet     // what is leaving through the input's crossbar port

	lanes   []lane  // output by VC
	server  server  // crossbar port and link
	outMove *packet // what is going out
	follows int     // input (port*VCs+VC) after the one granted last, for round robin
	traffic Traffic
}

// lane is one virtual channel of an output: what is known of the buffer at the
// other end.
type lane struct {
	credit int64   // bytes free there
	holder *packet // who waits for more credit than there is
}

func (o *Oracle) buildRouters() {
	g := o.spec.Graph
	o.routers = make([]router, g.Routers)
	for i := range o.routers {
		o.routers[i].number = i
		for global := g.PortBase[i]; global < g.PortBase[i+1]; global++ {
			o.routers[i].ports = append(o.routers[i].ports, o.newPort(int(global)))
		}
	}
}

func (o *Oracle) newPort(global int) port {
	vcs := o.spec.Router.VCs
	p := port{
		Port:   &o.spec.Graph.Ports[global],
		global: global,
		fifos:  make([][]*packet, vcs),
		stored: make([]int64, vcs),
		lanes:  make([]lane, vcs),
	}
	p.server.rate = min(o.link(p.Port).Bandwidth, o.spec.Router.Bandwidth)
	for v := range p.lanes {
		p.lanes[v].credit = o.spec.Router.Buffer
	}
	return p
}

// port finds a port by its global number.
func (o *Oracle) port(global int32) (*router, *port) {
	r := &o.routers[o.spec.Graph.Ports[global].Router]
	return r, &r.ports[global-o.spec.Graph.PortBase[r.number]]
}

// arrive lets a packet's head come in through a global port at the time h, its
// tail span later. The previous router keeps its own copy of the packet, for
// the tail is still there.
func (o *Oracle) arrive(before *packet, global int32, vc int, h, span int64) {
	r, in := o.port(global)
	arrived := *before
	p := &arrived
	o.events.add(h, arrivals, r.number, func() {
		delays := o.spec.Router
		p.inPort, p.inVC = in.global-int(o.spec.Graph.PortBase[r.number]), vc
		out, outVC, header := o.spec.Routing.Next(int32(r.number), p.header)
		p.outPort, p.outVC, p.header = int(out), int(outVC), header
		p.ready = h + delays.Routing + delays.VCAllocation + delays.SwitchAllocation
		p.ask = p.ready
		p.span = span
		p.started = false
		in.fifos[vc] = append(in.fifos[vc], p)
		in.stored[vc] += p.wire
		if in.stored[vc] > delays.Buffer {
			o.violation("router %d port %d VC %d: buffer overflow", r.number, p.inPort, vc)
		}
		o.passAt(p.ready, r)
	})
}

// passAt arranges for a pass. One pass more at an instant changes nothing, so
// nobody counts them.
func (o *Oracle) passAt(t int64, r *router) {
	o.events.add(t, passes, r.number, func() { o.pass(r) })
}

// pass lets all packets that ask try to start, in the order of arbitration.
func (o *Oracle) pass(r *router) {
	for _, c := range o.candidates(r) {
		o.try(r, c.packet)
	}
}

// candidate is a packet that asks, and its place in the order.
type candidate struct {
	packet   *packet
	input    int // port*VCs+VC
	distance int // of the input from the one whose turn it is, for round robin
}

func (o *Oracle) candidates(r *router) []candidate {
	vcs := o.spec.Router.VCs
	inputs := len(r.ports) * vcs
	var cs []candidate
	for input := range inputs {
		fifo := r.ports[input/vcs].fifos[input%vcs]
		if len(fifo) == 0 || fifo[0].started || fifo[0].ask > o.now {
			continue
		}
		turn := r.ports[fifo[0].outPort].follows
		cs = append(cs, candidate{fifo[0], input, (input - turn + inputs) % inputs})
	}
	slices.SortFunc(cs, o.order())
	return cs
}

// order is the arbiter.
func (o *Oracle) order() func(a, b candidate) int {
	if o.spec.Router.Arbiter == fabric.RoundRobin {
		return func(a, b candidate) int {
			return cmp.Or(
				cmp.Compare(a.distance, b.distance),
				cmp.Compare(a.packet.outPort, b.packet.outPort),
				cmp.Compare(a.input, b.input))
		}
	}
	return func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.packet.ask, b.packet.ask), cmp.Compare(a.input, b.input))
	}
}

// try starts the packet if it may.
func (o *Oracle) try(r *router, p *packet) {
	in, out := &r.ports[p.inPort], &r.ports[p.outPort]
	lane := &out.lanes[p.outVC]
	switch {
	case in.inMove != nil || out.outMove != nil:
	case lane.holder != nil && lane.holder != p:
	case lane.credit < p.wire:
		lane.holder = p
	default:
		lane.holder = nil
		o.spend(&lane.credit, p.wire)
		o.start(r, p)
	}
}

// start sends the packet on its way through the crossbar and out.
func (o *Oracle) start(r *router, p *packet) {
	in, out := &r.ports[p.inPort], &r.ports[p.outPort]
	leave := max(out.server.transfer(o.now, p.wire), p.ready+p.span)
	out.server.end = leave
	out.follows = (p.inPort*o.spec.Router.VCs + p.inVC + 1) % (len(r.ports) * o.spec.Router.VCs)
	out.traffic.Packets++
	out.traffic.Bytes += p.wire
	p.started = true
	in.inMove, out.outMove = p, p
	o.events.add(leave, arrivals, r.number, func() { o.left(r, p) })
	o.onward(p, out, leave)
}

// onward lets the packet, started now, arrive at the other end of the link.
func (o *Oracle) onward(p *packet, out *port, leave int64) {
	way := o.spec.Router.SwitchTraversal + o.spec.Router.Latency + o.link(out.Port).Latency
	switch {
	case out.NIC != topology.Unconnected:
		o.receive(p, out, p.outVC, leave+way)
	case out.Peer != topology.Unconnected:
		o.totals.PacketHops++
		o.arrive(p, out.Peer, p.outVC, o.now+way, leave-o.now)
	default:
		o.violation("router %d: a packet goes out at port %d, which leads nowhere", out.Router, p.outPort)
	}
}

// left frees what the packet used while its tail was leaving.
func (o *Oracle) left(r *router, p *packet) {
	in, vc, out := &r.ports[p.inPort], p.inVC, &r.ports[p.outPort]
	if in.fifos[vc][0] != p || in.inMove != p || out.outMove != p {
		o.violation("router %d: a packet leaves that was not on its way out", r.number)
	}
	in.inMove, out.outMove = nil, nil
	in.stored[vc] -= p.wire
	in.fifos[vc] = in.fifos[vc][1:]
	if len(in.fifos[vc]) > 0 {
		first := in.fifos[vc][0]
		first.ask = max(first.ready, o.now)
	}
	o.returnCredit(in, vc, p.wire)
	o.passAt(o.now, r)
}

// returnCredit tells the other end of an input port's link, one latency later,
// that the buffer has room again.
func (o *Oracle) returnCredit(in *port, vc int, bytes int64) {
	at := o.now + o.link(in.Port).Latency
	if in.NIC != topology.Unconnected {
		n := &o.nics[in.NIC]
		o.events.add(at, arrivals, n.number, func() {
			o.earn(&n.credit[vc], bytes)
			o.injectAt(o.now, n)
		})
		return
	}
	upstream, out := o.port(in.Peer)
	o.events.add(at, arrivals, upstream.number, func() {
		o.earn(&out.lanes[vc].credit, bytes)
		o.passAt(o.now, upstream)
	})
}

func (o *Oracle) spend(credit *int64, bytes int64) {
	if *credit -= bytes; *credit < 0 {
		o.violation("a credit falls to %d bytes", *credit)
	}
}

func (o *Oracle) earn(credit *int64, bytes int64) {
	if *credit += bytes; *credit > o.spec.Router.Buffer {
		o.violation("a credit rises to %d bytes, above the buffer of %d", *credit, o.spec.Router.Buffer)
	}
}
