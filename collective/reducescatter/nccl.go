package reducescatter

import (
	"fabricast/collective"
	"fabricast/collective/internal/channels"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.RegisterWith(130, collective.Info{
		Name: collective.NCCLRing, CommutativeOnly: true, Overlaps: true, Sized: true, Options: channels.Options,
		Summary: "on a ring for each channel, through all ranks of a node after another",
	}, func(v collective.Values) Func { return nccl(v, &byRing) })
	_ = Algorithms.RegisterWith(132, collective.Info{
		Name: collective.NCCLPAT, CommutativeOnly: true, Overlaps: true, Sized: true, Options: channels.Options,
		Summary: "a binomial tree for each block, all at once, far ranks last",
	}, func(v collective.Values) Func { return nccl(v, &byPAT) })
	_ = Algorithms.RegisterWith(134, collective.Info{
		Name: collective.NCCL, CommutativeOnly: true, Overlaps: true, Sized: true, Options: channels.Options,
		Summary: "nccl-ring or, with one rank on each node, nccl-pat, as NCCL's model of costs has it",
	}, func(v collective.Values) Func { return nccl(v, nil) })
)

var byRing, byPAT = false, true

// nccl returns a reduce-scatter of NCCL 2.30. In each channel a part of every block goes around a ring
// of its own, in p-1 steps, or along a tree, and every rank adds its operand. pat is nil if the model
// of costs decides.
func nccl(v collective.Values, pat *bool) Func {
	return func(c collective.Comm, send, recv node.Buf, op *collective.Op) {
		acc := steps.Scratch(send.Len(), send)
		copy(acc.Bytes(), send.Bytes())
		if c.Size() > 1 && send.Len() > 0 {
			s := channels.ChooseBlocks(c, v, channels.Call{
				Kind: collective.KindReduceScatter, Bytes: send.Len(), Traffic: send.Len(),
			}, pat)
			s.Run(c, s.ReduceScatter(acc, op.ElemSize()), op, collective.TagReduceScatter)
		}
		copy(recv.Bytes(), acc.Slice(c.Rank()*recv.Len(), recv.Len()).Bytes())
	}
}
