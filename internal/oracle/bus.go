package oracle

// bus is the I/O bus of one host.
type bus struct {
	in, out busSide // from memory to the NICs, and back
}

// busSide is one direction of a bus.
type busSide struct {
	server
	host  int
	phase phase // of the instant in which it takes packets
	asked []request
}

// request is a NIC's for a bus, from some time on.
type request struct {
	at    int64 // ps
	nic   *nic
	start func() // begins the transfer now
}

func (o *Oracle) buildBuses() {
	rate := o.spec.IOBus.Bandwidth
	if rate == 0 {
		return
	}
	for i := range o.nics {
		o.nics[i].fetcher.rate = min(o.spec.DMA, rate)
		o.nics[i].mover.rate = min(o.spec.DMA, rate)
	}
	if o.spec.Graph.NICsPerHost == 1 {
		return // nobody to share it with
	}
	o.buses = make([]bus, o.spec.Graph.Hosts)
	for host := range o.buses {
		o.buses[host] = bus{
			in:  busSide{server: server{rate: rate}, host: host, phase: fetches},
			out: busSide{server: server{rate: rate}, host: host, phase: moves},
		}
	}
}

// ask lets a NIC ask for a bus.
func (o *Oracle) ask(b *busSide, r request) {
	if r.at < o.now {
		o.violation("NIC %d asks for the bus at %d ps", r.nic.number, r.at)
	}
	b.asked = append(b.asked, r)
	o.serveAt(r.at, b)
}

// serveAt arranges for a look at who asks; one more changes nothing.
func (o *Oracle) serveAt(t int64, b *busSide) {
	o.events.add(t, b.phase, b.host, func() { o.serve(b) })
}

// serve lets an idle bus take the packet of the NIC that has asked first, and more if that
// has no payload.
func (o *Oracle) serve(b *busSide) {
	for o.now >= b.end {
		first := b.first(o.now)
		if first < 0 {
			return
		}
		r := b.asked[first]
		b.asked = append(b.asked[:first], b.asked[first+1:]...)
		r.start()
	}
	o.serveAt(b.end, b)
}

// first finds the request that is first in turn at a time; -1 if there is none.
func (b *busSide) first(now int64) int {
	first := -1
	for i, r := range b.asked {
		if r.at > now {
			continue
		}
		if first < 0 || r.at < b.asked[first].at || r.at == b.asked[first].at && r.nic.number < b.asked[first].nic.number {
			first = i
		}
	}
	return first
}

// cross takes so many bytes over the bus and a NIC's channel, and returns when the channel is
// through with them.
func (o *Oracle) cross(b *busSide, channel *server, n int64) int64 {
	crossed := b.transfer(o.now, n)
	channel.end = max(channel.transfer(o.now, n), crossed)
	return channel.end
}

// askToFetch lets a NIC ask for the bus with its next packet, if there is one for which it
// is known when there will be room.
func (o *Oracle) askToFetch(n *nic) {
	if n.asks || len(n.posted) == 0 || len(n.waiting) == 2 {
		return
	}
	n.asks = true
	m := n.posted[0]
	side := &o.buses[n.host].in
	at := max(n.fetcher.end, n.tails[len(n.waiting)], m.Post+o.spec.IOBus.Latency)
	o.ask(side, request{at, n, func() {
		n.asks = false
		p := o.cut(n, m)
		o.fetched(n, p, o.cross(side, &n.fetcher, p.payload))
		o.askToFetch(n)
	}})
}

// askToMove lets a NIC ask for the bus with the first packet that has arrived.
func (o *Oracle) askToMove(n *nic) {
	if n.offers || len(n.arrived) == 0 {
		return
	}
	n.offers = true
	a := n.arrived[0]
	side := &o.buses[n.host].out
	o.ask(side, request{max(a.tail, n.mover.end), n, func() {
		n.offers = false
		n.arrived = n.arrived[1:]
		o.moveUntil(n, a, o.cross(side, &n.mover, a.payload))
		o.askToMove(n)
	}})
}
