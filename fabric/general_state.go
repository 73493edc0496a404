package fabric

import (
	"errors"
	"fmt"
	"unsafe"

	"fabricast/internal/offheap"
)

// list is a list of parcels, linked by parcel.next; 0 = none.
type list struct{ first, last uint32 }

// inlet is the input VC: the buffer of what arrives over the link on one virtual channel of a port.
type inlet struct {
	// ready packets in the order of arrival; with input queues all packets; none with virtual
	// output queues and fixed routes
	here   list
	coming list // with virtual output queues: packets that are not ready yet
	// ps: the VC's timer; with input queues, when the first packet asked for its output; without
	// packets, when the last one's tail left
	ask     int64
	flits   int32  // in the buffer
	packets uint32 // in the buffer
}

// outBuffer is the output buffer of an output VC.
type outBuffer struct {
	timer   int64 // ps, if armed
	queue   list  // packets that have not started on the link
	room    int32 // flits free
	inside  int32 // flits that have started toward the buffer and not on the link
	left    int64 // ps: when the tail of the last packet left
	granted int64 // ps+1: when the link was granted to this channel last; 0 = never
	short   bool  // somebody waits for room
}

// outLink is the link behind a port's output buffers.
type outLink struct {
	free     int64  // ps: when it is free
	fraction uint64 // of a ps, see rate
	leaving  uint32 // slot of the output buffer that the last packet left
	flits    uint32 // of that packet
	last     uint32 // virtual channel after the last one granted
	down     bool   // by an event
}

// generalRouter holds the index of a router's first element in each array. The numbers of its
// timers, besides those of hosts and NICs, are in this order: one for each slot (its first packet
// begins to ask, or the next one becomes ready), one for each port (its crossbar output becomes
// free), one for each output slot (its first packet in the output buffer may request the link, or
// credit has come) and, with output buffers, one for each port (its link becomes free).
type generalRouter struct {
	// index in generalState.maps: bitmap of the timers set for windows beyond the wheel
	later uint32
	// index of its bitmaps of slots, see askingMap
	maps    uint32
	queues  uint32 // virtual output queues, by slot and output slot
	granted uint32 // times of grants, by output port (with fixed routes) and slot
	// with adaptive routing: slot after the one granted last; with separate allocation: such a VC
	last uint32

	far       int64 // ps: not after the earliest of these
	published int64 // ps: the time whose queues it has published last

	places uint32 // given in the order of requests, see requestOrder
	ports  uint16
	slots  uint16
	words  uint16 // of a bitmap of slots
	tWords uint16 // of a bitmap of timers
}

// generalState is the mutable state of the general path.
type generalState struct {
	routers array[generalRouter]
	inlets  array[inlet]  // by global port and virtual channel
	outlets array[outlet] // by global port and virtual channel, then those of the NICs
	buffers array[outBuffer]
	ports   array[crossing]
	links   array[outLink]
	maps    array[uint64]
	// bitmaps of the timers set for the coming windows, by router and window modulo wheel; one
	// cache line for most routers
	due     array[uint64]
	queues  array[list]  // virtual output queues; what is in one that is empty has no meaning
	granted array[int64] // ps+1; 0 = never

	published array[int32] // see publisher

	owned array[ownedVC] // by outlet, with separate allocation
	turns array[vcTurn]  // by port, with separate allocation
	asked array[vcAsks]  // by inlet, with separate allocation

	dueWords uint32 // of a bitmap of due timers, enough for the largest router
}

// newGeneralState allocates the state of the general path for a network.
func newGeneralState(a *offheap.Arena, l *layout, here func(router uint32) bool) (*generalState, error) {
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
	ports := int(l.nicPorts)
	inlets := ports * int(l.vcs)
	outlets := inlets + len(l.spec.Graph.NICPort)*int(l.vcs)
	err = errors.Join(
		s.inlets.reserve(a, inlets),
		s.outlets.reserve(a, outlets),
		s.ports.reserve(a, ports),
		s.maps.reserve(a, int(end.maps)),
		s.due.reserve(a, len(routers)*wheel*int(s.dueWords)),
		s.queues.reserve(a, int(end.queues)),
		s.granted.reserve(a, int(end.granted)),
	)
	if err == nil && l.spec.Router.OutputBuffer > 0 {
		err = errors.Join(s.buffers.reserve(a, inlets), s.links.reserve(a, ports))
	}
	if err == nil && l.spec.Router.Allocation == SeparateAllocation {
		err = errors.Join(
			s.owned.reserve(a, inlets), s.turns.reserve(a, ports),
			s.asked.reserve(a, inlets),
		)
	}
	if err == nil && l.publishes() > 0 {
		err = s.published.reserve(a, publishedSets*ports)
	}
	if err != nil {
		return nil, err
	}
	s.reset(l, here)
	return &s, nil
}

