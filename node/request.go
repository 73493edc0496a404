package node

// request is a started send, or the common part of a receive. Requests hold no
// pointers, and programs may have dozens of them a rank open at once: the size matters.
type request struct {
	chain uint32 // the next request its rank is blocked on, or the pool's
	owner uint32 // slot of its rank<<ownerBits | flags; no flags if the request is not in use
	done  int64  // ps: when it completed or, for a send, will complete; see receive for those that have not
}

// receive is a started receive. Until it is complete, what is named done holds
// its place in the rank's order of receives and the next one in the ring of its matching queue.
type receive struct {
	request
	size    int64  // bytes: of the buffer, then of the received message
	context int32  // what it matches ...
	source  int32  // ... then, once matched, the message's
	tag     int32  // ... and likewise
	buffer  uint32 // where the contents go, 0 if they are not wanted
}

// The flags of request.owner.
const (
	isSend      = 1 << 0
	isReceive   = 1 << 1
	isWaited    = 1 << 2 // its rank is blocked on it
	isComplete  = 1 << 3 // when it completes is known
	isOtherwise = 1 << 4 // a receive: the message is copied if others are not, and not if others are
	isAccess    = 1 << 5 // with isSend: of a one-sided operation; among receives if it brings something back
	isCut       = 1 << 6 // a receive: a longer message is cut off
	ownerBits   = 7
)

func (q *request) slot() int32     { return int32(q.owner >> ownerBits) }
func (q *request) active() bool    { return q.owner&(isSend|isReceive) != 0 }
func (q *request) send() bool      { return q.owner&isSend != 0 }
func (q *request) waited() bool    { return q.owner&isWaited != 0 }
func (q *request) complete() bool  { return q.owner&isComplete != 0 }
func (q *request) otherwise() bool { return q.owner&isOtherwise != 0 }

// completeAt notes when the request completes, in ps.
func (q *request) completeAt(at int64) {
	q.done = at
	q.owner |= isComplete
}

// order is the place in the rank's order of receives, which wraps around.
func (q *receive) order() uint32 { return uint32(q.done >> 32) }

// next is the next receive in the ring of its matching queue.
func (q *receive) next() uint32 { return uint32(q.done) }

// link sets both.
func (q *receive) link(order, next uint32) { q.done = int64(order)<<32 | int64(next) }

// fits tells whether a message to the rank matches the receive.
func (q *receive) fits(k key) bool {
	return q.context == k.context && (q.source == k.source || q.source == AnySource) && (q.tag == k.tag || q.tag == AnyTag)
}

// key is the pattern that a receive matches.
func (q *receive) key() key { return key{q.slot(), q.context, q.source, q.tag} }

// kind is Send, Recv or, for all one-sided operations, Put.
func (q *request) kind() Kind {
	switch {
	case q.owner&isAccess != 0:
		return Put
	case q.send():
		return Send
	}
	return Recv
}

// The lowest bit of a request's number tells in which pool it is: 0 for sends.

func sendID(index uint32) uint32    { return index << 1 }
func receiveID(index uint32) uint32 { return index<<1 | 1 }
func isReceiveID(id uint32) bool    { return id&1 != 0 }
func indexOf(id uint32) uint32      { return id >> 1 }

// request is the request with a number.
func (b *Block) request(id uint32) *request {
	if isReceiveID(id) {
		return &b.receives.at(indexOf(id)).request
	}
	return b.sends.at(indexOf(id))
}

// has tells whether there is a request with the number, in use or not.
func (b *Block) has(id uint32) bool {
	if isReceiveID(id) {
		return b.receives.has(indexOf(id))
	}
	return b.sends.has(indexOf(id))
}

// release gives a request back.
func (b *Block) release(id uint32) {
	if isReceiveID(id) {
		b.receives.release(indexOf(id))
	} else {
		b.sends.release(indexOf(id))
	}
}

// status describes the message of a complete receive.
func (q *receive) envelope() Envelope { return Envelope{Source: q.source, Tag: q.tag, Size: q.size} }
