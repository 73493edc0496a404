package cmpi

import (
	"fmt"
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/collective/allgather"
	"fabricast/collective/allreduce"
	"fabricast/collective/alltoall"
	"fabricast/collective/barrier"
	"fabricast/collective/broadcast"
	"fabricast/collective/gather"
	"fabricast/collective/reduce"
	"fabricast/collective/reducescatter"
	"fabricast/collective/scan"
	"fabricast/collective/scatter"
	"fabricast/node"
)

// run executes the collective that the strand's call describes.
func (s *strand) run() {
	c := s.call
	send, recv := s.buffer(c.Send, c.SendSize), s.buffer(c.Recv, c.RecvSize)
	root := int(c.Root)
	s.comm.tellUnpaced()
	if c.Remote != nil {
		s.between(send, recv)
		return
	}
	switch c.What {
	case host.Barrier:
		barrier.Run(&s.comm, s.choose(collective.KindBarrier, 0))
	case host.Broadcast:
		broadcast.Run(&s.comm, recv, root, s.choose(collective.KindBroadcast, c.RecvSize))
	case host.Gather:
		gather.Run(&s.comm, send, recv, root, s.choose(collective.KindGather, c.SendSize))
	case host.Scatter:
		scatter.Run(&s.comm, send, recv, root, s.choose(collective.KindScatter, c.RecvSize))
	case host.Allgather:
		allgather.Run(&s.comm, send, recv, s.choose(collective.KindAllgather, c.SendSize))
	case host.Alltoall:
		alltoall.Run(&s.comm, send, recv, s.choose(collective.KindAlltoall, c.SendSize/int64(c.Size)))
	case host.Reduce:
		reduce.Run(&s.comm, send, recv, s.op(), root, s.choose(collective.KindReduce, c.SendSize))
	case host.Allreduce:
		allreduce.Run(&s.comm, send, recv, s.op(), s.choose(collective.KindAllreduce, c.SendSize))
	case host.ReduceScatter:
		if c.Commutative == 0 {
			s.reduceScatterv(send, recv)
			return
		}
		reducescatter.Run(
			&s.comm, send, recv, s.op(), s.choose(collective.KindReduceScatter, c.RecvSize),
		)
	case host.Scan:
		scan.Run(&s.comm, send, recv, s.op(), s.choose(collective.KindScan, c.SendSize))
	case host.Exscan:
		scan.RunExclusive(&s.comm, send, recv, s.op(), s.choose(collective.KindExscan, c.SendSize))
	case host.Split:
		s.split()
	case host.Window:
		s.meetWindow()
	case host.Neighbour:
		s.neighbours(send, recv)
	case host.Ordered:
		s.ordered()
	default:
		s.vector(send, recv)
	}
}

func (s *strand) buffer(p *byte, size int64) node.Buf { return contents(s.call, p, size) }

// contents returns a buffer of a call in the form that algorithms use.
func contents(c *host.Call, p *byte, size int64) node.Buf {
	if c.Omit != 0 {
		return node.Size(int(size))
	}
	if p == nil || size == 0 {
		return node.Data([]byte{})
	}
	return node.Data(unsafe.Slice(p, size))
}

// op returns the operation of a reduction.
func (s *strand) op() *collective.Op {
	c := s.call
	return &collective.Op{
		Name: fmt.Sprintf("operation 0x%x", c.Op), Elem: int(c.Elem), Commutative: c.Commutative != 0,
		Combine: func(inout, in []byte) { s.apply(in, inout) },
	}
}
