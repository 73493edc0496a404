package fabric

import (
	"cmp"
	"slices"

	"fabricast/internal/units"
)

// observer is a block's part of an observation.
type observer struct {
	*Observation
	*numbering
	// It reads the state of the block's parts, and writes only those fields of lanes and NICs that
	// are reserved for it.
	spec         *Spec
	block        int // its number
	events       *eventWheel
	lanes        *vcLanes
	outputs      *outputPorts
	sentBy       func(port uint32) linkCount // what a port has sent
	nics         array[nic]
	messages     *messageTable
	general      *general // on the general path; else nil
	first, count uint32   // routers of the block
	vcs          uint32

	begin, until, interval int64 // ps, of the present bin
	last                   int64 // ps: nothing lasts longer

	firstPort, ports, firstNIC uint32
	// NICs of the block in their order, and the place of each NIC in it; nil if they follow firstNIC
	nicList, nicPlace []uint32
	firstLane         uint32
	exact             bool // every packet is looked at on its own
	// by port of the block, then by NIC: what it had sent when the present bin began
	told  []linkCount
	order []uint32        // of links by their number outside
	waits array[linkWait] // by port of the block
	// whether any packet waited for credit when the last bin ended
	waiting      bool
	later        []laterTally
	buffers      []bufferTally // by lane of the block; nil unless asked for
	laterBuffers []laterBuffer
	filled       bool // there are packets in buffers that are observed
	pile         []piled
	// by lane: when its first packet arrived (ps); 0: at the packet's own time; nil unless buffers
	// or passages are reported
	arrived []int64
	// by lane: since when its first packet has waited for credit (ps); nil unless passages are
	// reported
	since []int64
	// by lane: how long its first packet has waited so far; nil unless passages are reported
	sums    []tally
	holds   []hold  // by lane, general path
	logged  []bool  // by router of the block; nil: none
	message Message // of the packet that starts, where passages are told
	bin     Bin
	attempt attempt // on the fast path, of the packet that asks
}

// The causes for which packets wait.
const (
	forCredit = iota
	forOutput
	forCrossbar
	waits
)

// tally is how long packets have waited, by cause (ps).
type tally [waits]int64

func (t *tally) add(wait *tally) {
	for i := range wait {
		t[i] += wait[i]
	}
}

// linkWait is how long packets have waited for a link in the present bin, see stalls. It never
// crosses a cache line.
type linkWait struct {
	wait    tally
	stalled int64 // packets that wait for credit now
}

// laterTally holds counts that belong to a bin after the present one.
type laterTally struct {
	at      int64
	link    uint32
	stalled int32
	sent    linkCount
	wait    tally
}

// newObserver returns the observer of a block whose routers are of one of both models; that of the
// other is nil.
func newObserver(b *nics, f *fast, g *general, o *Observation, n *numbering) *observer {
	first := b.routers.at(b.first)
	x := &observer{
		Observation: o, numbering: n,
		spec: &b.spec, block: b.index, events: &b.events,
		nics: b.send.nics, messages: &b.messages, general: g,
		first: b.first, count: b.count, vcs: b.vcs,
		interval:  int64(o.Interval),
		until:     int64(o.Interval),
		last:      Forever,
		firstPort: first.ports,
		firstLane: first.lanes,
	}
	if g != nil {
		x.sentBy = g.sentBy
	} else {
		x.lanes, x.outputs, x.sentBy = &f.lanes, &f.ports, f.sentBy
	}
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
	x.listNICs(b.hostRuns(b.first, b.first+b.count))
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
	x.catchUp()
	x.watchRouters()
	if x.buffers != nil || x.logged != nil {
		x.arrived = make([]int64, lanes)
	}
	x.exact = f == nil || !f.plain || x.arrived != nil
	if g != nil {
		x.holds = make([]hold, lanes)
	} else if x.logged != nil {
		x.since, x.sums = make([]int64, lanes), make([]tally, lanes)
	}
	return x
}

