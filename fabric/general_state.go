package fabric

import (
	"errors"
	"fmt"
	"unsafe"

	"fabricast/internal/offheap"
)

// list is a list of parcels, linked by parcel.next; 0 = none.
type list struct{ first, last uint32 }

// inlet is a virtual channel of an input port: the buffer of what comes over the link.
type inlet struct {
	here    list   // packets that are ready, in order of arrival; at input queues all; with virtual output queues and fixed routes none
	coming  list   // with virtual output queues: packets that are not ready yet
	ask     int64  // ps: its timer; at input queues this is when the first packet asked for its output; if there is none, when the last one's tail left
	flits   int32  // in the buffer
	packets uint32 // in the buffer
}

// outlet is a virtual channel of an output port, or of a NIC's sending side: the
// credit for the buffer at the other end. It is one cache line.
type outlet struct {
	timer  int64 // ps, if armed
	times  [inlineReturns]int64
	credit int32 // flits known to be free at the other end
	room   int32 // flits free in the output buffer
	inside int32 // flits that have started toward the output buffer and not on the link
	more   list  // what does not fit into times and flits
	flits  [inlineReturns]uint16
	holder uint16 // slot+1 of the packet that waits for space here, with fixed routes; 0 = none
	n      uint8  // returns of credit that are known and not taken yet: of flits[i] at times[i] (ps), in order of time
	wanted bool   // somebody waits for credit of which nothing is known to come back
	armed  bool   // its timer is set
	short  bool   // somebody waits for room in the output buffer
}

const inlineReturns = 3

// outBuffer is the output buffer of an outlet.
type outBuffer struct {
	queue   list  // packets that have not started on the link
	left    int64 // ps: when the tail of the last packet left
	granted int64 // ps+1: when the link was granted to this channel last; 0 = never
}

// crossing is the crossbar's output at a port, and what the port leads to.
type crossing struct {
	free     int64  // ps: when it is free (and the link, without output buffers)
	fraction uint64 // of a ps, see rate
	flits    uint64 // sent on the link
	packets  uint64
	portLayout
	last    uint16 // slot after the last one granted: where round robin begins
	feeder  uint16 // input port of the last packet
	feeds   uint16 // of the input of the same port: output port of its last packet
	watched bool   // its timer is set
}

// link is what output buffers lead to.
type outLink struct {
	free     int64  // ps: when it is free
	fraction uint64 // of a ps, see rate
	leaving  uint32 // slot of the output buffer that the last packet left
	flits    uint32 // of that packet
	last     uint32 // virtual channel after the last one granted
}

// generalRouter holds where a router's things begin. Its timers, beside those of hosts
// and NICs, are in order: one for each slot (its first packet begins to ask, or the
// next one becomes ready), one for each port (its crossbar is free), one for each output slot (its first packet
// in the output buffer may ask for the link, or credit has come) and, with output buffers, one for each
// port (its link is free).
type generalRouter struct {
	later   uint32 // in generalState.maps: bitmap of timers that are set for windows beyond those that are kept apart
	maps    uint32 // its bitmaps of slots: asking, idleIn, idleOut, held, roomy, dry, smaller, waiters of each port, wishes of each slot
	queues  uint32 // virtual output queues, by slot and output slot
	granted uint32 // times of grants, by output port (with fixed routes) and slot
	last    uint32 // with adaptive routing: slot after the one granted last

	far       int64 // ps: not after the earliest of these
	published int64 // ps: the time whose queues it has published last

	ports  uint16
	slots  uint16
	words  uint16 // of a bitmap of slots
	tWords uint16 // of a bitmap of timers
}

// generalState is what changes on the general path during a run.
type generalState struct {
	routers array[generalRouter]
	inlets  array[inlet]  // by global port and virtual channel
	outlets array[outlet] // by global port and virtual channel, then those of the NICs
	buffers array[outBuffer]
	ports   array[crossing]
	links   array[outLink]
	maps    array[uint64]
	due     array[uint64] // bitmaps of timers that are set for the coming windows, by router and window modulo wheel: of most routers one cache line
	queues  array[list]   // virtual output queues; what is in one that is empty has no meaning
	granted array[int64]  // ps+1; 0 = never

	published array[int32] // see publisher

	dueWords uint32 // of a bitmap of due timers, enough for the largest router
}

// newGeneralState lays out the general path of a network.
func newGeneralState(a *offheap.Arena, l *layout) (*generalState, error) {
	var s generalState
	routers, err := offheap.Make[generalRouter](a, len(l.routers))
	if err != nil {
		return nil, err
	}
	s.routers = arrayOf(routers)
	end, err := placeGeneral(l, routers)
	if err != nil {
		return nil, err
	}
	s.dueWords = uint32(end.tWords)
	inlets := len(l.wiring) * int(l.vcs)
	outlets := inlets + len(l.spec.Graph.NICPort)*int(l.vcs)
	err = errors.Join(
		s.inlets.reserve(a, inlets), s.outlets.reserve(a, outlets), s.ports.reserve(a, len(l.wiring)),
		s.maps.reserve(a, int(end.maps)), s.due.reserve(a, len(routers)*wheel*int(s.dueWords)), s.queues.reserve(a, int(end.queues)), s.granted.reserve(a, int(end.granted)),
	)
	if err == nil && l.spec.Router.OutputBuffer > 0 {
		err = errors.Join(s.buffers.reserve(a, inlets), s.links.reserve(a, len(l.wiring)))
	}
	if err == nil && l.publishes() > 0 {
		err = s.published.reserve(a, publishedSets*len(l.wiring))
	}
	if err != nil {
		return nil, err
	}
	s.reset(l, uint32(outlets))
	return &s, nil
}

