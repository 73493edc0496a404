package ethernet

import (
	"math"

	"fabricast/fabric"
	"fabricast/internal/units"
)

// bins counts, in intervals of time, what the links and queues of a block do. A queue is that of a
// class at an output port, or that of the packets without payload, whose number is the number of
// classes.
type bins struct {
	b        *Block
	sink     fabric.Sink
	most     int64 // as fabric.Observation.MaxBins
	queues   bool  // the occupancy of queues is reported, too
	begin    int64 // of the current bin (ps)
	until    int64 // end of it (ps)
	interval int64 // its length (ps)
	last     int64 // nothing counts after it (ps)
	links    []link
	bin      fabric.Bin
}

// link is a port in use or a NIC of a block.
type link struct {
	number int32 // of the link, as fabric.LinkBin has it
	place  int32 // of its tally
}

// tally is what a link has done in the current bin of its block.
type tally struct {
	since          int64 // until then the times below have been counted (ps)
	packets, bytes int64
	paused, busy   int64 // how long first packets of queues have waited (ps)
}

// held is the occupancy of a queue in the current bin of its block.
type held struct{ sum, peak int64 } // byte * ps; bytes

// Observe reports the windows of blocks, hops of packets, and what links and queues do in each interval, to the
// sink. It must be called between two windows. The interval need not be given.
func (n *Network) Observe(o fabric.Observation) {
	for _, b := range n.Blocks() {
		b.sink, b.follows = o.Sink, o.Hops
	}
	if o.Interval == 0 {
		return
	}
	n.tallies = make([]tally, len(n.ports)+len(n.nics))
	n.held = make([]held, len(n.ports)*n.queuesOfPort())
	for _, b := range n.Blocks() {
		b.bins = &bins{
			b: b, sink: o.Sink, most: o.MaxBins, queues: o.Buffers, interval: int64(o.Interval), last: math.MaxInt64,
		}
		b.bins.begins(b.Now())
	}
	links, nics := LinkNumbers(n.Graph)
	for i, number := range links {
		if number >= 0 {
			n.watch(n.Graph.Ports[i].Router, link{number, int32(i)})
		}
	}
	for nic, router := range n.nicRouter {
		n.watch(router, link{nics + int32(nic), int32(len(n.ports) + nic)})
	}
}

// watch counts what a link out of a router or its NICs does from now on, if this process simulates it.
func (n *Network) watch(router int32, l link) {
	if !n.here(router) {
		return
	}
	x := n.blocks[n.block[router]].bins
	x.links = append(x.links, l)
	x.b.net.tallies[l.place].since = x.b.Now()
}

// queuesOfPort returns the number of queues of a port.
func (l *layout) queuesOfPort() int { return len(l.classes) + 1 }

// EndObservation reports what has not been reported yet. What waits counts until a time (ps).
func (n *Network) EndObservation(end int64) {
	for _, b := range n.Blocks() {
		if b.bins != nil {
			b.bins.last = end
			b.bins.close(math.MaxInt64)
		}
	}
}

// advance closes the bins that end before a time (ps).
func (x *bins) advance(at int64) {
	for at >= x.until {
		x.close(at)
	}
}

// close reports the current bin. The next one has the time next (ps), or is the one that follows if
// something waits; with math.MaxInt64 there is none.
func (x *bins) close(next int64) {
	x.bin.Links, x.bin.Buffers = x.bin.Links[:0], x.bin.Buffers[:0]
	x.bin.Begin, x.bin.Interval = units.Time(x.begin), units.Time(x.interval)
	waits := false
	for _, l := range x.links {
		waits = x.row(l) || waits
	}
	if next == math.MaxInt64 {
		x.bin.Next = units.Time(fabric.Forever)
		x.sink.Bin(int(x.b.index), &x.bin)
		return
	}
	if waits {
		next = x.until
	}
	x.begins(next)
	x.bin.Next = units.Time(x.begin)
	x.sink.Bin(int(x.b.index), &x.bin)
}

// begins makes the bin that has a time (ps) the current one.
func (x *bins) begins(at int64) {
	for x.most > 0 && at/x.interval >= x.most {
		x.interval *= 2
	}
	x.begin = at / x.interval * x.interval
	x.until = x.begin + x.interval
}

