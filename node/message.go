package node

import (
	"fmt"

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
			b.startAccess(r, o)
		}
		if r.state == failed {
			return
		}
	}
}

// send hands a message to the network, or to the rank itself.
func (b *Block) send(r *rank, o *op) {
	r.counters.sentMessages++
	r.counters.sentBytes += o.size
	if b.world.neighbours(r.id, o.dst) {
		b.sendLocally(r, o)
		return
	}
	nics := int32(b.world.spec.NICsPerHost)
	to := b.world.hostOf[o.dst]
	nic := int32(0)
	if nics > 1 {
		nic = b.chooseNIC(r, o, to)
	}
	id, m := b.transport.NewMessage()
	m.Src = r.host*nics + nic
	m.Dst = to*nics + nic
	m.SrcRank, m.Context, m.Tag = o.source, o.context, o.tag
	m.Request, m.Payload = o.request, o.payload
	m.Size, m.Sent, m.Post, m.Flags = o.size, o.sent, o.post, o.how
	if b.world.spec.Overtaking {
		m.Order = b.order.number(r.id, o.dst)
	}
	if o.gap|o.remote > 0 || b.world.several || asks(o.how) {
		x := b.transport.Attach(id)
		x.Gap, x.Rank, x.Value[valueName] = o.gap, o.dst, int64(o.remote)
		if asks(o.how) {
			b.ask(m, x)
		}
	}
	if invariants.Enabled && o.post < b.now {
		panic("a rank has sent a message in the past")
	}
	if b.shared() {
		b.wait(b.ops.slot, id, m)
	} else {
		b.dispatch(id)
	}
}

// chooseNIC tells which of the host's NICs a message to another host leaves by: the one that it
// names, that which the world chooses, or the next one's turn.
func (b *Block) chooseNIC(r *rank, o *op, to int32) int32 {
	if o.nic > 0 {
		return int32(o.nic) - 1
	}
	if choose := b.world.spec.ChooseNIC; choose != nil {
		return choose(r.host, to)
	}
	nic := int32(r.nic)
	if r.nic++; int(r.nic) == b.world.spec.NICsPerHost {
		r.nic = 0
	}
	return nic
}

// sendLocally makes a message to the rank itself arrive when its copy is done, and one to
// another rank of the host a latency later.
func (b *Block) sendLocally(r *rank, o *op) {
	at := o.post
	if o.dst != r.id {
		at += b.world.spec.Intra.Latency
	}
	b.stats.in(o.context)
	b.delivered(r.id, o.dst, o.tag, o.size, o.sent, at)
	id, u := b.unexpected.alloc()
	u.at, u.size, u.slot, u.payload = at, o.size, b.world.slot(o.dst), o.payload
	u.source, u.tag, u.context = o.source, o.tag, o.context
	switch {
	case asks(o.how):
		u.request, u.local = o.request, true
	case o.remote != 0:
		u.request, u.named = o.remote, true
	}
	b.schedule(r, event{at: at, kind: localArrival, ref: id})
}

// receive lets a receive meet the first message that fits, or posts it.
func (b *Block) receive(r *rank, o *op) {
	index := indexOf(o.request)
	if b.shared() {
		b.postedNow(index, o.post)
	}
	q := b.receives.at(index)
	k := q.key()
	found := b.findUnexpected(r, k)
	if found == 0 {
		b.post(r, k, index, q)
		return
	}
	b.removeUnexpected(r, found)
	b.meet(r, index, q, b.unexpected.at(found))
	b.unexpected.release(found)
}

// arriveFromNetwork takes the first message that comes to a host over from the transport, and
// lets the rank that it is for go on if it may then. The rank given, by its slot too, keeps the host's messages.
func (b *Block) arriveFromNetwork(keeper *rank, slot int32) {
	id, m := b.takeArrival(keeper)
	kind := kindOf(m)
	if !matched(kind) {
		b.deal(keeper, id, m)
		return
	}
	r := keeper
	if b.world.several {
		slot = b.world.slotOf[b.transport.Extra(id).Rank]
		r = &b.ranks[slot]
	}
	source := b.sourceOf(m)
	at := arrival(m)
	if m.Left != held && !asks(kind) {
		b.stats.in(m.Context)
		b.delivered(source, r.id, m.Tag, m.Size, m.Sent, at)
	}
	if b.world.spec.Overtaking && !b.inTurn(&b.order, keeper, pair{source, r.id}, id, m) {
		return
	}
	u := unexpected{
		at: at, size: m.Size, slot: slot, source: m.SrcRank, tag: m.Tag, context: m.Context, payload: m.Payload,
	}
	sent := m.Sent
	if asks(kind) {
		u.request, u.size = uint32(id), b.transport.Extra(id).Length
	} else {
		u.otherwise = kind == eagerOtherwise
		if m.Flags&fabric.HasExtra != 0 {
			u.request = uint32(b.transport.Extra(id).Value[valueName])
			u.named = u.request != 0
		}
		b.transport.Release(id)
	}
	if b.arriveSent(r, &u, sent) {
		b.run(r, slot)
	}
}

