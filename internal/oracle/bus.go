package oracle

// bus is the I/O bus of one host.
type bus struct {
	in, out busSide // from memory to the NICs, and from the NICs to memory
}

// busSide is one direction of a bus.
type busSide struct {
	server
	host  int
	phase phase // phase of an instant in which it starts transfers
	asked []request
}

// request is a NIC's request for a bus from a given time on.
type request struct {
	at    int64 // time of the request (ps)
	nic   *nic
	start func() // starts the transfer, which has been granted, now
}

func (h *hosts) buildBuses() {
	rate := int64(h.spec.IOBus.Bandwidth)
	if rate == 0 {
		return
	}
	for i := range h.nics {
		for _, l := range h.nics[i].lanes {
			l.fetcher.rate = min(int64(h.spec.DMA), rate)
		}
		h.nics[i].mover.rate = min(int64(h.spec.DMA), rate)
	}
	if h.spec.Graph.NICsPerHost == 1 {
		return // no bus is shared
	}
	h.buses = make([]bus, h.spec.Graph.Hosts)
	for host := range h.buses {
		h.buses[host] = bus{
			in:  busSide{server: server{rate: rate}, host: host, phase: fetches},
			out: busSide{server: server{rate: rate}, host: host, phase: moves},
		}
	}
}

// ask adds a NIC's request for a bus.
func (h *hosts) ask(b *busSide, r request) {
	if r.at < h.now {
		h.violation("NIC %d asks for the bus at %d ps", r.nic.number, r.at)
	}
	b.asked = append(b.asked, r)
	h.serveAt(r.at, b)
}

// serveAt schedules a check of the requests at time t (ps). Additional checks have no effect.
func (h *hosts) serveAt(t int64, b *busSide) {
	h.events.add(t, b.phase, b.host, func() { h.serve(b) })
}

// serve starts the transfer of the NIC that first requested an idle bus. It continues with the next
// request if that transfer took no time.
func (h *hosts) serve(b *busSide) {
	for h.now >= b.end {
		first := b.first(h.now)
		if first < 0 {
			return
		}
		r := b.asked[first]
		b.asked = append(b.asked[:first], b.asked[first+1:]...)
		r.start()
	}
	h.serveAt(b.end, b)
}

// first returns the index of the earliest request up to the time now (ps), or -1 if there is none.
func (b *busSide) first(now int64) int {
	first := -1
	for i, r := range b.asked {
		if r.at > now {
			continue
		}
		if first < 0 || r.at < b.asked[first].at ||
			r.at == b.asked[first].at && r.nic.number < b.asked[first].nic.number {
			first = i
		}
	}
	return first
}

// cross transfers n bytes over the bus and a NIC's DMA channel, and returns the time (ps) at which
// the channel has transferred them.
func (h *hosts) cross(b *busSide, channel *server, n int64) int64 {
	crossed := b.transfer(h.now, n)
	channel.end = max(channel.transfer(h.now, n), crossed)
	return channel.end
}

// askToFetch requests the bus for a NIC's next packet, if there is one and it is known when the NIC
// will have space for it.
func (h *hosts) askToFetch(n *nic) {
	if n.asks || len(n.posted) == 0 || len(n.waiting) == 2 {
		return
	}
	n.asks = true
	m := h.next(n)
	side := &h.buses[n.host].in
	at := max(n.fetcher.end, n.tails[len(n.waiting)], m.Post+int64(h.spec.IOBus.Latency))
	h.ask(side, request{at, n, func() {
		n.asks = false
		p := h.cut(n, m)
		h.fetched(n, p, h.cross(side, &n.fetcher, p.payload))
		h.askToFetch(n)
	}})
}

// askToMove requests the bus for the first packet that a NIC has received.
func (h *hosts) askToMove(n *nic) {
	if n.offers || len(n.arrived) == 0 {
		return
	}
	n.offers = true
	a := n.arrived[0]
	side := &h.buses[n.host].out
	h.ask(side, request{max(a.tail, n.mover.end), n, func() {
		n.offers = false
		n.arrived = n.arrived[1:]
		end := h.cross(side, &n.mover, a.payload)
		h.moves(n, a, h.now, end)
		h.moveUntil(n, a, end)
		h.askToMove(n)
	}})
}