// placeGeneral finds where each router's things begin; it returns where they end, and how many words bitmaps of timers take at most.
func placeGeneral(l *layout, routers []generalRouter) (end generalRouter, err error) {
	spec := &l.spec
	for i := range routers {
		lr := &l.routers[i]
		slots := uint32(lr.slots)
		ports := slots / l.vcs
		timers := timersOf(spec, ports, slots)
		if timers > maxTimers {
			return end, fmt.Errorf("router %d has more ports and channels (%d) than the %d that can be simulated", i, slots, maxTimers/3)
		}
		x := end
		x.later, x.far = end.maps, Forever
		x.ports, x.slots = uint16(ports), uint16(slots)
		x.words, x.tWords = uint16(wordsOf(int(slots))), uint16(wordsOf(int(timers)))
		x.maps += uint32(x.tWords)
		routers[i] = x
		end.tWords = max(end.tWords, x.tWords)
		end.maps = x.maps + (mapsBefore+ports+slots)*uint32(x.words)
		queues, granted := generalTables(spec, ports, slots)
		if uint64(end.queues)+uint64(queues) > 1<<31 || uint64(end.granted)+uint64(granted) > 1<<31 {
			return end, fmt.Errorf("router %d: more virtual output queues, or inputs to arbitrate, than can be numbered", i)
		}
		end.queues += queues
		end.granted += granted
	}
	return end, nil
}

// timersOf is how many timers a router has beside those of hosts and NICs.
func timersOf(s *Spec, ports, slots uint32) uint32 {
	if s.Router.OutputBuffer > 0 {
		return 2*slots + 2*ports
	}
	return 2*slots + ports
}

// generalTables is how many virtual output queues and times of grants a router has.
func generalTables(s *Spec, ports, slots uint32) (queues, granted uint32) {
	if s.Router.Queues == VirtualOutputQueues && s.Adaptive == nil {
		queues = slots * slots
	}
	if s.Router.Arbiter == Matrix {
		granted = slots
		if s.Adaptive == nil {
			granted = ports * slots
		}
	}
	return queues, granted
}

// reset makes everything empty and idle.
func (s *generalState) reset(l *layout, outlets uint32) {
	for i := range outlets {
		o := s.outlets.at(i)
		o.credit = l.capacity
		o.room = int32(l.spec.Router.OutputBuffer / l.spec.Packet.Flit)
	}
	for i := range l.wiring {
		s.ports.at(uint32(i)).portLayout = l.wiring[i]
	}
	for i := range l.routers {
		x := s.routers.at(uint32(i))
		for slot := range uint32(l.routers[i].slots) {
			s.idleIn(x).set(slot)
			s.idleOut(x).set(slot)
		}
	}
}

// dueIn is the bitmap of a router's timers that are due in a window.
func (s *generalState) dueIn(number, window uint32) bitmap {
	return bitmap{unsafe.Pointer(s.due.at((number*wheel + window%wheel) * s.dueWords))}
}

// mapsBefore is the number of a router's bitmaps before those of ports and slots.
const mapsBefore = 7

// slotMap is one of a router's bitmaps of slots.
func (s *generalState) slotMap(x *generalRouter, number uint32) bitmap {
	return bitmap{unsafe.Pointer(s.maps.at(x.maps + number*uint32(x.words)))}
}

// asking is the bitmap of a router's slots in which a packet asks and has not started.
func (s *generalState) asking(x *generalRouter) bitmap { return s.slotMap(x, 0) }

// idleIn is the bitmap of slots whose input port is free.
func (s *generalState) idleIn(x *generalRouter) bitmap { return s.slotMap(x, 1) }

// idleOut is the bitmap of output slots whose port is free.
func (s *generalState) idleOut(x *generalRouter) bitmap { return s.slotMap(x, 2) }

// held is the bitmap of output slots for whose space a packet waits, with fixed routes.
func (s *generalState) held(x *generalRouter) bitmap { return s.slotMap(x, 3) }

// roomy is the bitmap of output slots that certainly have space for the largest packet, with adaptive routing.
func (s *generalState) roomy(x *generalRouter) bitmap { return s.slotMap(x, 4) }

// dry is the bitmap of output slots with too little space for the largest packet, of which a return of space will
// be noticed, with adaptive routing.
func (s *generalState) dry(x *generalRouter) bitmap { return s.slotMap(x, 5) }

// smaller is the bitmap of slots whose asking packet is smaller than the largest, with adaptive routing and input queues.
func (s *generalState) smaller(x *generalRouter) bitmap { return s.slotMap(x, 6) }

// waiters is the bitmap of slots that wait for a port.
func (s *generalState) waiters(x *generalRouter, port uint32) bitmap {
	return s.slotMap(x, mapsBefore+port)
}

// wishes is the bitmap of output slots that a slot's packets wait for, with virtual
// output queues or adaptive routing.
func (s *generalState) wishes(x *generalRouter, slot uint32) bitmap {
	return s.slotMap(x, mapsBefore+uint32(x.ports)+slot)
}

// waitersFor is waiters of the visited router.
func (g *general) waitersFor(port uint32) bitmap { return g.ofPorts.next(port * g.words) }

// wishesAt is wishes of the visited router.
func (g *general) wishesAt(slot uint32) bitmap { return g.ofSlots.next(slot * g.words) }

// queueOf is the virtual output queue of a slot for an output slot.
func (g *general) queueOf(slot, out uint32) *list {
	return g.queues.at(g.x.queues + slot*g.slots + out)
}

// firstOf is the first packet of a virtual output queue that is not empty.
func (g *general) firstOf(slot, out uint32) uint32 {
	return g.queueOf(slot, out).first
}
