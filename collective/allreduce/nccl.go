package allreduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/channels"
	"fabricast/node"
)

var (
	_ = Algorithms.RegisterWith(140, collective.Info{
		Name: collective.NCCL, CommutativeOnly: true, Overlaps: true, Sized: true, Options: channels.Options,
		Summary: "nccl-ring or nccl-tree, as NCCL's model of costs has it",
	}, func(v collective.Values) Func { return nccl(v, nil) })
	_ = Algorithms.RegisterWith(150, collective.Info{
		Name: collective.NCCLRing, CommutativeOnly: true, Overlaps: true, Sized: true, Options: channels.Options,
		Summary: "reduce-scatter and allgather on a ring for each channel, through all ranks of a node after another",
	}, func(v collective.Values) Func { return nccl(v, &onRing) })
	_ = Algorithms.RegisterWith(160, collective.Info{
		Name: collective.NCCLTree, CommutativeOnly: true, Overlaps: true, Sized: true, Options: channels.Options,
		Summary: "up and down two binary trees of nodes, in whose nodes ranks are chains",
	}, func(v collective.Values) Func { return nccl(v, &onTree) })
)

var onRing, onTree = true, false

// nccl returns an allreduce of NCCL 2.30. On rings each channel has a ring of its own, on which chunks
// of its part of the buffer travel as in Ring; on trees, chunks go up one of two complementary binary
// trees and down again (Sanders, Speck and Träff, Two-tree algorithms for full bandwidth broadcast,
// reduction and scan, Parallel Computing 2009). ring is nil if the model of costs decides.
func nccl(v collective.Values, ring *bool) Func {
	return func(c collective.Comm, recv node.Buf, op *collective.Op) {
		if c.Size() == 1 || recv.Len() == 0 {
			return
		}
		s := channels.Choose(c, v, channels.Call{
			Kind: collective.KindAllreduce, Bytes: recv.Len(), Traffic: 2 * recv.Len(),
		}, ring)
		programs := s.TreeAllreduce
		if s.Ring {
			programs = s.RingAllreduce
		}
		s.Run(c, programs(recv, op.ElemSize()), op, collective.TagAllreduce)
	}
}
