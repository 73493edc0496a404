package node

import (
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
)

// request is a started send, or the common part of a receive. Requests hold no pointers. Their size
// matters, because a rank may have dozens of them open at once.
type request struct {
	chain uint32 // the next request its rank is blocked on, or the pool's
	owner uint32 // slot of its rank<<ownerBits | flags; no flags if the request is not in use
	// ps: when it completed or, for a send, will complete; see receive for those not complete
	done int64
}

// receive is a started receive. Until it is complete, the field done holds its number in the rank's
// order of receives and the next one in the ring of its matching queue.
type receive struct {
	request
	context int32 // what it matches ...
	source  int32 // ... then, once matched, the message's
	tag     int32 // ... and likewise
	// its size, see requests.size; with isWide, the index of the wide that holds it
	extent uint32
}

// isWide, in receive.extent, stands for a size that does not fit there, and for receives that want
// contents.
const isWide = 1 << 31

// wide is what does not fit into a receive.
type wide struct {
	_      uint32 // the pool's
	buffer uint32 // where the contents go, 0 if they are not wanted
	size   int64
}

// The flags of request.owner.
const (
	isSend     = 1 << 0
	isReceive  = 1 << 1
	isWaited   = 1 << 2 // its rank is blocked on it
	isComplete = 1 << 3 // when it completes is known
	// a receive: its message is copied if other messages are not, and not copied if others are
	isOtherwise = 1 << 4
	// with isSend: a request of a one-sided operation; stored with receives if it returns data
	isAccess  = 1 << 5
	isCut     = 1 << 6 // a receive: a longer message is cut off
	isWatched = 1 << 7 // its rank is to hear of it; chain is its watched
	ownerBits = 8
)

func (q *request) slot() int32     { return int32(q.owner >> ownerBits) }
func (q *request) active() bool    { return q.owner&(isSend|isReceive) != 0 }
func (q *request) send() bool      { return q.owner&isSend != 0 }
func (q *request) waited() bool    { return q.owner&isWaited != 0 }
func (q *request) watched() bool   { return q.owner&isWatched != 0 }
func (q *request) complete() bool  { return q.owner&isComplete != 0 }
func (q *request) otherwise() bool { return q.owner&isOtherwise != 0 }

// awaited reports whether the rank waits for the request or watches it.
func (q *request) awaited() bool { return q.owner&(isWaited|isWatched) != 0 }

// completeAt records when the request completes (ps).
func (q *request) completeAt(at int64) {
	q.done = at
	q.owner |= isComplete
}

// order returns the number in the rank's order of receives, which wraps around.
func (q *receive) order() uint32 { return uint32(q.done >> 32) }

// next returns the next receive in the ring of its matching queue.
func (q *receive) next() uint32 { return uint32(q.done) }

// link sets the order and the next receive.
func (q *receive) link(order, next uint32) { q.done = int64(order)<<32 | int64(next) }

// fits reports whether a message to the rank matches the receive.
func (q *receive) fits(k key) bool {
	return q.context == k.context && (q.source == k.source || q.source == AnySource) &&
		(q.tag == k.tag || q.tag == AnyTag)
}

// key returns the pattern that a receive matches.
func (q *receive) key() key { return key{q.slot(), q.context, q.source, q.tag} }

// kind returns Send, Recv or, for all one-sided operations, Put.
func (q *request) kind() Kind {
	switch {
	case q.owner&isAccess != 0:
		return Put
	case q.send():
		return Send
	}
	return Recv
}

// The lowest bit of a request's number selects its pool: 0 for sends.

func sendID(index uint32) uint32    { return index << 1 }
func receiveID(index uint32) uint32 { return index<<1 | 1 }
func isReceiveID(id uint32) bool    { return id&1 != 0 }
func indexOf(id uint32) uint32      { return id >> 1 }

// requests holds the requests of a block's ranks, and the destinations of their messages' contents.
type requests struct {
	sends    pool[request]
	receives pool[receive]
	wides    pool[wide] // of receives
	buffers  pool[buffer]
}

// size returns the bytes of a receive's buffer, then of the received message; or the result of an
// atomic operation.
func (p *requests) size(q *receive) int64 {
	if q.extent&isWide == 0 {
		return int64(q.extent)
	}
	return p.wides.at(q.extent &^ isWide).size
}

