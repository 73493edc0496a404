package node

import (
	"sync/atomic"

	"fabricast/fabric"
)

// Block owns the ranks on the hosts of one partition block. It is the
// fabric.Endpoint of these hosts.
type Block struct {
	world     *World
	transport fabric.Transport
	reader    fabric.Reader // the transport, if ranks may go on ahead; else nil
	simple    bool          // a host has one rank and one NIC, messages come in order, and nobody is told what ranks do
	now       int64         // ps: the time of the latest Wake
	noise     *Noise        // nil if there is none
	ops       Ops
	ranks     []rank    // by slot
	programs  []Program // by slot; nil before the start and after the end
	start     func(rank int) Program

	sends      pool[request]
	receives   pool[receive]
	events     pool[event]
	unexpected pool[unexpected]
	buffers    pool[buffer]
	queues     table // of ranks that have more than fit into their records
	waking     int32 // the host whose timer is set when its Wake returns, or nobody
	stats      tally
	tracer     *tracer // nil unless it is told what ranks do
	order      order   // only if the network lets messages overtake one another
	puts, sums order   // and likewise
	finished   atomic.Int64

	boxes   []outbox       // by slot; nil if messages go to the NIC as they are sent
	replies []fabric.MsgID // of the NICs of the host that is awake, not yet handed over
	regions [][]*region    // by slot: memory that is open to others

	waits    []waits // by slot; nil if they are not divided
	alone    alone
	posted   int64   // ps: from when on a NIC has had the message that arrives; 0 if that is long ago
	postedAt []int64 // ps, by receive: when it was posted; only if NICs answer messages
}

// nobody is no host.
const nobody int32 = -1

// NewBlock returns the block for the hosts from first to end-1. All blocks must
// be made before any starts.
func (w *World) NewBlock(first, end int32) *Block {
	b := &Block{world: w, start: w.launch(len(w.hostOf)), waking: nobody, alone: alone{size: -1}}
	b.ops = Ops{block: b, list: make([]op, 0, maxOps)}
	if w.spec.Noise.Every > 0 {
		b.noise = &w.spec.Noise
	}
	if w.spec.Overtaking {
		b.order, b.puts, b.sums = newOrder(), newOrder(), newOrder()
	}
	n := int32(0)
	for h := first; h < end; h++ {
		n += w.ranksOn(h)
	}
	b.ranks = make([]rank, 0, n)
	if w.spec.Serialization != nil {
		b.waits = make([]waits, n)
	}
	b.programs = make([]Program, n)
	for h := first; h < end; h++ {
		w.slotAt[h] = int32(len(b.ranks))
		for id := w.rankAt[h]; id >= 0; id = w.after(id) {
			w.settle(id, int32(len(b.ranks)))
			b.ranks = append(b.ranks, rank{id: id, host: h, nic: w.begins(id, w.spec.NICsPerHost)})
		}
	}
	if w.spec.Replies || w.several {
		b.boxes = make([]outbox, n)
		for i := range b.boxes {
			b.boxes[i] = outbox{post: fabric.Forever, due: fabric.Forever}
		}
	}
	w.blocks = append(w.blocks, b)
	w.payloads.concurrent = len(w.blocks) > 1
	return b
}

// Start connects the block to its part of the network and makes every rank
// begin at time 0.
func (b *Block) Start(t fabric.Transport) {
	b.transport = t
	s := &b.world.spec
	b.simple = !b.shared() && s.NICsPerHost == 1 && !s.Overtaking && b.tracer == nil
	if b.simple && b.waits == nil && len(b.ranks) <= mostAhead {
		b.reader, _ = t.(fabric.Reader)
	}
	for i := range b.ranks {
		t.SetTimer(b.ranks[i].host, 0)
	}
}

// slotOf is the rank's slot.
func (b *Block) slotOf(r *rank) int32 { return b.world.slot(r.id) }

// Wake implements fabric.Endpoint: it starts the host's ranks or does what is due.
func (b *Block) Wake(host int32, now int64) {
	b.now = now
	b.waking = host
	if b.shared() {
		b.wakeShared(host, now)
		return
	}
	slot := b.world.slotAt[host]
	r := &b.ranks[slot]
	if r.state == Sync && b.programs[slot] == nil {
		b.begin(r, slot)
	}
	for b.happenDue(r, slot, now) {
	}
	if r.asksForPresent() && b.looksAgain(r) <= now {
		b.answerNo(r)
		b.run(r, slot)
	}
	b.sleep(host, r)
}

