package node

import (
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// A send is cancelled where its message waits for a receive. The sender's NIC sends a question
// behind the message, and the receiver's NIC answers whether no receive has met the message. If so,
// the message counts as never sent.
//
// The message of a rendezvous is identified by its send, which cannot complete before the message
// has met its receive. An eager message may outlive its send, so it has a name (Options.Name).

// CancelSend cancels a send to world rank dst, given by the arguments of Send, if no receive has
// met it. send is 0 if that request has already been freed. The returned request completes when the
// NIC at the other end has answered. told.Size is then 1 if the message was cancelled (the send is
// complete, too), and 0 if it has met a receive. The caller owns told; told and the send must stay
// valid until then.
func (o *Ops) CancelSend(send model.Request, told *model.Delivery, dst, source, tag, context int32, name uint32) model.Request {
	if j := o.journal; j.outermost() {
		return j.cancelSend(o, send, told, dst, source, tag, context, name)
	}
	id, q := o.oneSided.fetching()
	o.block.requests.DescribeIn(q, o.keep(nil), told)
	_, x := o.oneSided.begin(core.CancelRequest, id, &core.Access{Rank: dst, Place: int64(context)}, int64(source))
	x.Code = int64(name)
	x.Value = [2]int64{core.ValueSend: int64(send.ID), core.ValueTag: int64(tag)}
	return model.Request{ID: id}
}
