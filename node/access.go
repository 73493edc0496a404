package node

import (
	"math"

	"fabricast/fabric"
)

// One-sided communication: operations on the memory of another rank, which the NICs of both
// ends carry out. The processor of the other rank takes no part.
//
// The message that goes out has an Extra: the rank whose memory is meant, the number of its
// region (Remote), the place in it, how many bytes are concerned, and the request at the origin (Local).
// An operation on memory of the same host is done by the origin's processor; the same message then
// tells what is to be done, but never sees the network.

// Access is what all one-sided operations name.
type Access struct {
	Rank     int32   // world rank of whose memory it is
	Region   int32   // number of the region there, as Register gave it; 0 if contents do not matter
	Place    int64   // byte of the region
	Detached bool    // a put that nobody waits for: it has no request
	Options  Options // NIC, and Gap of every message with contents, also of what comes back
}

// NoTag is the tag of puts that cannot be polled for.
const NoTag int32 = -1

// Anything is a receive buffer that messages of any size fit into.
func Anything() Buf { return Buf{size: math.MaxInt64} }

// remote is what an op says about the memory of another rank.
type remote struct {
	place  int64
	length int64 // bytes
	region int32
	code   int64 // Change of a word, or number of a combination
	value  [2]int64
}

// access emits a one-sided operation by the kind of its message. The origin's processor is
// busy with n bytes if the memory is on its own host.
func (o *Ops) access(how uint8, request uint32, a *Access, n int64) (*op, *remote) {
	if !o.block.world.spec.Replies {
		panic(errNoAnswers)
	}
	e := o.add(Put, request)
	e.how = how
	e.dst, e.source, e.tag, e.context = a.Rank, o.rank.id, NoTag, WorldContext
	e.size, e.payload = 0, 0
	e.nic, e.gap = uint16(a.Options.NIC), a.Options.Gap
	e.sent = o.rank.clock
	cost := o.block.world.spec.Overhead
	if o.block.world.neighbours(o.rank.id, a.Rank) {
		cost = o.sendCost(n, a.Rank, true)
	}
	o.block.charge(o.rank, cost)
	e.post = o.rank.clock
	e.remote = uint32(len(o.remotes))
	o.remotes = append(o.remotes, remote{place: a.Place, length: n, region: a.Region})
	return e, &o.remotes[e.remote]
}

// fetching takes a request that brings something back. It is kept with receives, which have
// room for that, but is waited for like a send.
func (o *Ops) fetching() (uint32, *receive) {
	index, q := o.block.receives.take()
	q.owner = o.owner(isSend | isAccess)
	return receiveID(index), q
}

// Value is what a complete atomic operation has found.
func (o *Ops) Value(id Request) int64 {
	if id.ID == 0 || !isReceiveID(id.ID) {
		return 0
	}
	o.request(id)
	return o.block.receives.at(indexOf(id.ID)).size
}

// startAccess sends out the message of a one-sided operation, or has it take effect on the
// host itself. It has the size of the op.
func (b *Block) startAccess(r *rank, o *op) {
	if o.how == putData || o.how == sumData {
		r.counters.sentMessages++
		r.counters.sentBytes += o.size
	}
	x := &b.ops.remotes[o.remote]
	id, m := b.transport.NewMessage()
	e := b.transport.Attach(id)
	e.Gap, e.Rank, e.Local, e.Remote = o.gap, o.dst, o.request, uint32(x.region)
	e.Place, e.Length = uint64(x.place), x.length
	e.Value = [4]int64{x.value[0], x.value[1], x.code}
	if o.how == getRequest { // which is one packet: the answer is paced
		e.Value[valueGap], e.Gap = int64(o.gap), 0
	}
	m.Flags |= o.how
	m.SrcRank, m.Context, m.Tag, m.Payload = o.source, o.context, o.tag, o.payload
	m.Size, m.Sent, m.Post = o.size, o.sent, o.post
	if b.world.neighbours(r.id, o.dst) {
		if o.dst != r.id {
			m.Post += b.world.spec.Intra.Latency
		}
		b.schedule(r, event{at: m.Post, kind: localAccess, ref: uint32(id)})
		return
	}
	nics := int32(b.world.spec.NICsPerHost)
	to := b.world.hostOf[o.dst]
	nic := b.chooseNIC(r, o, to)
	m.Src, m.Dst = r.host*nics+nic, to*nics+nic
	if b.world.spec.Overtaking {
		switch {
		case o.how == putData && o.tag != NoTag:
			m.Order = b.puts.number(r.id, o.dst)
		case o.how == sumData || o.how == exchangeData:
			m.Order = b.sums.number(r.id, o.dst)
		case o.how == cancelRequest:
			m.Order = b.order.number(r.id, o.dst)
		}
	}
	b.wait(b.ops.slot, id, m)
}

// local tells whether the message of a one-sided operation never saw the network.
func local(m *fabric.Message) bool { return m.Src == m.Dst }

// answerDone has the NIC that a message came to say that all is done.
func (b *Block) answerDone(m *fabric.Message, handle uint32) {
	_, done := b.reply(m)
	done.Flags |= accessDone
	done.Payload = handle
}

// finishAccess completes a one-sided operation of one of the block's ranks, which goes on if it
// may then. Handle 0 is that of one that nobody waits for.
func (b *Block) finishAccess(handle uint32, at int64) {
	if handle == 0 {
		return
	}
	q := b.request(handle)
	slot := q.slot() // which the request forgets when it is given back
	if r := &b.ranks[slot]; b.completes(r, handle, q, at) && b.recheck(r) {
		b.run(r, slot)
	}
}

// completes notes when a send or a one-sided operation will be complete, and tells whether its rank has been
// blocked on it and might go on.
func (b *Block) completes(r *rank, id uint32, q *request, at int64) bool {
	q.completeAt(at)
	if !q.waited() || r.state == Sync {
		b.rouse(r)
		return false // the rank has not been blocked on it, at least not yet
	}
	if r.state == WaitAll {
		b.settle(r, id, q)
		r.waiting--
		return r.waiting == 0
	}
	return true
}
