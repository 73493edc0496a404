package node

import (
	"iter"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/offheap"
	"fabricast/node/internal/core"
	"fabricast/node/internal/journal"
	"fabricast/node/internal/match"
	"fabricast/node/internal/model"
	"fabricast/node/internal/observe"
	"fabricast/node/internal/onesided"
	"fabricast/node/internal/protocol"
	"fabricast/node/internal/schedule"
	"fabricast/node/internal/wait"
)

// Block owns the ranks on the hosts of one partition block. It is the fabric.Endpoint of these
// hosts.
//
// Its work is divided among parts. Each part owns its state and uses only parts declared above it.
// The Block itself takes messages and programs from part to part.
type Block struct {
	world     *World
	shared    *core.Shared // the world's
	transport fabric.Transport
	reader    fabric.Reader // the transport, if ranks may go on ahead; else nil
	// every host has one rank and one NIC, messages arrive in order, and nothing traces the ranks
	simple       bool
	exchanges    bool // a send and a receive may start at once, see Ops.Exchange
	pauses       bool // ranks that need not wait may pause, see Ops.Pause
	matchesAhead bool // messages may meet their receives before they are in memory, see meetEarly
	ops          Ops
	ranks        []core.Rank // by slot

	requests   core.Requests
	clocks     schedule.Clocks
	stats      observe.Tally
	times      observe.WaitTimes
	logs       observe.Logs
	outbox     schedule.Outbox
	turns      schedule.Turns
	schedule   schedule.Schedule
	programs   programs
	failures   core.Failures
	matching   match.Matcher
	order      schedule.Order // of messages; only if the network lets them overtake one another
	watching   wait.Watching
	processors schedule.Processors
	waiting    wait.Waiter
	rendezvous protocol.Rendezvous
	rma        onesided.RMA
	peers      protocol.Peers
	journal    *journal.Journal // nil: none is kept
}

// NewBlock returns the block for some hosts, in ascending order. All blocks must be made before any
// of them starts, but for those that Settle.
func (w *World) NewBlock(hosts iter.Seq[int32]) *Block {
	b := &Block{world: w, shared: &w.shared}
	b.ops = Ops{block: b, list: make([]core.Op, 0, model.FirstOps)}
	b.ops.oneSided.ops = &b.ops
	n := int32(0)
	for h := range hosts {
		n += w.shared.RanksOn(h)
	}
	b.ranks = make([]core.Rank, 0, n)
	offheap.HugePages(b.ranks[:n])
	for h := range hosts {
		w.shared.SlotAt[h] = int32(len(b.ranks))
		for id := w.shared.RankAt[h]; id >= 0; id = w.shared.After(id) {
			w.shared.Settle(id, int32(len(b.ranks)))
			b.ranks = append(b.ranks, core.Rank{ID: id, Host: h, Nic: w.shared.Begins(id, w.shared.Spec.NICsPerHost)})
		}
	}
	b.makeParts()
	w.blocks.add(b)
	w.shared.Payloads.Concurrent = len(w.blocks.all()) > 1 || w.others != nil
	return b
}

