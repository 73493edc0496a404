package oracle

// nic is one network interface, its sending and its receiving side.
type nic struct {
	number int
	host   int32
	plug   int32 // global number of the router port it is plugged into

	posted   []*message // not yet wholly cut into packets
	lastPost int64      // ps
	waiting  []*packet  // cut, not yet injected: at most two
	fetcher  server     // DMA from memory
	tails    [2]int64   // ps: when the tails of the last packet but one and of the last packet left
	credit   []int64    // bytes free in the router's input buffers, by VC
	server   server     // the link to the router, with the pauses after packets
	traffic  Traffic    // injected
	packets  uint64     // cut

	mover   server     // DMA to memory
	stored  []int64    // bytes in the receive buffers, by VC
	arrived []*arrival // packets in them that wait for the I/O bus
	asks    bool       // for the bus, with the next packet to fetch
	offers  bool       // the bus the first of those that have arrived
}

func (o *Oracle) buildNICs() {
	g := o.spec.Graph
	o.nics = make([]nic, g.Hosts*g.NICsPerHost)
	for i := range o.nics {
		n := &o.nics[i]
		n.number = i
		n.host = int32(i / g.NICsPerHost)
		n.plug = g.NICPort[i]
		n.credit = make([]int64, o.spec.Router.VCs)
		n.stored = make([]int64, o.spec.Router.VCs)
		for v := range n.credit {
			n.credit[v] = o.spec.Router.Buffer
		}
		n.fetcher.rate = o.spec.DMA
		n.mover.rate = o.spec.DMA
		n.server.rate = o.link(&g.Ports[n.plug]).Bandwidth
	}
}

// fetch cuts packets from the posted messages and has them fetched, as long as
// it is known when there will be room for them: the packet before the previous
// one must have been injected.
func (o *Oracle) fetch(n *nic) {
	if o.buses != nil {
		o.askToFetch(n)
		return
	}
	for len(n.posted) > 0 && len(n.waiting) < 2 {
		m := n.posted[0]
		p := o.cut(n, m)
		// With one packet waiting, the last one injected is the last but one
		// of all; with none waiting both tails are known.
		room := n.tails[len(n.waiting)]
		o.fetched(n, p, n.fetcher.transfer(max(n.fetcher.end, room, m.Post+o.spec.IOBus.Latency), p.payload))
	}
}

// fetched lets a packet wait in its NIC for injection, from the time at which it is there.
func (o *Oracle) fetched(n *nic, p *packet, at int64) {
	p.fetched = at
	n.waiting = append(n.waiting, p)
	if p.last {
		o.events.add(at, arrivals, n.number, func() {
			o.endpoint.Fetched(n.host, p.msg.Request, at)
		})
	}
	o.injectAt(max(at, n.server.end), n)
}

// cut makes the next packet of a message, which is the first that is posted and not wholly cut.
func (o *Oracle) cut(n *nic, m *message) *packet {
	sizes := o.spec.Packet
	p := &packet{
		msg:     m,
		index:   m.cut,
		last:    m.cut == sizes.Count(m.Size)-1,
		payload: min(sizes.Payload(), m.Size-m.cutBytes),
		header:  m.header,
		entry:   m.entry,
	}
	if r := o.perPacket(); r != nil {
		header, vc := r.StartPacket(m.Src, m.Dst, o.coin(n))
		p.header, p.entry = header, int(vc)
	}
	n.packets++
	p.wire = sizes.Wire(p.payload)
	m.cut++
	m.cutBytes += p.payload
	if p.last {
		n.posted = n.posted[1:]
	}
	return p
}

// coin is the chance of the NIC's next packet.
func (o *Oracle) coin(n *nic) uint64 {
	return mix(mix(mix(o.spec.Seed)^uint64(n.number)) ^ n.packets)
}

// mix is the output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// starter gives every packet a route header of its own.
type starter interface {
	StartPacket(src, dst int32, coin uint64) (header uint64, vc uint8)
}

