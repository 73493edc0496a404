package fabric

import (
	"cmp"
	"slices"

	"fabricast/topology"
)

// Observation is what a network is asked to tell while it runs. It costs nothing unless
// Network.Observe is called, and changes no result.
type Observation struct {
	// Interval (ps) is how long a bin lasts; 0: no bins.
	Interval int64
	// MaxBins, if not 0, is even and the most bins there may be: when one more would begin, the interval is
	// doubled, and from then on pairs of earlier bins count as one.
	MaxBins int64
	// Buffers has bins tell of every virtual channel's buffer too.
	Buffers bool
	// Routers, if not nil, tells of which routers every packet that leaves a buffer between the
	// times LogFrom and LogTo (ps) is told.
	Routers          func(router int) bool
	LogFrom, LogTo   int64
	Sink             Sink
	linkOf, routerOf []int32 // by port and router of the layout: row of the table of links, and number outside
	portOf           []int32 // by port of the layout: number outside
	nicLinks         int32   // link of NIC 0
}

// Sink takes what a network tells. Blocks call it in parallel, each with its own number.
type Sink interface {
	// Window tells that the block begins a window: nothing that it will tell happened before that time (ps).
	Window(block int, begin int64)
	// Bin takes what happened in an interval at the block. The rows may be used until it returns. Of no
	// block do bins come out of order.
	Bin(block int, bin *Bin)
	// Passage takes a packet that has left a buffer.
	Passage(block int, p *Passage)
}

// Bin is what happened in an interval. Links at which nothing happened have no row.
type Bin struct {
	Begin, Interval int64 // ps
	Next            int64 // ps: when the block's next bin begins
	Links           []LinkBin
	Buffers         []BufferBin
}

// LinkBin is what a link carried: the packets that started on it in the interval, and for how long packets
// waited for what, from the time they might have started, added up. On the fast path a wait for credit counts while it
// lasts, one for the link or the crossbar when the packet asks and finds them taken; on the general path all when the packet starts.
type LinkBin struct {
	Link         int32 // its number: ports in use in the order of the graph, then NICs
	Packets      int64
	Bytes        int64 // on the wire
	NoCredit     int64 // ps: for space in the buffer at the other end
	BusyOutput   int64 // ps: for the link, which others used
	BusyCrossbar int64 // ps: for the own input port, of which another channel's packet was leaving
}

// BufferBin is how full a buffer was with packets that had come and not started to leave.
type BufferBin struct {
	Port int32 // its number in the graph
	VC   int32
	Held int64 // byte·ps
	Peak int64 // bytes
}

// Passage is a packet that has left a router's buffer. Times are in ps.
type Passage struct {
	Router, Port, VC                      int32 // where it was, outside numbers
	OutPort, OutVC                        int32
	Source, Destination                   int32 // NICs
	Message                               int64 // see MessageNumber
	Bytes                                 int64 // on the wire
	In, Out                               int64 // when it might leave as far as it was concerned, and when it did
	Order, Credit, BusyOutput, BusyInside int64 // waited for those before it; for space; for the link; for the crossbar's input
}

