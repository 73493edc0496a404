package node

import (
	"math"

	"fabricast/fabric"
)

// One-sided communication: operations on the memory of another rank. The NICs of both ends carry
// them out; the processor of the other rank takes no part.
//
// The message has an Extra: the rank whose memory is accessed, the number of its region (Remote),
// the offset in it, the number of bytes, and the request at the origin (Local). The origin's
// processor carries out an operation on memory of its own host. The same message then describes the
// operation, but never enters the network.

// Access holds what all one-sided operations name: the memory of another rank.
type Access struct {
	Rank     int32   // world rank of whose memory it is
	Region   int32   // number of the region there, as Register gave it; 0 if contents do not matter
	Place    int64   // byte of the region
	Detached bool    // a put that nobody waits for: it has no request
	Options  Options // NIC, and Gap of every message with contents, also of what comes back
}

// NoTag is the tag of puts that no receive or probe can find.
const NoTag int32 = -1

// Anything returns a receive buffer without contents that accepts messages of any size.
func Anything() Buf { return Buf{size: math.MaxInt64} }

// rma carries out one-sided operations (remote memory access): those on memory that a block's ranks
// have registered, as the NICs do, and the completion of those that the block's ranks have begun.
type rma struct {
	world      *World
	transport  fabric.Transport
	ranks      []rank // by slot
	requests   *requests
	programs   *programs
	stats      *tally
	schedule   *schedule
	outbox     *outbox
	messages   *order      // of the matching: of messages that are to be taken back
	puts, sums order       // only if the network lets messages overtake one another
	regions    [][]*region // by slot: memory that is open to others; nil if none has ever been
	journal    *journal    // nil: none is kept
}

// completion is the end of a one-sided operation that a rank of the block has begun.
type completion struct {
	handle uint32 // of its request; 0 if nobody waits for it
	at     int64  // ps
}

// remote is the part of an op that concerns the memory of another rank.
type remote struct {
	place  int64
	length int64 // bytes
	region int32
	code   int64 // Change of a word, or number of a combination
	value  [2]int64
}

// OneSided is the part of [Ops] that starts one-sided operations.
type OneSided struct {
	ops     *Ops
	remotes []remote // of the operations in the list
}

// OneSided returns the part of o for one-sided operations.
func (o *Ops) OneSided() *OneSided { return &o.oneSided }

// begin emits a one-sided operation, by the kind of its message. If the memory is on the origin's
// own host, the origin's processor is busy with copying n bytes.
func (s *OneSided) begin(how uint8, request uint32, a *Access, n int64) (*op, *remote) {
	o := s.ops
	b, r := o.block, o.rank
	if !b.world.spec.Replies {
		panic(errNoAnswers)
	}
	if l := b.logs.of(o.slot); l != nil && how != putData && how != getRequest {
		l.Skipped("one-sided operation")
	}
	e := o.add(Put, request)
	e.how = how
	e.dst, e.source, e.tag, e.context = a.Rank, r.id, NoTag, WorldContext
	e.size, e.payload = 0, 0
	e.nic, e.gap = uint16(a.Options.NIC), a.Options.Gap
	e.started = 0
	e.remote = uint32(len(s.remotes))
	s.remotes = append(s.remotes, remote{place: a.Place, length: n, region: a.Region})
	x := &s.remotes[e.remote]
	if !b.ready.used() {
		b.chargeAccess(r, e, x)
	}
	return e, x
}

// chargeAccess charges the rank's clock for a one-sided operation that begins.
func (b *Block) chargeAccess(r *rank, e *op, x *remote) {
	e.sent = r.clock
	cost := int64(b.world.spec.Overhead)
	if b.world.neighbours(r.id, e.dst) {
		cost = b.clocks.localCost(r.id, e.dst, x.length, true)
	}
	b.clocks.charge(r, cost)
	e.post = r.clock
}

// sending returns a new request of an operation that returns no data.
func (s *OneSided) sending() uint32 {
	index, q := s.ops.block.requests.sends.alloc()
	q.owner = s.ops.owner(isSend | isAccess)
	return sendID(index)
}

