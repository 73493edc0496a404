package broadcast

import (
	"fabricast/collective"
	"fabricast/collective/internal/channels"
	"fabricast/node"
)

var _ = Algorithms.RegisterWith(160, collective.Info{
	Name: collective.NCCLRing, Alias: collective.NCCL, Overlaps: true, Sized: true, Options: channels.Options,
	Summary: "a pipeline on a ring for each channel, through all ranks of a node after another",
}, NCCLRing)

// NCCLRing returns the broadcast of NCCL 2.30: in each channel a part of the buffer goes around a ring
// of its own, chunk by chunk, from the root to the rank before it.
func NCCLRing(v collective.Values) Func {
	return func(c collective.Comm, buf node.Buf, root int) {
		if c.Size() == 1 || buf.Len() == 0 {
			return
		}
		s := channels.ChooseRing(c, v, channels.Call{
			Kind: collective.KindBroadcast, Bytes: buf.Len(), Traffic: buf.Len(),
		})
		s.Run(c, func(s *channels.Setting) []channels.Program {
			return s.Pipeline(buf, root, 1, false)
		}, nil, collective.TagBroadcast)
	}
}
