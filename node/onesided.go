package node

import (
	"errors"
	"fmt"

	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
	"fabricast/node/internal/onesided"
)

// OneSided is the part of [Ops] that starts one-sided operations.
type OneSided struct {
	ops     *Ops
	remotes []core.Remote // remotes of the operations in the list
}

// OneSided returns the part of o for one-sided operations.
func (o *Ops) OneSided() *OneSided { return &o.oneSided }

// begin emits a one-sided operation; how is the kind of its message. If the memory is on the
// origin's own host, the origin's processor is busy with copying n bytes.
func (s *OneSided) begin(how uint8, request uint32, a *core.Access, n int64) (*core.Op, *core.Remote) {
	o := s.ops
	b, r := o.block, o.rank
	if !b.shared.Spec.Replies {
		panic(core.ErrNoAnswers)
	}
	if l := b.logs.Of(o.slot); l != nil && how != core.PutData && how != core.GetRequest {
		l.Skipped("one-sided operation")
	}
	e := o.add(model.Put, request)
	e.How = how
	e.Dst, e.Source, e.Tag, e.Context = a.Rank, r.ID, model.NoTag, model.WorldContext
	e.Size, e.Payload = 0, 0
	e.Nic, e.Gap = uint16(a.Options.NIC), a.Options.Gap
	e.Started = 0
	e.Remote = uint32(len(s.remotes))
	s.remotes = append(s.remotes, core.Remote{Place: a.Place, Length: n, Region: a.Region})
	x := &s.remotes[e.Remote]
	if !b.turns.Used() {
		b.chargeAccess(r, e, x)
	}
	return e, x
}

// chargeAccess charges the rank's clock for the start of a one-sided operation.
func (b *Block) chargeAccess(r *core.Rank, e *core.Op, x *core.Remote) {
	e.Sent = r.Clock
	cost := int64(b.shared.Spec.Overhead)
	if b.shared.Neighbours(r.ID, e.Dst) {
		cost = b.clocks.LocalCost(r.ID, e, x.Length, true)
	}
	b.clocks.Tracer.Accesses(e.Request, e, x.Length)
	b.clocks.Charge(r, cost)
	e.Post = r.Clock
}

// sending returns a new request for an operation that returns no data.
func (s *OneSided) sending() uint32 {
	index, q := s.ops.block.requests.Sends.Alloc()
	q.Owner = s.ops.owner(core.IsSend | core.IsAccess)
	return core.SendID(index)
}

// fetching returns a new request for an operation that returns data. It is stored with the
// receives, which can have a buffer, but is waited for like a send.
func (s *OneSided) fetching() (uint32, *core.ReceiveState) {
	index, q := s.ops.block.requests.Receives.Alloc()
	q.Owner = s.ops.owner(core.IsSend | core.IsAccess)
	return core.ReceiveID(index), q
}

// Value returns the result of a completed atomic operation: the old value of the word.
func (s *OneSided) Value(id model.Request) int64 {
	if j := s.ops.journal; j.outermost() {
		return j.value(s, id)
	}
	if id.ID == 0 || !core.IsReceiveID(id.ID) {
		return 0
	}
	s.ops.request(id)
	p := &s.ops.block.requests
	return p.Size(p.Receives.At(core.IndexOf(id.ID)))
}

// Put starts to copy a buffer into the memory of another rank. The request completes when all data
// is in memory there and the target's NIC has acknowledged it. If the tag is not NoTag, a receive
// or probe at the target, in the given context, can then match the put like a message from source;
// if the put names no region, the receive also gets the contents. The contents of buf are copied at
// once.
func (s *OneSided) Put(buf model.Buf, a core.Access, source, tag, context int32) model.Request {
	if j := s.ops.journal; j.outermost() {
		return j.put(s, buf, a, source, tag, context)
	}
	id := uint32(0)
	if !a.Detached {
		id = s.sending()
	}
	s.ops.block.logs.Accessed(s.ops.slot, id, false, &a, int64(buf.Len()), tag, context)
	e, _ := s.begin(core.PutData, id, &a, int64(buf.Len()))
	e.Source, e.Tag, e.Context, e.Size = source, tag, context, int64(buf.Len())
	if len(buf.Bytes()) > 0 {
		e.Payload = s.ops.stow(buf.Bytes(), core.EagerMessage)
	}
	return model.Request{ID: id}
}

// Get starts to copy from the memory of another rank into a buffer. The request completes when
// all data is in the buffer.
func (s *OneSided) Get(buf model.Buf, a core.Access) model.Request {
	if j := s.ops.journal; j.outermost() {
		return j.get(s, buf, a)
	}
	id, q := s.fetching()
	if buf.HasData() {
		s.ops.block.requests.SetBuffer(q, s.ops.keep(buf.Bytes()))
	}
	s.ops.block.logs.Accessed(s.ops.slot, id, true, &a, int64(buf.Len()), model.NoTag, model.WorldContext)
	s.begin(core.GetRequest, id, &a, int64(buf.Len()))
	return model.Request{ID: id}
}

// Collect is like Get for memory with gaps. scatter is an ID that Scatter has returned.
func (s *OneSided) Collect(buf model.Buf, scatter int64, a core.Access) model.Request {
	if j := s.ops.journal; j.outermost() {
		return j.collect(s, buf, scatter, a)
	}
	id := s.Get(buf, a)
	s.remotes[len(s.remotes)-1].Code = scatter
	return id
}

