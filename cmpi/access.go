package cmpi

import (
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/node"
)

// emitAccess hands a one-sided operation on to the node. Its context is the number of the region, but
// for notices, which are empty puts that tell another rank how far this one is.
func (p *program) emitAccess(o *host.Op, buf node.Buf) {
	request := p.access(o, buf)
	if o.Request != nil {
		o.Request.Node = request.ID
	}
}

// access starts such an operation.
func (p *program) access(o *host.Op, buf node.Buf) node.Request {
	a := node.Access{Rank: o.Peer, Region: o.Context, Place: o.Place}
	result := buffer(o.Result, o.ResultSize, o.Omit != 0)
	var request node.Request
	switch o.Kind {
	case host.Put:
		a.Options = options(o)
		if o.Layout != nil {
			request = p.ops.Accumulate(buf, p.scatter(o), a)
			break
		}
		request = p.ops.Put(buf, a, o.Self, node.NoTag, o.Tag+node.Puts)
	case host.Get:
		if o.Layout != nil {
			request = p.ops.Collect(result, p.scatter(o), a)
			break
		}
		request = p.ops.Get(result, a)
	case host.Accumulate:
		a.Options = options(o)
		request = p.ops.Accumulate(buf, p.combination(o), a)
	case host.Exchange:
		request = p.ops.Exchange(buf, result, p.combination(o), a)
	case host.Swap:
		request = p.ops.Exchange(buf, result, p.swapping(), a)
	case host.Lock:
		request = p.ops.Lock(a, o.Op != 0)
	case host.Unlock:
		p.ops.Unlock(a)
	case host.Notice:
		p.ops.Put(node.Size(0), node.Access{Rank: o.Peer, Detached: true}, o.Self, o.Tag, o.Context+node.Transfers)
	case host.PutTagged:
		request = p.ops.Put(node.Size(int(o.Size)), node.Access{Rank: o.Peer, Options: options(o)}, o.Self, o.Tag, node.WorldContext+node.Puts)
	case host.Poll:
		told := (*node.Told)(unsafe.Pointer(&o.Request.Status))
		request = p.ops.RecvTo(node.Anything(), told, o.Peer, o.Tag, node.WorldContext+node.Puts)
	case host.CancelSend:
		request = p.cancelSend(o)
	case host.Unregister:
		p.ops.Unregister(o.Context)
	case host.Hear:
		request = p.ops.Recv(node.Size(0), o.Peer, o.Tag, o.Context+node.Transfers)
	}
	return request
}

// cancelSend asks for a send to be taken back. It may have been given back already.
func (p *program) cancelSend(o *host.Op) node.Request {
	send := node.Request{}
	if q := (*host.Request)(unsafe.Pointer(o.Result)); q != nil {
		send.ID = q.Node
	}
	told := (*node.Told)(unsafe.Pointer(&o.Request.Status))
	return p.ops.CancelSend(send, told, o.Peer, o.Self, o.Tag, o.Context, uint32(o.Op))
}

// accumulation is the key of a predefined operation on a predefined type.
type accumulation struct{ op, kind int32 }

// combination is the node's number of an operation on windows.
func (p *program) combination(o *host.Op) int64 {
	if o.Layout != nil {
		return p.scatter(o)
	}
	key := accumulation{o.Op, o.Type}
	if n := p.ops.World().Combination(key); n != 0 {
		return n
	}
	return p.ops.World().Combine(key, func(memory, data []byte) { host.CombineBasic(key.op, key.kind, data, memory) })
}

// scattered is the key of a predefined operation on memory with gaps, as a datatype describes them.
type scattered struct {
	op     int32
	layout uintptr
}

// scatter is the node's number of an operation on memory with gaps.
func (p *program) scatter(o *host.Op) int64 {
	op, layout := o.Op, o.Layout
	key := scattered{op, uintptr(unsafe.Pointer(layout))}
	if n := p.ops.World().Combination(key); n != 0 {
		return n
	}
	return p.ops.World().Scatter(key,
		func(data, memory []byte) { host.ScatterData(op, layout, data, memory) },
		func(data, memory []byte) { host.GatherData(layout, data, memory) })
}

// swap is the key of swapIfEqual.
type swap struct{}

// swapping is the node's number of swapIfEqual.
func (p *program) swapping() int64 {
	if n := p.ops.World().Combination(swap{}); n != 0 {
		return n
	}
	return p.ops.World().Combine(swap{}, swapIfEqual)
}

// swapIfEqual takes as data what memory is compared with, and then what takes its place.
func swapIfEqual(memory, data []byte) {
	if n := len(memory); string(memory) == string(data[:n]) {
		copy(memory, data[n:])
	}
}
