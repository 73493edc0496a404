package core

import (
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
	"fabricast/node/internal/model"
)

// RequestState is the state of a send, or the common part of a receive. Requests hold no pointers.
// Their size matters, because a rank may have dozens of open requests.
type RequestState struct {
	Chain uint32 // the next request that its rank is blocked on; the pool uses it for free elements
	Owner uint32 // slot of its rank<<OwnerBits | flags; no flags if the request is not in use
	// Done is the time (ps) at which the request has completed or, for a send, will complete. See
	// ReceiveState for receives that are not complete.
	Done int64
}

// ReceiveState is the state of a receive. Until it is complete, the field Done holds its index in
// the rank's order of receives and the next receive in the ring of its matching queue.
type ReceiveState struct {
	RequestState
	Context int32 // what the receive matches ...
	Source  int32 // ... then, once matched, the message's source
	Tag     int32 // ... and tag
	// Extent is the size, see Requests.Size. With IsWide it is the index of the wide that holds the
	// size.
	Extent uint32
}

// IsWide, in ReceiveState.Extent, marks receives whose size does not fit there, and receives with
// contents. Alone it stands for the size unlimited.
const IsWide = 1 << 31

// unlimited is the size (bytes) of receives that take any message, of which ranks that execute tasks
// post many. They need no wide.
const unlimited = 1 << 40

// wide holds the fields of a receive that do not fit into ReceiveState.
type wide struct {
	_      uint32 // used by the pool
	buffer uint32 // index of the destination of the contents; 0 if there are none
	size   int64
}

// The flags in RequestState.Owner.
const (
	IsSend     = 1 << 0
	IsReceive  = 1 << 1
	IsWaited   = 1 << 2 // its rank is blocked on it
	isComplete = 1 << 3 // its completion time is known
	// IsOtherwise marks a receive whose message is copied if other messages are not, and vice
	// versa.
	IsOtherwise = 1 << 4
	// IsAccess, with IsSend, marks the request of a one-sided operation. It is stored with the
	// receives if the operation returns data.
	IsAccess  = 1 << 5
	IsCut     = 1 << 6 // marks a receive that truncates longer messages
	IsWatched = 1 << 7 // its completion is reported to the rank; Chain is the index of its watched
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

// CompleteAt records the completion time of the request (ps).
func (q *RequestState) CompleteAt(at int64) {
	q.Done = at
	q.Owner |= isComplete
}

// Order returns the receive's index in the rank's order of receives, which wraps around.
func (q *ReceiveState) Order() uint32 { return uint32(q.Done >> 32) }

// Next returns the next receive in the ring of its matching queue.
func (q *ReceiveState) Next() uint32 { return uint32(q.Done) }

// Link sets the order and the next receive.
func (q *ReceiveState) Link(order, next uint32) { q.Done = int64(order)<<32 | int64(next) }

// Fits reports whether a message with exact pattern k matches the receive.
func (q *ReceiveState) Fits(k Key) bool {
	return q.Context == k.Context && (q.Source == k.Source || q.Source == model.AnySource) &&
		(q.Tag == k.Tag || q.Tag == model.AnyTag)
}

// Key returns the pattern of a receive.
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

// The lowest bit of a request's ID selects its pool: 0 for sends.

func SendID(index uint32) uint32    { return index << 1 }
func ReceiveID(index uint32) uint32 { return index<<1 | 1 }
func IsReceiveID(id uint32) bool    { return id&1 != 0 }
func IndexOf(id uint32) uint32      { return id >> 1 }

// Requests holds the requests of a block's ranks, and the destinations of message contents.
type Requests struct {
	Sends    Pool[RequestState]
	Receives Pool[ReceiveState]
	wides    Pool[wide] // wide parts of receives
	Buffers  Pool[Buffer]
}

// Size returns the size in bytes of a receive's buffer until the receive is complete, and then the
// size of the received message. For an atomic operation it returns the old value.
func (p *Requests) Size(q *ReceiveState) int64 {
	switch {
	case q.Extent&IsWide == 0:
		return int64(q.Extent)
	case q.Extent == IsWide:
		return unlimited
	}
	return p.wides.At(q.Extent &^ IsWide).size
}

// SetSize sets the value that Size returns.
func (p *Requests) SetSize(q *ReceiveState, size int64) {
	switch {
	case q.Extent > IsWide:
		p.wides.At(q.Extent &^ IsWide).size = size
	case size == unlimited:
		q.Extent = IsWide
	case uint64(size) < IsWide:
		q.Extent = uint32(size)
	default:
		p.widen(q).size = size
	}
}

// widen gives a receive a wide part.
func (p *Requests) widen(q *ReceiveState) *wide {
	size := p.Size(q)
	index, w := p.wides.Alloc()
	q.Extent = index | IsWide
	w.size = size
	return w
}

// narrow removes a receive's wide part.
func (p *Requests) narrow(q *ReceiveState) {
	if q.Extent > IsWide {
		p.wides.Release(q.Extent &^ IsWide)
	}
	if q.Extent >= IsWide {
		q.Extent = 0
	}
}

// Buffer returns the index of the buffer for the contents of a receive; 0 if it has none.
func (p *Requests) Buffer(q *ReceiveState) uint32 {
	if q.Extent <= IsWide {
		return 0
	}
	return p.wides.At(q.Extent &^ IsWide).buffer
}

// SetBuffer sets the index that Buffer returns.
func (p *Requests) SetBuffer(q *ReceiveState, number uint32) {
	w := (*wide)(nil)
	if q.Extent <= IsWide {
		w = p.widen(q)
	} else {
		w = p.wides.At(q.Extent &^ IsWide)
	}
	w.buffer = number
}

// Of returns the request with the given ID.
func (p *Requests) Of(id uint32) *RequestState {
	if IsReceiveID(id) {
		return &p.Receives.At(IndexOf(id)).RequestState
	}
	return p.Sends.At(IndexOf(id))
}

// DescribeIn makes the buffer with index number the buffer of receive q, with delivery as the
// destination of the message's description.
func (p *Requests) DescribeIn(q *ReceiveState, number uint32, delivery *model.Delivery) {
	p.SetBuffer(q, number)
	p.Buffers.At(number).Delivery = delivery
}

// TakeBuffer removes the buffer of a receive, and returns its destinations for the contents and the
// envelope; nil if it has none.
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

// Has reports whether there is a request with the given ID, in use or not.
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

// Envelope returns the envelope of a completed receive's message.
func (p *Requests) Envelope(q *ReceiveState) model.Envelope {
	return model.Envelope{Source: q.Source, Tag: q.Tag, Size: units.Bytes(p.Size(q))}
}

// CompletesBefore reports whether q completes before p. Both must be complete.
func (q *RequestState) CompletesBefore(p *RequestState) bool {
	if q.Done != p.Done {
		return q.Done < p.Done
	}
	return !q.Send() && p.Send()
}

// Buffer is the destination of a message's contents.
type Buffer struct {
	_        uint32 // used by the pool
	Data     []byte
	Delivery *model.Delivery // destination of the envelope; nil if the program queries it
}

// Rebuild makes the pool of buffers hold the buffers in live, by index. It returns false if an
// index is out of range.
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

// State saves or restores the requests of the block's ranks.
func (p *Requests) State(v *snapshot.Visitor) {
	p.Sends.State(v)
	p.Receives.State(v)
	p.wides.State(v)
}