// makeParts creates the parts of a block whose ranks are known.
func (b *Block) makeParts() {
	w, n := b.shared, len(b.ranks)
	b.clocks = schedule.NewClocks(w)
	b.stats.World, b.logs.World = w, w
	b.times = observe.NewWaitTimes(w, n)
	b.outbox = schedule.NewOutbox(w, n)
	b.turns = schedule.NewReady(w, b.ranks)
	b.schedule = schedule.Schedule{
		World: w, Clocks: &b.clocks, Outbox: &b.outbox, Turns: &b.turns, Ranks: b.ranks, Waking: schedule.Nobody,
		InOrder: w.Spec.NICsPerHost == 1 && !w.Spec.Overtaking && !w.Spec.Unordered,
	}
	if b.outbox.Used() {
		b.schedule.Due = slices.Repeat([]int64{fabric.Forever}, n)
	}
	b.failures = core.Failures{World: w, Now: &b.schedule.Now, Programs: &b.programs}
	b.programs.world = w
	b.programs.start, b.programs.running = b.world.launch(len(w.HostOf)), make([]Program, n)
	b.matching.Requests = &b.requests
	b.processors = schedule.NewProcessors(w, b.ranks)
	b.processors.Clocks, b.processors.Schedule, b.processors.Times = &b.clocks, &b.schedule, &b.times
	b.watching.Requests = &b.requests
	b.waiting = wait.Waiter{
		World: w, Processors: &b.processors, Requests: &b.requests, Matching: &b.matching, Clocks: &b.clocks,
		Schedule: &b.schedule, Watching: &b.watching, Times: &b.times, Logs: &b.logs,
	}
	b.rendezvous = protocol.Rendezvous{
		World: w, Ranks: b.ranks, Requests: &b.requests, Matching: &b.matching,
		Schedule: &b.schedule, Outbox: &b.outbox,
	}
	b.rma = onesided.RMA{
		World: w, Ranks: b.ranks, Requests: &b.requests, Failures: &b.failures, Stats: &b.stats,
		Schedule: &b.schedule, Outbox: &b.outbox, Messages: &b.order,
	}
	b.peers = protocol.NewPeers(w, n)
	if w.Spec.Overtaking {
		b.order = schedule.NewOrder(&b.schedule)
		b.rma.Puts, b.rma.Sums = schedule.NewOrder(&b.schedule), schedule.NewOrder(&b.schedule)
	}
}

// Start connects the block to its part of the network and schedules the start of every rank at time
// 0.
func (b *Block) Start(t fabric.Transport) {
	b.Settle(t)
	for i := range b.ranks {
		t.SetTimer(b.ranks[i].Host, 0)
	}
}

