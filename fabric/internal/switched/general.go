package switched

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/model"
)

// Routers is a block's part of the general path. It takes the place of the fast path's routers
// where a Spec asks for what those do not know: adaptive routing, virtual output queues, output
// buffers, an arbiter beyond FCFS and round robin, a user's flow control, separate allocation, a
// turnaround of queues, or injection by all virtual channels. NICs, messages, the event wheel, mail
// and statistics are the same.
//
// # How it works
//
// As on the fast path each router is taken alone within a window, and its timers
// say when there is something to do; but there are more of them, and what waits
// is kept in bitmaps. At every instant it is gathered which packets might start: those
// that begin to ask, those that wait for a port or input which has become
// free or for space that has come, and no others, since nothing has changed for
// them. They are tried one after the other in the order of arbitration.
//
// The invariant behind it: a packet that asks and could not start waits for a port or input
// that is busy and watched (its timer is set to when it will be free), or for space in an
// output channel (output VC) of a free port, which is then wanted: the return of space
// there sets a timer.
//
// # Its parts
//
// Each stage of a router is a part with its own state, see stages. general itself visits the routers,
// and takes packets from one part to the next.
type Routers struct {
	stage.Stages
	Loader   Loader   // loads ahead what visits need
	Observer Observer // nil unless that is what links, buffers or packets do

	injectInTurn bool   // NICs take all virtual channels in turn
	Doors        *Doors // nil unless the Spec has some
}

// Observer is what an observer gets to know of the routers.
type Observer interface {
	// held is called for an output VC for whose space a packet begins to wait.
	Held(out uint32)
	// starts is called for the packet of a VC that starts through the crossbar.
	Starts(index, id uint32, p *stage.Packet)
	// startsOn is called for a packet that starts on the link of a port.
	StartsOn(port, flits uint32)
	// injected is called for a packet that a NIC with credit sends now.
	Injected(nic uint32, n *nic.Sender, flits uint32)
}

// Needed reports whether only the general path can simulate a Spec.
func Needed(s *model.Spec) bool {
	r := &s.Router
	return s.Doors != nil || s.Adaptive != nil || r.Queues != model.InputQueues || r.OutputBuffer != 0 ||
		!r.ArbiterKind().Fast() || !r.FlowControl.Fast() || r.Allocation != model.CombinedAllocation ||
		r.Turnaround != 0 || r.Injection != model.RoutedVC || mostPackets(s) > core.MaxPackets
}

// mostPackets returns how many of the smallest packets a buffer can hold.
func mostPackets(s *model.Spec) int64 {
	return int64(s.Router.Buffer) / max(1, s.Packet.Wire(0), s.Packet.Flit)
}

// New returns the block's part of the general path.
func New(b *nic.NICs, s *stage.State, p *stage.Packets, pool stage.PacketPool) *Routers {
	g := &Routers{injectInTurn: b.Spec.Router.Injection == model.VCsInTurn}
	g.Stages.Begin(b, s, p, pool)
	g.Loader = newLoader(g)
	return g
}
