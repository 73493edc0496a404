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

// rendezvous carries out the rendezvous protocols of a block's ranks.
type rendezvous struct {
	world     *shared
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

// post records when a receive was posted, on its rank's clock (ps).
func (v *rendezvous) post(index uint32, at int64) {
	for int(index) >= len(v.postings) {
		v.postings = append(v.postings, make([]posting, chunk)...)
	}
	v.posts++
	v.postings[index] = posting{at, v.posts}
}

// askedBy returns the send that a request belongs to.
func (v *rendezvous) askedBy(u *unexpected) sendOf {
	if u.local {
		return sendOf{v.ranks[v.requests.sends.at(indexOf(u.request)).slot()].id, u.request}
	}
	id := fabric.MsgID(u.request)
	return sendOf{v.world.sourceOf(v.transport.Message(id)), v.transport.Extra(id).Local}
}

// takeBack removes the message of a send from those that wait for a receive. It returns 1 if the
// message was there, otherwise 0.
func (v *rendezvous) takeBack(k key, of sendOf, name uint32) int64 {
	r := &v.ranks[k.rank]
	for id := range v.matching.unexpectedOf(r) {
		u := v.matching.unexpected.at(id)
		if u.key() != k || !v.isOf(u, of, name) {
			continue
		}
		v.matching.removeUnexpected(r, id)
		if u.payload != 0 {
			v.journal.dropped(u.payload)
			v.world.payloads.drop(u.payload)
		}
		if u.asks() && !u.local {
			v.transport.Release(fabric.MsgID(u.request))
		}
		v.matching.unexpected.release(id)
		return 1
	}
	return 0
}

// isOf reports whether a message belongs to a send, or has its name.
func (v *rendezvous) isOf(u *unexpected, of sendOf, name uint32) bool {
	if u.asks() {
		return v.askedBy(u) == of
	}
	return u.named && u.request == name
}

// posting is when a receive was posted (ps), and its number in the block's order of posting (wraps
// around).
type posting struct {
	at    int64
	order uint32
}
