package probe

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/model"
)

// name sets the fields of the current hop that identify the packet and its place.
func (x *Observer) name(of model.Stage, msg model.MsgID, flits uint16, port, vc uint32) {
	m := x.messages.At(msg)
	x.hop = model.Hop{
		Message: x.spec.NumberOf(m), Source: m.Src, Destination: m.Dst, SourceRank: m.SrcRank,
		Stage: of, Last: flits&core.LastPacket != 0, Port: -1, VC: -1,
		OutPort: x.PortOf[port], OutVC: int32(vc), Flits: int32(flits & core.FlitMask),
		Needs: int32(flits & core.FlitMask),
	}
}

// comesFrom sets the input VC of the current hop: the VC index of a router.
func (x *Observer) comesFrom(r *core.Router, index uint32) {
	x.hop.Port, x.hop.VC = x.PortOf[r.FirstPort+index/x.numVCs], int32(index%x.numVCs)
}

// leaves reports the current hop of a packet that starts now. Its tail leaves at `leave` (ps).
func (x *Observer) leaves(leave int64) {
	x.hop.Start, x.hop.Leave = x.events.Now, leave
	x.Sink.Hop(x.block, &x.hop)
}

// Crosses reports the hop of the packet for which Starts has been called. Its tail leaves at `leave` (ps).
func (x *Observer) Crosses(leave int64) {
	if x.Hops {
		x.leaves(leave)
	}
}

// Links reports the hop of a packet that starts from an output buffer on the link of a port of the active
// router, through a VC. Its tail leaves at `leave` (ps).
func (x *Observer) Links(p *stage.Packet, port, vc uint32, leave int64) {
	if !x.Hops {
		return
	}
	g := x.general
	x.name(model.Linked, p.Msg, p.Flits, g.R.FirstPort+port, vc)
	x.hop.Needs = g.Out.Flow.LinkNeeds(port*x.numVCs+vc, p)
	x.hop.Ready, x.hop.Asked = p.Ready, p.Ready
	x.leaves(leave)
}
