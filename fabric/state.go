package fabric

import (
	"errors"

	"fabricast/internal/offheap"
)

// portMore holds the seldom-used state of a port.
type portMore struct {
	fraction uint64 // of a ps, see rate
	flits    uint64 // sent, beyond portState.sent
	packets  uint64
	last     uint32 // slot after the last one granted: where round robin begins
	_        uint32
}

// state is the mutable state of a run besides the routers' own records, in arrays that the blocks
// divide among themselves by index.
type state struct {
	timers array[int64] // ps, of hosts and NICs, by routerState.timers
	// bitmap of a router's timers set for a window, by window modulo wheel, then routerState.masks
	due array[uint64]
	// bitmaps of the set timers beyond the first 64 of a router, indexed from routerState.masks
	armed    array[uint64]
	lanes    array[lane]
	laneMore array[laneMore]  // by lane
	ports    array[portState] // by port, those of NICs last
	more     array[portMore]  // by port
}

func newState(a *offheap.Arena, l *layout, lanes int) (*state, error) {
	last := l.routers[len(l.routers)-1]
	timers := int(last.timers) + int(last.first)
	nics := len(l.spec.Graph.NICPort)
	var s state
	err := errors.Join(
		s.timers.reserve(a, timers),
		s.due.reserve(a, wheel*int(l.dueWords)),
		s.armed.reserve(a, int(last.masks)+int(last.words)),
		s.lanes.reserve(a, lanes),
		s.laneMore.reserve(a, lanes),
		s.ports.reserve(a, int(l.nicPorts)+nics),
		s.more.reserve(a, int(l.nicPorts)),
	)
	return &s, err
}
