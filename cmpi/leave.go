package cmpi

import (
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/cmpi/internal/polling"
	"fabricast/node"
)

// handOver resumes the C side. It returns when the C side has left operations and waits for
// something.
func (p *program) handOver() {
	if len(p.loans.list) > 0 {
		p.loans.reclaim(p.ops)
	}
	if p.block.halfway != nil {
		p.block.halfway.setAside()
	}
	small := int32(-1)
	if len(p.background) == 0 { // otherwise they go on during a wait for a send
		small = p.block.job.small
	}
	if p.rank.Small != small {
		p.rank.Small = small
	}
	p.rank.Clock = p.ops.Now()
	if o := p.block.job.order; o != nil {
		o.pass(p.ops)
	}
	if p.block.job.crash.Load() == nil {
		host.Resume(p.rank, p.block.list)
	} else {
		p.block.job.watched(func() { host.Resume(p.rank, p.block.list) })
	}
	if p.block.job.abroad != nil {
		p.block.job.passOutput()
	}
	p.at = 0
	if p.rank.Ops > 0 {
		p.polls = polling.Polls{}
	}
}

// leave passes the operations that the C side has left to the node. It returns false if the rank
// has to wait before it can continue.
func (p *program) leave() bool {
	list := p.set
	if list == nil {
		list = unsafe.Slice(p.block.list, host.Batch)
	}
	for p.at < p.rank.Ops {
		o := &list[p.at]
		p.at++
		if !p.emit(o) {
			p.state = leaving
			if p.set == nil {
				p.block.halfway = p
			}
			return false
		}
	}
	if p.block.halfway == p {
		p.block.halfway = nil
	}
	p.set = nil
	p.state = handed
	return true
}

// setAside copies the operations that the rank has not passed to the node yet, because another rank
// needs the list.
func (p *program) setAside() {
	p.block.halfway = nil
	p.set = append([]host.Op(nil), unsafe.Slice(p.block.list, p.rank.Ops)...)
	for i := range p.set[p.at:] {
		o := &p.set[int(p.at)+i]
		if o.Kind == host.SendWhole && o.Size > 0 {
			data := append([]byte(nil), unsafe.Slice(o.Data, o.Size)...)
			o.Data = &data[0]
		}
	}
}

// emit passes an operation to the node. It returns false if the rank has to wait.
func (p *program) emit(o *host.Op) bool {
	if o.Kind == host.Compute {
		p.ops.Compute(o.Size)
		return true
	}
	buf := buffer(o.Data, o.Size, o.Omit != 0)
	switch o.Kind {
	case host.SendWhole:
		p.mark(o, buf)
		return !p.ops.WaitAll(p.ops.Send(buf, o.Peer, o.Self, o.Tag, o.Context))
	case host.Send, host.Ssend:
		p.mark(o, buf)
		p.send(o, buf)
	case host.Recv:
		status := (*node.Delivery)(unsafe.Pointer(&o.Request.Status))
		o.Request.Node = p.ops.RecvTo(buf, status, o.Peer, o.Tag, o.Context).ID
	default:
		p.emitAccess(o, buf)
	}
	return true
}

// send starts a send whose contents stay where they are until it is complete.
func (p *program) send(o *host.Op, buf node.Buf) {
	p.ops.Lend()
	switch {
	case o.Kind == host.Ssend:
		o.Request.Node = p.ops.SendWith(buf, o.Peer, o.Self, o.Tag, o.Context, synchronous(o)).ID
	case o.ResultSize != 0 || o.Op != 0:
		o.Request.Node = p.ops.SendWith(buf, o.Peer, o.Self, o.Tag, o.Context, options(o)).ID
	default:
		o.Request.Node = p.ops.Send(buf, o.Peer, o.Self, o.Tag, o.Context).ID
	}
	p.lent()
}

// mark attaches to the contents of a send the mark by which the C side compares datatypes.
func (p *program) mark(o *host.Op, buf node.Buf) {
	if buf.HasData() && buf.Len() > 0 {
		p.block.job.announceMark(uint64(o.Place))
		p.ops.Mark(uint64(o.Place))
	}
}
