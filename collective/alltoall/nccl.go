package alltoall

import (
	"fabricast/collective"
	"fabricast/collective/internal/channels"
	"fabricast/node"
)

var _ = Algorithms.RegisterWith(120, collective.Info{
	Name: collective.NCCLSends, Alias: collective.NCCL, Overlaps: true, Sized: true, Options: channels.Options,
	Summary: "all messages at once, in chunks by channels, eight at a time in each",
}, NCCLSends)

// NCCLSends returns the all-to-all of NCCL 2.30, a group of sends and receives: message k, to the rank
// k above, is in channel k modulo their number, cut in chunks. A channel has eight in progress.
func NCCLSends(v collective.Values) Func {
	return func(c collective.Comm, send, recv node.Buf) {
		block := ownBlock(c, send, recv)
		if c.Size() == 1 || block == 0 {
			return
		}
		s := channels.ChooseSends(c, v, block)
		s.Run(c, func(s *channels.Setting) []channels.Program {
			return s.Sends(send, recv)
		}, nil, collective.TagAlltoall)
	}
}
