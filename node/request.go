package node

// pending is the completion time of a request that is not complete yet.
const pending int64 = -1

// request is a started send or receive. Pools of requests hold no pointers.
type request struct {
	done    int64  // ps: when it completed or, for a send, will complete; pending if not known
	size    int64  // bytes: of the buffer, then of the received message
	slot    int32  // the rank that owns it, by its slot in the block
	context int32  // of a receive: what it matches ...
	source  int32  // ... then, once matched, the message's
	tag     int32  // ... and likewise
	order   uint32 // of a receive: place in the rank's order of receives (wraps around)
	next    uint32 // the next receive in its matching queue
	chain   uint32 // the next request its rank is blocked on
	buffer  uint32 // of a receive: where the contents go, 0 if they are not wanted
	kind    Kind   // Send or Recv; Sync if the request is not in use
	waited  bool   // its rank is blocked on it
}
