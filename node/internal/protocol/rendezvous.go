package protocol

import (
	"fabricast/fabric"
	"fabricast/node/internal/core"
	"fabricast/node/internal/journal"
	"fabricast/node/internal/match"
	"fabricast/node/internal/schedule"
)

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
// The request is a packet without payload, and is matched in place of the message. The processors
// take no part in what follows. The Extra of each message identifies the send (Local) and the
// matched receive (Remote), and describes the data.

// Rendezvous implements the rendezvous protocols for the ranks of a block.
type Rendezvous struct {
	World     *core.Shared
	Transport fabric.Transport
	Ranks     []core.Rank // by slot
	Requests  *core.Requests
	Matching  *match.Matcher
	Schedule  *schedule.Schedule
	Outbox    *schedule.Outbox
	Postings  []Posting        // by receive; only if the outbox is used
	Posts     uint32           // number of receives that have been posted, if they are counted
	Journal   *journal.Journal // nil if no journal is kept
}

// Ask converts an eager message to a rendezvous request.
func Ask(m *fabric.Message, x *fabric.Extra) {
	x.Length, m.Size = m.Size, 0
	x.Local, m.Request = m.Request, 0
	x.Value[core.ValueGap], x.Gap = int64(x.Gap), 0
	x.Value[core.ValueKind] = int64(core.KindOf(m))
}

// Clear replies to a request that has matched a receive. The reply leaves at the later of the
// request's arrival and the posting of the receive (`at`, ps).
func (v *Rendezvous) Clear(r *core.Rank, request fabric.MsgID, receive uint32, at int64) {
	v.Transport.Extra(request).Remote = receive
	posting := v.Postings[core.IndexOf(receive)]
	core.Answer(v.Transport.Extra(request), max(at, posting.At), posting.At > at)
	if at = max(at, posting.At); at > v.Schedule.Now {
		v.Schedule.Add(r, schedule.Event{At: at, Kind: schedule.Cleared, Ref: uint32(request), Order: posting.order})
		return
	}
	v.AnswerRequest(request)
}

// AnswerRequest sends the reply to a request now: clear to send, or a read request.
func (v *Rendezvous) AnswerRequest(request fabric.MsgID) {
	v.answer(request, core.RendezvousClear)
	v.Transport.Release(request)
}

// SendData sends the data of a rendezvous now.
func (v *Rendezvous) SendData(cleared fabric.MsgID) {
	m, x := v.answer(cleared, core.RendezvousData)
	m.Size = x.Length
	x.Gap = uint32(x.Value[core.ValueGap])
	if uint8(x.Value[core.ValueKind]) == core.WriteRequest {
		m.Request = x.Local // which is complete when the data has been fetched
	}
	v.Transport.Release(cleared)
}

// End replies to data that was read, and completes the rendezvous.
func (v *Rendezvous) End(data fabric.MsgID) {
	if uint8(v.Transport.Extra(data).Value[core.ValueKind]) == core.ReadRequest {
		v.answer(data, core.RendezvousDone)
	}
	v.Transport.Release(data)
}

// answer makes the NIC that has received a message of a rendezvous reply now. The reply refers to
// the same send and receive.
func (v *Rendezvous) answer(to fabric.MsgID, kind uint8) (*fabric.Message, *fabric.Extra) {
	old := v.Transport.Message(to)
	id, m := v.Outbox.Reply(old, v.Schedule.Now)
	m.SrcRank, m.Context, m.Tag, m.Sent = old.SrcRank, old.Context, old.Tag, old.Sent
	x := v.Transport.Attach(id)
	*x = *v.Transport.Extra(to)
	x.Gap = 0
	m.Flags |= kind
	return m, x
}

// Post records the time (ps, on its rank's clock) at which a receive was posted.
func (v *Rendezvous) Post(index uint32, at int64) {
	for int(index) >= len(v.Postings) {
		v.Postings = append(v.Postings, make([]Posting, core.Chunk)...)
	}
	v.Posts++
	v.Postings[index] = Posting{at, v.Posts}
}

// AskedBy returns the send that a rendezvous request announces.
func (v *Rendezvous) AskedBy(u *core.Unexpected) core.SendOf {
	if u.Local {
		return core.SendOf{Rank: v.Ranks[v.Requests.Sends.At(core.IndexOf(u.Request)).Slot()].ID, Request: u.Request}
	}
	id := fabric.MsgID(u.Request)
	return core.SendOf{Rank: v.World.SourceOf(v.Transport.Message(id)), Request: v.Transport.Extra(id).Local}
}

// TakeBack removes the message of a send from the unexpected messages. It returns 1 if the message
// was there, otherwise 0.
func (v *Rendezvous) TakeBack(k core.Key, of core.SendOf, name uint32) int64 {
	r := &v.Ranks[k.Rank]
	for id := range v.Matching.UnexpectedOf(r) {
		u := v.Matching.Unexpected.At(id)
		if u.Key() != k || !v.isOf(u, of, name) {
			continue
		}
		v.Matching.RemoveUnexpected(r, id)
		if u.Payload != 0 {
			v.Journal.Dropped(u.Payload)
			v.World.Payloads.Drop(u.Payload)
		}
		if u.Asks() && !u.Local {
			v.Transport.Release(fabric.MsgID(u.Request))
		}
		v.Matching.Unexpected.Release(id)
		return 1
	}
	return 0
}

// isOf reports whether a message belongs to the given send, or has the given name.
func (v *Rendezvous) isOf(u *core.Unexpected, of core.SendOf, name uint32) bool {
	if u.Asks() {
		return v.AskedBy(u) == of
	}
	return u.Named && u.Request == name
}

// Posting is the time at which a receive was posted (ps), and its index in the block's order of
// posting (wraps around).
type Posting struct {
	At    int64
	order uint32
}
