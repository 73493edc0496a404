package stage

import (
	"errors"
	"fmt"
	"unsafe"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"

	"fabricast/internal/offheap"
)

// List is a list of packets, linked by Packet.Next; 0: none.
type List struct{ First, Last uint32 }

// InputVC is an input VC: the buffer for packets that arrive over the link on one virtual channel
// of a port.
type InputVC struct {
	// eligible packets in the order of arrival; with input queues all packets; empty with virtual
	// output queues and fixed routes
	Here   List
	Coming List // with virtual output queues: packets that are not eligible yet
	// the VC's timer (ps); with input queues, when the first packet requested its output; without
	// packets, when the tail of the last one left
	Ask     int64
	Flits   int32  // flits in the buffer
	Packets uint32 // packets in the buffer
}

// OutBuffer is the output buffer of an output VC.
type OutBuffer struct {
	timer   int64 // time (ps) of its timer, if that is set
	Queue   List  // packets whose transfer on the link has not started
	Room    int32 // free space in flits
	Inside  int32 // flits that have started toward the buffer but not on the link
	left    int64 // when the tail of the last packet left (ps)
	granted int64 // when the link was last granted to this channel (ps+1); 0: never
	Short   bool  // a packet is waiting for space
}

// OutLink is the link behind a port's output buffers.
type OutLink struct {
	Free     int64  // when the link is free (ps)
	Fraction uint64 // fraction of a ps left by the last transfer, see core.Rate
	leaving  uint32 // VC whose output buffer the last packet left
	flits    uint32 // size of that packet in flits
	last     uint32 // virtual channel after the one that was granted the link last
	Down     bool   // an event has halted the link
}

// Router holds the offsets of a router's elements in the arrays. Its timers, except for those of
// hosts and NICs, are numbered in this order: one for each VC (its first packet makes its first
// request, or the next one becomes eligible), one for each port (its crossbar output becomes free),
// one for each output VC (the first packet in its output buffer may request the link, or credit has
// arrived) and, with output buffers, one for each port (its link becomes free).
type Router struct {
	// offset in DueWheel.maps of the bitmap of timers set for windows beyond the wheel
	Later uint32
	// offset of its bitmaps of VCs, see askingMap
	Maps    uint32
	Queues  uint32 // offset of its virtual output queues, by VC and output VC
	Granted uint32 // offset of its times of grants, by output port (with fixed routes) and VC
	// with adaptive routing: VC after the one granted last; with separate allocation: the same for
	// virtual channels
	last uint32

	far       int64 // earliest timer beyond the wheel, or earlier (ps)
	published int64 // time of its latest publication of queues (ps)

	places   uint32 // number of places assigned in the order of requests, see requestOrder
	NumPorts uint16
	NumVCs   uint16
	Words    uint16 // words of a bitmap of VCs
	TWords   uint16 // words of a bitmap of timers
}

// State is the mutable state of the general path.
type State struct {
	Routers   core.Array[Router]
	InputVCs  core.Array[InputVC]  // by global port and virtual channel
	OutputVCs core.Array[OutputVC] // by global port and virtual channel, then those of the NICs
	Buffers   core.Array[OutBuffer]
	Ports     core.Array[CrossbarPort]
	Links     core.Array[OutLink]
	Maps      core.Array[uint64]
	// bitmaps of the timers set for the coming windows, by router and window modulo core.Wheel; one
	// cache line for most routers
	Due     core.Array[uint64]
	Queues  core.Array[List]  // virtual output queues; the values in an empty one are undefined
	Granted core.Array[int64] // time of each grant, plus 1 ps; 0: never

	// by global port and class: see core.Shares, of crossbar outputs, and of links behind output buffers
	Lags, LinkLags core.Array[int64]

	Published core.Array[int32] // published queue lengths, see publisher

	Owned core.Array[OwnedVC]    // by output VC, with separate allocation
	Turns core.Array[VcTurn]     // by port, with separate allocation
	Asked core.Array[VCRequests] // by input VC, with separate allocation

	DueWords uint32 // words of a bitmap of due timers, enough for the largest router
}

