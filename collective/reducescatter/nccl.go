package reducescatter

import (
	"fabricast/collective"
	"fabricast/collective/internal/channels"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.RegisterWith(130, collective.Info{
	Name: collective.NCCLRing, Alias: collective.NCCL, CommutativeOnly: true, Overlaps: true, Sized: true,
	Options: channels.Options,
	Summary: "on a ring for each channel, through all ranks of a node after another",
}, NCCLRing)

// NCCLRing returns the reduce-scatter of NCCL 2.30: in each channel a part of every block goes around
// a ring of its own, in p-1 steps, and every rank adds its operand.
func NCCLRing(v collective.Values) Func {
	return func(c collective.Comm, send, recv node.Buf, op *collective.Op) {
		acc := steps.Scratch(send.Len(), send)
		copy(acc.Bytes(), send.Bytes())
		if c.Size() > 1 && send.Len() > 0 {
			s := channels.ChooseRing(c, v, channels.Call{
				Kind: collective.KindReduceScatter, Bytes: send.Len(), Traffic: send.Len(),
			})
			s.Run(c, s.RingReduceScatter(acc, op.ElemSize()), op, collective.TagReduceScatter)
		}
		copy(recv.Bytes(), acc.Slice(c.Rank()*recv.Len(), recv.Len()).Bytes())
	}
}
