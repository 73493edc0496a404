package node

// pending is the completion time of a request that is not complete yet.
const pending int64 = -1

// request is a started send or receive. Pools of requests hold no pointers, and
// programs may have dozens of requests a rank open at once: the size matters.
type request struct {
	done    int64  // ps: when it completed or, for a send, will complete; pending if not known
	size    int64  // bytes: of the buffer, then of the received message
	owner   uint32 // slot of its rank<<ownerBits | flags; no flags if the request is not in use
	context int32  // of a receive: what it matches ...
	source  int32  // ... then, once matched, the message's
	tag     int32  // ... and likewise
	order   uint32 // of a receive: place in the rank's order of receives (wraps around)
	next    uint32 // the next receive in the ring of its matching queue
	chain   uint32 // the next request its rank is blocked on
	buffer  uint32 // of a receive: where the contents go, 0 if they are not wanted
}

// The flags of request.owner.
const (
	isSend    = 1 << 0
	isReceive = 1 << 1
	isWaited  = 1 << 2 // its rank is blocked on it
	ownerBits = 3
)

func (q *request) slot() int32    { return int32(q.owner >> ownerBits) }
func (q *request) active() bool   { return q.owner&(isSend|isReceive) != 0 }
func (q *request) send() bool     { return q.owner&isSend != 0 }
func (q *request) waited() bool   { return q.owner&isWaited != 0 }
func (q *request) complete() bool { return q.done != pending }

// key is the pattern that a receive matches.
func (q *request) key() key { return key{q.slot(), q.context, q.source, q.tag} }

// kind is Send or Recv.
func (q *request) kind() Kind {
	if q.send() {
		return Send
	}
	return Recv
}
