package core

import (
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
	"fabricast/node/internal/model"
)

// RequestState is a started send, or the common part of a receive. Requests hold no pointers. Their size
// matters, because a rank may have dozens of them open at once.
type RequestState struct {
	Chain uint32 // the next request its rank is blocked on, or the pool's
	Owner uint32 // slot of its rank<<ownerBits | flags; no flags if the request is not in use
	// ps: when it completed or, for a send, will complete; see receive for those not complete
	Done int64
}

// ReceiveState is a started receive. Until it is complete, the field done holds its number in the rank's
// order of receives and the next one in the ring of its matching queue.
type ReceiveState struct {
	RequestState
	Context int32 // what it matches ...
	Source  int32 // ... then, once matched, the message's
	Tag     int32 // ... and likewise
	// its size, see requests.size; with isWide, the index of the wide that holds it
	Extent uint32
}

// isWide, in receive.extent, stands for a size that does not fit there, and for receives that want
// contents.
const IsWide = 1 << 31

// wide is what does not fit into a receive.
type wide struct {
	_      uint32 // the pool's
	buffer uint32 // where the contents go, 0 if they are not wanted
	size   int64
}

// The flags of request.owner.
const (
	IsSend     = 1 << 0
	IsReceive  = 1 << 1
	IsWaited   = 1 << 2 // its rank is blocked on it
	isComplete = 1 << 3 // when it completes is known
	// a receive: its message is copied if other messages are not, and not copied if others are
	IsOtherwise = 1 << 4
	// with isSend: a request of a one-sided operation; stored with receives if it returns data
	IsAccess  = 1 << 5
	IsCut     = 1 << 6 // a receive: a longer message is cut off
	IsWatched = 1 << 7 // its rank is to hear of it; chain is its watched
	OwnerBits = 8
)

func (q *RequestState) Slot() int32     { return int32(q.Owner >> OwnerBits) }
func (q *RequestState) Active() bool    { return q.Owner&(IsSend|IsReceive) != 0 }
func (q *RequestState) Send() bool      { return q.Owner&IsSend != 0 }
func (q *RequestState) Waited() bool    { return q.Owner&IsWaited != 0 }
func (q *RequestState) Watched() bool   { return q.Owner&IsWatched != 0 }
func (q *RequestState) Complete() bool  { return q.Owner&isComplete != 0 }
func (q *RequestState) Otherwise() bool { return q.Owner&IsOtherwise != 0 }

// Awaited reports whether the rank waits for the request or watches it.
func (q *RequestState) Awaited() bool { return q.Owner&(IsWaited|IsWatched) != 0 }

// CompleteAt records when the request completes (ps).
func (q *RequestState) CompleteAt(at int64) {
	q.Done = at
	q.Owner |= isComplete
}

// Order returns the number in the rank's order of receives, which wraps around.
func (q *ReceiveState) Order() uint32 { return uint32(q.Done >> 32) }

// Next returns the next receive in the ring of its matching queue.
func (q *ReceiveState) Next() uint32 { return uint32(q.Done) }

// Link sets the order and the next receive.
func (q *ReceiveState) Link(order, next uint32) { q.Done = int64(order)<<32 | int64(next) }

// Fits reports whether a message to the rank matches the receive.
func (q *ReceiveState) Fits(k Key) bool {
	return q.Context == k.Context && (q.Source == k.Source || q.Source == model.AnySource) &&
		(q.Tag == k.Tag || q.Tag == model.AnyTag)
}

// Key returns the pattern that a receive matches.
func (q *ReceiveState) Key() Key { return Key{q.Slot(), q.Context, q.Source, q.Tag} }

// Kind returns Send, Recv or, for all one-sided operations, Put.
func (q *RequestState) Kind() model.Kind {
	switch {
	case q.Owner&IsAccess != 0:
		return model.Put
	case q.Send():
		return model.Send
	}
	return model.Recv
}

// The lowest bit of a request's number selects its pool: 0 for sends.

func SendID(index uint32) uint32    { return index << 1 }
func ReceiveID(index uint32) uint32 { return index<<1 | 1 }
func IsReceiveID(id uint32) bool    { return id&1 != 0 }
func IndexOf(id uint32) uint32      { return id >> 1 }

// Requests holds the requests of a block's ranks, and the destinations of their messages' contents.
type Requests struct {
	Sends    Pool[RequestState]
	Receives Pool[ReceiveState]
	wides    Pool[wide] // of receives
	Buffers  Pool[Buffer]
}

// Size returns the bytes of a receive's buffer, then of the received message; or the result of an
// atomic operation.
func (p *Requests) Size(q *ReceiveState) int64 {
	if q.Extent&IsWide == 0 {
		return int64(q.Extent)
	}
	return p.wides.At(q.Extent &^ IsWide).size
}