// catchUp makes the bin in which the observation begins the present one, and leaves out what links
// had sent before.
func (x *observer) catchUp() {
	if x.told == nil {
		return
	}
	now := x.events.calendar.start
	for x.MaxBins > 0 && now/x.interval >= x.MaxBins {
		x.interval *= 2
	}
	x.begin = now / x.interval * x.interval
	x.until = x.begin + x.interval
	for i := range x.told {
		x.told[i] = x.sent(uint32(i))
	}
}

// orderLinks computes the order in which links are reported, by the user's numbers.
func (x *observer) orderLinks() {
	x.order = make([]uint32, len(x.told))
	for i := range x.order {
		x.order[i] = uint32(i)
	}
	slices.SortFunc(x.order, func(a, b uint32) int { return cmp.Compare(x.number(a), x.number(b)) })
}

// watchRouters computes the set of routers whose packets are reported.
func (x *observer) watchRouters() {
	if x.Routers == nil {
		return
	}
	x.logged = make([]bool, x.count)
	for i := range x.logged {
		x.logged[i] = x.Routers(int(x.routerOf[x.first+uint32(i)]))
	}
}

// beginWindow closes the bins that end before the block's next window. It reports whether packets
// need not be examined one by one in that window.
func (x *observer) beginWindow() (direct bool) {
	begin := x.events.calendar.start
	for begin >= x.until {
		x.close(begin)
	}
	return !x.exact && x.events.calendar.end <= x.until
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

// close reports the present bin and begins the one that contains the time next (ps), or an earlier
// one that already has counts.
func (x *observer) close(next int64) {
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
	if x.filled || x.waiting {
		begin = x.until
	}
	if next == Forever {
		x.bin.Next = units.Time(Forever)
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

// takeLater adds the counts that belong to the bin that has begun.
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

// take adds counts to the present bin.
func (x *observer) take(l *laterTally) {
	if l.link >= x.ports {
		x.nics.at(x.nicOf(l.link)).waited += l.wait[forCredit]
		return
	}
	to := x.waits.at(l.link)
	to.wait.add(&l.wait)
	to.stalled += int64(l.stalled)
}

// linkRows appends the rows of the links that were active in the present bin, which ends now. It
// computes what a link has sent as the difference of the link's own count, without what belongs to
// later bins.
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
			wait[forCredit] = x.nicWaits(x.nics.at(x.nicOf(i)))
		}
		if flits == 0 && wait == (tally{}) {
			continue
		}
		rows = append(rows, LinkBin{
			Link: x.number(i), Packets: int64(packets), Bytes: units.Bytes(int64(flits) * x.spec.Packet.Flit),
			NoCredit: units.Time(wait[forCredit]), BusyOutput: units.Time(wait[forOutput]),
			BusyCrossbar: units.Time(wait[forCrossbar]),
		})
	}
	for i := range x.later {
		l := &x.later[i]
		x.told[l.link].add(linkCount{-l.sent.flits, -l.sent.packets})
	}
	return rows
}

// linkWaits removes and returns how long packets have waited for a link between routers, or to a
// host, in the present bin.
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

// nicWaits removes and returns how long a NIC has waited for credit in the present bin (ps).
func (x *observer) nicWaits(n *nic) int64 {
	wait := n.waited
	n.waited = 0
	if n.stalled {
		x.waiting = true
		wait += max(0, x.lasts()-max(n.next(), x.begin))
	}
	return wait
}

// lasts returns the time (ps) until which unfinished waits count in the present bin.
func (x *observer) lasts() int64 { return max(x.begin, min(x.until, x.last)) }

// sent returns what a link of the block has sent.
func (x *observer) sent(link uint32) linkCount {
	if link < x.ports {
		return x.sentBy(x.firstPort + link)
	}
	n := x.nics.at(x.nicOf(link))
	return linkCount{n.flits, n.packets}
}

// number returns the user's number of a link of the block.
func (x *observer) number(link uint32) int32 {
	if link < x.ports {
		return x.linkOf[x.firstPort+link]
	}
	return x.nicLinks + int32(x.nicOf(link))
}

// started counts a packet that starts on a link of the block now.
func (x *observer) started(link uint32, flits uint32) {
	if x.events.now >= x.until {
		x.sentLater(link, linkCount{uint64(flits), 1})
	}
}