// Atomic starts to change a word in the memory of another rank. The request completes when the
// target's NIC has returned the word's old value, which Value then returns. Requests are executed
// in the order of their arrival.
func (s *OneSided) Atomic(change model.Change, operand, compare int64, a core.Access) model.Request {
	if j := s.ops.journal; j.outermost() {
		return j.atomic(s, change, operand, compare, a)
	}
	id, _ := s.fetching()
	e, x := s.begin(core.AtomicRequest, id, &a, core.WordBytes)
	x.Code, x.Value = int64(change), [2]int64{operand, compare}
	if e.Size = core.WordBytes; change == model.CompareAndSwap {
		e.Size = 2 * core.WordBytes
	}
	return model.Request{ID: id}
}

// Accumulate starts to combine a buffer with the memory of another rank. Its request completes like
// that of a Put. Operations from one rank on the memory of another are executed in the order of
// issue.
func (s *OneSided) Accumulate(buf model.Buf, combination int64, a core.Access) model.Request {
	if j := s.ops.journal; j.outermost() {
		return j.accumulate(s, buf, combination, a)
	}
	id := s.sending()
	s.carry(core.AccumulateData, id, &a, buf, int64(buf.Len()), combination)
	return model.Request{ID: id}
}

// Exchange is like Accumulate, and also copies the old contents of the memory to result, truncated
// to the size of result. The request completes when they have arrived there.
func (s *OneSided) Exchange(buf, result model.Buf, combination int64, a core.Access) model.Request {
	if j := s.ops.journal; j.outermost() {
		return j.exchange(s, buf, result, combination, a)
	}
	id, q := s.fetching()
	if result.HasData() {
		s.ops.block.requests.SetBuffer(q, s.ops.keep(result.Bytes()))
	}
	s.carry(core.ExchangeData, id, &a, buf, int64(result.Len()), combination)
	return model.Request{ID: id}
}

// carry emits an operation that sends a buffer to n bytes of remote memory.
func (s *OneSided) carry(how uint8, id uint32, a *core.Access, buf model.Buf, n, combination int64) {
	e, x := s.begin(how, id, a, max(n, int64(buf.Len())))
	e.Size, x.Length, x.Code = int64(buf.Len()), n, combination
	if len(buf.Bytes()) > 0 {
		e.Payload = s.ops.stow(buf.Bytes(), core.EagerMessage)
	}
}

// Lock requests the lock of another rank's region, exclusively if alone is true. The request
// completes when the target's NIC has granted the lock.
func (s *OneSided) Lock(a core.Access, alone bool) model.Request {
	if j := s.ops.journal; j.outermost() {
		return j.lock(s, a, alone)
	}
	if a.Region == 0 {
		panic(errNoRegion)
	}
	id := s.sending()
	_, x := s.begin(core.LockRequest, id, &a, 0)
	if alone {
		x.Value[core.ValueAlone] = 1
	}
	return model.Request{ID: id}
}

// Unlock releases a lock. The release is not acknowledged.
func (s *OneSided) Unlock(a core.Access) {
	if j := s.ops.journal; j.outermost() {
		j.unlock(s, a)
		return
	}
	s.begin(core.LockRelease, 0, &a, 0)
}

// Register makes a buffer accessible to one-sided operations of other ranks, and returns the ID of
// the region. The IDs of a rank's regions count from 1. So ranks that register the same regions in
// the same order know one another's IDs.
func (s *OneSided) Register(buf model.Buf) int32 {
	if j := s.ops.journal; j.outermost() {
		return j.register(s, buf)
	}
	b := s.ops.block
	if b.rma.Regions == nil {
		b.rma.Regions = make([][]*onesided.Region, len(b.programs.running))
	}
	own := &b.rma.Regions[s.ops.slot]
	*own = append(*own, &onesided.Region{Buf: buf})
	return int32(len(*own))
}

// Unregister closes a region. Operations that arrive later fail.
func (s *OneSided) Unregister(number int32) {
	if j := s.ops.journal; j.outermost() {
		j.unregister(s, number)
		return
	}
	if number < 1 || s.ops.block.rma.RegionOf(s.ops.rank, uint32(number)) == nil {
		panic(fmt.Errorf("region %d is not registered", number))
	}
	s.ops.block.rma.Regions[s.ops.slot][number-1] = nil
}

// errNoRegion is the panic value for a program that requests a lock without naming a region.
var errNoRegion = errors.New("a lock is that of a region")

// Combination returns the ID that Combine or Scatter has given a key; 0 if it has none.
func (w *World) Combination(key any) int64 {
	return w.shared.Combinations.Number(key)
}

// Combine registers a function that combines data with memory, and returns its ID, which is the
// same for the same key. The function may change both arguments; only the change of memory has an
// effect. data may be longer than memory. IDs may differ from run to run and must not influence
// simulated time.
func (w *World) Combine(key any, combine func(memory, data []byte)) int64 {
	return w.number(key, core.Combination{Combine: combine})
}

// Scatter is like Combine for memory with gaps. The slice memory starts at the operation's offset
// and is as long as the data; both functions may access bytes beyond its end. gather copies memory
// to data for a Collect or an Exchange.
func (w *World) Scatter(key any, combine, gather func(data, memory []byte)) int64 {
	return w.number(key, core.Combination{Combine: func(memory, data []byte) { combine(data, memory) }, Gather: gather})
}

// number registers a combination under its key, and returns its ID.
func (w *World) number(key any, x core.Combination) int64 {
	if w.others != nil {
		return w.makeCombination(key, x)
	}
	n, _ := w.shared.Combinations.Add(key, x, 0, 1)
	return n
}
