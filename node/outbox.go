package node

import "fabricast/fabric"

// outbox holds what a rank has sent but the NIC has not been handed yet.
//
// Ranks run ahead of their host, and a NIC must be handed its messages in the order of
// their times. Where nobody but one rank sends from a host, that is the order in which the rank
// emits them. Where NICs answer messages, or ranks share them, messages wait here for
// their time: at every instant a host hands over first the answers of its NICs, in the order of the
// requests, then what is due of its ranks, by rank and by order of sending.
type outbox struct {
	post        int64  // ps: when the first message is due, Forever if there is none
	due         int64  // ps: when the rank itself needs to be woken
	first, last uint32 // fabric.MsgIDs, linked by what will link the NIC's queue
}

// shared tells whether messages wait in outboxes.
func (b *Block) shared() bool { return b.boxes != nil }

// wait puts a message of the rank into its outbox.
func (b *Block) wait(slot int32, id fabric.MsgID, m *fabric.Message) {
	x := &b.boxes[slot]
	m.Next = 0
	if x.first == 0 {
		x.first, x.post = uint32(id), m.Post
	} else {
		b.transport.Message(fabric.MsgID(x.last)).Next = uint32(id)
	}
	x.last = uint32(id)
}

// takeWaiting removes and returns the first message of an outbox.
func (b *Block) takeWaiting(x *outbox) fabric.MsgID {
	id := x.first
	x.first, x.post = b.transport.Message(fabric.MsgID(id)).Next, fabric.Forever
	if x.first != 0 {
		x.post = b.transport.Message(fabric.MsgID(x.first)).Post
	}
	return fabric.MsgID(id)
}

// handOver gives the NICs of the host what is due, and tells whether that was anything.
func (b *Block) handOver(first, end int32, now int64) bool {
	any := len(b.replies) > 0
	for _, id := range b.replies {
		b.dispatch(id)
	}
	b.replies = b.replies[:0]
	for slot := first; slot < end; slot++ {
		for x := &b.boxes[slot]; x.post <= now; any = true {
			b.dispatch(b.takeWaiting(x))
		}
	}
	return any
}

// wakeShared is Wake for a host whose messages wait in outboxes.
func (b *Block) wakeShared(host int32, now int64) {
	first, end := b.world.slots(host)
	for slot := first; slot < end; slot++ {
		if r := &b.ranks[slot]; r.state == Sync && b.programs[slot] == nil {
			b.begin(r, slot)
		}
	}
	for b.shareDue(first, end, now) || b.handOver(first, end, now) {
	}
	b.waking = nobody
	if at := b.hostDue(host); at != fabric.Forever {
		b.transport.SetTimer(host, at)
	}
}

// shareDue lets the first thing happen that is due at a host: messages from the network, in the
// order of NICs, before those between ranks, by their senders, before what ranks wait for.
func (b *Block) shareDue(first, end int32, now int64) bool {
	if keeper := &b.ranks[first]; keeper.arrivals != 0 && keeper.arrivesAt <= now {
		b.arriveFromNetwork(keeper, first)
		return true
	}
	due := int32(-1)
	for slot := first; slot < end; slot++ {
		if b.boxes[slot].due > now {
			continue
		}
		if r := &b.ranks[slot]; b.eventAt(r) <= now && b.events.at(r.events).kind <= localAccess {
			b.happen(r, slot)
			return true
		}
		if due < 0 {
			due = slot
		}
	}
	if due < 0 {
		return false
	}
	if r := &b.ranks[due]; b.eventAt(r) <= now {
		b.happen(r, due)
	} else {
		b.answerNo(r)
		b.run(r, due)
	}
	return true
}

// refresh notes when a rank that shares its host needs to be woken.
func (b *Block) refresh(r *rank, slot int32) {
	at := b.eventAt(r)
	if r.asksForPresent() {
		at = min(at, b.looksAgain(r))
	}
	b.boxes[slot].due = at
}

// hostDue is the next instant at which anything is due at a host, in ps.
func (b *Block) hostDue(host int32) int64 {
	first, end := b.world.slots(host)
	at := int64(fabric.Forever)
	if keeper := &b.ranks[first]; keeper.arrivals != 0 {
		at = keeper.arrivesAt
	}
	for slot := first; slot < end; slot++ {
		x := &b.boxes[slot]
		at = min(at, x.due, x.post)
	}
	return at
}

// reply makes a message with which the NIC that a request came to answers it, now, to the NIC
// that it came from. The caller fills it in.
func (b *Block) reply(request *fabric.Message) (fabric.MsgID, *fabric.Message) {
	id, m := b.transport.NewMessage()
	m.Src, m.Dst = request.Dst, request.Src
	m.Sent, m.Post = b.now, b.now
	b.replies = append(b.replies, id)
	return id, m
}