// sourceOf is the world rank that sent a message.
func (b *Block) sourceOf(m *fabric.Message) int32 {
	if b.world.several {
		return b.world.worldRank(m.Context, m.SrcRank)
	}
	if nics := int32(b.world.spec.NICsPerHost); nics > 1 { // a division takes as long as much of the rest
		return b.world.rankAt[m.Src/nics]
	}
	return b.world.rankAt[m.Src]
}

// arrive lets a message meet the first receive that fits, or queues it. It
// tells whether the rank may go on because of that.
func (b *Block) arrive(r *rank, u *unexpected) bool {
	if u.request == 0 || u.local || u.named {
		r.counters.receivedMessages++
		r.counters.receivedBytes += u.size
	}
	if index, q := b.takePosted(r, u.key()); index != 0 {
		b.meet(r, index, q, u)
		if q.waited() && q.complete() && r.state != failed {
			return b.arrived(r, q)
		}
		b.rouse(r)
		return false
	}
	id, place := b.unexpected.alloc()
	*place = *u
	b.addUnexpected(r, id)
	if (r.state == Probe || r.state == Iprobe) && b.probeDone(r) {
		return true
	}
	b.rouse(r)
	return false
}

// arrived tells whether a blocked rank may go on now that a receive it waits for is complete.
func (b *Block) arrived(r *rank, q *receive) bool {
	if r.state == WaitAll {
		b.settleReceive(r, q)
		r.waiting--
	}
	return b.recheck(r)
}

// meet completes a receive with its message, or makes its data come.
func (b *Block) meet(r *rank, index uint32, q *receive, u *unexpected) {
	var buffer []byte
	var told *Told
	if q.buffer != 0 {
		place := b.buffers.at(q.buffer)
		buffer, told = place.data, place.told
		b.buffers.release(q.buffer)
		q.buffer = 0
	}
	if u.size > q.size && told == nil && q.owner&isCut == 0 {
		b.fail(r, u.at, &TruncationError{
			Source: int(b.world.worldRank(u.context, u.source)), Rank: int(r.id), Tag: int(u.tag), Size: u.size, Buffer: q.size,
		})
		return
	}
	mark := b.deposit(buffer, u.payload)
	if told != nil {
		*told = Told{Envelope{Source: u.source, Tag: u.tag, Size: u.size}, mark}
	}
	q.size, q.source, q.tag = u.size, u.source, u.tag
	if u.request == 0 && !u.otherwise {
		q.completeAt(u.at)
	} else {
		b.meetOtherwise(r, index, u)
	}
}

// meetOtherwise is the end of meet for messages with a protocol or copies of their own.
func (b *Block) meetOtherwise(r *rank, index uint32, u *unexpected) {
	q := b.receives.at(index)
	switch {
	case !u.asks():
		if u.otherwise {
			q.owner |= isOtherwise
		}
		q.completeAt(u.at)
	case u.local:
		q.completeAt(u.at)
		b.completeSend(u.request, max(u.at, b.postedAt[index]))
	default:
		if b.world.spec.OneCopy {
			q.owner |= isOtherwise
		}
		b.clear(r, fabric.MsgID(u.request), receiveID(index), u.at)
	}
}

// TruncationError is a message that is longer than the buffer of the receive it meets.
type TruncationError struct {
	Source, Rank int // world ranks of the sender and the receiver
	Tag          int
	Size, Buffer int64 // bytes
}

func (e *TruncationError) Error() string {
	return fmt.Sprintf("message truncated: %d bytes from rank %d with tag %d do not fit into the %d bytes that rank %d receives into",
		e.Size, e.Source, e.Tag, e.Buffer, e.Rank)
}