// perPacket is the routing algorithm if it goes by the packet; nil if packets of a
// message have one route, and cannot overtake one another.
func (o *Oracle) perPacket() starter {
	if o.spec.Adaptive != nil {
		return o.spec.Adaptive
	}
	random, _ := o.spec.Routing.(starter)
	return random
}

// injectAt arranges for an attempt to inject; one more changes nothing.
func (o *Oracle) injectAt(t int64, n *nic) {
	o.events.add(t, injections, n.number, func() { o.inject(n) })
}

// inject sends the first waiting packet if it may go now.
func (o *Oracle) inject(n *nic) {
	if len(n.waiting) == 0 {
		return
	}
	p := n.waiting[0]
	vc := p.entry
	if o.now < p.fetched || o.now < n.server.end || n.credit[vc] < p.wire {
		return
	}
	o.spend(&n.credit[vc], p.wire)
	tail := n.server.would(o.now, p.wire)
	n.server.transfer(o.now, (1+p.msg.gap)*p.wire)
	n.tails = [2]int64{n.tails[1], tail}
	n.waiting = n.waiting[1:]
	o.totals.Packets++
	o.totals.InjectedBytes += p.payload
	n.traffic.Packets++
	n.traffic.Bytes += p.wire
	p.injected = o.now
	latency := o.link(&o.spec.Graph.Ports[n.plug]).Latency
	o.arrive(p, n.plug, vc, o.now+latency, tail-o.now)
	o.fetch(n)
	o.injectAt(n.server.end, n)
}

// receive lets a packet's tail arrive at the NIC of an output port.
func (o *Oracle) receive(p *packet, out *port, vc int, tail int64) {
	n := &o.nics[out.NIC]
	o.events.add(tail, arrivals, n.number, func() {
		if n.stored[vc] += p.wire; n.stored[vc] > o.spec.Router.Buffer {
			o.violation("NIC %d VC %d: buffer overflow", n.number, vc)
		}
		a := &arrival{p, out, vc, tail}
		if o.buses != nil {
			n.arrived = append(n.arrived, a)
			o.askToMove(n)
			return
		}
		o.moveUntil(n, a, n.mover.transfer(max(o.now, n.mover.end), p.payload))
	})
}

// arrival is a packet that has come to its NIC.
type arrival struct {
	*packet
	out  *port // from which it has come
	vc   int
	tail int64 // ps
}

// moveUntil ends the move of a packet to memory at a time. What is on the bus then is in
// memory when the latency of the bus has passed.
func (o *Oracle) moveUntil(n *nic, a *arrival, end int64) {
	o.events.add(end, arrivals, n.number, func() {
		o.clear(n, a)
		if latency := o.spec.IOBus.Latency; latency > 0 {
			o.events.add(end+latency, arrivals, n.number, func() { o.moved(n, a.packet) })
			return
		}
		o.moved(n, a.packet)
	})
}

// clear gives back the space of a packet in the receive buffer.
func (o *Oracle) clear(n *nic, a *arrival) {
	n.stored[a.vc] -= a.wire
	router, _ := o.port(n.plug)
	o.events.add(o.now+o.link(a.out.Port).Latency, arrivals, router.number, func() {
		o.earn(&a.out.lanes[a.vc].credit, a.wire)
		o.passAt(o.now, router)
	})
}

// moved notes that a packet is in memory.
func (o *Oracle) moved(n *nic, p *packet) {
	m := p.msg
	if m.Dst != int32(n.number) || o.perPacket() == nil && p.index != m.moved {
		o.violation("NIC %d: packet %d of a message to NIC %d comes after %d others", n.number, p.index, m.Dst, m.moved)
	}
	m.moved++
	m.left -= p.payload
	o.totals.DeliveredPackets++
	o.totals.DeliveredBytes += p.payload
	o.totals.Latency += o.now - p.injected
	if m.left == 0 && m.moved == o.spec.Packet.Count(m.Size) {
		o.deliver(n, m)
	}
}

func (o *Oracle) deliver(n *nic, m *message) {
	m.done = true
	o.totals.Delivered++
	o.endpoint.Delivered(n.host, m.id, o.now)
}