// NewState allocates the state of the general path for a network.
func NewState(a *offheap.Arena, l *core.Layout, here func(router uint32) bool) (*State, error) {
	var s State
	routers, err := offheap.Make[Router](a, len(l.Routers))
	if err != nil {
		return nil, err
	}
	s.Routers = core.ArrayOf(routers)
	end, err := placeRouters(l, routers)
	if err != nil {
		return nil, err
	}
	s.DueWords = uint32(end.TWords)
	ports := int(l.FirstNICPort)
	inputVCs := ports * int(l.NumVCs)
	outputVCs := inputVCs + len(l.Spec.Graph.NICPort)*int(l.NumVCs)
	err = errors.Join(
		s.InputVCs.Reserve(a, inputVCs),
		s.OutputVCs.Reserve(a, outputVCs),
		s.Ports.Reserve(a, ports),
		s.Maps.Reserve(a, int(end.Maps)),
		s.Due.Reserve(a, len(routers)*core.Wheel*int(s.DueWords)),
		s.Queues.Reserve(a, int(end.Queues)),
		s.Granted.Reserve(a, int(end.Granted)),
	)
	if err == nil {
		s.Lags, err = core.ReserveShares(a, l, ports)
	}
	if err == nil && l.Spec.Router.OutputBuffer > 0 {
		s.LinkLags, err = core.ReserveShares(a, l, ports)
	}
	if err == nil && l.Spec.Router.OutputBuffer > 0 {
		err = errors.Join(s.Buffers.Reserve(a, inputVCs), s.Links.Reserve(a, ports))
	}
	if err == nil && l.Spec.Router.Allocation == model.SeparateAllocation {
		err = errors.Join(
			s.Owned.Reserve(a, inputVCs), s.Turns.Reserve(a, ports),
			s.Asked.Reserve(a, inputVCs),
		)
	}
	if err == nil && l.Publishes() > 0 {
		err = s.Published.Reserve(a, PublishedSets*ports)
	}
	if err != nil {
		return nil, err
	}
	s.reset(l, here)
	return &s, nil
}

// placeRouters computes the offsets of each router's elements in the state arrays. It returns the
// offsets after the last router and the size, in words, of the largest per-router timer bitmap.
func placeRouters(l *core.Layout, routers []Router) (end Router, err error) {
	spec := &l.Spec
	for i := range routers {
		lr := &l.Routers[i]
		vcs := uint32(lr.NumVCs)
		ports := vcs / l.NumVCs
		timers := TimersOf(spec, ports, vcs)
		if timers > core.MaxTimers {
			return end, fmt.Errorf(
				"router %d has more ports and channels (%d) than the %d that can be simulated",
				i, vcs, core.MaxTimers/3,
			)
		}
		x := end
		x.Later, x.far = end.Maps, model.Forever
		x.NumPorts, x.NumVCs = uint16(ports), uint16(vcs)
		x.Words, x.TWords = uint16(core.WordsOf(int(vcs))), uint16(core.WordsOf(int(timers)))
		x.Maps += uint32(x.TWords)
		routers[i] = x
		end.TWords = max(end.TWords, x.TWords)
		end.Maps = x.Maps + MapsOf(spec, ports, vcs)
		queues, granted := TablesOf(spec, ports, vcs)
		if uint64(end.Queues)+uint64(queues) > 1<<31 || uint64(end.Granted)+uint64(granted) > 1<<31 {
			return end, fmt.Errorf(
				"router %d: more virtual output queues, or inputs to arbitrate, than can be numbered",
				i,
			)
		}
		end.Queues += queues
		end.Granted += granted
	}
	return end, nil
}

// TimersOf returns the number of timers of a router, except for those of hosts and NICs.
func TimersOf(s *model.Spec, ports, vcs uint32) uint32 {
	if s.Router.OutputBuffer > 0 {
		return 2*vcs + 2*ports
	}
	return 2*vcs + ports
}

