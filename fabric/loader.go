package fabric

import (
	"math/bits"
	"unsafe"

	"fabricast/internal/prefetch"
)

// The activation of a router touches some twenty cache lines. In a large network none of them has
// stayed in the cache since the last window, so they are prefetched. A router's lanes and ports lie
// side by side and are all prefetched. Other addresses are read from them: the lanes whose packets
// will ask name the packets and the lanes downstream, and those name their rings. Every packet that
// will ask (a move) therefore passes through a pipeline. Each of these steps is taken some moves
// after the one before it, when the record it reads has arrived. Activations go on meanwhile.
const (
	// mostAhead and leastAhead bound how many activations ahead the lanes of a router are
	// prefetched. timersAhead is how many timers these routers have together: with more, what is
	// prefetched would be evicted before it is used.
	mostAhead, leastAhead = 16, 2
	timersAhead           = 256
	// beltStep is the number of moves between two steps of the pipeline. beltSize is the number of
	// moves in the pipeline, a power of two.
	beltStep = 6
	beltSize = 32
	// after how many moves the endpoint takes its steps for a packet that completes a message: more
	// than the 2*beltStep after which that is known, and soon enough for routers of few ports
	queueStep, receiveStep = 2*beltStep + 2, 2*beltStep + 5
)

// move is a packet that will soon ask for its output, with the numbers of the lanes it will use.
type move struct {
	in           uint32
	lanes, ports uint32 // first lane and port of its router
	down         uint32
	packet       uint32 // its place
	router       int32  // at the other end of its output, see portState
	delivers     MsgID  // the message that it completes at a host; none if the loader need not know
}

// belt is the prefetch pipeline: the moves whose cache lines are being loaded.
type belt struct {
	moves [beltSize]move
	n     uint32
	list  [prefetch.Most]uintptr
}

// loader prefetches into the cache what the next router activations will use, on the fast path. It
// changes no state. It therefore knows where all parts keep their records.
type loader struct {
	*layout
	events     *eventWheel
	lanes      *vcLanes
	ports      *outputPorts
	messages   *messageTable
	routers    array[routerState]
	nics       array[nic]
	receivers  array[receiver]
	observer   observes
	prefetcher Prefetcher // the endpoint, if it is one; nil where hosts share their timers with buses
	vcs        uint32
	count      uint32 // routers of the block

	posts       bool // hosts inject messages of one packet when they are woken
	belt        belt
	recordBytes uint64 // of its routers, see size
	from        uint64 // size from which on it prefetches
	// how many activations ahead a router's lanes are prefetched; its record is twice as far ahead,
	// and the endpoint follows its records of hosts half as far
	ahead int
}

// records returns how many activations ahead a router's record is prefetched. A window of fewer
// activations is not prefetched.
func (l *loader) records() int { return 2 * l.ahead }

// size returns how many bytes the state of the block's routers and their packets takes.
func (l *loader) size() uint64 {
	return l.recordBytes + uint64(l.lanes.pool.used-l.lanes.pool.own.first)*uint64(unsafe.Sizeof(packet{}))
}

// measure computes the size of the records that the activations of a block's routers use, and how
// far ahead they are prefetched.
func (l *loader) measure() {
	timers := 0
	l.recordBytes = 0
	for i := l.events.first; i < l.events.first+l.count; i++ {
		r := l.routers.at(i)
		timers += int(r.first) + int(r.slots)
		ports := uint64(r.slots) / uint64(l.vcs)
		l.recordBytes += uint64(unsafe.Sizeof(*r)) + uint64(r.slots)*uint64(unsafe.Sizeof(lane{})) +
			ports*uint64(unsafe.Sizeof(portState{})) +
			uint64(r.nNICs)*uint64(unsafe.Sizeof(nic{})+unsafe.Sizeof(receiver{}))
	}
	l.ahead = max(leastAhead, min(mostAhead, timersAhead*int(l.count)/max(1, timers)))
}

// loadRecord prefetches the record of a router of the block, and the word of its due timers.
func (l *loader) loadRecord(r uint32) {
	number := l.events.first + r
	prefetch.Two(
		address(l.routers.at(number)), address(l.events.due.at(l.events.row+l.events.firstWord(number))),
	)
}