// setSize sets what size returns.
func (p *requests) setSize(q *receive, size int64) {
	switch {
	case q.extent&isWide != 0:
		p.wides.at(q.extent &^ isWide).size = size
	case uint64(size) < isWide:
		q.extent = uint32(size)
	default:
		p.widen(q).size = size
	}
}

// widen gives a receive that has no wide one of its size.
func (p *requests) widen(q *receive) *wide {
	size := int64(q.extent)
	index, w := p.wides.alloc()
	q.extent = index | isWide
	w.size = size
	return w
}

// narrow takes a receive's wide away.
func (p *requests) narrow(q *receive) {
	if q.extent&isWide != 0 {
		p.wides.release(q.extent &^ isWide)
		q.extent = 0
	}
}

// buffer returns the number of the buffer in which a receive wants contents, 0 if it wants none.
func (p *requests) buffer(q *receive) uint32 {
	if q.extent&isWide == 0 {
		return 0
	}
	return p.wides.at(q.extent &^ isWide).buffer
}

// setBuffer sets what buffer returns.
func (p *requests) setBuffer(q *receive, number uint32) {
	w := (*wide)(nil)
	if q.extent&isWide == 0 {
		w = p.widen(q)
	} else {
		w = p.wides.at(q.extent &^ isWide)
	}
	w.buffer = number
}

// of returns the request with a number.
func (p *requests) of(id uint32) *request {
	if isReceiveID(id) {
		return &p.receives.at(indexOf(id)).request
	}
	return p.sends.at(indexOf(id))
}

// tell has a receive that wants contents in the buffer with a number say what it got.
func (p *requests) tell(q *receive, number uint32, told *Told) {
	p.setBuffer(q, number)
	p.buffers.at(number).told = told
}

// takeBuffer removes from a receive the destinations of its message's contents and envelope, and
// returns them; nil if it has none.
func (p *requests) takeBuffer(q *receive) (data []byte, told *Told) {
	number := p.buffer(q)
	if number == 0 {
		return nil, nil
	}
	place := p.buffers.at(number)
	data, told = place.data, place.told
	p.buffers.release(number)
	p.setBuffer(q, 0)
	return data, told
}

// has reports whether there is a request with the number, in use or not.
func (p *requests) has(id uint32) bool {
	if isReceiveID(id) {
		return p.receives.has(indexOf(id))
	}
	return p.sends.has(indexOf(id))
}

// release frees a request.
func (p *requests) release(id uint32) {
	if isReceiveID(id) {
		p.releaseReceive(indexOf(id), p.receives.at(indexOf(id)))
	} else {
		p.sends.release(indexOf(id))
	}
}

// releaseReceive frees a receive.
func (p *requests) releaseReceive(index uint32, q *receive) {
	p.narrow(q)
	p.receives.put(index, q)
}

// envelope describes the message of a complete receive.
func (p *requests) envelope(q *receive) Envelope {
	return Envelope{Source: q.source, Tag: q.tag, Size: units.Bytes(p.size(q))}
}

// completesBefore reports whether q precedes p in the order of completion. Both must be complete.
func (q *request) completesBefore(p *request) bool {
	if q.done != p.done {
		return q.done < p.done
	}
	return !q.send() && p.send()
}

// buffer is the destination of a message's contents.
type buffer struct {
	_    uint32 // the pool's
	data []byte
	told *Told // of the message; nil if the program asks for it
}

// rebuild makes the pool of buffers hold those that are in use. It returns false if there cannot be
// so many.
func (p *requests) rebuild(live map[uint32]buffer) bool {
	p.buffers = pool[buffer]{}
	for id := range live {
		for !p.buffers.has(id) {
			if id >= maxElements {
				return false
			}
			p.buffers.grow()
		}
		p.buffers.used = max(p.buffers.used, id+1)
	}
	for id := p.buffers.used; id > 1; id-- {
		if b, used := live[id-1]; used {
			*p.buffers.at(id - 1) = b
		} else {
			p.buffers.release(id - 1)
		}
	}
	return true
}

// state goes over the requests of the block's ranks.
func (p *requests) state(v *snapshot.Visitor) {
	p.sends.state(v)
	p.receives.state(v)
	p.wides.state(v)
}
