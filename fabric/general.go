package fabric

import "fabricast/routing"

// general is a block's part of the general path. It takes the place of the fast
// path's routers where a Spec asks for what those do not know: adaptive routing,
// virtual output queues, output buffers, or an arbiter beyond FCFS and round robin.
// NICs, messages, calendar, agenda, mailboxes and statistics are the same.
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
// output channel (outlet) of a free port, which is then wanted: the return of space
// there sets a timer.
type general struct {
	b *Block
	generalState
	pool parcelPool

	adaptive, voq, buffered bool
	arbiter                 Arbiter
	vcs                     uint32
	portMask                uint64         // a bit for each channel of a port
	recordBytes             uint64         // see measure
	mostWords               int            // of a bitmap of slots, at the largest router
	ahead                   bool           // state is loaded ahead in this window
	capacity                int32          // flits of an input buffer
	largest                 int32          // flits of the largest packet
	post                    int64          // ps through the crossbar to the output buffer
	linkRates               array[rate]    // by class of links
	portOf                  array[uint16]  // of a slot
	answers                 []answer       // of the packet that asks; room for a steady algorithm
	steady                  routing.Steady // the adaptive algorithm, if it is one
	choices                 array[choice]  // by slot, or with virtual output queues by packet: what it waits for, if the algorithm is steady
	fresh                   bitmap         // bitmap of the outputs that the packet that asks may take
	contenders              []contender    // packets that may start at this instant
	rounds                  []round        // with round robin and fixed routes: of ports that have become free at this instant
	contending              bitmap         // with adaptive routing: the slots of the contenders
	usable                  bitmap         // outputs that are free and may have space, see general_slots.go
	contended               bool           // there are some in the bitmap that are not in the list, see general_slots.go
	inRounds                bitmap         // bitmap of the outputs of these ports
	agenda                  dueList
	busyLinks               bitmap // bitmap of ports whose links have something to look for
	view                    view   // of the router being visited
	publish                 publisher
	visited
}

// visited is the router being visited.
type visited struct {
	r                     *routerState
	x                     *generalRouter
	asks, inputs, outputs bitmap // its bitmaps asking, idleIn and idleOut
	ofPorts, ofSlots      bitmap // its bitmaps waiters and wishes, of all ports and slots
	holds                 bitmap // its bitmap held
	room, dried, small    bitmap // its bitmaps roomy, dry and smaller
	lanes, firstPort      uint32 // its first ones
	slots                 uint32
	taken                 uint32 // first output slot of the port toward which a packet has started last
	words                 uint32 // of its bitmaps of slots
	timers                timerKinds
}

// needsGeneral tells whether only the general path can simulate a Spec.
func needsGeneral(s *Spec) bool {
	r := &s.Router
	return s.Adaptive != nil || r.Queues != InputQueues || r.OutputBuffer != 0 || r.Arbiter > RoundRobin
}

// newGeneral returns the block's part of the general path.
func newGeneral(b *Block, s *generalState, p publisher) *general {
	spec := &b.spec
	g := &general{
		b: b, generalState: *s, publish: p,
		adaptive: spec.Adaptive != nil, voq: spec.Router.Queues == VirtualOutputQueues, buffered: spec.Router.OutputBuffer > 0,
		arbiter: spec.Router.Arbiter, vcs: b.layout.vcs, portMask: ones(b.layout.vcs), capacity: b.capacity, largest: int32(b.maxFlits),
		post: spec.Router.SwitchTraversal + spec.Router.Latency,
	}
	g.view.g = g
	g.answers = make([]answer, 0, 64) // a steady algorithm needs no more, see routing.Options
	g.steady, _ = spec.Adaptive.(routing.Steady)
	rates := make([]rate, len(spec.Links))
	for i, link := range spec.Links {
		rates[i] = newRate(link.Bandwidth)
	}
	g.linkRates = arrayOf(rates)
	g.measure()
	slots := 0
	for i := range b.layout.routers {
		slots = max(slots, int(b.layout.routers[i].slots))
	}
	ports := make([]uint16, slots)
	for i := range ports {
		ports[i] = uint16(uint32(i) / g.vcs)
	}
	g.portOf = arrayOf(ports)
	g.mostWords = wordsOf(slots)
	g.inRounds = newBitmap(g.mostWords)
	g.contending = newBitmap(g.mostWords)
	g.busyLinks = newBitmap(g.mostWords)
	g.usable = newBitmap(g.mostWords)
	g.fresh = newBitmap(g.mostWords)
	return g
}