// Settle does what Start does for a block whose ranks have begun in another process. Their state
// (State) is restored afterwards.
func (b *Block) Settle(t fabric.Transport) {
	b.connect(t)
	s := &b.shared.Spec
	b.simple = !b.outbox.Used() && s.NICsPerHost == 1 && !s.Overtaking && b.clocks.Tracer == nil
	b.exchanges = b.simple && !s.UntilFetched && s.Setup == 0
	b.pauses = b.simple && b.logs.By == nil && b.clocks.Noise == nil
	b.matchesAhead = b.pauses && !s.Unordered && b.times.By == nil && b.stats.Tracer == nil && b.journal == nil
	if b.simple && b.times.By == nil && len(b.ranks) <= mostAhead {
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
	b.transport, b.outbox.Transport, b.schedule.Transport = t, t, t
	b.rendezvous.Transport, b.rma.Transport = t, t
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
	b.schedule.Now = now
	b.schedule.Waking = host
	if b.outbox.Used() {
		b.wakeShared(host, now)
		return
	}
	slot := b.shared.SlotAt[host]
	r := &b.ranks[slot]
	if r.State == model.Sync && b.programs.running[slot] == nil {
		b.begin(r, slot)
	}
	for {
		for b.happenDue(r, slot, now) {
		}
		if b.continuePaused(r, slot, now) {
			continue
		}
		if !r.AsksForPresent() || b.schedule.LooksAgain(r) > now {
			break
		}
		b.waiting.AnswerNo(r)
		b.run(r, slot)
	}
	b.schedule.Sleep(host, r)
	if r.Arrivals != 0 && r.Spilled != 0 {
		b.prefetchQueue(r, slot)
	}
}

// PublishProgress implements fabric.ProgressPublisher.
func (b *Block) PublishProgress() { b.stats.Announced.Store(b.stats.Messages) }

// begin starts a rank's program.
func (b *Block) begin(r *core.Rank, slot int32) {
	b.programs.running[slot] = b.programs.start(int(r.ID))
	if begin := b.shared.Spec.Begin; begin != nil {
		r.Clock = begin[r.ID]
	}
	b.run(r, slot)
}

// Delivered implements fabric.Endpoint. The host's first rank keeps the messages of its host.
func (b *Block) Delivered(host int32, id fabric.MsgID, at int64) {
	if b.discards(host, id, at) {
		return
	}
	if b.reader != nil && b.meetAhead(host, id, at) {
		return
	}
	if b.turns.Used() && core.Matched(core.KindOf(b.transport.Message(id))) {
		b.queueArrival(host, id, at)
		return
	}
	slot := b.shared.SlotAt[host]
	if r := &b.ranks[slot]; !b.meetEarly(r, slot, id, at) {
		b.schedule.Expect(r, uint32(id), at)
	}
}

// Fetched implements fabric.Endpoint. With one-copy the send is already complete and its message
// has no request (0). Messages of NICs have none either.
func (b *Block) Fetched(_ int32, id uint32, at int64) {
	if id != 0 {
		b.completeSend(id, at+int64(b.shared.Spec.Notice))
	}
}

// happenDue handles the first event that is due, and resumes the rank if it may go on. It returns
// false if none is due. At one instant messages from the network come first.
func (b *Block) happenDue(r *core.Rank, slot int32, now int64) bool {
	switch event := b.schedule.First(r); {
	case r.Arrivals != 0 && r.ArrivesAt <= min(now, event):
		b.arriveFromNetwork(r, slot)
	case event <= now:
		b.happen(r, slot)
	default:
		return false
	}
	return true
}

// happen handles the rank's first event.
func (b *Block) happen(r *core.Rank, slot int32) {
	switch e := b.schedule.Take(r); e.Kind {
	case schedule.LocalArrival:
		b.turns.SenderFirst = false
		u := *b.matching.Unexpected.At(e.Ref)
		b.matching.Unexpected.Release(e.Ref)
		b.clocks.Tracer.Finds(e.Ref)
		to, sent := &b.ranks[u.Slot], u.At
		if b.processors.TakePart() {
			u.At = b.processors.TakeLocal(to, &u)
		}
		if b.arriveSent(to, &u, sent) {
			b.run(to, u.Slot)
		}
	case schedule.Cleared:
		b.rendezvous.AnswerRequest(fabric.MsgID(e.Ref))
	case schedule.LocalAccess:
		b.handle(r, fabric.MsgID(e.Ref), b.transport.Message(fabric.MsgID(e.Ref)))
	case schedule.Recheck:
		if b.waiting.Recheck(r) {
			b.run(r, slot)
		}
	case schedule.Foreseen:
		if b.arrived(r, e.Ref, b.requests.Receives.At(e.Ref)) {
			b.run(r, slot)
		}
	}
	if b.outbox.Used() {
		b.schedule.Refresh(r, slot)
	}
}

// run resumes a rank's program until it is blocked or ends.
func (b *Block) run(r *core.Rank, slot int32) {
	for b.mayRun(r) {
		b.resume(r, slot)
		if b.turns.Used() {
			if !b.takeChain(r, slot) || r.State == model.Failed || !b.evaluate(r) {
				break
			}
			continue
		}
		b.execute(r)
		if r.State == model.Failed || !b.evaluate(r) {
			break
		}
	}
	if b.outbox.Used() {
		b.schedule.Refresh(r, slot)
	}
}

// mayRun reports whether the rank may be resumed. A rank whose host is down is stopped.
func (b *Block) mayRun(r *core.Rank) bool {
	if r.State == model.Sync && b.stopped(r) {
		b.stop(r)
	}
	return r.State == model.Sync && !b.shared.Cancelled.Load()
}

// resume calls the rank's program, which stores its operations in b.ops. A panic of the program
// ends the rank with an error.
func (b *Block) resume(r *core.Rank, slot int32) {
	o := &b.ops
	o.rank, o.slot = r, slot
	o.list, o.oneSided.remotes = o.list[:0], o.oneSided.remotes[:0]
	o.last, o.steps, o.patience, o.apart = model.Sync, 0, 0, false
	if b.clocks.Tracer != nil {
		b.clocks.Tracer.Computes = false
	}
	if b.journal != nil {
		b.journal.Resumes(slot)
		defer func() { b.journal.Returned(o.last) }()
	}
	defer func() {
		if p := recover(); p != nil {
			o.list = o.list[:0]
			o.Fail(b.failures.Of(r, p))
		}
	}()
	b.programs.running[slot].Resume(o)
}

// close releases all programs that have not ended.
func (b *Block) close() {
	for i := range b.ranks {
		if b.programs.running[i] != nil {
			b.programs.Drop(&b.ranks[i])
		}
	}
}
