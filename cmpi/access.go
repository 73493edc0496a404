package cmpi

import (
	"unsafe"

	"fabricast/cmpi/internal/combination"
	"fabricast/cmpi/internal/host"
	"fabricast/node"
)

// emitAccess passes a one-sided operation to the node. Its context is the number of the region. For
// a notice, an empty put that reports a rank's progress to another rank, it is a communication
// context.
func (p *program) emitAccess(o *host.Op, buf node.Buf) {
	request := p.access(o, buf)
	if o.Request != nil {
		o.Request.Node = request.ID
	}
}

// access starts a one-sided operation or a notice, and returns its request.
func (p *program) access(o *host.Op, buf node.Buf) node.Request {
	a := node.Access{Rank: o.Peer, Region: o.Context, Place: o.Place}
	result := buffer(o.Result, o.ResultSize, o.Omit != 0)
	var request node.Request
	switch o.Kind {
	case host.Put:
		a.Options = options(o)
		if o.Layout != nil {
			request = p.ops.OneSided().Accumulate(buf, p.scatter(o), a)
			break
		}
		request = p.ops.OneSided().Put(buf, a, o.Self, node.NoTag, o.Tag+node.Puts)
	case host.Get:
		if o.Layout != nil {
			request = p.ops.OneSided().Collect(result, p.scatter(o), a)
			break
		}
		request = p.ops.OneSided().Get(result, a)
	case host.Accumulate:
		a.Options = options(o)
		request = p.ops.OneSided().Accumulate(buf, p.combine(o), a)
	case host.Exchange:
		request = p.ops.OneSided().Exchange(buf, result, p.combine(o), a)
	case host.Swap:
		request = p.ops.OneSided().Exchange(buf, result, combination.Swap(p.ops.World()), a)
	case host.Lock:
		request = p.ops.OneSided().Lock(a, o.Op != 0)
	case host.Unlock:
		p.ops.OneSided().Unlock(a)
	case host.Notice:
		p.ops.OneSided().Put(
			node.Size(0),
			node.Access{Rank: o.Peer, Detached: true},
			o.Self,
			o.Tag,
			o.Context+node.Transfers,
		)
	case host.PutTagged:
		request = p.ops.OneSided().Put(
			node.Size(int(o.Size)),
			node.Access{Rank: o.Peer, Options: options(o)},
			o.Self,
			o.Tag,
			node.WorldContext+node.Puts,
		)
	case host.Poll:
		status := (*node.Delivery)(unsafe.Pointer(&o.Request.Status))
		request = p.ops.RecvTo(node.Anything(), status, o.Peer, o.Tag, node.WorldContext+node.Puts)
	case host.CancelSend:
		request = p.cancelSend(o)
	case host.Unregister:
		p.ops.OneSided().Unregister(o.Context)
	case host.Hear:
		request = p.ops.Recv(node.Size(0), o.Peer, o.Tag, o.Context+node.Transfers)
	}
	return request
}

// cancelSend requests the cancellation of a send. The send's request may have been freed already.
func (p *program) cancelSend(o *host.Op) node.Request {
	send := node.Request{}
	if q := (*host.Request)(unsafe.Pointer(o.Result)); q != nil {
		send.ID = q.Node
	}
	status := (*node.Delivery)(unsafe.Pointer(&o.Request.Status))
	return p.ops.CancelSend(send, status, o.Peer, o.Self, o.Tag, o.Context, uint32(o.Op))
}

// combine registers the operation of an accumulate with the node, and returns its number there.
func (p *program) combine(o *host.Op) int64 {
	if o.Layout != nil {
		return p.scatter(o)
	}
	return combination.Basic(p.ops.World(), o.Op, o.Type)
}

// scatter registers an operation on memory with gaps with the node, and returns its number there.
func (p *program) scatter(o *host.Op) int64 {
	return combination.Gaps(p.ops.World(), o.Op, o.Layout, p.block.job.abroad != nil)
}

// options decodes the options of a send, a put or an accumulate: 16 bits for the NIC, 8 for the
// protocol, 8 for copies, 32 for the gap. The C side numbers protocols and copies as the node does.
// For a send, Op is its name.
func options(o *host.Op) node.Options {
	word := uint64(o.ResultSize)
	return node.Options{
		NIC:      int(word & 0xffff),
		Protocol: node.Protocol(word >> 16 & 0xff),
		Copies:   node.Copies(word >> 24 & 0xff),
		Gap:      uint32(word >> 32),
		Name:     uint32(o.Op),
	}
}

// synchronous returns the options of an MPI_Ssend.
func synchronous(o *host.Op) node.Options {
	with := options(o)
	with.Protocol = node.Synchronous
	return with
}
