package core

import (
	"errors"

	"fabricast/internal/offheap"
)

// PortMore holds the seldom-used state of a port.
type PortMore struct {
	Fraction uint64 // of a ps, see rate
	Flits    uint64 // sent, beyond portState.sent
	Packets  uint64
	Last     uint32 // VC index after the last one granted: where round robin begins
	_        uint32
}

// State is the mutable state of a run besides the routers' own records, in arrays that the blocks
// divide among themselves by index.
type State struct {
	Timers Array[int64] // ps, of hosts and NICs, by routerState.timers
	// bitmap of a router's timers set for a window, by window modulo wheel, then routerState.masks
	due Array[uint64]
	// bitmaps of the set timers beyond the first 64 of a router, indexed from routerState.masks
	armed   Array[uint64]
	VCs     Array[VC]
	VCWaits Array[VCWait]   // by VC
	Ports   Array[Port]     // by port, those of NICs last
	More    Array[PortMore] // by port
}

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
	)
	return &s, err
}