// fetching returns a new request of an operation that returns data. It is stored with the receives,
// which have room for a buffer, but is waited for like a send.
func (s *OneSided) fetching() (uint32, *receive) {
	index, q := s.ops.block.requests.receives.alloc()
	q.owner = s.ops.owner(isSend | isAccess)
	return receiveID(index), q
}

// Value returns the result of a complete atomic operation: the earlier value of the word.
func (s *OneSided) Value(id Request) int64 {
	if j := s.ops.journal; j.outermost() {
		return j.value(s, id)
	}
	if id.ID == 0 || !isReceiveID(id.ID) {
		return 0
	}
	s.ops.request(id)
	p := &s.ops.block.requests
	return p.size(p.receives.at(indexOf(id.ID)))
}

// start sends the message of a one-sided operation, or carries it out on the host itself. The
// message's size is that of the op.
func (s *rma) start(r *rank, slot int32, o *op, x *remote) {
	if o.how == putData || o.how == sumData {
		r.counters.sentMessages++
		r.counters.sentBytes += o.size
	}
	id, m := s.transport.NewMessage()
	e := s.transport.Attach(id)
	e.Gap, e.Rank, e.Local, e.Remote = o.gap, o.dst, o.request, uint32(x.region)
	e.Place, e.Length = uint64(x.place), x.length
	e.Value = [4]int64{x.value[0], x.value[1], x.code}
	if o.how == getRequest { // which is one packet: the answer is paced
		e.Value[valueGap], e.Gap = int64(o.gap), 0
	}
	m.Flags |= o.how
	m.SrcRank, m.Context, m.Tag, m.Payload = o.source, o.context, o.tag, o.payload
	m.Size, m.Sent, m.Post = o.size, o.sent, o.post
	if s.world.neighbours(r.id, o.dst) {
		if o.dst != r.id {
			m.Post += int64(s.world.spec.Intra.Latency)
		}
		s.schedule.add(r, event{at: m.Post, kind: localAccess, ref: uint32(id)})
		return
	}
	nics := int32(s.world.spec.NICsPerHost)
	to := s.world.hostOf[o.dst]
	nic := s.outbox.chooseNIC(r, o, to)
	m.Src, m.Dst = r.host*nics+nic, to*nics+nic
	if s.world.spec.Overtaking {
		switch {
		case o.how == putData && o.tag != NoTag:
			m.Order = s.puts.number(r.id, o.dst)
		case o.how == sumData || o.how == exchangeData:
			m.Order = s.sums.number(r.id, o.dst)
		case o.how == cancelRequest:
			m.Order = s.messages.number(r.id, o.dst)
		}
	}
	s.outbox.wait(slot, id, m)
}

// local reports whether the message of a one-sided operation stayed on its host.
func local(m *fabric.Message) bool { return m.Src == m.Dst }

// answerDone makes the NIC that received a message answer that the operation is complete.
func (s *rma) answerDone(m *fabric.Message, handle uint32) {
	_, done := s.outbox.reply(m, s.schedule.now)
	done.Flags |= accessDone
	done.Payload = handle
}

// finishAccess completes a one-sided operation of one of the block's ranks. It resumes the rank if
// it no longer has to wait.
func (b *Block) finishAccess(c completion) {
	if c.handle == 0 {
		return
	}
	q := b.requests.of(c.handle)
	slot := q.slot() // which the request forgets when it is given back
	if r := &b.ranks[slot]; b.waiting.completes(r, c.handle, q, c.at) && b.waiting.recheck(r) {
		b.run(r, slot)
	}
}

// completes records when a send or a one-sided operation will be complete (ps). It reports whether
// its rank waits for it and may be able to go on.
func (w *waiting) completes(r *rank, id uint32, q *request, at int64) bool {
	q.completeAt(at)
	if q.watched() {
		w.watching.reported(q)
		return r.state == WaitNext || r.state == TestNext
	}
	if !q.waited() || r.state == Sync {
		w.schedule.rouse(r)
		return false // the rank has not been blocked on it, at least not yet
	}
	if r.state == WaitAll {
		w.settle(r, id, q)
		r.waiting--
		return r.waiting == 0
	}
	return true
}
