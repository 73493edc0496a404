package node

import (
	"iter"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/offheap"
)

// Block owns the ranks on the hosts of one partition block. It is the fabric.Endpoint of these
// hosts.
//
// Its work is divided among parts. Each part owns its state and uses only parts declared above it.
// The Block itself takes messages and programs from part to part.
type Block struct {
	world     *World
	shared    *shared // the world's
	transport fabric.Transport
	reader    fabric.Reader // the transport, if ranks may go on ahead; else nil
	// every host has one rank and one NIC, messages arrive in order, and nothing traces the ranks
	simple bool
	pauses bool // ranks that need not wait may pause, see Ops.Pause
	early  bool // messages may meet their receives before they are in memory, see meetEarly
	ops    Ops
	ranks  []rank // by slot

	requests   requests
	clocks     clocks
	stats      tally
	times      waitTimes
	logs       logs
	outbox     outbox
	ready      ready
	schedule   schedule
	programs   programs
	failures   failures
	matching   matching
	order      order // of messages; only if the network lets them overtake one another
	watching   watching
	processors processors
	waiting    waiting
	rendezvous rendezvous
	rma        rma
	peers      peers
	journal    *journal // nil: none is kept
}

// NewBlock returns the block for some hosts, in ascending order. All blocks must be made before any
// of them starts, but for those that Settle.
func (w *World) NewBlock(hosts iter.Seq[int32]) *Block {
	b := &Block{world: w, shared: &w.shared}
	b.ops = Ops{block: b, list: make([]op, 0, firstOps)}
	b.ops.oneSided.ops = &b.ops
	n := int32(0)
	for h := range hosts {
		n += w.shared.ranksOn(h)
	}
	b.ranks = make([]rank, 0, n)
	offheap.HugePages(b.ranks[:n])
	for h := range hosts {
		w.shared.slotAt[h] = int32(len(b.ranks))
		for id := w.shared.rankAt[h]; id >= 0; id = w.shared.after(id) {
			w.shared.settle(id, int32(len(b.ranks)))
			b.ranks = append(b.ranks, rank{id: id, host: h, nic: w.shared.begins(id, w.shared.spec.NICsPerHost)})
		}
	}
	b.makeParts()
	w.blocks.add(b)
	w.shared.payloads.concurrent = len(w.blocks.all()) > 1 || w.elsewhere != nil
	return b
}

// makeParts creates the parts of a block whose ranks are known.
func (b *Block) makeParts() {
	w, n := b.shared, len(b.ranks)
	b.clocks = newClocks(w)
	b.stats.world, b.logs.world = w, w
	b.times = newWaitTimes(w, n)
	b.outbox = newOutbox(w, n)
	b.ready = newReady(w, b.ranks)
	b.schedule = schedule{
		world: w, clocks: &b.clocks, outbox: &b.outbox, ready: &b.ready, ranks: b.ranks, waking: nobody,
		inOrder: w.spec.NICsPerHost == 1 && !w.spec.Overtaking && !w.spec.Unordered,
	}
	if b.outbox.used() {
		b.schedule.due = slices.Repeat([]int64{fabric.Forever}, n)
	}
	b.failures = failures{world: w, now: &b.schedule.now, programs: &b.programs}
	b.programs.world = w
	b.programs.start, b.programs.running = b.world.launch(len(w.hostOf)), make([]Program, n)
	b.matching.requests = &b.requests
	b.processors = newProcessors(w, b.ranks)
	b.processors.clocks, b.processors.schedule, b.processors.times = &b.clocks, &b.schedule, &b.times
	b.waiting = waiting{
		world: w, processors: &b.processors, requests: &b.requests, matching: &b.matching, clocks: &b.clocks,
		schedule: &b.schedule, watching: &b.watching, times: &b.times, logs: &b.logs,
	}
	b.rendezvous = rendezvous{
		world: w, ranks: b.ranks, requests: &b.requests, matching: &b.matching,
		schedule: &b.schedule, outbox: &b.outbox,
	}
	b.rma = rma{
		world: w, ranks: b.ranks, requests: &b.requests, failures: &b.failures, stats: &b.stats,
		schedule: &b.schedule, outbox: &b.outbox, messages: &b.order,
	}
	b.peers = newPeers(w, n)
	if w.spec.Overtaking {
		b.order = newOrder(&b.schedule)
		b.rma.puts, b.rma.sums = newOrder(&b.schedule), newOrder(&b.schedule)
	}
}

// Start connects the block to its part of the network and schedules the start of every rank at time
// 0.
func (b *Block) Start(t fabric.Transport) {
	b.Settle(t)
	for i := range b.ranks {
		t.SetTimer(b.ranks[i].host, 0)
	}
}

// Settle does what Start does for a block whose ranks have begun in another process. Their state
// (State) is restored afterwards.
func (b *Block) Settle(t fabric.Transport) {
	b.connect(t)
	s := &b.shared.spec
	b.simple = !b.outbox.used() && s.NICsPerHost == 1 && !s.Overtaking && b.clocks.tracer == nil
	b.pauses = b.simple && b.logs.by == nil && b.clocks.noise == nil
	b.early = b.pauses && !s.Unordered && b.times.by == nil && b.stats.tracer == nil && b.journal == nil
	if b.simple && b.times.by == nil && len(b.ranks) <= mostAhead {
		b.reader, _ = t.(fabric.Reader)
	}
}

// Leave removes a block whose ranks go on in another process.
func (b *Block) Leave() {
	b.world.blocks.remove(b)
	b.close()
}

// Stays implements fabric.Resident: ranks stay in their process if what they are is more than a few
// numbers.
func (b *Block) Stays() bool { return len(b.ranks) > 0 && !b.world.moves() }

