package allgather

import (
	"fabricast/collective"
	"fabricast/collective/internal/channels"
	"fabricast/node"
)

var (
	_ = Algorithms.RegisterWith(110, collective.Info{
		Name: collective.NCCLRing, Overlaps: true, Sized: true, Options: channels.Options,
		Summary: "on a ring for each channel, through all ranks of a node after another",
	}, func(v collective.Values) Func { return nccl(v, &byRing) })
	_ = Algorithms.RegisterWith(112, collective.Info{
		Name: collective.NCCLPAT, Overlaps: true, Sized: true, Options: channels.Options,
		Summary: "a binomial tree for each block, all at once, far ranks first",
	}, func(v collective.Values) Func { return nccl(v, &byPAT) })
	_ = Algorithms.RegisterWith(114, collective.Info{
		Name: collective.NCCL, Overlaps: true, Sized: true, Options: channels.Options,
		Summary: "nccl-ring or, with one rank on each node, nccl-pat, as NCCL's model of costs has it",
	}, func(v collective.Values) Func { return nccl(v, nil) })
)

var byRing, byPAT = false, true

// nccl returns an allgather of NCCL 2.30. In each channel a part of every block goes around a ring of
// its own, in p-1 steps, or along a tree. pat is nil if the model of costs decides.
func nccl(v collective.Values, pat *bool) Func {
	return func(c collective.Comm, send, recv node.Buf) {
		copy(recv.Slice(c.Rank()*send.Len(), send.Len()).Bytes(), send.Bytes())
		if c.Size() == 1 || send.Len() == 0 {
			return
		}
		s := channels.ChooseBlocks(c, v, channels.Call{
			Kind: collective.KindAllgather, Bytes: recv.Len(), Traffic: recv.Len(),
		}, pat)
		s.Run(c, s.Allgather(recv), nil, collective.TagAllgather)
	}
}
