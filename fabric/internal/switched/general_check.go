package switched

import (
	"math/bits"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// VerifyBuffer checks that the space of an output buffer adds up, and returns the number of packets
// in it.
func (g *Routers) VerifyBuffer(number uint32) (packets uint64, err error) {
	if !g.Buffered {
		return 0, nil
	}
	buf := g.Links.Buffers.At(number)
	packets, inside := g.Pool.Walk(buf.Queue)
	if full := int64(g.B.Spec.Router.OutputBuffer) / g.B.Spec.Packet.Flit; int64(buf.Room)+inside != full ||
		int64(buf.Inside) != inside {
		return packets, model.Breach(
			"room %d flits and %d flits in the output buffer do not make up its %d flits",
			buf.Room, inside, full,
		)
	}
	return packets, nil
}

// FirstRequest returns the first output VC that the packets of a VC wait for. ok is false if they
// wait for none.
func (g *Routers) FirstRequest(router, index, number uint32) (out uint32, ok bool) {
	if !g.VOQ && !g.Adaptive {
		return uint32(g.Pool.Packets.At(g.In.VCs.At(number).Here.First).Out), true
	}
	x := g.All.Routers.At(router)
	requests := g.All.Requests(x, index)
	for w := range uint32(x.Words) {
		if m := *requests.Word(w); m != 0 {
			return w<<6 + uint32(bits.TrailingZeros64(m)), true
		}
	}
	return 0, false
}

// BlockedSeparately returns the output VC that the first packet of a VC waits for. owner is 1 plus
// the VC of the packet that owns that output VC, or 0.
func (g *Routers) BlockedSeparately(r *core.Router, index uint32) (out, owner uint32) {
	out = uint32(g.Pool.Packets.At(g.In.VCs.At(r.FirstVC + index).Here.First).Out)
	if x := g.All.Routers.At(r.Number); g.Alloc.Chooses && !g.All.Owning(x).Has(index) {
		out = 0
		for w := uint32(x.Words); w > 0; w-- {
			if m := *g.All.Requests(x, index).Word(w - 1); m != 0 {
				out = (w-1)<<6 + uint32(bits.TrailingZeros64(m))
			}
		}
	}
	return out, uint32(g.Alloc.Owned.At(r.FirstVC + out).Owner)
}