// placeGeneral computes where each router's elements begin. It returns where they end, and the
// largest number of words of a bitmap of timers.
func placeGeneral(l *layout, routers []generalRouter) (end generalRouter, err error) {
	spec := &l.spec
	for i := range routers {
		lr := &l.routers[i]
		slots := uint32(lr.slots)
		ports := slots / l.vcs
		timers := timersOf(spec, ports, slots)
		if timers > maxTimers {
			return end, fmt.Errorf(
				"router %d has more ports and channels (%d) than the %d that can be simulated",
				i, slots, maxTimers/3,
			)
		}
		x := end
		x.later, x.far = end.maps, Forever
		x.ports, x.slots = uint16(ports), uint16(slots)
		x.words, x.tWords = uint16(wordsOf(int(slots))), uint16(wordsOf(int(timers)))
		x.maps += uint32(x.tWords)
		routers[i] = x
		end.tWords = max(end.tWords, x.tWords)
		end.maps = x.maps + mapsOf(spec, ports, slots)
		queues, granted := generalTables(spec, ports, slots)
		if uint64(end.queues)+uint64(queues) > 1<<31 || uint64(end.granted)+uint64(granted) > 1<<31 {
			return end, fmt.Errorf(
				"router %d: more virtual output queues, or inputs to arbitrate, than can be numbered",
				i,
			)
		}
		end.queues += queues
		end.granted += granted
	}
	return end, nil
}

// timersOf returns how many timers a router has besides those of hosts and NICs.
func timersOf(s *Spec, ports, slots uint32) uint32 {
	if s.Router.OutputBuffer > 0 {
		return 2*slots + 2*ports
	}
	return 2*slots + ports
}

// generalTables returns how many virtual output queues and grant times a router has.
func generalTables(s *Spec, ports, slots uint32) (queues, granted uint32) {
	if s.Router.Queues == VirtualOutputQueues && s.Adaptive == nil {
		queues = slots * slots
	}
	switch {
	case s.Router.arbiterKind().Memory != GrantTimes:
	case s.Router.Allocation == SeparateAllocation:
		// of each port and each virtual channel of the outputs, of the router, and of inputs
		granted = (ports + slots + 2) * slots
	case s.Adaptive == nil:
		granted = ports * slots
	default:
		granted = slots
	}
	return queues, granted
}

// reset sets all buffers empty and all resources idle, at the routers for which here is true.
func (s *generalState) reset(l *layout, here func(router uint32) bool) {
	g := l.spec.Graph
	for i := range g.Ports {
		if !here(uint32(g.Ports[i].Router)) {
			continue
		}
		s.ports.at(uint32(i)).portLayout = l.wiring(uint32(i))
		s.resetPort(l, uint32(i)*l.vcs)
		if s.buffers.n > 0 {
			for v := range l.vcs {
				s.buffers.at(uint32(i)*l.vcs + v).room = int32(int64(l.spec.Router.OutputBuffer) / l.spec.Packet.Flit)
			}
		}
	}
	for nic, port := range g.NICPort {
		if here(uint32(g.Ports[port].Router)) {
			s.resetPort(l, l.nicLanes+uint32(nic)*l.vcs)
		}
	}
	for i := range l.routers {
		if !here(uint32(i)) {
			continue
		}
		x := s.routers.at(uint32(i))
		for slot := range uint32(l.routers[i].slots) {
			s.slotMap(x, idleInMap).set(slot)
			s.slotMap(x, idleOutMap).set(slot)
		}
	}
}

// resetPort gives the output VCs of a port, the first of which is lane, all their credit.
func (s *generalState) resetPort(l *layout, lane uint32) {
	for v := range l.vcs {
		s.outlets.at(lane + v).credit = l.capacity
	}
}

// A router's bitmaps of slots are stored one after the other, see general.enter. Two bitmaps that
// are never needed together share a number.
const (
	askingMap  = 0 // a packet asks and has not started
	idleInMap  = 1 // the input port is free
	idleOutMap = 2 // as output: the port is free
	// 3: as output: a packet waits for its space, with fixed routes; or: it is recorded what the
	// packet that asks waits for, with adaptive routing and input queues
	// 4: as output: it certainly has space for the largest packet, with adaptive routing; or: the
	// first packet asks for a virtual channel, with separate allocation
	// 5: as output: it has too little space for the largest packet, of which a return will be
	// noticed, with adaptive routing; or:
	owningMap = 5 // the first packet has a virtual channel and has not started
	// 6: the asking packet is smaller than the largest, with adaptive routing and input queues; or:
	// the first packet has lost a round and will ask again, with separate allocation
	//
	// Then come, for each port, the slots that wait for it, and for each slot the outputs that its
	// packets wait for, with virtual output queues or adaptive routing. The order of requests is last.
	mapsBefore = 7
)

// mapsOf returns how many words the bitmaps of a router's slots take, and its order of requests.
func mapsOf(s *Spec, ports, slots uint32) uint32 {
	maps := (mapsBefore + ports + slots) * uint32(wordsOf(int(slots)))
	if keepsOrder(s) {
		maps += orderWords(slots)
	}
	return maps
}

// slotMap returns one of a router's bitmaps of slots.
func (s *generalState) slotMap(x *generalRouter, number uint32) bitmap {
	return bitmap{unsafe.Pointer(s.maps.at(x.maps + number*uint32(x.words)))}
}

// owning returns the bitmap of slots whose first packet owns a VC and has not started.
func (s *generalState) owning(x *generalRouter) bitmap { return s.slotMap(x, owningMap) }

// wishes returns the bitmap of outputs that a slot's packets wait for.
func (s *generalState) wishes(x *generalRouter, slot uint32) bitmap {
	return s.slotMap(x, mapsBefore+uint32(x.ports)+slot)
}
