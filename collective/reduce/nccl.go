package reduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/channels"
	"fabricast/node"
)

var _ = Algorithms.RegisterWith(100, collective.Info{
	Name: collective.NCCLRing, Alias: collective.NCCL, CommutativeOnly: true, Overlaps: true, Sized: true,
	Options: channels.Options,
	Summary: "a pipeline on a ring for each channel, through all ranks of a node after another",
}, NCCLRing)

// NCCLRing returns the reduce of NCCL 2.30: in each channel a part of the buffer goes around a ring of
// its own, chunk by chunk, from the rank above the root to the root, and every rank adds its operand.
func NCCLRing(v collective.Values) Func {
	return func(c collective.Comm, send, recv node.Buf, op *collective.Op, root int) {
		acc := accumulator(c, send, recv, root)
		copy(acc.Bytes(), send.Bytes())
		if c.Size() == 1 || send.Len() == 0 {
			return
		}
		s := channels.ChooseRing(c, v, channels.Call{
			Kind: collective.KindReduce, Bytes: send.Len(), Traffic: send.Len(),
		})
		s.Run(c, func(s *channels.Setting) []channels.Program {
			return s.Pipeline(acc, root, op.ElemSize(), true)
		}, op, collective.TagReduce)
	}
}
