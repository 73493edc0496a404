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

// Of Extra.Value in a rendezvous: the gap between the packets of the data (in the request of a get, too), and the kind of the request. See also valueName.
const (
	valueGap = iota
	valueKind
)

// ask makes a message that was filled in as if it were eager a request.
func (b *Block) ask(m *fabric.Message, x *fabric.Extra) {
	x.Length, m.Size = m.Size, 0
	x.Local, m.Request = m.Request, 0
	x.Value[valueGap], x.Gap = int64(x.Gap), 0
	x.Value[valueKind] = int64(kindOf(m))
}

// clear answers a request whose message has met its receive, at the later of the request's
// arrival and the time at which the receive was posted.
func (b *Block) clear(r *rank, request fabric.MsgID, receive uint32, at int64) {
	b.transport.Extra(request).Remote = receive
	if at = max(at, b.postedAt[indexOf(receive)]); at > b.now {
		b.schedule(r, event{at: at, kind: cleared, ref: uint32(request)})
		return
	}
	b.answerRequest(request)
}

// answerRequest sends the clear, or the request to read, now.
func (b *Block) answerRequest(request fabric.MsgID) {
	b.answer(request, rendezvousClear)
	b.transport.Release(request)
}

// sendData sends the data, now.
func (b *Block) sendData(cleared fabric.MsgID, _ *fabric.Message) {
	m, x := b.answer(cleared, rendezvousData)
	m.Size = x.Length
	x.Gap = uint32(x.Value[valueGap])
	if uint8(x.Value[valueKind]) == writeRequest {
		m.Request = x.Local // which is complete when the data has been fetched
	}
	b.transport.Release(cleared)
}

// takeData completes the receive.
func (b *Block) takeData(id fabric.MsgID, m *fabric.Message) {
	x, at := b.transport.Extra(id), arrival(m)
	q := b.receives.at(indexOf(x.Remote))
	slot := q.slot()
	r := &b.ranks[slot]
	r.counters.receivedMessages++
	r.counters.receivedBytes += m.Size
	b.stats.in(m.Context)
	b.delivered(b.sourceOf(m), r.id, m.Tag, m.Size, m.Sent, at)
	if uint8(x.Value[valueKind]) == readRequest {
		b.answer(id, rendezvousDone)
	}
	b.posted = m.Sent
	b.transport.Release(id)
	q.completeAt(at)
	resumed := q.waited() && r.state != failed && b.arrived(r, q)
	b.posted = 0
	if resumed {
		b.run(r, slot)
	}
}

// answer makes the NIC that a message of a rendezvous came to answer it, now, with another that carries
// on what that one said.
func (b *Block) answer(to fabric.MsgID, kind uint8) (*fabric.Message, *fabric.Extra) {
	old := b.transport.Message(to)
	id, m := b.reply(old)
	m.SrcRank, m.Context, m.Tag, m.Sent = old.SrcRank, old.Context, old.Tag, old.Sent
	x := b.transport.Attach(id)
	*x = *b.transport.Extra(to)
	x.Gap = 0
	m.Flags |= kind
	return m, x
}

// postedNow notes when a receive was posted, on its rank's clock.
func (b *Block) postedNow(index uint32, at int64) {
	for int(index) >= len(b.postedAt) {
		b.postedAt = append(b.postedAt, make([]int64, chunk)...)
	}
	b.postedAt[index] = at
}

// sendOf is a rank's send, and unmetSend what is known of one that no receive has met.
type (
	sendOf struct {
		rank    int32
		request uint32
	}
	unmetSend struct{ to, tag, context int32 }
)

// unmetSends are the sends whose requests no receive has met. No block may be running.
func (w *World) unmetSends() map[sendOf]unmetSend {
	found := map[sendOf]unmetSend{}
	for _, b := range w.blocks {
		for i := range b.ranks {
			for id := range b.unexpectedOf(&b.ranks[i]) {
				u := b.unexpected.at(id)
				if u.asks() {
					found[b.askedBy(u)] = unmetSend{b.ranks[i].id, u.tag, u.context}
				}
			}
		}
	}
	return found
}

// askedBy is the send that a request is of.
func (b *Block) askedBy(u *unexpected) sendOf {
	if u.local {
		return sendOf{b.ranks[b.sends.at(indexOf(u.request)).slot()].id, u.request}
	}
	id := fabric.MsgID(u.request)
	return sendOf{b.sourceOf(b.transport.Message(id)), b.transport.Extra(id).Local}
}
