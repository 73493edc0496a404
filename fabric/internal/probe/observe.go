package probe

import (
	"cmp"
	"slices"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/inputqueued"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/internal/switched"
	"fabricast/fabric/model"

	"fabricast/internal/units"
)

// Observer is the part of an observation that belongs to one block.
type Observer struct {
	*model.Observation
	*Numbering
	// The observer reads the state of the block's parts, and writes only fields of VCs and NICs
	// that are reserved for it.
	spec         *model.Spec
	block        int // index of the observed block
	events       *core.EventWheel
	vcs          *inputqueued.VCs
	outputs      *inputqueued.OutputPorts
	sentBy       func(port uint32) core.LinkCount // returns the transmit counters of a port
	nics         core.Array[nic.Sender]
	messages     *core.MessageTable
	senders      *nic.Senders
	general      *switched.Routers // routers of the block, on the general path; otherwise nil
	first, count uint32            // first router of the block, and number of routers
	numVCs       uint32

	begin, until, interval int64 // start, end and length of the current bin (ps)
	last                   int64 // end of the observation (ps)

	firstPort, ports, firstNIC uint32
	// NICs of the block in ascending order, and the index of each NIC in that list; nil if they are
	// consecutive from firstNIC
	nicList, nicPlace []uint32
	firstVC           uint32
	exact             bool // every packet is examined individually
	// by port of the block, then by NIC: transmit counters at the start of the current bin
	told  []core.LinkCount
	order []uint32             // links, sorted by their IDs in the user's numbering
	waits core.Array[LinkWait] // by port of the block
	// whether any packet was waiting for credit at the end of the last bin
	waiting      bool
	later        []laterTally
	buffers      []BufferTally // by VC of the block; nil unless requested
	laterBuffers []laterBuffer
	filled       bool // there are packets in observed buffers
	pile         []piled
	// by VC: when its first packet arrived (ps); 0: at the packet's own time; nil unless buffers or
	// passages are reported
	arrived []int64
	// by VC: since when its first packet has waited for credit (ps); nil unless passages or
	// causes are reported
	since []int64
	// by VC: how long its first packet has waited so far; nil unless passages are reported
	sums    []tally
	holds   []Hold        // by VC, on the general path
	logged  []bool        // by router of the block: whether its packets are reported; nil: none are
	message model.Message // of the packet that starts, if passages are reported
	bin     model.Bin
	// counts the packets of streams that have started before a time, and reports whether there are streams;
	// nil on the general path
	settle    func(at int64) bool
	streaming bool // there were streams when the last bin ended

	attempt attempt   // state of the requesting packet, on the fast path
	hop     model.Hop // of the packet that starts, if hops are reported
}

// The reasons for which packets wait.
const (
	forCredit = iota
	forOutput
	forCrossbar
	waits
)

// tally is the time that packets have waited, by reason (ps).
type tally [waits]int64

func (t *tally) add(wait *tally) {
	for i := range wait {
		t[i] += wait[i]
	}
}

// LinkWait is the time that packets have waited for a link in the current bin (see stalls). It
// never crosses a cache line.
type LinkWait struct {
	wait    tally
	stalled int64 // number of packets that are waiting for credit
}

// laterTally holds counts that belong to a bin after the current one.
type laterTally struct {
	at      int64
	link    uint32
	stalled int32
	sent    core.LinkCount
	wait    tally
}

