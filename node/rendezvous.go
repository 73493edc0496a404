package node

import "fabricast/fabric"

// A rendezvous:
//
//	sender's NIC    request      receiver's NIC
//	                ------->     when it has met its receive:
//	                 clear
//	                <-------
//	                 data
//	                ------->     the receive is complete
//	                 done
//	                <-------     if the data was read, not written
//
// The request is a packet without payload and takes the message's place in the matching. The
// processors take no part in what follows. Whose send it is, which receive it has met, and what
// the data will be, travels in the messages' Extras: Local is the send, Remote the receive.

// Indexes of Extra.Value in a rendezvous: the gap between the packets of the data (also in the
// request of a get), and the kind of the request. See also valueName.
const (
	valueGap = iota
	valueKind
)

// rendezvous carries out the rendezvous protocols of a block's ranks.
type rendezvous struct {
	world     *World
	transport fabric.Transport
	ranks     []rank // by slot
	requests  *requests
	matching  *matching
	schedule  *schedule
	outbox    *outbox
	postings  []posting // by receive; only if the outbox is used
	posts     uint32    // how many receives have been posted, if they are counted
	journal   *journal  // nil: none is kept
}

// ask turns a message that was filled in as eager into a rendezvous request.
func ask(m *fabric.Message, x *fabric.Extra) {
	x.Length, m.Size = m.Size, 0
	x.Local, m.Request = m.Request, 0
	x.Value[valueGap], x.Gap = int64(x.Gap), 0
	x.Value[valueKind] = int64(kindOf(m))
}

// clear answers a request whose message has met its receive, at the later of the request's arrival
// and the time of the receive's posting (ps).
func (v *rendezvous) clear(r *rank, request fabric.MsgID, receive uint32, at int64) {
	v.transport.Extra(request).Remote = receive
	posting := v.postings[indexOf(receive)]
	if at = max(at, posting.at); at > v.schedule.now {
		v.schedule.add(r, event{at: at, kind: cleared, ref: uint32(request), order: posting.order})
		return
	}
	v.answerRequest(request)
}

// answerRequest sends the answer to a request now: clear to send, or a read request.
func (v *rendezvous) answerRequest(request fabric.MsgID) {
	v.answer(request, rendezvousClear)
	v.transport.Release(request)
}

// sendData sends the data of a rendezvous now.
func (v *rendezvous) sendData(cleared fabric.MsgID) {
	m, x := v.answer(cleared, rendezvousData)
	m.Size = x.Length
	x.Gap = uint32(x.Value[valueGap])
	if uint8(x.Value[valueKind]) == writeRequest {
		m.Request = x.Local // which is complete when the data has been fetched
	}
	v.transport.Release(cleared)
}

// takeData completes the receive of a rendezvous whose data has arrived.
func (b *Block) takeData(id fabric.MsgID, m *fabric.Message) {
	x, at := b.transport.Extra(id), arrival(m)
	q := b.requests.receives.at(indexOf(x.Remote))
	slot := q.slot()
	r := &b.ranks[slot]
	r.counters.receivedMessages++
	r.counters.receivedBytes += m.Size
	b.stats.in(m.Context)
	b.stats.delivered(b.world.sourceOf(m), r.id, m.Tag, m.Size, m.Sent, at)
	b.times.posted = m.Sent
	b.rendezvous.end(id)
	q.completeAt(at)
	resumed := q.awaited() && r.state != failed && b.arrived(r, q)
	b.times.posted = 0
	if resumed {
		b.run(r, slot)
	}
}

// end answers data that was read, and completes the rendezvous.
func (v *rendezvous) end(data fabric.MsgID) {
	if uint8(v.transport.Extra(data).Value[valueKind]) == readRequest {
		v.answer(data, rendezvousDone)
	}
	v.transport.Release(data)
}

// answer makes the NIC that received a message of a rendezvous answer it now. The answer repeats
// the message's send and receive.
func (v *rendezvous) answer(to fabric.MsgID, kind uint8) (*fabric.Message, *fabric.Extra) {
	old := v.transport.Message(to)
	id, m := v.outbox.reply(old, v.schedule.now)
	m.SrcRank, m.Context, m.Tag, m.Sent = old.SrcRank, old.Context, old.Tag, old.Sent
	x := v.transport.Attach(id)
	*x = *v.transport.Extra(to)
	x.Gap = 0
	m.Flags |= kind
	return m, x
}

// posting is when a receive was posted (ps), and its number in the block's order of posting (wraps
// around).
type posting struct {
	at    int64
	order uint32
}

// post records when a receive was posted, on its rank's clock (ps).
func (v *rendezvous) post(index uint32, at int64) {
	for int(index) >= len(v.postings) {
		v.postings = append(v.postings, make([]posting, chunk)...)
	}
	v.posts++
	v.postings[index] = posting{at, v.posts}
}

// sendOf identifies a rank's send, and unmetSend describes one that no receive has met.
type (
	sendOf struct {
		rank    int32
		request uint32
	}
	unmetSend struct{ to, tag, context int32 }
)

// unmetSends returns the sends whose requests no receive has met. No block may be running.
func (w *World) unmetSends() map[sendOf]unmetSend {
	found := map[sendOf]unmetSend{}
	for _, b := range w.blocks.all() {
		for i := range b.ranks {
			for id := range b.matching.unexpectedOf(&b.ranks[i]) {
				u := b.matching.unexpected.at(id)
				if u.asks() {
					found[b.rendezvous.askedBy(u)] = unmetSend{b.ranks[i].id, u.tag, u.context}
				}
			}
		}
	}
	return found
}

// askedBy returns the send that a request belongs to.
func (v *rendezvous) askedBy(u *unexpected) sendOf {
	if u.local {
		return sendOf{v.ranks[v.requests.sends.at(indexOf(u.request)).slot()].id, u.request}
	}
	id := fabric.MsgID(u.request)
	return sendOf{v.world.sourceOf(v.transport.Message(id)), v.transport.Extra(id).Local}
}
