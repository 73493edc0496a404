package schedule

import (
	"fabricast/fabric"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// Outbox passes the messages of a block's hosts to their NICs: at once, or when their time has
// come.
//
// A rank's clock may be ahead of its host's time, but a NIC must get its messages in the order of
// their times. If a single rank sends from a host, it emits them in that order. If NICs reply to
// messages, or ranks share NICs, messages wait in the outbox for their time. Whenever a host is
// simulated, it first passes on the replies of its NICs, in the order of the requests, then the due
// messages of its ranks, by rank and in the order of sending.
type Outbox struct {
	world     *core.Shared
	Transport fabric.Transport
	Boxes     []box // by slot; nil if messages are passed to the NIC as they are sent
	// replies of the NICs of the host being simulated that have not been passed on
	Replies []fabric.MsgID
}

// box holds the messages that a rank has sent and that have not been passed to a NIC.
type box struct {
	post        int64  // ps: when the first message is due; Forever if there is none
	first, last uint32 // fabric.MsgIDs of the first and last message, linked like the NIC's queue
}

// NewOutbox returns the outbox for the given number of ranks.
func NewOutbox(w *core.Shared, ranks int) Outbox {
	x := Outbox{world: w}
	if w.Spec.Replies || w.Several || w.Spec.Processor != nil {
		x.Boxes = make([]box, ranks)
		for i := range x.Boxes {
			x.Boxes[i].post = fabric.Forever
		}
	}
	return x
}

// Used reports whether messages have to wait in the outbox.
func (x *Outbox) Used() bool { return x.Boxes != nil }

// Wait adds a message of the rank in a slot to its box.
func (x *Outbox) Wait(slot int32, id fabric.MsgID, m *fabric.Message) {
	s := &x.Boxes[slot]
	m.Next = 0
	if s.first == 0 {
		s.first, s.post = uint32(id), m.Post
	} else {
		x.Transport.Message(fabric.MsgID(s.last)).Next = uint32(id)
	}
	s.last = uint32(id)
}

// take removes and returns the first message of a box.
func (x *Outbox) take(s *box) fabric.MsgID {
	id := s.first
	s.first, s.post = x.Transport.Message(fabric.MsgID(id)).Next, fabric.Forever
	if s.first != 0 {
		s.post = x.Transport.Message(fabric.MsgID(s.first)).Post
	}
	return fabric.MsgID(id)
}

// Idle reports whether HandOver would do nothing for a host with one rank.
func (x *Outbox) Idle(slot int32, now int64) bool {
	return len(x.Replies) == 0 && x.Boxes[slot].post > now
}

// HandOver passes the host's due messages to its NICs, and reports whether there were any.
func (x *Outbox) HandOver(first, end int32, now int64) bool {
	any := len(x.Replies) > 0
	for _, id := range x.Replies {
		x.Dispatch(id)
	}
	x.Replies = x.Replies[:0]
	for slot := first; slot < end; slot++ {
		for s := &x.Boxes[slot]; s.post <= now; any = true {
			x.Dispatch(x.take(s))
		}
	}
	return any
}

// Reply returns a reply, posted now (ps), from the NIC that has received a request to the NIC that
// sent it. The caller fills in the reply.
func (x *Outbox) Reply(request *fabric.Message, now int64) (fabric.MsgID, *fabric.Message) {
	id, m := x.Transport.NewMessage()
	m.Src, m.Dst = request.Dst, request.Src
	m.Sent, m.Post = now, now
	x.Replies = append(x.Replies, id)
	return id, m
}

// ChooseNIC returns the NIC that a message uses: the NIC that o names, the NIC that the world
// selects, or the next in turn.
func (x *Outbox) ChooseNIC(r *core.Rank, o *core.Op, to int32) int32 {
	if o.Nic > 0 {
		return int32(o.Nic) - 1
	}
	if choose := x.world.Spec.ChooseNIC; choose != nil {
		return choose(r.Host, to)
	}
	nic := int32(r.Nic)
	if r.Nic++; int(r.Nic) == x.world.Spec.NICsPerHost {
		r.Nic = 0
	}
	return nic
}

// Dispatch passes a message to the network. Its class depends on its own size, so that requests of
// a rendezvous and other small protocol messages have their own classes.
func (x *Outbox) Dispatch(id fabric.MsgID) {
	if classes := x.world.Spec.Classes; classes != nil {
		m := x.Transport.Message(id)
		m.Class = model.ClassOf(classes, m.Size)
	}
	x.Transport.Post(id)
}
