package cmpi

import (
	"unsafe"

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
		request = p.ops.OneSided().Accumulate(buf, p.combination(o), a)
	case host.Exchange:
		request = p.ops.OneSided().Exchange(buf, result, p.combination(o), a)
	case host.Swap:
		request = p.ops.OneSided().Exchange(buf, result, p.swapping(), a)
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
		told := (*node.Delivery)(unsafe.Pointer(&o.Request.Status))
		request = p.ops.RecvTo(node.Anything(), told, o.Peer, o.Tag, node.WorldContext+node.Puts)
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
	told := (*node.Delivery)(unsafe.Pointer(&o.Request.Status))
	return p.ops.CancelSend(send, told, o.Peer, o.Self, o.Tag, o.Context, uint32(o.Op))
}

// accumulation is the key under which a predefined operation on a predefined type is registered.
type accumulation struct{ op, kind int32 }

// combination registers the operation of an accumulate with the node, and returns its number there.
func (p *program) combination(o *host.Op) int64 {
	if o.Layout != nil {
		return p.scatter(o)
	}
	key := accumulation{o.Op, o.Type}
	if n := p.ops.World().Combination(key); n != 0 {
		return n
	}
	return p.ops.World().
		Combine(key, func(memory, data []byte) { host.CombineBasic(key.op, key.kind, data, memory) })
}

// scattered is the key under which a predefined operation on memory with gaps, described by a
// datatype, is registered.
type scattered struct {
	op     int32
	layout uintptr
}

// scatter registers an operation on memory with gaps with the node, and returns its number there.
func (p *program) scatter(o *host.Op) int64 {
	if p.block.job.abroad != nil {
		return p.scatterApart(o)
	}
	op, layout := o.Op, o.Layout
	key := scattered{op, uintptr(unsafe.Pointer(layout))}
	if n := p.ops.World().Combination(key); n != 0 {
		return n
	}
	return p.ops.World().Scatter(key,
		func(data, memory []byte) { host.ScatterData(op, layout, data, memory) },
		func(data, memory []byte) { host.GatherData(layout, data, memory) })
}

// swap is the key under which swapIfEqual is registered.
type swap struct{}

// swapping registers swapIfEqual with the node, and returns its number there.
func (p *program) swapping() int64 {
	if n := p.ops.World().Combination(swap{}); n != 0 {
		return n
	}
	return p.ops.World().Combine(swap{}, swapIfEqual)
}

// swapIfEqual replaces memory by the second half of data if it equals the first half.
func swapIfEqual(memory, data []byte) {
	if n := len(memory); string(memory) == string(data[:n]) {
		copy(memory, data[n:])
	}
}