// loadMoves prefetches what the activation of a router will use beside its lanes and ports: its NIC if
// one of its timers is due, and what the packets that will ask need.
func (l *loader) loadMoves(r uint32) {
	at := l.routers.at(l.events.first + r)
	if at.words > 1 {
		for w := range uint32(at.words) {
			l.loadWord(at, w<<6, *l.events.due.at(l.events.row + at.masks + w))
		}
		return
	}
	due := *l.events.due.at(l.events.row + at.masks)
	for m := due >> (at.first & 63); m != 0; m &= m - 1 {
		l.loadMove(at.lanes+uint32(bits.TrailingZeros64(m)), at.lanes, at.ports)
	}
	if own := due & (1<<(at.first&63) - 1); own != 0 {
		l.loadOwn(at, 0, own)
	}
}

// loadLanes prefetches a router's lanes and ports.
func (l *loader) loadLanes(r uint32) {
	at := l.routers.at(l.events.first + r)
	loadAll(l.lanes.at(at.lanes), uint32(at.slots))
	loadAll(l.ports.ports.at(at.ports), uint32(at.slots)/l.vcs)
}

// loadAll prefetches so many records that lie side by side.
func loadAll[T any](from *T, count uint32) {
	const last = prefetch.LineSize - 1
	bytes := uintptr(count) * unsafe.Sizeof(*from)
	prefetch.Lines(unsafe.Pointer(from), uint64((address(from)&last+bytes+last)/prefetch.LineSize))
}

// loadWord prefetches what the activation of a router will use for the timers of a word of its
// bitmap, which begins with number `first`.
func (l *loader) loadWord(at *routerState, first uint32, due uint64) {
	own := due & below(uint32(at.first), first)
	for m := due &^ own; m != 0; m &= m - 1 {
		l.loadMove(at.base+first+uint32(bits.TrailingZeros64(m)), at.lanes, at.ports)
	}
	if own != 0 {
		l.loadOwn(at, first, own)
	}
}

// below returns the bits of a word of a bitmap, the first of which is number `first`, that stand for
// numbers below n.
func below(n, first uint32) uint64 {
	if n <= first {
		return 0
	}
	return ^uint64(0) >> (64 - min(n-first, 64))
}

// loadOwn prefetches what the activation of a router will use for timers of its hosts and NICs,
// given as a bitmap that begins with number `first`.
func (l *loader) loadOwn(at *routerState, first uint32, due uint64) {
	hosts := due & below(uint32(at.wakes), first)
	if l.prefetcher != nil {
		for m := hosts; m != 0; m &= m - 1 {
			host := at.hosts + first + uint32(bits.TrailingZeros64(m))
			l.prefetcher.PrefetchHost(int32(host))
			if l.posts {
				l.loadNIC(host)
			}
		}
	}
	for m := due &^ hosts; m != 0; m &= m - 1 {
		timer := first + uint32(bits.TrailingZeros64(m))
		prefetch.Line(unsafe.Pointer(l.events.timers.at(at.timers + timer)))
		l.loadNIC(at.nics + timer - uint32(at.wakes))
	}
}

// loadNIC prefetches what a NIC needs to inject a packet.
func (l *loader) loadNIC(nic uint32) {
	from := address(l.nics.at(nic))
	prefetch.Two(from, from+prefetch.LineSize)
	prefetch.Line(unsafe.Add(unsafe.Pointer(l.nics.at(nic)), 2*prefetch.LineSize))
	// a channel number such that the NIC's output lanes look like the first lanes of a router
	channel := l.nicLanes + nic*l.vcs
	prefetch.Two(address(l.lanes.at(channel)), address(l.ports.ports.at(l.nicPorts+nic)))
	l.loadMove(channel, channel, l.nicPorts+nic)
}

// loadHosts lets the endpoint prefetch more of its records of those hosts of a router whose timers
// are due, and prefetches messages of the NICs whose timers are: what their records refer to or, if
// `match`, what messages will meet and which ones are behind the first.
func (l *loader) loadHosts(r uint32, match bool) {
	at := l.routers.at(l.events.first + r)
	if at.words == 1 {
		if due := *l.events.due.at(l.events.row + at.masks) & (1<<(at.first&63) - 1); due != 0 {
			l.loadHostWord(at, 0, due, match)
		}
		return
	}
	for first := uint32(0); first < uint32(at.first); first += 64 {
		due := *l.events.due.at(l.events.row + at.masks + first>>6) & below(uint32(at.first), first)
		l.loadHostWord(at, first, due, match)
	}
}