// New returns the observer of a block. Its routers are either f or g, depending on the model; the
// other is nil.
func New(b *nic.NICs, f *inputqueued.Routers, g *switched.Routers, o *model.Observation, n *Numbering) *Observer {
	first := b.Routers.At(b.First)
	x := &Observer{
		Observation: o, Numbering: n,
		spec: &b.Spec, block: b.Index, events: &b.Events,
		nics: b.Send.NICs, messages: &b.Messages, senders: &b.Send, general: g,
		first: b.First, count: b.Count, numVCs: b.NumVCs,
		interval:  int64(o.Interval),
		until:     int64(o.Interval),
		last:      model.Forever,
		firstPort: first.FirstPort,
		firstVC:   first.FirstVC,
	}
	if g != nil {
		x.sentBy = g.SentBy
	} else {
		x.vcs, x.outputs, x.sentBy, x.settle = &f.VCs, &f.Ports, f.SentBy, f.Settle
	}
	nics := uint32(0)
	x.firstNIC = core.NoRouter
	for i := b.First; i < b.First+b.Count; i++ {
		r := b.Routers.At(i)
		x.ports += uint32(r.NumVCs) / b.NumVCs
		nics += uint32(r.NumNICs)
		if r.NumNICs > 0 {
			x.firstNIC = min(x.firstNIC, r.FirstNIC)
		}
	}
	x.listNICs(b.HostRuns(b.First, b.First+b.Count))
	vcs := x.ports * b.NumVCs
	x.waits = core.ArrayOf(make([]LinkWait, x.ports))
	if x.interval > 0 {
		x.told = make([]core.LinkCount, x.ports+nics)
		x.orderLinks()
		if o.Buffers {
			x.buffers = make([]BufferTally, vcs)
		}
	} else {
		x.until = model.Forever
	}
	x.catchUp()
	x.watchRouters()
	if x.buffers != nil || x.logged != nil || o.Hops {
		x.arrived = make([]int64, vcs)
	}
	x.exact = f == nil || !f.Plain || x.arrived != nil
	if g != nil {
		x.holds = make([]Hold, vcs)
	} else if x.logged != nil {
		x.since, x.sums = make([]int64, vcs), make([]tally, vcs)
	} else if x.Causes {
		x.since = make([]int64, vcs)
	}
	return x
}

// catchUp makes the bin in which the observation starts the current one, and excludes what links
// had sent before.
func (x *Observer) catchUp() {
	if x.told == nil {
		return
	}
	now := x.events.Calendar.Start
	for x.MaxBins > 0 && now/x.interval >= x.MaxBins {
		x.interval *= 2
	}
	x.begin = now / x.interval * x.interval
	x.until = x.begin + x.interval
	for i := range x.told {
		x.told[i] = x.sent(uint32(i))
	}
}

// orderLinks computes the order in which links are reported, by their IDs in the user's numbering.
func (x *Observer) orderLinks() {
	x.order = make([]uint32, len(x.told))
	for i := range x.order {
		x.order[i] = uint32(i)
	}
	slices.SortFunc(x.order, func(a, b uint32) int { return cmp.Compare(x.number(a), x.number(b)) })
}

// watchRouters computes the set of routers whose packets are reported.
func (x *Observer) watchRouters() {
	if x.Routers == nil {
		return
	}
	x.logged = make([]bool, x.count)
	for i := range x.logged {
		x.logged[i] = x.Routers(int(x.RouterOf[x.first+uint32(i)]))
	}
}

// BeginWindow closes the bins that end before the block's next window. It reports whether packets
// need not be examined individually in that window.
func (x *Observer) BeginWindow() (direct bool) {
	begin := x.events.Calendar.Start
	for begin >= x.until {
		x.streaming = x.settle != nil && x.settle(x.until)
		x.close(begin)
	}
	return !x.exact && x.events.Calendar.End <= x.until
}

// End closes all bins.
func (x *Observer) End(last int64) {
	if x.told == nil {
		return
	}
	x.streaming, x.last = false, last
	x.close(x.until)
	for len(x.later)+len(x.laterBuffers) > 0 {
		x.close(x.until)
	}
	x.close(model.Forever)
}

// close reports the current bin and starts the one that contains the time next (ps), or an earlier
// one that already has counts.
func (x *Observer) close(next int64) {
	x.bin.Begin, x.bin.Interval = units.Time(x.begin), units.Time(x.interval)
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
	if x.filled || x.waiting || x.streaming {
		begin = x.until
	}
	if next == model.Forever {
		x.bin.Next = units.Time(model.Forever)
		x.Sink.Bin(x.block, &x.bin)
		return
	}
	for x.MaxBins > 0 && begin/x.interval >= x.MaxBins {
		x.interval *= 2
	}
	x.begin = begin / x.interval * x.interval
	x.until = x.begin + x.interval
	x.bin.Next = units.Time(x.begin)
	x.Sink.Bin(x.block, &x.bin)
	x.takeLater()
}