// MessageNumber is a number by which a message between two hosts can be found in several tables.
func MessageNumber(source, destination, tag int32, size, sent int64) int64 {
	h := uint64(uint32(source))<<32 | uint64(uint32(destination))
	for _, w := range [...]uint64{uint64(uint32(tag)), uint64(size), uint64(sent)} {
		h = (h ^ w) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return int64(h >> 1)
}

// Observe begins to tell; before the first window, at most once.
func (n *Network) Observe(o Observation) {
	g := n.layout.spec.Graph
	o.routerOf = make([]int32, g.Routers)
	o.linkOf, o.portOf = make([]int32, len(g.Ports)), make([]int32, len(g.Ports))
	for r := range o.routerOf {
		o.routerOf[r] = n.layout.name(uint32(r))
	}
	for p, port := range n.graph.Ports {
		place := n.parts.port(n.graph, g, p)
		o.portOf[place] = int32(p)
		if port.Peer != topology.Unconnected || port.NIC != topology.Unconnected {
			o.linkOf[place] = o.nicLinks
			o.nicLinks++
		}
	}
	for _, b := range n.blocks {
		b.sink = o.Sink
		if o.Interval > 0 || o.Routers != nil {
			b.observer = newObserver(b, &o)
			b.direct = false
		}
	}
}

// EndObservation tells what has not been told yet; after the last window. Packets that still wait for credit, as those of a run
// that was stopped do, have waited until the time end (ps).
func (n *Network) EndObservation(end int64) {
	for _, b := range n.blocks {
		if b.observer != nil {
			b.observer.end(end)
		}
	}
}

// observer is a block's part of an observation.
type observer struct {
	b *Block
	*Observation
	begin, until, interval int64 // ps, of the present bin
	last                   int64 // ps: nothing lasts longer

	firstPort, ports, firstNIC uint32
	firstLane                  uint32
	exact                      bool            // every packet is looked at on its own
	told                       []linkCount     // by port of the block, then by NIC: what it had sent when the present bin began
	order                      []uint32        // of links by their number outside
	waits                      array[linkWait] // by port of the block
	waiting                    bool            // something has waited for credit when the last bin ended
	later                      []laterTally
	buffers                    []bufferTally // by lane of the block; nil unless asked for
	laterBuffers               []laterBuffer
	filled                     bool // there are packets in buffers that are observed
	pile                       []piled
	arrived                    []int64 // by lane: ps, when the first packet came; 0: at its time; nil unless buffers or passages are told
	since                      []int64 // by lane: ps, since when the first packet has waited for credit; nil unless passages are told
	sums                       []tally // by lane: what its first packet has waited so far; nil unless passages are told
	holds                      []hold  // by lane, general path
	logged                     []bool  // by router of the block; nil: none
	bin                        Bin
}

// linkCount is what a link has sent since the simulation began.
type linkCount struct{ flits, packets uint64 }

// What packets wait for.
const (
	forCredit = iota
	forOutput
	forCrossbar
	waits
)

// tally is for how long (ps) packets have waited.
type tally [waits]int64

func (t *tally) add(wait *tally) {
	for i := range wait {
		t[i] += wait[i]
	}
}

// linkWait is what packets have waited for a link in the present bin, see stalls. None lies in two cache lines.
type linkWait struct {
	wait    tally
	stalled int64 // packets that wait for credit now
}

// laterTally is what belongs to a bin after the present one.
type laterTally struct {
	at      int64
	link    uint32
	stalled int32
	sent    linkCount
	wait    tally
}

func newObserver(b *Block, o *Observation) *observer {
	first := b.routers.at(b.first)
	x := &observer{b: b, Observation: o, interval: o.Interval, until: o.Interval, last: Forever, firstPort: first.ports, firstLane: first.lanes}
	nics := uint32(0)
	x.firstNIC = noRouter
	for i := b.first; i < b.first+b.count; i++ {
		r := b.routers.at(i)
		x.ports += uint32(r.slots) / b.vcs
		nics += uint32(r.nNICs)
		if r.nNICs > 0 {
			x.firstNIC = min(x.firstNIC, r.nics)
		}
	}
	lanes := x.ports * b.vcs
	x.waits = arrayOf(make([]linkWait, x.ports))
	if x.interval > 0 {
		x.told = make([]linkCount, x.ports+nics)
		x.orderLinks()
		if o.Buffers {
			x.buffers = make([]bufferTally, lanes)
		}
	} else {
		x.until = Forever
	}
	x.watchRouters()
	if x.buffers != nil || x.logged != nil {
		x.arrived = make([]int64, lanes)
	}
	x.exact = !b.plain || x.arrived != nil
	if b.general != nil {
		x.holds = make([]hold, lanes)
	} else if x.logged != nil {
		x.since, x.sums = make([]int64, lanes), make([]tally, lanes)
	}
	return x
}

// orderLinks finds the order in which links are told, that of their numbers outside.
func (x *observer) orderLinks() {
	x.order = make([]uint32, len(x.told))
	for i := range x.order {
		x.order[i] = uint32(i)
	}
	slices.SortFunc(x.order, func(a, b uint32) int { return cmp.Compare(x.number(a), x.number(b)) })
}

// watchRouters finds the routers whose packets are told.
func (x *observer) watchRouters() {
	if x.Routers == nil {
		return
	}
	x.logged = make([]bool, x.b.count)
	for i := range x.logged {
		x.logged[i] = x.Routers(int(x.routerOf[x.b.first+uint32(i)]))
	}
}

// beginWindow closes the bins that are over when the block's next window begins.
func (x *observer) beginWindow() {
	begin := x.b.calendar.start
	for begin >= x.until {
		x.close(begin)
	}
	x.b.direct = !x.exact && x.b.calendar.end <= x.until
	x.b.streams = x.b.direct
}

// end closes all bins.
func (x *observer) end(last int64) {
	if x.told == nil {
		return
	}
	x.last = last
	x.close(x.until)
	for len(x.later)+len(x.laterBuffers) > 0 {
		x.close(x.until)
	}
	x.close(Forever)
}

// close tells the present bin and begins that in which the time next lies, or an earlier
// one for which there is something already.
func (x *observer) close(next int64) {
	x.bin.Begin, x.bin.Interval = x.begin, x.interval
	x.bin.Links = x.linkRows(x.bin.Links[:0])
	x.bin.Buffers = x.bufferRows(x.bin.Buffers[:0])
	begin := max(next, x.until)
	for i := range x.later {
		begin = min(begin, x.later[i].at)
	}
	for i := range x.laterBuffers {
		begin = min(begin, x.laterBuffers[i].last)
	}
	begin = max(begin, x.until)
	if x.filled || x.waiting {
		begin = x.until
	}
	if next == Forever {
		x.bin.Next = Forever
		x.Sink.Bin(x.b.index, &x.bin)
		return
	}
	for x.MaxBins > 0 && begin/x.interval >= x.MaxBins {
		x.interval *= 2
	}
	x.begin = begin / x.interval * x.interval
	x.until = x.begin + x.interval
	x.bin.Next = x.begin
	x.Sink.Bin(x.b.index, &x.bin)
	x.takeLater()
}

// takeLater adds what belongs to the bin that has begun.
func (x *observer) takeLater() {
	left := x.later[:0]
	for i := range x.later {
		if l := &x.later[i]; l.at >= x.until {
			left = append(left, *l)
		} else {
			x.take(l)
		}
	}
	x.later = left
	x.takeLaterBuffers()
}

// take adds what belongs to the present bin.
func (x *observer) take(l *laterTally) {
	if l.link >= x.ports {
		x.b.nics.at(x.firstNIC + l.link - x.ports).waited += l.wait[forCredit]
		return
	}
	to := x.waits.at(l.link)
	to.wait.add(&l.wait)
	to.stalled += int64(l.stalled)
}

// linkRows are the rows of the links that did something in the present bin, which ends now. What the links have
// sent is counted anyway: only the difference is taken, without what belongs to later bins.
func (x *observer) linkRows(rows []LinkBin) []LinkBin {
	for i := range x.later {
		l := &x.later[i]
		x.told[l.link].add(l.sent)
	}
	x.waiting = false
	for _, i := range x.order {
		now := x.sent(i)
		flits, packets := now.flits-x.told[i].flits, now.packets-x.told[i].packets
		x.told[i] = now
		var wait tally
		if i < x.ports {
			wait = x.linkWaits(i)
		} else {
			wait[forCredit] = x.nicWaits(x.b.nics.at(x.firstNIC + i - x.ports))
		}
		if flits == 0 && wait == (tally{}) {
			continue
		}
		rows = append(rows, LinkBin{
			Link: x.number(i), Packets: int64(packets), Bytes: int64(flits) * x.b.spec.Packet.Flit,
			NoCredit: wait[forCredit], BusyOutput: wait[forOutput], BusyCrossbar: wait[forCrossbar],
		})
	}
	for i := range x.later {
		l := &x.later[i]
		x.told[l.link].add(linkCount{-l.sent.flits, -l.sent.packets})
	}
	return rows
}

// linkWaits takes what packets have waited for a link between routers, or to a host, in the present bin.
func (x *observer) linkWaits(link uint32) (wait tally) {
	w := x.waits.at(link)
	wait, w.wait = w.wait, tally{}
	if w.stalled > 0 {
		x.waiting = true
		wait[forCredit] = max(0, wait[forCredit]+w.stalled*x.lasts())
		w.wait[forCredit] = -w.stalled * x.until
	}
	return wait
}

// nicWaits takes what a NIC has waited for credit in the present bin.
func (x *observer) nicWaits(n *nic) int64 {
	wait := n.waited
	n.waited = 0
	if n.stalled {
		x.waiting = true
		wait += max(0, x.lasts()-max(n.next(), x.begin))
	}
	return wait
}

// lasts is until when what has not ended has lasted in the present bin.
func (x *observer) lasts() int64 { return max(x.begin, min(x.until, x.last)) }

func (c *linkCount) add(d linkCount) {
	c.flits += d.flits
	c.packets += d.packets
}

// sent is what a link of the block has sent.
func (x *observer) sent(link uint32) linkCount {
	if link < x.ports {
		return x.b.portCount(x.firstPort + link)
	}
	n := x.b.nics.at(x.firstNIC + link - x.ports)
	return linkCount{n.flits, n.packets}
}

// number is the number outside of a link of the block.
func (x *observer) number(link uint32) int32 {
	if link < x.ports {
		return x.linkOf[x.firstPort+link]
	}
	return x.nicLinks + int32(x.firstNIC+link-x.ports)
}

// started counts a packet that starts on a link of the block now.
func (x *observer) started(link uint32, flits uint32) {
	if x.b.now >= x.until {
		x.sentLater(link, linkCount{uint64(flits), 1})
	}
}

// injected counts a packet that a NIC sends now, for which it has credit.
func (x *observer) injected(nic uint32, n *nic, flits uint32) {
	x.started(x.ports+nic-x.firstNIC, flits)
	if n.stalled {
		x.unstallNIC(nic, n)
	}
}

// unstallNIC counts what a NIC that has waited for credit, and has it now, has waited in the present bin, and in later ones.
func (x *observer) unstallNIC(nic uint32, n *nic) {
	n.stalled = false
	now, from := x.b.now, max(n.next(), x.begin)
	if x.told == nil || from >= now {
		return
	}
	if from < x.until {
		n.waited += min(now, x.until) - from
		from = x.until
	}
	for from < now {
		to := min(now, x.until+(from-x.until)/x.interval*x.interval+x.interval)
		x.later = append(x.later, laterTally{at: from, link: x.ports + nic - x.firstNIC, wait: tally{forCredit: to - from}})
		from = to
	}
}

// sentLater counts what a link sends after the present bin. What it sends before its end is known from its own count.
func (x *observer) sentLater(link uint32, sent linkCount) {
	if x.told != nil {
		x.later = append(x.later, laterTally{at: x.b.now, link: link, sent: sent})
	}
}

// split tells what a packet waited for from the time it asked until now: an output and
// an input that were taken until some times, and credit for some time.
func (x *observer) split(asked, outFree, inFree, credit int64) (wait tally) {
	all := x.b.now - asked
	credit = min(credit, all)
	inside := min(max(0, min(inFree, x.b.now)-max(asked, outFree)), all-credit)
	return tally{forCredit: credit, forOutput: all - credit - inside, forCrossbar: inside}
}

// logs tells whether packets that leave buffers of a router now are told.
func (x *observer) logs(router uint32) bool {
	return x.logged != nil && x.logged[router-x.b.first] && x.b.now >= x.LogFrom && x.b.now < x.LogTo
}

// passage tells of a packet that leaves a buffer, given by the slots of its input and output, now.
func (x *observer) passage(r *routerState, slot, out uint32, msg MsgID, flits uint32, ready, asked int64, wait tally) {
	m := x.b.Message(msg)
	nics := int32(x.b.spec.Graph.NICsPerHost)
	x.Sink.Passage(x.b.index, &Passage{
		Router: x.routerOf[r.number], Port: int32(slot / x.b.vcs), VC: int32(slot % x.b.vcs),
		OutPort: int32(out / x.b.vcs), OutVC: int32(out % x.b.vcs),
		Source: m.Src, Destination: m.Dst, Message: MessageNumber(m.Src/nics, m.Dst/nics, m.Tag, m.Size, m.Sent),
		Bytes: int64(flits) * x.b.spec.Packet.Flit, In: ready, Out: x.b.now, Order: asked - ready,
		Credit: wait[forCredit], BusyOutput: wait[forOutput], BusyInside: wait[forCrossbar],
	})
}

// Progress is how much has been done, told every now and then; also while blocks run. Only packets and hops are set.
func (n *Network) Progress() Totals {
	var t Totals
	for _, b := range n.blocks {
		t.Packets += b.counters.packetsTold.Load()
		t.Hops += b.counters.hopsTold.Load()
	}
	return t
}
