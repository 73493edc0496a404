package reducescatter

import (
	"fabricast/collective"
	"fabricast/collective/internal/channels"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.RegisterWith(130, channels.Reduction(
		collective.NCCLRing, "on a ring for each channel, through all ranks of a node after another",
	), by(channels.Ring))
	_ = Algorithms.RegisterWith(132, channels.Reduction(
		collective.NCCLPAT, "a binomial tree for each block, all at once, far ranks last",
	), by(channels.PAT))
	_ = Algorithms.RegisterWith(133, channels.Reduction(
		collective.NCCLNVLS, "NVLink switches reduce each block on a node (NVLS); nccl where they have no tree",
	), by(channels.NVLS))
	_ = Algorithms.RegisterWith(134, channels.Reduction(
		collective.NCCL, "nccl-ring, nccl-nvls or, with one rank on each node, nccl-pat, as NCCL's model of costs has it",
	), by(channels.Best))
)

func by(way channels.Way) func(v collective.Values) Func {
	return func(v collective.Values) Func { return nccl(v, way) }
}

// nccl returns a reduce-scatter of NCCL 2.30. In each channel a part of every block goes around a ring
// of its own, in p-1 steps, or along a tree, and every rank adds its operand. Switches can do so too
// (NVLS).
func nccl(v collective.Values, way channels.Way) Func {
	return func(c collective.Comm, send, recv node.Buf, op *collective.Op) {
		acc := steps.Scratch(send.Len(), send)
		copy(acc.Bytes(), send.Bytes())
		if c.Size() > 1 && send.Len() > 0 {
			s := channels.Choose(c, v, channels.Call{
				Kind: collective.KindReduceScatter, Bytes: send.Len(), Traffic: send.Len(), Op: op, Data: send,
			}, way)
			s.Run(c, func(s *channels.Setting) []channels.Program {
				return s.ReduceScatter(acc, op.ElemSize())
			}, op, collective.TagReduceScatter)
		}
		copy(recv.Bytes(), acc.Slice(c.Rank()*recv.Len(), recv.Len()).Bytes())
	}
}