// takeLater adds the counts that belong to the bin that has just started.
func (x *Observer) takeLater() {
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

// take adds counts to the current bin.
func (x *Observer) take(l *laterTally) {
	if l.link >= x.ports {
		x.nics.At(x.nicOf(l.link)).Waited += l.wait[forCredit]
		return
	}
	to := x.waits.At(l.link)
	to.wait.add(&l.wait)
	to.stalled += int64(l.stalled)
}

// linkRows appends the rows of the links that were active in the current bin, which ends now. The
// traffic of a link is the difference of the link's counters, excluding the parts that belong to
// later bins.
func (x *Observer) linkRows(rows []model.LinkBin) []model.LinkBin {
	for i := range x.later {
		l := &x.later[i]
		x.told[l.link].Add(l.sent)
	}
	x.waiting = false
	for _, i := range x.order {
		if x.number(i) < 0 {
			continue
		}
		now := x.sent(i)
		flits, packets := now.Flits-x.told[i].Flits, now.Packets-x.told[i].Packets
		x.told[i] = now
		var wait tally
		if i < x.ports {
			wait = x.linkWaits(i)
		} else {
			wait[forCredit] = x.nicWaits(x.nics.At(x.nicOf(i)))
		}
		if flits == 0 && wait == (tally{}) {
			continue
		}
		rows = append(rows, model.LinkBin{
			Link: x.number(i), Packets: int64(packets), Bytes: units.Bytes(int64(flits) * x.spec.Packet.Flit),
			NoCredit: units.Time(wait[forCredit]), BusyOutput: units.Time(wait[forOutput]),
			BusyCrossbar: units.Time(wait[forCrossbar]),
		})
	}
	for i := range x.later {
		l := &x.later[i]
		x.told[l.link].Add(core.LinkCount{Flits: -l.sent.Flits, Packets: -l.sent.Packets})
	}
	return rows
}

// linkWaits removes and returns the time that packets have waited in the current bin for a link
// between routers or to a host.
func (x *Observer) linkWaits(link uint32) (wait tally) {
	w := x.waits.At(link)
	wait, w.wait = w.wait, tally{}
	if w.stalled > 0 {
		x.waiting = true
		wait[forCredit] = max(0, wait[forCredit]+w.stalled*x.lasts())
		w.wait[forCredit] = -w.stalled * x.until
	}
	return wait
}

// nicWaits removes and returns the time (ps) that a NIC has waited for credit in the current bin.
func (x *Observer) nicWaits(n *nic.Sender) int64 {
	wait := n.Waited
	n.Waited = 0
	if n.Stalled {
		x.waiting = true
		wait += max(0, x.lasts()-max(n.Next(), x.begin))
	}
	return wait
}

// lasts returns the time (ps) up to which unfinished waits count in the current bin.
func (x *Observer) lasts() int64 { return max(x.begin, min(x.until, x.last)) }

// sent returns the transmit counters of a link of the block.
func (x *Observer) sent(link uint32) core.LinkCount {
	if link < x.ports {
		return x.sentBy(x.firstPort + link)
	}
	n := x.nics.At(x.nicOf(link))
	return core.LinkCount{Flits: n.Flits, Packets: n.Packets}
}

// number returns the ID, in the user's numbering, of a link of the block.
func (x *Observer) number(link uint32) int32 {
	if link < x.ports {
		return x.LinkOf[x.firstPort+link]
	}
	return x.NicLinks + int32(x.nicOf(link))
}

// started counts a packet that starts on a link of the block now.
func (x *Observer) started(link uint32, flits uint32) {
	if x.events.Now >= x.until {
		x.sentLater(link, core.LinkCount{Flits: uint64(flits), Packets: 1})
	}
}

// listNICs lists the NICs of a block whose hosts are not consecutive.
func (x *Observer) listNICs(runs []core.HostRun) {
	if len(runs) < 2 {
		return
	}
	x.nicPlace = make([]uint32, len(x.spec.Graph.NICPort))
	for _, run := range runs {
		for nic := run.NIC; nic < run.NIC+run.NICs; nic++ {
			x.nicPlace[nic] = uint32(len(x.nicList))
			x.nicList = append(x.nicList, nic)
		}
	}
}

// nicOf returns the NIC of a link of the block, and linkOfNIC the link of a NIC.
func (x *Observer) nicOf(link uint32) uint32 {
	if x.nicList != nil {
		return x.nicList[link-x.ports]
	}
	return x.firstNIC + link - x.ports
}

func (x *Observer) linkOfNIC(nic uint32) uint32 {
	if x.nicPlace != nil {
		return x.ports + x.nicPlace[nic]
	}
	return x.ports + nic - x.firstNIC
}

// Injected counts a packet that a NIC with credit sends now.
func (x *Observer) Injected(nic uint32, n *nic.Sender, flits uint32) {
	x.started(x.linkOfNIC(nic), flits)
	if n.Stalled {
		x.UnstallNIC(nic, n)
	}
}

// UnstallNIC ends a NIC's wait for credit. It adds the waiting time to the current bin and to later
// ones.
func (x *Observer) UnstallNIC(nic uint32, n *nic.Sender) {
	n.Stalled = false
	x.senders.Starved(n)
	now, from := x.events.Now, max(n.Next(), x.begin)
	if x.told == nil || from >= now {
		return
	}
	if from < x.until {
		n.Waited += min(now, x.until) - from
		from = x.until
	}
	for from < now {
		to := min(now, x.until+(from-x.until)/x.interval*x.interval+x.interval)
		x.later = append(
			x.later,
			laterTally{at: from, link: x.linkOfNIC(nic), wait: tally{forCredit: to - from}},
		)
		from = to
	}
}

// sentLater counts traffic of a link after the current bin. Traffic before the bin's end is
// computed from the link's counters.
func (x *Observer) sentLater(link uint32, sent core.LinkCount) {
	if x.told != nil {
		x.later = append(x.later, laterTally{at: x.events.Now, link: link, sent: sent})
	}
}

// split divides the time from `asked` until now (all in ps) by reason. The output was busy until
// outFree and the input until inFree, and credit was missing for `credit` ps.
func (x *Observer) split(asked, outFree, inFree, credit int64) (wait tally) {
	all := x.events.Now - asked
	credit = min(credit, all)
	inside := min(max(0, min(inFree, x.events.Now)-max(asked, outFree)), all-credit)
	return tally{forCredit: credit, forOutput: all - credit - inside, forCrossbar: inside}
}

// logs reports whether packets that leave buffers of a router at this time are reported.
func (x *Observer) logs(router uint32) bool {
	return x.logged != nil && x.logged[router-x.first] && x.events.Now >= int64(x.LogFrom) &&
		x.events.Now < int64(x.LogTo)
}

// passage reports that a packet of a message leaves a buffer now. index and out are the VCs of its
// input and output.
func (x *Observer) passage(
	r *core.Router,
	index, out uint32,
	m *model.Message,
	flits uint32,
	ready, asked int64,
	wait tally,
) {
	x.Sink.Passage(x.block, &model.Passage{
		Router: x.RouterOf[r.Number], Port: int32(index / x.numVCs), VC: int32(index % x.numVCs),
		OutPort: int32(out / x.numVCs), OutVC: int32(out % x.numVCs),
		Source: m.Src, Destination: m.Dst,
		Message: x.spec.NumberOf(m),
		Bytes:   units.Bytes(int64(flits) * x.spec.Packet.Flit), In: units.Time(ready),
		Out: units.Time(x.events.Now), Order: units.Time(asked - ready),
		Credit: units.Time(wait[forCredit]), BusyOutput: units.Time(wait[forOutput]),
		BusyInside: units.Time(wait[forCrossbar]),
	})
}

// Until returns the time (ps) until which packets need not be examined individually.
func (x *Observer) Until() int64 { return x.until }

// EachPacket reports whether every packet is examined individually.
func (x *Observer) EachPacket() bool { return x.exact }

// StreamOn counts packets of a stream that have started on the link of a port, at the times first,
// first+pace, ... (ps), of a number of flits each.
func (x *Observer) StreamOn(port uint32, packets uint32, first, pace int64, flits uint32) {
	x.streamOn(port-x.firstPort, packets, first, pace, flits)
}

// StreamFrom is like StreamOn for packets that a NIC has sent.
func (x *Observer) StreamFrom(nic uint32, packets uint32, first, pace int64, flits uint32) {
	x.streamOn(x.linkOfNIC(nic), packets, first, pace, flits)
}

func (x *Observer) streamOn(link, packets uint32, first, pace int64, flits uint32) {
	if x.told == nil || first+int64(packets-1)*pace < x.until {
		return
	}
	for at := first; packets > 0; packets, at = packets-1, at+pace {
		if at >= x.until {
			x.later = append(x.later, laterTally{at: at, link: link, sent: core.LinkCount{Flits: uint64(flits), Packets: 1}})
		}
	}
}

// StartsOn counts a packet that starts on the link of a port now.
func (x *Observer) StartsOn(port, flits uint32) { x.started(port-x.firstPort, flits) }

// Numbering maps ports, links and routers of the layout to the user's numbering.
type Numbering struct {
	// by port and router of the layout: the link's row in the table of links, -1 without one (as of the port
	// of an agent), and the router's ID
	LinkOf, RouterOf []int32
	PortOf           []int32 // by port of the layout: the port's ID
	NicLinks         int32   // link ID of NIC 0
}