// loadHostWord does what loadHosts does for the timers of a bitmap that begins with number `first`.
func (l *loader) loadHostWord(at *routerState, first uint32, due uint64, match bool) {
	hosts := due & below(uint32(at.wakes), first)
	for m := due &^ hosts; m != 0; m &= m - 1 {
		l.loadQueue(at.nics+first+uint32(bits.TrailingZeros64(m))-uint32(at.wakes), match)
	}
	if l.prefetcher == nil {
		return
	}
	for m := hosts; m != 0; m &= m - 1 {
		host := int32(at.hosts + first + uint32(bits.TrailingZeros64(m)))
		if match {
			l.prefetcher.PrefetchMatch(host)
		} else {
			l.prefetcher.PrefetchWork(host)
		}
	}
}

// loadQueue prefetches the messages that a NIC injects and fetches, or those behind them.
func (l *loader) loadQueue(nic uint32, behind bool) {
	n := l.nics.at(nic)
	head, fetching := n.head, n.fetching
	if behind {
		if head != 0 {
			head = l.messages.at(MsgID(head)).Next
		}
		if fetching != 0 {
			m := l.messages.at(MsgID(fetching))
			fetching = m.Next
			if l.prefetcher != nil && m.Request != 0 {
				l.prefetcher.PrefetchFetched(m.Src/int32(l.spec.Graph.NICsPerHost), m.Request)
			}
		}
	}
	if head != 0 {
		prefetch.Line(unsafe.Pointer(l.messages.at(MsgID(head))))
	}
	if fetching != 0 {
		prefetch.Line(unsafe.Pointer(l.messages.at(MsgID(fetching))))
	}
}

// loadMove puts a move into the pipeline, and takes one step for each of two earlier moves.
func (l *loader) loadMove(in, lanes, ports uint32) {
	x := &l.belt
	n := x.n
	x.n = n + 1
	m := &x.moves[n%beltSize]
	m.in, m.lanes, m.ports, m.delivers = in, lanes, ports, NoMsg

	m = &x.moves[(n-beltStep)%beltSize]
	from := l.lanes.at(m.in)
	m.packet = from.base + uint32(from.head&from.mask)
	x.list[0] = address(l.lanes.pool.packets.at(m.packet))
	behind := from.head + min(from.tail-from.head, 4)
	x.list[1], x.list[2] = l.lanes.place(from, behind-2), l.lanes.place(from, behind)
	slot := uint32(from.next)
	out := l.ports.portOf(slot)
	port := l.ports.ports.at(m.ports + out)
	if l.observer != nil {
		l.observer.load(m.ports + out)
	}
	m.router = port.router
	m.down = port.down + slot - out*l.vcs
	x.list[3] = address(l.lanes.at(m.down))
	if m.router >= 0 {
		word := l.events.firstWord(uint32(m.router))
		x.list[4] = address(l.events.due.at(l.events.arrivals + word))
		x.list[5] = address(l.events.due.at(l.events.lateArrivals + word))
	} else if m.router != unconnected {
		x.list[4] = address(l.receivers.at(uint32(^m.router)))
	}

	m = &x.moves[(n-2*beltStep)%beltSize]
	down := l.lanes.at(m.down)
	x.list[6], x.list[7], x.list[8] = l.lanes.place(down, down.tail), l.lanes.place(
		down, down.tail+2,
	), l.lanes.place(down, down.tail+4)
	x.list[9] = l.lanes.place(down, down.pull)
	if m.router < 0 && m.router != unconnected {
		p := l.lanes.pool.packets.at(m.packet)
		x.list[9] = address(l.messages.at(p.msg))
		if p.flits&lastPacket != 0 && l.prefetcher != nil && l.oneNIC {
			if owner, _ := l.messages.owner(p.msg); owner == l.messages.block {
				m.delivers = p.msg // others may be in use again by the time they are read
			}
			l.prefetcher.PrefetchDelivery(^m.router)
		}
	}
	l.loadDelivery(n)
	prefetch.All(&x.list)
}

// loadDelivery lets the endpoint take the next step for two earlier moves, when move n has been put
// into the pipeline.
func (l *loader) loadDelivery(n uint32) {
	x := &l.belt
	if m := &x.moves[(n-queueStep)%beltSize]; m.delivers != NoMsg {
		l.prefetcher.PrefetchQueue(^m.router, m.delivers)
	}
	if m := &x.moves[(n-receiveStep)%beltSize]; m.delivers != NoMsg {
		l.prefetcher.PrefetchReceive(^m.router, m.delivers)
		m.delivers = NoMsg
	}
}

// address returns the address of a record.
func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
