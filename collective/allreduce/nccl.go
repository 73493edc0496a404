package allreduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/channels"
	"fabricast/node"
)

var (
	_ = Algorithms.RegisterWith(140, channels.Reduction(
		collective.NCCL, "the next ones, as NCCL's model of costs has it",
	), by(channels.Best))
	_ = Algorithms.RegisterWith(150, channels.Reduction(
		collective.NCCLRing, "reduce-scatter and allgather on a ring for each channel, through all ranks of a node after another",
	), by(channels.Ring))
	_ = Algorithms.RegisterWith(160, channels.Reduction(
		collective.NCCLTree, "up and down two binary trees of nodes, in whose nodes ranks are chains",
	), by(channels.Tree))
	_ = Algorithms.RegisterWith(162, channels.Reduction(
		collective.NCCLNVLS, "NVLink switches reduce and copy within nodes (NVLS), others between them; nccl where they have no tree",
	), by(channels.NVLS))
	_ = Algorithms.RegisterWith(164, channels.Reduction(
		collective.NCCLNVLSTree, "NVLink switches reduce and copy within nodes (NVLS), trees join these; nccl where they have no tree",
	), by(channels.NVLSTree))
	_ = Algorithms.RegisterWith(166, channels.Reduction(
		collective.NCCLCollNetDirect, "switches between nodes reduce what each GPU has gathered (CollNet); nccl where they have no tree",
	), by(channels.CollNetDirect))
	_ = Algorithms.RegisterWith(168, channels.Reduction(
		collective.NCCLCollNetChain, "switches between nodes reduce what comes from chains of GPUs (CollNet); nccl where they have no tree",
	), by(channels.CollNetChain))
)

func by(way channels.Way) func(v collective.Values) Func {
	return func(v collective.Values) Func { return nccl(v, way) }
}

// nccl returns an allreduce of NCCL 2.30. On rings each channel has a ring of its own, on which chunks
// of its part of the buffer travel as in Ring; on trees, chunks go up one of two complementary binary
// trees and down again (Sanders, Speck and Träff, Two-tree algorithms for full bandwidth broadcast,
// reduction and scan, Parallel Computing 2009). Switches can reduce, too.
func nccl(v collective.Values, way channels.Way) Func {
	return func(c collective.Comm, recv node.Buf, op *collective.Op) {
		if c.Size() == 1 || recv.Len() == 0 {
			return
		}
		s := channels.Choose(c, v, channels.Call{
			Kind: collective.KindAllreduce, Bytes: recv.Len(), Traffic: 2 * recv.Len(), Op: op, Data: recv,
		}, way)
		s.Run(c, func(s *channels.Setting) []channels.Program {
			return s.Allreduce(recv, op.ElemSize())
		}, op, collective.TagAllreduce)
	}
}
