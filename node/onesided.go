package node

import (
	"errors"
	"fmt"
)

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
	if !b.shared.spec.Replies {
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
	cost := int64(b.shared.spec.Overhead)
	if b.shared.neighbours(r.id, e.dst) {
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

// Put starts to copy a buffer into the memory of another rank. The request completes when all data
// is in memory there and the NIC there has confirmed it. With a tag other than NoTag, a receive
// (and so a probe) of the context there then finds the put like a message from source; without a
// region the receive also gets the contents. The contents of buf are copied at once.
func (s *OneSided) Put(buf Buf, a Access, source, tag, context int32) Request {
	if j := s.ops.journal; j.outermost() {
		return j.put(s, buf, a, source, tag, context)
	}
	id := uint32(0)
	if !a.Detached {
		id = s.sending()
	}
	s.ops.block.logs.accessed(s.ops.slot, id, false, &a, int64(buf.Len()), tag, context)
	e, _ := s.begin(putData, id, &a, int64(buf.Len()))
	e.source, e.tag, e.context, e.size = source, tag, context, int64(buf.Len())
	if len(buf.Bytes()) > 0 {
		e.payload = s.ops.stow(buf.Bytes())
	}
	return Request{id}
}

// Get starts to copy from the memory of another rank into a buffer. The request completes when
// all data is in the buffer.
func (s *OneSided) Get(buf Buf, a Access) Request {
	if j := s.ops.journal; j.outermost() {
		return j.get(s, buf, a)
	}
	id, q := s.fetching()
	if buf.HasData() {
		s.ops.block.requests.setBuffer(q, s.ops.keep(buf.Bytes()))
	}
	s.ops.block.logs.accessed(s.ops.slot, id, true, &a, int64(buf.Len()), NoTag, WorldContext)
	s.begin(getRequest, id, &a, int64(buf.Len()))
	return Request{id}
}

// Collect does what Get does, for memory with gaps. scatter is a number that Scatter has returned.
func (s *OneSided) Collect(buf Buf, scatter int64, a Access) Request {
	if j := s.ops.journal; j.outermost() {
		return j.collect(s, buf, scatter, a)
	}
	id := s.Get(buf, a)
	s.remotes[len(s.remotes)-1].code = scatter
	return id
}

// Atomic starts to change a word in the memory of another rank. The request completes when the NIC
// there has returned the word's earlier value, which Value then returns. Requests are applied in
// the order of their arrival.
func (s *OneSided) Atomic(change Change, operand, compare int64, a Access) Request {
	if j := s.ops.journal; j.outermost() {
		return j.atomic(s, change, operand, compare, a)
	}
	id, _ := s.fetching()
	e, x := s.begin(atomicOp, id, &a, wordBytes)
	x.code, x.value = int64(change), [2]int64{operand, compare}
	if e.size = wordBytes; change == CompareAndSwap {
		e.size = 2 * wordBytes
	}
	return Request{id}
}

// Accumulate starts to combine a buffer with the memory of another rank. Its request completes like
// that of a Put. Operations from one rank on the memory of another are applied in the order of
// issue.
func (s *OneSided) Accumulate(buf Buf, combination int64, a Access) Request {
	if j := s.ops.journal; j.outermost() {
		return j.accumulate(s, buf, combination, a)
	}
	id := s.sending()
	s.carry(sumData, id, &a, buf, int64(buf.Len()), combination)
	return Request{id}
}

// Exchange does what Accumulate does, and also copies the earlier contents of the memory to result,
// as many bytes as result has. It completes when they have arrived there.
func (s *OneSided) Exchange(buf, result Buf, combination int64, a Access) Request {
	if j := s.ops.journal; j.outermost() {
		return j.exchange(s, buf, result, combination, a)
	}
	id, q := s.fetching()
	if result.HasData() {
		s.ops.block.requests.setBuffer(q, s.ops.keep(result.Bytes()))
	}
	s.carry(exchangeData, id, &a, buf, int64(result.Len()), combination)
	return Request{id}
}

// carry emits an operation that sends a buffer to n bytes of memory.
func (s *OneSided) carry(how uint8, id uint32, a *Access, buf Buf, n, combination int64) {
	e, x := s.begin(how, id, a, max(n, int64(buf.Len())))
	e.size, x.length, x.code = int64(buf.Len()), n, combination
	if len(buf.Bytes()) > 0 {
		e.payload = s.ops.stow(buf.Bytes())
	}
}

// Lock requests the lock of another rank's region, exclusively if alone is set. The request
// completes when the NIC there has granted it.
func (s *OneSided) Lock(a Access, alone bool) Request {
	if j := s.ops.journal; j.outermost() {
		return j.lock(s, a, alone)
	}
	if a.Region == 0 {
		panic(errNoRegion)
	}
	id := s.sending()
	_, x := s.begin(lockRequest, id, &a, 0)
	if alone {
		x.value[valueAlone] = 1
	}
	return Request{id}
}

// Unlock releases a lock. There is no notification of its arrival at the NIC there.
func (s *OneSided) Unlock(a Access) {
	if j := s.ops.journal; j.outermost() {
		j.unlock(s, a)
		return
	}
	s.begin(lockRelease, 0, &a, 0)
}

// Register opens a buffer to one-sided operations of other ranks, and returns the number of the
// region. A rank's regions are numbered from 1. So ranks that register the same regions in the same
// order know one another's numbers.
func (s *OneSided) Register(buf Buf) int32 {
	if j := s.ops.journal; j.outermost() {
		return j.register(s, buf)
	}
	b := s.ops.block
	if b.rma.regions == nil {
		b.rma.regions = make([][]*region, len(b.programs.running))
	}
	own := &b.rma.regions[s.ops.slot]
	*own = append(*own, &region{Buf: buf})
	return int32(len(*own))
}

// Unregister closes a region. Operations that arrive later fail.
func (s *OneSided) Unregister(number int32) {
	if j := s.ops.journal; j.outermost() {
		j.unregister(s, number)
		return
	}
	if number < 1 || s.ops.block.rma.regionOf(s.ops.rank, uint32(number)) == nil {
		panic(fmt.Errorf("region %d is not registered", number))
	}
	s.ops.block.rma.regions[s.ops.slot][number-1] = nil
}

// errNoRegion is the panic of a program that requests a lock without naming a region.
var errNoRegion = errors.New("a lock is that of a region")
