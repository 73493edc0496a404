package oracle

import "fabricast/topology"

// router is one router.
type router struct {
	number int
	ports  []port    // by local number
	past   arbitrage // of the whole router, for adaptive routing
}

// port is one port of a router, its input side and its output side.
type port struct {
	*topology.Port
	global int

	fifos  [][]*packet // input buffers by VC; the first packet stays until its tail has left
	stored []int64     // bytes in each of them
	inMove *packet     // what is leaving through the input's crossbar port

	lanes   []lane    // output by VC
	server  server    // crossbar port, and link too if there are no output buffers
	outMove *packet   // what is going out through the crossbar
	past    arbitrage // of the crossbar port; inputs are port*VCs+VC

	link     server // with output buffers
	linkMove *packet
	linkPast arbitrage // inputs are VCs
	traffic  Traffic
}

// lane is one virtual channel of an output: what is known of the buffer at the
// other end.
type lane struct {
	credit int64     // bytes free there
	holder *packet   // who waits for more room than there is
	queue  []*packet // output buffer; the first packet stays until its tail has left
	room   int64     // bytes free in it
	inside int64     // bytes that have started toward it and have not started on the link
}

func (o *Oracle) buildRouters() {
	g := o.spec.Graph
	o.routers = make([]router, g.Routers)
	for i := range o.routers {
		o.routers[i].number = i
		o.routers[i].past = newArbitrage(int(g.PortBase[i+1]-g.PortBase[i]) * o.spec.Router.VCs)
		for global := g.PortBase[i]; global < g.PortBase[i+1]; global++ {
			o.routers[i].ports = append(o.routers[i].ports, o.newPort(int(global), len(o.routers[i].past.granted)))
		}
	}
}

func (o *Oracle) newPort(global, inputs int) port {
	vcs := o.spec.Router.VCs
	p := port{
		Port:     &o.spec.Graph.Ports[global],
		global:   global,
		fifos:    make([][]*packet, vcs),
		stored:   make([]int64, vcs),
		lanes:    make([]lane, vcs),
		past:     newArbitrage(inputs),
		linkPast: newArbitrage(vcs),
	}
	p.server.rate = min(o.link(p.Port).Bandwidth, o.spec.Router.Bandwidth)
	if o.buffered() {
		p.server.rate = o.spec.Router.Bandwidth
		p.link.rate = o.link(p.Port).Bandwidth
	}
	for v := range p.lanes {
		p.lanes[v].credit = o.spec.Router.Buffer
		p.lanes[v].room = o.spec.Router.OutputBuffer
	}
	return p
}

// buffered tells whether there are output buffers.
func (o *Oracle) buffered() bool { return o.spec.Router.OutputBuffer > 0 }

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
		if o.spec.Adaptive == nil {
			out, outVC, header := o.spec.Routing.Next(int32(r.number), p.header)
			p.outPort, p.outVC, p.header = int(out), int(outVC), header
		}
		p.answer = nil
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

func (o *Oracle) earn(credit *int64, bytes int64) { o.earnUpTo(credit, bytes, o.spec.Router.Buffer) }

func (o *Oracle) earnUpTo(credit *int64, bytes, buffer int64) {
	if *credit += bytes; *credit > buffer {
		o.violation("a credit rises to %d bytes, above the buffer of %d", *credit, buffer)
	}
}