// SetSize sets what size returns.
func (p *Requests) SetSize(q *ReceiveState, size int64) {
	switch {
	case q.Extent&IsWide != 0:
		p.wides.At(q.Extent &^ IsWide).size = size
	case uint64(size) < IsWide:
		q.Extent = uint32(size)
	default:
		p.widen(q).size = size
	}
}

// widen gives a receive that has no wide one of its size.
func (p *Requests) widen(q *ReceiveState) *wide {
	size := int64(q.Extent)
	index, w := p.wides.Alloc()
	q.Extent = index | IsWide
	w.size = size
	return w
}

// narrow takes a receive's wide away.
func (p *Requests) narrow(q *ReceiveState) {
	if q.Extent&IsWide != 0 {
		p.wides.Release(q.Extent &^ IsWide)
		q.Extent = 0
	}
}

// Buffer returns the number of the buffer in which a receive wants contents, 0 if it wants none.
func (p *Requests) Buffer(q *ReceiveState) uint32 {
	if q.Extent&IsWide == 0 {
		return 0
	}
	return p.wides.At(q.Extent &^ IsWide).buffer
}

// SetBuffer sets what buffer returns.
func (p *Requests) SetBuffer(q *ReceiveState, number uint32) {
	w := (*wide)(nil)
	if q.Extent&IsWide == 0 {
		w = p.widen(q)
	} else {
		w = p.wides.At(q.Extent &^ IsWide)
	}
	w.buffer = number
}

// Of returns the request with a number.
func (p *Requests) Of(id uint32) *RequestState {
	if IsReceiveID(id) {
		return &p.Receives.At(IndexOf(id)).RequestState
	}
	return p.Sends.At(IndexOf(id))
}

// DescribeIn has a receive that wants contents in the buffer with a number say what it got.
func (p *Requests) DescribeIn(q *ReceiveState, number uint32, delivery *model.Delivery) {
	p.SetBuffer(q, number)
	p.Buffers.At(number).Delivery = delivery
}

// TakeBuffer removes from a receive the destinations of its message's contents and envelope, and
// returns them; nil if it has none.
func (p *Requests) TakeBuffer(q *ReceiveState) (data []byte, delivery *model.Delivery) {
	number := p.Buffer(q)
	if number == 0 {
		return nil, nil
	}
	place := p.Buffers.At(number)
	data, delivery = place.Data, place.Delivery
	p.Buffers.Release(number)
	p.SetBuffer(q, 0)
	return data, delivery
}

// Has reports whether there is a request with the number, in use or not.
func (p *Requests) Has(id uint32) bool {
	if IsReceiveID(id) {
		return p.Receives.Has(IndexOf(id))
	}
	return p.Sends.Has(IndexOf(id))
}

// Release frees a request.
func (p *Requests) Release(id uint32) {
	if IsReceiveID(id) {
		p.ReleaseReceive(IndexOf(id), p.Receives.At(IndexOf(id)))
	} else {
		p.Sends.Release(IndexOf(id))
	}
}

// ReleaseReceive frees a receive.
func (p *Requests) ReleaseReceive(index uint32, q *ReceiveState) {
	p.narrow(q)
	p.Receives.Put(index, q)
}

// Envelope describes the message of a complete receive.
func (p *Requests) Envelope(q *ReceiveState) model.Envelope {
	return model.Envelope{Source: q.Source, Tag: q.Tag, Size: units.Bytes(p.Size(q))}
}

// CompletesBefore reports whether q precedes p in the order of completion. Both must be complete.
func (q *RequestState) CompletesBefore(p *RequestState) bool {
	if q.Done != p.Done {
		return q.Done < p.Done
	}
	return !q.Send() && p.Send()
}

// Buffer is the destination of a message's contents.
type Buffer struct {
	_        uint32 // the pool's
	Data     []byte
	Delivery *model.Delivery // of the message; nil if the program asks for it
}

// Rebuild makes the pool of buffers hold those that are in use. It returns false if there cannot be
// so many.
func (p *Requests) Rebuild(live map[uint32]Buffer) bool {
	p.Buffers = Pool[Buffer]{}
	for id := range live {
		for !p.Buffers.Has(id) {
			if id >= maxElements {
				return false
			}
			p.Buffers.grow()
		}
		p.Buffers.used = max(p.Buffers.used, id+1)
	}
	for id := p.Buffers.used; id > 1; id-- {
		if b, used := live[id-1]; used {
			*p.Buffers.At(id - 1) = b
		} else {
			p.Buffers.Release(id - 1)
		}
	}
	return true
}

// State goes over the requests of the block's ranks.
func (p *Requests) State(v *snapshot.Visitor) {
	p.Sends.State(v)
	p.Receives.State(v)
	p.wides.State(v)
}
