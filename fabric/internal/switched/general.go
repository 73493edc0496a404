package switched

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/model"
)

// Routers are a block's routers on the general path. They replace the fast path's routers if a Spec
// requires features that those lack: adaptive routing, virtual output queues, output buffers, an
// arbiter other than FCFS and round robin, a user's flow control, separate allocation, a turnaround
// time of queues, injection by all virtual channels, or doors. NICs, messages, the event wheel,
// mail and statistics are the same.
//
// # How it works
//
// As on the fast path, each router is simulated alone within a window, and its timers say when it
// has work to do. But there are more timers, and waiting packets are recorded in bitmaps. At every
// instant, the packets that might start are collected: those that make their first request, those
// that wait for a port or input that has become free, and those that wait for space that has been
// returned. For the other packets nothing has changed. The collected packets are tried one after
// another in arbitration order.
//
// This relies on an invariant: a packet that has made a request and could not start waits for a
// port or input that is busy and watched (its timer is set to the time when it will be free), or
// for space in an output VC of a free port. That output VC is then wanted: the return of space
// there sets a timer.
//
// # Its parts
//
// Each stage of a router is a part with its own state (see stage.Stages). Routers itself activates
// the routers and moves packets from one part to the next.
type Routers struct {
	stage.Stages
	Loader   Loader   // prefetches data for router activations
	Observer Observer // nil unless links, buffers or packets are observed

	injectInTurn bool   // NICs use all virtual channels in turn
	Doors        *Doors // nil unless the Spec has doors
}

// Observer is notified of events in the routers.
type Observer interface {
	// Held is called for an output VC for whose space a packet starts to wait.
	Held(out uint32)
	// Starts is called for the packet of a VC that starts through the crossbar.
	Starts(index, id uint32, p *stage.Packet)
	// Crosses is called after Starts. The packet's tail leaves its buffer at `leave` (ps).
	Crosses(leave int64)
	// Links is called for a packet that starts from an output buffer on the link of a port.
	Links(p *stage.Packet, port, vc uint32, leave int64)
	// StartsOn is called for a packet that starts on the link of a port.
	StartsOn(port, flits uint32)
	// Injected is called for a packet that a NIC with credit sends now.
	Injected(nic uint32, n *nic.Sender, flits uint32)
}

// Needed reports whether only the general path can simulate a Spec.
func Needed(s *model.Spec) bool {
	r := &s.Router
	return s.Doors != nil || len(r.Classes) > 0 || s.Adaptive != nil || r.Queues != model.InputQueues || r.OutputBuffer != 0 ||
		!r.ArbiterKind().Fast() || !r.FlowControl.Fast() || r.Allocation != model.CombinedAllocation ||
		r.Turnaround != 0 || r.Injection != model.RoutedVC || mostPackets(s) > core.MaxPackets
}

// mostPackets returns the number of smallest packets that a buffer can hold.
func mostPackets(s *model.Spec) int64 {
	return int64(s.Router.Buffer) / max(1, s.Packet.Wire(0), s.Packet.Flit)
}

// New returns a block's routers on the general path.
func New(b *nic.NICs, s *stage.State, p *stage.Packets, pool stage.PacketPool) *Routers {
	g := &Routers{injectInTurn: b.Spec.Router.Injection == model.VCsInTurn}
	g.Stages.Begin(b, s, p, pool)
	g.Loader = newLoader(g)
	return g
}
