package node

import "fabricast/fabric"

// outbox hands the messages of a block's hosts to their NICs: at once, or when their time has come.
//
// A rank's clock runs ahead of its host's time, but a NIC must get its messages in the order of
// their times. If one rank alone sends from a host, it emits them in that order. If NICs answer
// messages, or ranks share NICs, messages wait here for their time. At every instant a host first
// hands over the answers of its NICs, in the order of the requests, then the due messages of its
// ranks, by rank and by order of sending.
type outbox struct {
	world     *shared
	transport fabric.Transport
	boxes     []box          // by slot; nil if messages go to the NIC as they are sent
	replies   []fabric.MsgID // of the NICs of the host that is awake, not yet handed over
}

// box holds the messages that a rank has sent and that no NIC has got yet.
type box struct {
	post        int64  // ps: when the first message is due, Forever if there is none
	first, last uint32 // fabric.MsgIDs, linked by what will link the NIC's queue
}

// newOutbox returns the outbox of some ranks.
func newOutbox(w *shared, ranks int) outbox {
	x := outbox{world: w}
	if w.spec.Replies || w.several || w.spec.Processor != nil {
		x.boxes = make([]box, ranks)
		for i := range x.boxes {
			x.boxes[i].post = fabric.Forever
		}
	}
	return x
}

// used reports whether messages have to wait in the outbox.
func (x *outbox) used() bool { return x.boxes != nil }

// wait puts a message of the rank in a slot into its box.
func (x *outbox) wait(slot int32, id fabric.MsgID, m *fabric.Message) {
	s := &x.boxes[slot]
	m.Next = 0
	if s.first == 0 {
		s.first, s.post = uint32(id), m.Post
	} else {
		x.transport.Message(fabric.MsgID(s.last)).Next = uint32(id)
	}
	s.last = uint32(id)
}

// take removes and returns the first message of a box.
func (x *outbox) take(s *box) fabric.MsgID {
	id := s.first
	s.first, s.post = x.transport.Message(fabric.MsgID(id)).Next, fabric.Forever
	if s.first != 0 {
		s.post = x.transport.Message(fabric.MsgID(s.first)).Post
	}
	return fabric.MsgID(id)
}

// handOver hands the host's due messages to its NICs, and reports whether there were any.
func (x *outbox) handOver(first, end int32, now int64) bool {
	any := len(x.replies) > 0
	for _, id := range x.replies {
		x.dispatch(id)
	}
	x.replies = x.replies[:0]
	for slot := first; slot < end; slot++ {
		for s := &x.boxes[slot]; s.post <= now; any = true {
			x.dispatch(x.take(s))
		}
	}
	return any
}

// reply returns an answer, posted now (ps), from the NIC that received a request to the NIC that
// sent it. The caller fills it in.
func (x *outbox) reply(request *fabric.Message, now int64) (fabric.MsgID, *fabric.Message) {
	id, m := x.transport.NewMessage()
	m.Src, m.Dst = request.Dst, request.Src
	m.Sent, m.Post = now, now
	x.replies = append(x.replies, id)
	return id, m
}

// chooseNIC returns the NIC of the host by which a message leaves: the NIC that the message names,
// the NIC that the world chooses, or the next in turn.
func (x *outbox) chooseNIC(r *rank, o *op, to int32) int32 {
	if o.nic > 0 {
		return int32(o.nic) - 1
	}
	if choose := x.world.spec.ChooseNIC; choose != nil {
		return choose(r.host, to)
	}
	nic := int32(r.nic)
	if r.nic++; int(r.nic) == x.world.spec.NICsPerHost {
		r.nic = 0
	}
	return nic
}

// dispatch hands a message to the network. Its class follows from the bytes that it carries now, so
// that requests of a rendezvous and other small protocol messages have classes of their own.
func (x *outbox) dispatch(id fabric.MsgID) {
	if classes := x.world.spec.Classes; classes != nil {
		m := x.transport.Message(id)
		m.Class = classOf(classes, m.Size)
	}
	x.transport.Post(id)
}