// TablesOf returns the numbers of virtual output queues and grant times of a router.
func TablesOf(s *model.Spec, ports, vcs uint32) (queues, granted uint32) {
	if s.Router.Queues == model.VirtualOutputQueues && s.Adaptive == nil {
		queues = vcs * vcs
	}
	switch {
	case s.Router.ArbiterKind().Memory != model.GrantTimes:
	case s.Router.Allocation == model.SeparateAllocation:
		// of each port and each virtual channel of the outputs, of the router, and of inputs
		granted = (ports + vcs + 2) * vcs
	case s.Adaptive == nil:
		granted = ports * vcs
	default:
		granted = vcs
	}
	return queues, granted
}

// reset empties all buffers and frees all resources, at the routers for which here returns true.
func (s *State) reset(l *core.Layout, here func(router uint32) bool) {
	g := l.Spec.Graph
	for i := range g.Ports {
		if !here(uint32(g.Ports[i].Router)) {
			continue
		}
		s.Ports.At(uint32(i)).PortLayout = l.Wiring(uint32(i))
		s.resetPort(l, uint32(i)*l.NumVCs)
		if s.Buffers.N > 0 {
			for v := range l.NumVCs {
				s.Buffers.At(uint32(i)*l.NumVCs + v).Room = int32(int64(l.Spec.Router.OutputBuffer) / l.Spec.Packet.Flit)
			}
		}
	}
	for nic, port := range g.NICPort {
		if here(uint32(g.Ports[port].Router)) {
			s.resetPort(l, l.FirstNICVC+uint32(nic)*l.NumVCs)
		}
	}
	for i := range l.Routers {
		if !here(uint32(i)) {
			continue
		}
		x := s.Routers.At(uint32(i))
		for index := range uint32(l.Routers[i].NumVCs) {
			s.vcMap(x, idleInMap).Set(index)
			s.vcMap(x, idleOutMap).Set(index)
		}
	}
}

// resetPort gives all output VCs of a port their full credit. number is the first of them.
func (s *State) resetPort(l *core.Layout, number uint32) {
	for v := range l.NumVCs {
		s.OutputVCs.At(number + v).Credit = l.Capacity
	}
}

// Indices of a router's bitmaps of VCs, which are stored one after another (see Stages.Enter). Two
// bitmaps that are never needed together share an index.
const (
	askingMap  = 0 // a packet has made a request and has not started
	idleInMap  = 1 // the input port is free
	idleOutMap = 2 // the output's port is free
	// Index 3: with fixed routes, outputs for whose space a packet waits. Or, with adaptive routing
	// and input queues, VCs for whose packet the awaited outputs are recorded.
	//
	// Index 4: with adaptive routing, outputs known to have space for the largest packet. Or, with
	// separate allocation, VCs whose first packet requests a virtual channel.
	//
	// Index 5: with adaptive routing, outputs without enough space for the largest packet, at which
	// a return of space will be noticed. Or:
	owningMap = 5 // the first packet has a virtual channel and has not started
	// Index 6: with adaptive routing and input queues, VCs whose requesting packet is smaller than
	// the largest. Or, with separate allocation, VCs whose first packet has lost a round and will
	// repeat its request.
	//
	// These are followed by a bitmap for each port, of the VCs that wait for it, and, with virtual
	// output queues or adaptive routing, one for each VC, of the outputs that its packets wait for.
	// The order of requests comes last.
	MapsBefore = 7
)

// MapsOf returns the number of words of the bitmaps of a router's VCs, and of its order of
// requests.
func MapsOf(s *model.Spec, ports, vcs uint32) uint32 {
	maps := (MapsBefore + ports + vcs) * uint32(core.WordsOf(int(vcs)))
	if keepsOrder(s) {
		maps += OrderWords(vcs)
	}
	return maps
}

// vcMap returns one of a router's bitmaps of VCs.
func (s *State) vcMap(x *Router, number uint32) core.Bitmap {
	return core.Bitmap{First: unsafe.Pointer(s.Maps.At(x.Maps + number*uint32(x.Words)))}
}

// Owning returns the bitmap of VCs whose first packet owns a VC and has not started.
func (s *State) Owning(x *Router) core.Bitmap { return s.vcMap(x, owningMap) }

// Requests returns the bitmap of outputs that a VC's packets wait for.
func (s *State) Requests(x *Router, index uint32) core.Bitmap {
	return s.vcMap(x, MapsBefore+uint32(x.NumPorts)+index)
}
