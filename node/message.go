package node

import (
	"fmt"

	"fabricast/internal/units"

	"fabricast/fabric"
	"fabricast/internal/invariants"
)

// execute carries out the operations that the rank's program has emitted.
func (b *Block) execute(r *rank) {
	for i := range b.ops.list {
		o := &b.ops.list[i]
		switch o.kind {
		case Send:
			b.send(r, o)
		case Recv:
			b.receive(r, o)
		default:
			b.rma.start(r, b.ops.slot, o, &b.ops.oneSided.remotes[o.remote])
		}
		if r.state == failed {
			return
		}
	}
}

// send hands a message to the network, or to another rank of the host.
func (b *Block) send(r *rank, o *op) {
	r.counters.sentMessages++
	r.counters.sentBytes += o.size
	if b.shared.neighbours(r.id, o.dst) {
		b.sendLocally(r, o)
		return
	}
	nics := int32(b.shared.spec.NICsPerHost)
	to := b.shared.host(o.dst)
	nic := int32(0)
	if nics > 1 {
		nic = b.outbox.chooseNIC(r, o, to)
	}
	id, m := b.transport.NewMessage()
	m.Src = r.host*nics + nic
	m.Dst = to*nics + nic
	m.SrcRank, m.Context, m.Tag = o.source, o.context, o.tag
	m.Request, m.Payload = o.request, o.payload
	m.Size, m.Sent, m.Post, m.Flags = o.size, o.sent, o.post, o.how
	if b.shared.spec.Overtaking {
		m.Order = b.order.number(r.id, o.dst)
	}
	if o.gap|o.remote > 0 || b.shared.several || o.how >= synchronous {
		x := b.transport.Attach(id)
		x.Gap, x.Rank, x.Value[valueName] = o.gap, o.dst, int64(o.remote)
		if asks(o.how) {
			ask(m, x)
		} else if o.how == synchronous {
			x.Local, m.Request = m.Request, 0
		}
	}
	if invariants.Enabled && o.post < b.schedule.now {
		panic("a rank has sent a message in the past")
	}
	if b.ready.used() {
		b.ready.sent(id)
	}
	if b.outbox.used() {
		b.outbox.wait(b.ops.slot, id, m)
	} else {
		b.outbox.dispatch(id)
	}
}

// sendLocally schedules the arrival of a message on the same host: when its copy is done for a
// message to the rank itself, and a latency later for one to another rank.
func (b *Block) sendLocally(r *rank, o *op) {
	at := o.post
	if o.dst != r.id {
		at += int64(b.shared.spec.Intra.Latency)
	}
	b.stats.in(o.context)
	b.stats.delivered(r.id, o.dst, o.tag, o.size, o.sent, at)
	id, u := b.matching.unexpected.alloc()
	u.at, u.size, u.slot, u.payload = at, o.size, b.shared.slot(o.dst), o.payload
	u.source, u.tag, u.context = o.source, o.tag, o.context
	switch {
	case o.how >= synchronous:
		u.request, u.local = o.request, true
	case o.remote != 0:
		u.request, u.named = o.remote, true
	}
	b.schedule.add(r, event{at: at, kind: localArrival, ref: id})
}

// receive matches a receive with the first message that fits, or posts it.
func (b *Block) receive(r *rank, o *op) {
	index := indexOf(o.request)
	if b.outbox.used() {
		b.rendezvous.post(index, o.post)
	}
	q := b.requests.receives.at(index)
	k := q.key()
	found := b.matching.findUnexpected(r, k)
	if found == 0 {
		b.matching.post(r, k, index, q)
		return
	}
	b.matching.removeUnexpected(r, found)
	b.meet(r, index, q, b.matching.unexpected.at(found))
	if q.watched() && q.complete() && r.state != failed {
		b.watching.reported(&q.request)
	}
	b.matching.unexpected.release(found)
}

// arriveFromNetwork takes over the first message from the network from the transport. It resumes
// the message's rank if that may go on. keeper is the rank, in the given slot, that keeps the
// host's messages.
func (b *Block) arriveFromNetwork(keeper *rank, slot int32) {
	id, m := b.schedule.takeArrival(keeper)
	if !matched(kindOf(m)) {
		b.deal(keeper, id, m)
		return
	}
	r := keeper
	if b.shared.several {
		slot = b.shared.slotOf[b.transport.Extra(id).Rank]
		r = &b.ranks[slot]
	}
	b.takeIn(r, slot, keeper, id)
}

