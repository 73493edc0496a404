package fabric

import (
	"sync/atomic"

	"fabricast/internal/offheap"
)

// Block is a range of consecutive routers with their hosts. It implements engine.Block for the
// engine, and Transport for the endpoint that runs on its hosts. Only one goroutine may use a block
// at a time.
type Block struct {
	net      *Network
	index    int
	first    uint32 // its routers are first .. first+count-1
	count    uint32
	endpoint Endpoint
	teller   Teller // the endpoint, if it is one

	*layout
	// the parts of the layout that the inner loop reads, copied into the block
	routers     array[routerState]
	classes     array[linkLayout]
	vcs         uint32
	flitTime    int64
	uneven      bool
	roundRobins bool
	special     bool // uneven or roundRobins
	// one route for each pair of hosts, NICs that send one message after the other, and no special
	// features: packets may pass as trains
	plain   bool
	direct  bool // plain, and not observed
	early   bool // plain, and NICs may inject packets before it is time, see InjectAhead
	streams bool // plain, and NICs need not be looked at packet by packet in this window

	counters counters     // what it has done
	events   eventWheel   // what is due when
	messages messageTable // that its hosts have sent
	mail     outbox       // for other blocks
	ahead    lookahead    // how long windows may be
	lanes    vcLanes      // virtual channels with their packets, on the fast path
	ports    outputPorts  // when ports are free, on the fast path
	credit   creditReturn // for packets that wait for it, on the fast path
	send     nicSenders   // NICs, from memory to the network
	receive  nicReceivers // NICs, from the network to memory
	bus      *ioBuses     // nil unless NICs share I/O buses
	general  *general     // on the general path; else nil
	loader   loader       // loads ahead what visits need, on the fast path
	sink     Sink         // nil unless something is to be told while it runs
	observer *observer    // nil unless that is what links, buffers or packets do

	active      []uint32 // routers of the current window
	activations uint64   // of the last window
	contenders  []uint32 // timers of lanes whose packets ask at one instant
	arena       offheap.Arena
	saver
}

// counters holds a block's sums. Other goroutines read them for progress reports.
type counters struct {
	sums
	progress atomic.Int64

	toldAt uint64 // visits, when the others were told last
	// packets, delivered and hops, as published some rounds ago
	packetsTold, deliveredTold, hopsTold atomic.Uint64
}

// sums are the counters that add up over blocks.
type sums struct {
	packets   uint64 // injected
	delivered uint64 // packets in memory
	hops      uint64 // router-to-router links taken
	visits    uint64
	bytes     uint64 // payload bytes in memory
	injectSum int64  // sum of the injection times of all packets, modulo 2^64
	arriveSum int64  // sum of the times at which they were in memory, modulo 2^64
}

// Counters are published after this many rounds, or sooner after this many router activations: in a
// large network one round may take a second.
const (
	tellEvery  = 32
	tellVisits = 2048
)

// Run simulates all routers of the block for one window.
func (b *Block) Run(window int64, round uint64) {
	b.mail.begin(round)
	b.events.moveTo(window, b.minHop)
	if b.sink != nil {
		b.sink.Window(b.index, b.events.calendar.start)
	}
	if b.observer != nil {
		b.direct = b.observer.beginWindow()
		b.streams = b.direct
	}
	if b.general != nil {
		b.active = b.events.calendar.take(b.active[:0])
		b.counters.visits += uint64(len(b.active))
		b.general.run()
	} else {
		b.visitAll()
	}
	b.events.endWindow()
	b.counters.progress.Store(b.events.calendar.end)
	if round%tellEvery == 0 || b.counters.visits-b.counters.toldAt >= tellVisits {
		b.tell()
	}
}

// tell publishes the block's counters to other goroutines.
func (b *Block) tell() {
	c := &b.counters
	c.toldAt = c.visits
	c.packetsTold.Store(c.packets)
	c.deliveredTold.Store(c.delivered)
	c.hopsTold.Store(c.hops)
	if b.teller != nil {
		b.teller.Tell()
	}
}

// GVT implements VirtualTime. It returns the start of the window (ps), which is the same in all
// blocks.
func (b *Block) GVT() int64 { return b.events.calendar.start }

// Window returns the length of the block's windows (ps).
func (b *Block) Window() int64 { return b.events.calendar.length }

// SetWindow changes the length of the windows (ps). It must be called between two windows.
func (b *Block) SetWindow(length int64) {
	if b.events.calendar.length == length {
		return
	}
	b.events.calendar.cut(length, b.Now())
	remark(b)
}

// remark records all set timers of a block's routers in its calendar again.
func remark(b *Block) {
	for number := b.first; number < b.first+b.count; number++ {
		if b.general != nil {
			b.general.wheel.remark(b.routers.at(number))
		}
		b.events.remark(b.routers.at(number))
	}
}

// Work returns the number of router activations so far.
func (b *Block) Work() uint64 { return b.counters.visits }

// Next returns the earliest window with an event in this block, or in a block to which this one has
// just sent something. It returns math.MaxInt64 if there is none.
func (b *Block) Next() int64 {
	next := min(b.events.calendar.next(), b.mail.earliest(b.events.calendar.length))
	if b.general != nil {
		next = min(next, b.general.publish.next())
	}
	return next
}