// row adds the rows of a link and of its queues to the bin that is closed, unless they are empty, and
// clears what they were made of. It reports whether something waits for the link, or is being sent.
func (x *bins) row(l link) (waits bool) {
	n := x.b.net
	t, end := &n.tallies[l.place], min(x.until, x.last)
	if at := int(l.place); at < len(n.ports) {
		p := &n.ports[at]
		x.countPort(p, end)
		for queue := range n.queuesOfPort() {
			waits = x.rowOfQueue(p, queue) || waits
		}
	} else {
		nic := &n.nics[at-len(n.ports)]
		x.countNIC(nic, t, end)
		waits = nic.waits()
	}
	t.since = max(t.since, end)
	if t.packets == 0 && t.paused == 0 && t.busy == 0 {
		return waits
	}
	x.bin.Links = append(x.bin.Links, fabric.LinkBin{
		Link: l.number, Packets: t.packets, Bytes: units.Bytes(t.bytes),
		NoCredit: units.Time(t.paused), BusyOutput: units.Time(t.busy),
	})
	*t = tally{since: t.since}
	return waits
}

// rowOfQueue adds the row of a queue, unless it was empty. It reports whether it is not.
func (x *bins) rowOfQueue(p *port, queue int) bool {
	n := x.b.net
	h := &n.held[int(p.id)*n.queuesOfPort()+queue]
	if x.queues && h.peak > 0 {
		x.bin.Buffers = append(x.bin.Buffers, fabric.BufferBin{
			Port: p.id, VC: int32(queue), Held: h.sum, Peak: units.Bytes(h.peak),
		})
	}
	*h = held{}
	bytes, _, _ := p.queue(queue)
	return bytes > 0
}

// queue returns the bytes in a queue of a port, with the packet that is being sent, and whether others
// wait there, and for the end of a pause.
func (p *port) queue(queue int) (bytes int64, waits, paused bool) {
	if queue == len(p.queues) {
		return p.headerBytes, !p.headers.empty(), false
	}
	q := &p.queues[queue]
	return q.bytes, !q.empty(), q.paused
}

// countPort counts for how long the queues of a port have been as they are, until a time (ps). It must be
// called before they change.
func (x *bins) countPort(p *port, at int64) {
	n := x.b.net
	t := &n.tallies[p.id]
	lasted := at - t.since
	if lasted < 0 {
		return
	}
	t.since = at
	queues := n.queuesOfPort()
	for i, of := 0, n.held[int(p.id)*queues:]; i < queues; i++ {
		bytes, waits, paused := p.queue(i)
		of[i].sum += bytes * lasted
		of[i].peak = max(of[i].peak, bytes)
		switch {
		case waits && paused:
			t.paused += lasted
		case waits:
			t.busy += lasted
		}
	}
}

// countNIC counts for how long the queues of a NIC have been as they are, until a time (ps). It must be
// called before they change.
func (x *bins) countNIC(n *nic, t *tally, at int64) {
	lasted := at - t.since
	if lasted < 0 {
		return
	}
	t.since = at
	for i := range n.ready {
		switch r := &n.ready[i]; {
		case r.count > 0 && r.paused:
			t.paused += lasted
		case r.count > 0:
			t.busy += lasted
		}
	}
	if !n.control.empty() {
		t.busy += lasted
	}
}

// waits reports whether a NIC has anything to send.
func (n *nic) waits() bool { return n.wanting() > 0 || !n.control.empty() }

// changesPort is called before the queues of a port change.
func (b *Block) changesPort(p *port) {
	if b.bins != nil {
		b.bins.countPort(p, b.now)
	}
}

// changesNIC is called before the queues of a NIC change.
func (b *Block) changesNIC(at int32) {
	if b.bins != nil {
		b.bins.countNIC(&b.net.nics[at], &b.net.tallies[len(b.net.ports)+int(at)], b.now)
	}
}

// begins counts a packet that starts on a link, which has a tally.
func (b *Block) begins(place, size int64) {
	if b.bins != nil {
		t := &b.net.tallies[place]
		t.packets++
		t.bytes += size
	}
}
