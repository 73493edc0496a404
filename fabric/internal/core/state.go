package core

import (
	"errors"

	"fabricast/internal/offheap"
)

// PortMore holds the rarely used state of a port.
type PortMore struct {
	Fraction uint64 // fraction of a ps left by the last transfer, see Rate
	Flits    uint64 // flits sent in addition to those counted in Port.Sent
	Packets  uint64
	Last     uint32 // VC index after the one granted last: the first in round-robin order
	_        uint32
}

// State is the mutable state of a run, except for the routers' records. It is in arrays that the
// blocks share by index.
type State struct {
	Timers Array[int64] // timers of hosts and NICs (ps), indexed from Router.Timers
	// bitmaps of the timers set for the coming windows: by window (modulo Wheel), then from
	// Router.Masks on
	due Array[uint64]
	// bitmaps of the set timers beyond the first 64 of a router, indexed from Router.Masks
	armed   Array[uint64]
	VCs     Array[VC]
	VCWaits Array[VCWait]   // by VC: data for packets that wait for credit
	Ports   Array[Port]     // by port, followed by the NICs
	More    Array[PortMore] // by port, like Ports

	// Streams that packets form on the fast path, by their indices in the tables of their blocks
	// (see inputqueued.streams); 0: none.
	FIFOStreams Array[uint32]      // by VC: the stream that enters its buffer or leaves it
	PortStreams Array[PortStreams] // by port, like Ports
}

// PortStreams are the streams that use a port, or leave a NIC.
type PortStreams struct{ In, Out uint32 }

func NewState(a *offheap.Arena, l *Layout, vcs int) (*State, error) {
	last := l.Routers[len(l.Routers)-1]
	timers := int(last.Timers) + int(last.First)
	nics := len(l.Spec.Graph.NICPort)
	var s State
	err := errors.Join(
		s.Timers.Reserve(a, timers),
		s.due.Reserve(a, Wheel*int(l.dueWords)),
		s.armed.Reserve(a, int(last.Masks)+int(last.Words)),
		s.VCs.Reserve(a, vcs),
		s.VCWaits.Reserve(a, vcs),
		s.Ports.Reserve(a, int(l.FirstNICPort)+nics),
		s.More.Reserve(a, int(l.FirstNICPort)),
		s.FIFOStreams.Reserve(a, vcs),
		s.PortStreams.Reserve(a, int(l.FirstNICPort)+nics),
	)
	return &s, err
}