// listNICs lists the NICs of a block whose hosts do not follow one another.
func (x *observer) listNICs(runs []hostRun) {
	if len(runs) < 2 {
		return
	}
	x.nicPlace = make([]uint32, len(x.spec.Graph.NICPort))
	for _, run := range runs {
		for nic := run.nic; nic < run.nic+run.nics; nic++ {
			x.nicPlace[nic] = uint32(len(x.nicList))
			x.nicList = append(x.nicList, nic)
		}
	}
}

// nicOf returns the NIC of a link of the block, and linkOfNIC the link of a NIC.
func (x *observer) nicOf(link uint32) uint32 {
	if x.nicList != nil {
		return x.nicList[link-x.ports]
	}
	return x.firstNIC + link - x.ports
}

func (x *observer) linkOfNIC(nic uint32) uint32 {
	if x.nicPlace != nil {
		return x.ports + x.nicPlace[nic]
	}
	return x.ports + nic - x.firstNIC
}

// injected counts a packet that a NIC with credit sends now.
func (x *observer) injected(nic uint32, n *nic, flits uint32) {
	x.started(x.linkOfNIC(nic), flits)
	if n.stalled {
		x.unstallNIC(nic, n)
	}
}

// unstallNIC ends a NIC's wait for credit. It adds the time waited to the present bin and to later
// ones.
func (x *observer) unstallNIC(nic uint32, n *nic) {
	n.stalled = false
	now, from := x.events.now, max(n.next(), x.begin)
	if x.told == nil || from >= now {
		return
	}
	if from < x.until {
		n.waited += min(now, x.until) - from
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

// sentLater counts what a link sends after the present bin. What it sends before the bin's end
// follows from its own count.
func (x *observer) sentLater(link uint32, sent linkCount) {
	if x.told != nil {
		x.later = append(x.later, laterTally{at: x.events.now, link: link, sent: sent})
	}
}

// split divides the time from `asked` until now (all ps) by cause: until outFree the output was
// busy, until inFree the input, and for `credit` ps credit was missing.
func (x *observer) split(asked, outFree, inFree, credit int64) (wait tally) {
	all := x.events.now - asked
	credit = min(credit, all)
	inside := min(max(0, min(inFree, x.events.now)-max(asked, outFree)), all-credit)
	return tally{forCredit: credit, forOutput: all - credit - inside, forCrossbar: inside}
}

// logs reports whether packets that leave buffers of a router now are reported.
func (x *observer) logs(router uint32) bool {
	return x.logged != nil && x.logged[router-x.first] && x.events.now >= int64(x.LogFrom) &&
		x.events.now < int64(x.LogTo)
}

// passage reports that a packet of a message leaves a buffer now, given by the slots of its input
// and output.
func (x *observer) passage(
	r *routerState,
	slot, out uint32,
	m *Message,
	flits uint32,
	ready, asked int64,
	wait tally,
) {
	nics := int32(x.spec.Graph.NICsPerHost)
	x.Sink.Passage(x.block, &Passage{
		Router: x.routerOf[r.number], Port: int32(slot / x.vcs), VC: int32(slot % x.vcs),
		OutPort: int32(out / x.vcs), OutVC: int32(out % x.vcs),
		Source: m.Src, Destination: m.Dst,
		Message: MessageNumber(m.Src/nics, m.Dst/nics, m.Tag, m.Size, m.Sent),
		Bytes:   units.Bytes(int64(flits) * x.spec.Packet.Flit), In: units.Time(ready),
		Out: units.Time(x.events.now), Order: units.Time(asked - ready),
		Credit: units.Time(wait[forCredit]), BusyOutput: units.Time(wait[forOutput]),
		BusyInside: units.Time(wait[forCrossbar]),
	})
}

// untilWhen returns the time (ps) until which packets need not be looked at one by one.
func (x *observer) untilWhen() int64 { return x.until }

// startsOn counts a packet that starts on the link of a port now.
func (x *observer) startsOn(port, flits uint32) { x.started(port-x.firstPort, flits) }

// numbering says by which numbers ports, links and routers are reported.
type numbering struct {
	// by port and router of the layout: row in the table of links, and the user's number
	linkOf, routerOf []int32
	portOf           []int32 // by port of the layout: number outside
	nicLinks         int32   // link of NIC 0
}
