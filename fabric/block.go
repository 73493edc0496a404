package fabric

import (
	"math"
	"math/bits"
	"sync/atomic"

	"fabricast/internal/offheap"
	"fabricast/routing"
)

// Block is a range of consecutive routers with their hosts. It implements
// engine.Block for the engine that drives it and Transport for the endpoint
// that sits on its hosts. A block is used by one goroutine at a time.
type Block struct {
	net      *Network
	index    int
	first    uint32 // its routers are first .. first+count-1
	count    uint32
	all      uint32 // routers of the network
	endpoint Endpoint

	prefetcher Prefetcher // the endpoint, if it is one; nil where hosts share their timers with buses

	*layout
	state
	general  *general  // on the general path; else nil
	bus      *ioBuses  // nil unless NICs share I/O buses
	sink     Sink      // nil unless something is to be told while it runs
	observer *observer // nil unless that is what links, buffers or packets do
	// What the inner loop needs of the layout, at hand in the block itself.
	routers     array[routerState]
	wiring      array[portLayout]
	classes     array[linkLayout]
	vcs         uint32
	dor         *routing.DOR
	flitTime    int64
	uneven      bool
	roundRobins bool
	special     bool // uneven or roundRobins
	plain       bool // DOR, and nothing special: packets may pass as trains
	direct      bool // plain, and not observed
	early       bool // plain, and NICs may inject packets before it is time, see InjectAhead
	streams     bool // plain, and NICs need not be looked at packet by packet in this window

	calendar     calendar
	recordBytes  uint64   // of its routers, see size
	active       []uint32 // routers of the current window
	belt         belt     // see visitAhead
	trial        trial    // whether visitAhead pays
	agenda       agenda   // what the router being visited has to do in this window
	contenders   []uint32 // timers of lanes whose packets ask at one instant
	row          uint32   // first of state.due for the current window
	arrivals     uint32   // first of state.due for the window in which most packets sent early in this one arrive
	lateArrivals uint32   // the same for those sent late
	visiting     uint32   // number of that router; noRouter between windows
	now          int64    // ps, of what is being done

	pool                 packetPool
	messages             messagePool
	sent                 array[array[Message]] // by block
	extras               [][]Extra             // by block
	indexBits, indexMask uint32                // of a message within its block
	mail                 []mailbox             // by destination block
	round                uint64
	ahead                lookahead
	arena                offheap.Arena
	counters             counters
}

// noRouter is the number of no router.
const noRouter = math.MaxUint32

// counters are a block's sums, read by other goroutines for progress reports.
type counters struct {
	packets   uint64 // injected
	delivered uint64 // packets in memory
	hops      uint64 // router-to-router links taken
	visits    uint64
	bytes     uint64 // payload bytes in memory
	injectSum int64  // sum of the injection times of all packets, modulo 2^64
	arriveSum int64  // sum of the times at which they were in memory, modulo 2^64
	progress  atomic.Int64

	packetsTold, hopsTold atomic.Uint64 // packets and hops as they were some rounds ago
}

// tellEvery is after how many rounds counters are told again.
const tellEvery = 32

// Run executes the window: all that the block's routers do in it.
func (b *Block) Run(window int64, round uint64) {
	b.round = round
	b.empty()
	b.calendar.moveTo(window)
	b.row = uint32(window) % wheel * b.all
	arrival := uint32(window) + uint32(b.calendar.ahead(b.calendar.start+b.minHop))
	b.arrivals, b.lateArrivals = arrival%wheel*b.all, (arrival+1)%wheel*b.all
	if b.sink != nil {
		b.sink.Window(b.index, b.calendar.start)
	}
	if b.observer != nil {
		b.observer.beginWindow()
	}
	if b.general != nil {
		b.active = b.calendar.take(b.active[:0])
		b.counters.visits += uint64(len(b.active))
		b.general.run()
	} else {
		b.visitAll()
	}
	b.visiting = noRouter
	b.now = b.calendar.end - 1 // a NIC may have looked further ahead; what other blocks have sent comes next
	b.counters.progress.Store(b.calendar.end)
	if b.round%tellEvery == 0 {
		b.counters.packetsTold.Store(b.counters.packets)
		b.counters.hopsTold.Store(b.counters.hops)
	}
}

// visitActive visits the window's routers and loads ahead what that needs, if they are many.
func (b *Block) visitActive() {
	b.active = b.calendar.take(b.active[:0])
	b.counters.visits += uint64(len(b.active))
	if len(b.active) >= recordsAhead {
		b.visitAhead()
		return
	}
	for _, r := range b.active {
		b.visit(b.routers.at(b.first + r))
	}
}

// visitDue visits the window's routers as they are found in the calendar, and loads nothing ahead.
func (b *Block) visitDue() {
	c := &b.calendar
	row, sums := c.row()
	for s := range c.sumWords {
		sum := c.summary.at(sums + s)
		for m := *sum; m != 0; m &= m - 1 {
			group := s<<6 + uint32(bits.TrailingZeros64(m))
			due := c.bits.at(row + group)
			for r := *due; r != 0; r &= r - 1 {
				b.counters.visits++
				b.visit(b.routers.at(b.first + group<<6 + uint32(bits.TrailingZeros64(r))))
			}
			*due = 0
		}
		*sum = 0
	}
	c.emptied()
}

// GVT implements VirtualTime: all blocks are in the same window.
func (b *Block) GVT() int64 { return b.calendar.start }

// Window is the length of the block's windows (ps).
func (b *Block) Window() int64 { return b.calendar.length }

// SetWindow changes the length of the windows between two of them.
func (b *Block) SetWindow(length int64) {
	if b.calendar.length == length {
		return
	}
	b.calendar.cut(length, b.Now())
	if b.general != nil {
		b.general.remark()
	}
	for number := b.first; number < b.first+b.count; number++ {
		b.remark(b.routers.at(number))
	}
}

// remark marks the calendar with all timers of a router that are set.
func (b *Block) remark(r *routerState) {
	set := r.armed
	r.armed = 0
	for w := range uint32(wheel) {
		at := b.due.at(w*b.all + r.number)
		set |= *at
		*at = 0
	}
	if r.near > 0 {
		r.far = Forever
	}
	for w := range uint32(r.words) {
		if w > 0 {
			set = *b.word(r, w<<6)
		}
		for m := set; m != 0; m &= m - 1 {
			timer := w<<6 + uint32(bits.TrailingZeros64(m))
			if at := *b.timer(r, timer); at != Forever { // a host's may have been taken back
				b.note(r, timer, at)
			}
		}
	}
}

// Work is the number of router visits so far.
func (b *Block) Work() uint64 { return b.counters.visits }

// Next is the earliest window in which the block, or one to which it has just
// sent something, has something to do; math.MaxInt64 if there is none.
func (b *Block) Next() int64 {
	next := min(b.calendar.next(), b.earliest())
	if b.general != nil {
		next = min(next, b.general.nextPublication())
	}
	return next
}
