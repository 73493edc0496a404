package allgather

import (
	"fabricast/collective"
	"fabricast/collective/internal/channels"
	"fabricast/node"
)

var (
	_ = Algorithms.RegisterWith(110, channels.Info(
		collective.NCCLRing, "on a ring for each channel, through all ranks of a node after another",
	), by(channels.Ring))
	_ = Algorithms.RegisterWith(112, channels.Info(
		collective.NCCLPAT, "a binomial tree for each block, all at once, far ranks first",
	), by(channels.PAT))
	_ = Algorithms.RegisterWith(113, channels.Info(
		collective.NCCLNVLS, "NVLink switches copy each block to all ranks of a node (NVLS); nccl where they have no tree",
	), by(channels.NVLS))
	_ = Algorithms.RegisterWith(114, channels.Info(
		collective.NCCL, "nccl-ring, nccl-nvls or, with one rank on each node, nccl-pat, as NCCL's model of costs has it",
	), by(channels.Best))
)

func by(way channels.Way) func(v collective.Values) Func {
	return func(v collective.Values) Func { return nccl(v, way) }
}

// nccl returns an allgather of NCCL 2.30. In each channel a part of every block goes around a ring of
// its own, in p-1 steps, or along a tree. Switches can do so too (NVLS).
func nccl(v collective.Values, way channels.Way) Func {
	return func(c collective.Comm, send, recv node.Buf) {
		copy(recv.Slice(c.Rank()*send.Len(), send.Len()).Bytes(), send.Bytes())
		if c.Size() == 1 || send.Len() == 0 {
			return
		}
		s := channels.Choose(c, v, channels.Call{
			Kind: collective.KindAllgather, Bytes: recv.Len(), Traffic: recv.Len(),
		}, way)
		s.Run(c, func(s *channels.Setting) []channels.Program {
			return s.Allgather(recv)
		}, nil, collective.TagAllgather)
	}
}
