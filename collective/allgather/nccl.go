package allgather

import (
	"fabricast/collective"
	"fabricast/collective/internal/channels"
	"fabricast/node"
)

var _ = Algorithms.RegisterWith(110, collective.Info{
	Name: collective.NCCLRing, Alias: collective.NCCL, Overlaps: true, Sized: true, Options: channels.Options,
	Summary: "on a ring for each channel, through all ranks of a node after another",
}, NCCLRing)

// NCCLRing returns the allgather of NCCL 2.30: in each channel a part of every block goes around a
// ring of its own, in p-1 steps.
func NCCLRing(v collective.Values) Func {
	return func(c collective.Comm, send, recv node.Buf) {
		copy(recv.Slice(c.Rank()*send.Len(), send.Len()).Bytes(), send.Bytes())
		if c.Size() == 1 || send.Len() == 0 {
			return
		}
		s := channels.ChooseRing(c, v, channels.Call{
			Kind: collective.KindAllgather, Bytes: recv.Len(), Traffic: recv.Len(),
		})
		s.Run(c, s.RingAllgather(recv), nil, collective.TagAllgather)
	}
}