// begin starts a rank's program.
func (b *Block) begin(r *rank, slot int32) {
	b.programs[slot] = b.start(int(r.id))
	if begin := b.world.spec.Begin; begin != nil {
		r.clock = begin[r.id]
	}
	b.run(r, slot)
}

// Delivered implements fabric.Endpoint. The host's first rank keeps what comes to the host.
func (b *Block) Delivered(host int32, id fabric.MsgID, at int64) {
	if b.reader != nil && b.meetAhead(host, id, at) {
		return
	}
	b.expect(&b.ranks[b.world.slotAt[host]], uint32(id), at)
}

// Fetched implements fabric.Endpoint. With one-copy the send was complete
// before, and the message has no request; nor have those of NICs.
func (b *Block) Fetched(_ int32, id uint32, at int64) {
	if id != 0 {
		b.completeSend(id, at)
	}
}

// completeSend notes that a send is complete at a time, in ps, which may be ahead.
func (b *Block) completeSend(id uint32, at int64) {
	q := b.sends.at(indexOf(id))
	if r := &b.ranks[q.slot()]; b.completes(r, id, q, at) {
		b.schedule(r, event{at: at, kind: recheck})
	}
}

// happenDue lets the first thing happen whose time has come, and the rank go on
// if it may then. It returns false if there is none. At one instant messages from
// the network come first.
func (b *Block) happenDue(r *rank, slot int32, now int64) bool {
	switch event := b.eventAt(r); {
	case r.arrivals != 0 && r.arrivesAt <= min(now, event):
		b.arriveFromNetwork(r, slot)
	case event <= now:
		b.happen(r, slot)
	default:
		return false
	}
	return true
}

// happen lets the rank's first event take effect.
func (b *Block) happen(r *rank, slot int32) {
	switch e := b.takeEvent(r); e.kind {
	case localArrival:
		u := *b.unexpected.at(e.ref)
		b.unexpected.release(e.ref)
		if to := &b.ranks[u.slot]; b.arriveSent(to, &u, u.at) {
			b.run(to, u.slot)
		}
	case cleared:
		b.answerRequest(fabric.MsgID(e.ref))
	case localAccess:
		b.deal(r, fabric.MsgID(e.ref), b.transport.Message(fabric.MsgID(e.ref)))
	case recheck:
		if b.recheck(r) {
			b.run(r, slot)
		}
	}
	if b.shared() {
		b.refresh(r, slot)
	}
}

// run lets a rank's program go on until it is blocked or ends.
func (b *Block) run(r *rank, slot int32) {
	for b.mayRun(r) {
		b.resume(r, slot)
		b.execute(r)
		if r.state == failed || !b.evaluate(r) {
			break
		}
	}
	if b.shared() {
		b.refresh(r, slot)
	}
}

// mayRun tells whether the rank is to be resumed at all.
func (b *Block) mayRun(r *rank) bool {
	return r.state == Sync && !b.world.cancelled.Load()
}

// resume calls the rank's program, which leaves its operations in b.ops. A
// panic of the program ends it with an error.
func (b *Block) resume(r *rank, slot int32) {
	o := &b.ops
	o.rank, o.slot = r, slot
	o.list, o.remotes = o.list[:0], o.remotes[:0]
	o.last, o.steps, o.patience = Sync, 0, 0
	b.sends.reserve(maxOps)
	b.receives.reserve(maxOps)
	defer func() {
		if p := recover(); p != nil {
			o.list = o.list[:0]
			o.Fail(NewPanicError(p))
		}
	}()
	b.programs[slot].Resume(o)
}

// exit ends a rank whose program has ended.
func (b *Block) exit(r *rank) {
	r.state = Exit
	b.programs[b.slotOf(r)] = nil
	b.finished.Add(1)
}

// drop releases the program of a rank that will not be resumed.
func (b *Block) drop(r *rank) {
	slot := b.slotOf(r)
	if p, ok := b.programs[slot].(Stopper); ok {
		p.Stop()
	}
	b.programs[slot] = nil
}

// close releases all programs that have not ended.
func (b *Block) close() {
	for i := range b.ranks {
		if b.programs[i] != nil {
			b.drop(&b.ranks[i])
		}
	}
}