// connect passes the transport to all parts that need it.
func (b *Block) connect(t fabric.Transport) {
	b.transport, b.outbox.transport, b.schedule.transport = t, t, t
	b.rendezvous.transport, b.rma.transport = t, t
}

// Move implements fabric.Mover.
func (b *Block) Move(to fabric.Transport) {
	b.connect(to)
	if b.reader != nil {
		b.reader = to.(fabric.Reader)
	}
}

// Wake implements fabric.Endpoint: it starts the host's ranks, or handles what is due.
func (b *Block) Wake(host int32, now int64) {
	b.schedule.now = now
	b.schedule.waking = host
	if b.outbox.used() {
		b.wakeShared(host, now)
		return
	}
	slot := b.shared.slotAt[host]
	r := &b.ranks[slot]
	if r.state == Sync && b.programs.running[slot] == nil {
		b.begin(r, slot)
	}
	for {
		for b.happenDue(r, slot, now) {
		}
		if b.goesOn(r, slot, now) {
			continue
		}
		if !r.asksForPresent() || b.schedule.looksAgain(r) > now {
			break
		}
		b.waiting.answerNo(r)
		b.run(r, slot)
	}
	b.schedule.sleep(host, r)
	if r.arrivals != 0 && r.spilled != 0 {
		b.prefetchQueue(r, slot)
	}
}

// Tell implements fabric.Teller.
func (b *Block) Tell() { b.stats.told.Store(b.stats.messages) }

// begin starts a rank's program.
func (b *Block) begin(r *rank, slot int32) {
	b.programs.running[slot] = b.programs.start(int(r.id))
	if begin := b.shared.spec.Begin; begin != nil {
		r.clock = begin[r.id]
	}
	b.run(r, slot)
}

// Delivered implements fabric.Endpoint. The host's first rank keeps the messages of its host.
func (b *Block) Delivered(host int32, id fabric.MsgID, at int64) {
	if b.reader != nil && b.meetAhead(host, id, at) {
		return
	}
	if b.ready.used() && matched(kindOf(b.transport.Message(id))) {
		b.come(host, id, at)
		return
	}
	slot := b.shared.slotAt[host]
	if r := &b.ranks[slot]; !b.meetEarly(r, slot, id, at) {
		b.schedule.expect(r, uint32(id), at)
	}
}

// Fetched implements fabric.Endpoint. With one-copy the send is already complete and its message
// has no request (0). Messages of NICs have none either.
func (b *Block) Fetched(_ int32, id uint32, at int64) {
	if id != 0 {
		b.completeSend(id, at+int64(b.shared.spec.Notice))
	}
}

// happenDue handles the first event that is due, and resumes the rank if it may go on. It returns
// false if none is due. At one instant messages from the network come first.
func (b *Block) happenDue(r *rank, slot int32, now int64) bool {
	switch event := b.schedule.first(r); {
	case r.arrivals != 0 && r.arrivesAt <= min(now, event):
		b.arriveFromNetwork(r, slot)
	case event <= now:
		b.happen(r, slot)
	default:
		return false
	}
	return true
}

// happen handles the rank's first event.
func (b *Block) happen(r *rank, slot int32) {
	switch e := b.schedule.take(r); e.kind {
	case localArrival:
		u := *b.matching.unexpected.at(e.ref)
		b.matching.unexpected.release(e.ref)
		to, sent := &b.ranks[u.slot], u.at
		if b.processors.takePart() {
			u.at = b.processors.takeLocal(to, &u)
		}
		if b.arriveSent(to, &u, sent) {
			b.run(to, u.slot)
		}
	case cleared:
		b.rendezvous.answerRequest(fabric.MsgID(e.ref))
	case localAccess:
		b.deal(r, fabric.MsgID(e.ref), b.transport.Message(fabric.MsgID(e.ref)))
	case recheck:
		if b.waiting.recheck(r) {
			b.run(r, slot)
		}
	case foreseen:
		if b.arrived(r, b.requests.receives.at(e.ref)) {
			b.run(r, slot)
		}
	}
	if b.outbox.used() {
		b.schedule.refresh(r, slot)
	}
}

// run resumes a rank's program until it is blocked or ends.
func (b *Block) run(r *rank, slot int32) {
	for b.mayRun(r) {
		b.resume(r, slot)
		if b.ready.used() {
			if !b.inTurns(r, slot) || r.state == failed || !b.evaluate(r) {
				break
			}
			continue
		}
		b.execute(r)
		if r.state == failed || !b.evaluate(r) {
			break
		}
	}
	if b.outbox.used() {
		b.schedule.refresh(r, slot)
	}
}

// mayRun reports whether the rank may be resumed.
func (b *Block) mayRun(r *rank) bool {
	return r.state == Sync && !b.shared.cancelled.Load()
}

// resume calls the rank's program, which stores its operations in b.ops. A panic of the program
// ends the rank with an error.
func (b *Block) resume(r *rank, slot int32) {
	o := &b.ops
	o.rank, o.slot = r, slot
	o.list, o.oneSided.remotes = o.list[:0], o.oneSided.remotes[:0]
	o.last, o.steps, o.patience, o.apart = Sync, 0, 0, false
	if b.clocks.tracer != nil {
		b.clocks.tracer.computes = false
	}
	if b.journal != nil {
		b.journal.resumes(slot)
		defer func() { b.journal.returned(o.last) }()
	}
	defer func() {
		if p := recover(); p != nil {
			o.list = o.list[:0]
			o.Fail(b.failures.of(r, p))
		}
	}()
	b.programs.running[slot].Resume(o)
}

// close releases all programs that have not ended.
func (b *Block) close() {
	for i := range b.ranks {
		if b.programs.running[i] != nil {
			b.programs.drop(&b.ranks[i])
		}
	}
}