// takeIn takes over a message from the network that is for the matching, for the rank in a slot.
func (b *Block) takeIn(r *rank, slot int32, keeper *rank, id fabric.MsgID) {
	m := b.transport.Message(id)
	kind, source, at := kindOf(m), b.shared.sourceOf(m), arrival(m)
	if b.processors.takePart() && m.Left != held {
		at = b.processors.take(r, m, source)
	}
	if m.Left != held && !asks(kind) {
		b.stats.in(m.Context)
		b.stats.delivered(source, r.id, m.Tag, m.Size, m.Sent, at)
	}
	if b.shared.spec.Overtaking && !b.order.inTurn(keeper, pair{source, r.id}, id, m) {
		return
	}
	var u unexpected
	u.take(m, slot, at)
	sent := m.Sent
	if asks(kind) {
		u.request, u.size = uint32(id), b.transport.Extra(id).Length
	} else {
		u.otherwise = kind == eagerOtherwise
		if kind == synchronous {
			u.request, u.local = b.transport.Extra(id).Local, true
		} else if m.Flags&fabric.HasExtra != 0 {
			u.request = uint32(b.transport.Extra(id).Value[valueName])
			u.named = u.request != 0
		}
		b.transport.Release(id)
	}
	if b.arriveSent(r, &u, sent) {
		b.run(r, slot)
	}
}

// arriveSent does what arrive does, for a message whose send was called at the time sent (ps).
func (b *Block) arriveSent(r *rank, u *unexpected, sent int64) bool {
	if b.times.by == nil {
		return b.arrive(r, u)
	}
	b.times.posted = sent + b.clocks.callCost(u.size, b.shared.spec.OneCopy)
	resumed := b.arrive(r, u)
	b.times.posted = 0
	return resumed
}

// arrive matches a message with the first receive that fits, or queues it. It reports whether the
// rank may go on because of it.
func (b *Block) arrive(r *rank, u *unexpected) bool {
	if u.request == 0 || u.local || u.named {
		r.counters.receivedMessages++
		r.counters.receivedBytes += u.size
	}
	if index, q := b.matching.takePosted(r, u.key()); index != 0 {
		b.meet(r, index, q, u)
		if q.awaited() && q.complete() && r.state != failed {
			return b.arrived(r, q)
		}
		b.schedule.rouse(r)
		return false
	}
	id, place := b.matching.unexpected.alloc()
	*place = *u
	b.matching.addUnexpected(r, id)
	if (r.state == Probe || r.state == Iprobe) && b.waiting.probeDone(r) {
		return true
	}
	b.schedule.rouse(r)
	return false
}

// arrived reports whether a blocked rank may go on now that a receive it waits for is complete.
func (b *Block) arrived(r *rank, q *receive) bool {
	switch {
	case q.watched():
		b.watching.reported(&q.request)
	case r.state == WaitAll:
		b.waiting.settleReceive(r, q)
		r.waiting--
	}
	return b.waiting.recheck(r)
}

// meet completes a receive with its message, or starts the transfer of its data.
func (b *Block) meet(r *rank, index uint32, q *receive, u *unexpected) {
	var buffer []byte
	var told *Told
	b.journal.metBy(&b.requests, q, u)
	if b.requests.buffer(q) != 0 {
		buffer, told = b.requests.takeBuffer(q)
	}
	if size := b.requests.size(q); u.size > size && told == nil && q.owner&isCut == 0 {
		b.failures.fail(r, u.at, &TruncationError{
			Source: int(b.shared.communicators.worldRank(u.context, u.source)),
			Rank:   int(r.id), Tag: int(u.tag), Size: u.size, Buffer: size,
		})
		return
	}
	mark := b.failures.deposit(r, u.at, toReceive, buffer, u.payload)
	if r.state == failed {
		return
	}
	if told != nil {
		*told = Told{Envelope{Source: u.source, Tag: u.tag, Size: units.Bytes(u.size)}, mark}
	}
	b.requests.setSize(q, u.size)
	q.source, q.tag = u.source, u.tag
	if u.request == 0 && !u.otherwise {
		q.completeAt(u.at)
	} else {
		b.meetOtherwise(r, index, u)
	}
}

// meetOtherwise is the end of meet for messages of other protocols or other copying rules.
func (b *Block) meetOtherwise(r *rank, index uint32, u *unexpected) {
	q := b.requests.receives.at(index)
	switch {
	case !u.asks():
		if u.otherwise {
			q.owner |= isOtherwise
		}
		q.completeAt(u.at)
	case u.local:
		q.completeAt(u.at)
		at := max(u.at, b.rendezvous.postings[index].at)
		if b.ready.used() {
			at = b.schedule.now
		}
		b.completeSend(u.request, at)
	default:
		if b.shared.spec.OneCopy {
			q.owner |= isOtherwise
		}
		b.rendezvous.clear(r, fabric.MsgID(u.request), receiveID(index), u.at)
	}
}

// TruncationError is a message that is longer than the buffer of the receive it meets.
type TruncationError struct {
	Source, Rank int // world ranks of the sender and the receiver
	Tag          int
	Size, Buffer int64 // bytes
}

func (e *TruncationError) Error() string {
	return fmt.Sprintf(
		"message truncated: %d bytes from rank %d with tag %d do not fit into the %d bytes that "+
			"rank %d receives into",
		e.Size, e.Source, e.Tag, e.Buffer, e.Rank,
	)
}

// completeSend records that a send is complete at a time (ps), which may be in the future.
func (b *Block) completeSend(id uint32, at int64) {
	q := b.requests.sends.at(indexOf(id))
	if r := &b.ranks[q.slot()]; b.waiting.completes(r, id, q, at) {
		b.schedule.add(r, event{at: at, kind: recheck})
	}
}
