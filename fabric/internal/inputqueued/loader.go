package inputqueued

import (
	"math/bits"
	"unsafe"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/model"

	"fabricast/internal/prefetch"
)

// The activation of a router accesses some twenty cache lines. In a large network, none of them has
// stayed in the cache since the last window, so they are prefetched. A router's VCs and ports are
// adjacent in memory, and all of them are prefetched. They determine further addresses: the VCs
// whose packets will make requests lead to the packets and the VCs downstream, and those lead to
// their rings. Every packet that will make a request (a move) therefore passes through a pipeline.
// Each step of the pipeline is taken some moves after the previous step, when the record it reads
// has been loaded. Activations continue meanwhile.
const (
	// mostAhead and leastAhead limit how many activations in advance the VCs of a router are
	// prefetched. timersAhead is the maximum number of timers of these routers together: with more,
	// prefetched data would be evicted before it is used.
	mostAhead, leastAhead = 16, 2
	timersAhead           = 256
	// pipelineStep is the number of moves between two steps of the pipeline. pipelineSize is the
	// number of moves in the pipeline, a power of two.
	pipelineStep = 6
	pipelineSize = 32
	// Numbers of moves after which the endpoint takes its prefetch steps for a packet that
	// completes a message. They exceed the 2*pipelineStep moves after which this is known, and are
	// low enough for routers with few ports.
	queueStep, receiveStep = 2*pipelineStep + 2, 2*pipelineStep + 5
)

// move is a packet that will soon request its output. Its first step of the pipeline replaces what is known of its
// router by what is known of the other end of its output.
type move struct {
	vc       uint32      // ID of its VC, then of the VC that it will go to
	end      int32       // first port of its router, then the router at the other end (see core.Port)
	packet   uint32      // position of the packet in the pool, if a NIC is at the other end
	delivers model.MsgID // message that it completes at a host; none if the loader need not know
}

// activation is a router that will be activated, as loadMoves has seen it.
type activation struct {
	number uint32 // index in the list of active routers
	router uint32
}

// pipeline is the prefetch pipeline. It holds the moves whose cache lines are being loaded.
type pipeline struct {
	moves [pipelineSize]move
	n     uint32
	// number of moves from which on no message remains whose delivery loadDelivery has to prefetch
	quiet uint32
	list  [prefetch.Most]uintptr
	// addresses of the first words of EventWheel.Due for the windows in which most packets arrive that are sent now
	arrivals, late uintptr
	// the latest routers with due timers of hosts or NICs, by their number modulo the size: those from `far` on
	// wait for loadHosts without matching, those from `near` on for loadHosts with matching
	owners          [2 * mostAhead]activation
	last, far, near uint32
}

// loader prefetches the data of the next router activations into the cache, on the fast path. It
// changes no state. It depends on the memory layout of all parts.
type loader struct {
	*core.Layout
	events     *core.EventWheel
	pool       *PacketPool
	share      uint64 // see OutputPorts
	messages   *core.MessageTable
	routers    core.Array[core.Router]
	vcs        core.Array[core.VC]
	ports      core.Array[core.Port] // by port, followed by the NICs
	active     core.Array[uint32]    // routers of the window
	nics       core.Array[nic.Sender]
	receivers  core.Array[nic.Receiver]
	observer   Observer
	prefetcher model.Prefetcher // the endpoint, if it is one; nil if hosts share their timers with buses
	numVCs     uint32
	count      uint32 // number of routers of the block

	posts       bool // hosts inject messages of one packet when they are woken
	belt        pipeline
	recordBytes uint64 // size of the block's router records in bytes, see size
	From        uint64 // lowest value of size (bytes) at which the loader prefetches
	// number of activations in advance that a router's VCs are prefetched; its record is prefetched
	// twice as far in advance, and the endpoint's records of its hosts half as far
	ahead int
}

// records returns the number of activations in advance that a router's record is prefetched. In a
// window with fewer activations, nothing is prefetched.
func (l *loader) records() int { return 2 * l.ahead }

// size returns the size in bytes of the state of the block's routers and their packets.
func (l *loader) size() uint64 {
	return l.recordBytes + uint64(l.pool.Used-l.pool.Own.First)*uint64(unsafe.Sizeof(core.Packet{}))
}

// measure computes the size of the records used by the activations of a block's routers, and how
// far in advance they are prefetched.
func (l *loader) measure() {
	timers := 0
	l.recordBytes = 0
	for i := l.events.First; i < l.events.First+l.count; i++ {
		r := l.routers.At(i)
		timers += int(r.First) + int(r.NumVCs)
		ports := uint64(r.NumVCs) / uint64(l.numVCs)
		l.recordBytes += uint64(unsafe.Sizeof(*r)) + uint64(r.NumVCs)*uint64(unsafe.Sizeof(core.VC{})) +
			ports*uint64(unsafe.Sizeof(core.Port{})) +
			uint64(r.NumNICs)*uint64(unsafe.Sizeof(nic.Sender{})+unsafe.Sizeof(nic.Receiver{}))
	}
	l.ahead = max(leastAhead, min(mostAhead, timersAhead*int(l.count)/max(1, timers)))
}

// begin begins the prefetching for the given routers, which will be activated in the current window.
func (l *loader) begin(active []uint32) {
	l.active = core.ArrayOf(active)
	x := &l.belt
	x.last, x.far, x.near = 0, 0, 0
	x.arrivals = address(l.events.Due.At(l.events.Arrivals))
	x.late = address(l.events.Due.At(l.events.LateArrivals))
	for i := range l.records() {
		l.loadRecord(active[i])
	}
	for i := range l.ahead + 1 {
		l.loadVCs(active[i])
	}
	for i := range l.ahead {
		l.loadMoves(uint32(i), active[i])
	}
}

// next takes the next steps before activation i, if as many activations as records says follow.
func (l *loader) next(i uint32) {
	moves := i + uint32(l.ahead)
	l.loadRecord(*l.active.At(moves + uint32(l.ahead)))
	l.loadVCs(*l.active.At(moves + 1))
	l.loadMoves(moves, *l.active.At(moves))
	if l.belt.near != l.belt.last {
		l.loadOwners(i)
	}
}

// rest is like next if fewer activations follow.
func (l *loader) rest(i uint32) {
	moves := i + uint32(l.ahead)
	if moves+1 < l.active.N {
		l.loadVCs(*l.active.At(moves + 1))
	}
	if moves < l.active.N {
		l.loadMoves(moves, *l.active.At(moves))
	} else { // finish the moves that are still in the pipeline
		at := l.routers.At(l.events.First + *l.active.At(i))
		l.loadMove(at.FirstVC, at.FirstPort)
	}
	l.loadOwners(i)
}

// loadRecord prefetches the record of a router of the block, and the word of its due timers.
func (l *loader) loadRecord(r uint32) {
	number := l.events.First + r
	prefetch.Two(
		address(l.routers.At(number)), address(l.events.Due.At(l.events.Row+l.events.FirstWord(number))),
	)
}

// loadMoves prefetches the data that the activation of a router needs in addition to its VCs and
// ports: its NIC if one of its timers is due, and the data of the packets that will make requests.
//
// number is the router's index in the list of active routers.
func (l *loader) loadMoves(number, r uint32) {
	at := l.routers.At(l.events.First + r)
	if at.Words > 1 {
		l.own(number, r)
		for w := range uint32(at.Words) {
			l.loadWord(at, w<<6, *l.events.Due.At(l.events.Row + at.Masks + w))
		}
		return
	}
	due := *l.events.Due.At(l.events.Row + at.Masks)
	vcs, ports := at.FirstVC, at.FirstPort
	for m := due >> (at.First & 63); m != 0; m &= m - 1 {
		l.loadMove(vcs+uint32(bits.TrailingZeros64(m)), ports)
	}
	if own := due & (1<<(at.First&63) - 1); own != 0 {
		l.own(number, r)
		l.loadOwn(at, 0, own)
	}
}

// own notes a router with due timers of hosts or NICs for loadHosts.
func (l *loader) own(number, r uint32) {
	x := &l.belt
	x.owners[x.last%uint32(len(x.owners))] = activation{number, r}
	x.last++
}

// loadOwners lets loadHosts prefetch before activation i for the routers noted by own: first without matching, later
// with matching.
func (l *loader) loadOwners(i uint32) {
	x := &l.belt
	far, near := i+uint32(l.ahead/2), i+uint32(l.ahead/4)
	for x.far != x.last && x.owners[x.far%uint32(len(x.owners))].number <= far {
		l.loadHosts(x.owners[x.far%uint32(len(x.owners))].router, false)
		x.far++
	}
	for x.near != x.far && x.owners[x.near%uint32(len(x.owners))].number <= near {
		l.loadHosts(x.owners[x.near%uint32(len(x.owners))].router, true)
		x.near++
	}
}

// loadVCs prefetches a router's VCs and ports.
func (l *loader) loadVCs(r uint32) {
	at := l.routers.At(l.events.First + r)
	prefetch.Spans(
		address(l.vcs.At(at.FirstVC)), uintptr(at.NumVCs)*unsafe.Sizeof(core.VC{}),
		address(l.ports.At(at.FirstPort)), uintptr(l.portOf(uint32(at.NumVCs)))*unsafe.Sizeof(core.Port{}),
	)
}

// portOf is like OutputPorts.PortOf.
func (l *loader) portOf(index uint32) uint32 { return uint32(uint64(index) * l.share >> 32) }

// loadWord prefetches the data that the activation of a router needs for the due timers in a word
// of its bitmap. `first` is the timer of the lowest bit.
func (l *loader) loadWord(at *core.Router, first uint32, due uint64) {
	own := due & below(uint32(at.First), first)
	for m := due &^ own; m != 0; m &= m - 1 {
		l.loadMove(at.Base+first+uint32(bits.TrailingZeros64(m)), at.FirstPort)
	}
	if own != 0 {
		l.loadOwn(at, first, own)
	}
}

// below returns the mask of the bits that stand for members below n, in a word of a bitmap whose
// lowest bit stands for member `first`.
func below(n, first uint32) uint64 {
	if n <= first {
		return 0
	}
	return ^uint64(0) >> (64 - min(n-first, 64))
}

// loadOwn prefetches the data that the activation of a router needs for due timers of its hosts and
// NICs. `first` is the timer of the lowest bit of due.
func (l *loader) loadOwn(at *core.Router, first uint32, due uint64) {
	hosts := due & below(uint32(at.Wakes), first)
	if l.prefetcher != nil {
		for m := hosts; m != 0; m &= m - 1 {
			host := at.FirstHost + first + uint32(bits.TrailingZeros64(m))
			l.prefetcher.PrefetchHost(int32(host))
			if l.posts {
				l.loadNIC(host)
			}
		}
	}
	for m := due &^ hosts; m != 0; m &= m - 1 {
		timer := first + uint32(bits.TrailingZeros64(m))
		prefetch.Line(unsafe.Pointer(l.events.Timers.At(at.Timers + timer)))
		l.loadNIC(at.FirstNIC + timer - uint32(at.Wakes))
	}
}

// loadNIC prefetches the data that a NIC needs to inject a packet.
func (l *loader) loadNIC(nic uint32) {
	from := address(l.nics.At(nic))
	prefetch.Two(from, from+prefetch.LineSize)
	prefetch.Line(unsafe.Add(unsafe.Pointer(l.nics.At(nic)), 2*prefetch.LineSize))
	// the NIC's output VCs look like the first VCs of a router
	channel := l.FirstNICVC + nic*l.numVCs
	prefetch.Two(address(l.vcs.At(channel)), address(l.ports.At(l.FirstNICPort+nic)))
	l.loadMove(channel, l.FirstNICPort+nic)
}

// loadHosts lets the endpoint prefetch more of its records of those hosts of a router whose timers
// are due. It also prefetches messages of the NICs whose timers are due. If `match` is false, it
// prefetches the data that the records refer to; if true, the data that messages will be matched
// with, and the messages behind the first ones.
func (l *loader) loadHosts(r uint32, match bool) {
	at := l.routers.At(l.events.First + r)
	if at.Words == 1 {
		if due := *l.events.Due.At(l.events.Row + at.Masks) & (1<<(at.First&63) - 1); due != 0 {
			l.loadHostWord(at, 0, due, match)
		}
		return
	}
	for first := uint32(0); first < uint32(at.First); first += 64 {
		due := *l.events.Due.At(l.events.Row + at.Masks + first>>6) & below(uint32(at.First), first)
		l.loadHostWord(at, first, due, match)
	}
}

// loadHostWord is like loadHosts for one word of due timers. `first` is the timer of the lowest
// bit.
func (l *loader) loadHostWord(at *core.Router, first uint32, due uint64, match bool) {
	hosts := due & below(uint32(at.Wakes), first)
	for m := due &^ hosts; m != 0; m &= m - 1 {
		l.loadQueue(at.FirstNIC+first+uint32(bits.TrailingZeros64(m))-uint32(at.Wakes), match)
	}
	if l.prefetcher == nil {
		return
	}
	for m := hosts; m != 0; m &= m - 1 {
		host := int32(at.FirstHost + first + uint32(bits.TrailingZeros64(m)))
		if match {
			l.prefetcher.PrefetchMatch(host)
		} else {
			l.prefetcher.PrefetchWork(host)
		}
	}
}

// loadQueue prefetches the messages that a NIC injects and fetches, or those behind them.
func (l *loader) loadQueue(nic uint32, behind bool) {
	n := l.nics.At(nic)
	head, fetching := n.Head, n.Fetching
	if behind {
		if head != 0 {
			head = l.messages.At(model.MsgID(head)).Next
		}
		if fetching != 0 {
			m := l.messages.At(model.MsgID(fetching))
			fetching = m.Next
			if l.prefetcher != nil && m.Request != 0 {
				l.prefetcher.PrefetchFetched(m.Src/int32(l.Spec.Graph.NICsPerHost), m.Request)
			}
		}
	}
	if head != 0 {
		prefetch.Line(unsafe.Pointer(l.messages.At(model.MsgID(head))))
		l.messages.LoadDivision(model.MsgID(head))
	}
	if fetching != 0 {
		prefetch.Line(unsafe.Pointer(l.messages.At(model.MsgID(fetching))))
	}
}

// loadMove puts a packet in the VC `in` of a router into the pipeline, and takes one step for each of two earlier
// moves. `ports` is the router's first port.
func (l *loader) loadMove(in, ports uint32) {
	x := &l.belt
	n := x.n
	x.n = n + 1
	x.moves[n%pipelineSize] = move{vc: in, end: int32(ports), delivers: model.NoMsg}

	m := &x.moves[(n-pipelineStep)%pipelineSize]
	from := l.vcs.At(m.vc)
	few := from.Mask == SmallestRing-1 // only the first seven places of the list are used
	if few {
		x.list[0] = address(l.pool.Packets.At(from.Base))
		x.list[1] = x.list[0] + smallestBytes - 1
	} else {
		x.list[0] = l.place(from, from.Head)
		behind := from.Head + min(from.Tail-from.Head, 4)
		x.list[1], x.list[9] = l.place(from, behind-2), l.place(from, behind)
	}
	index := uint32(from.Next)
	out := l.portOf(index)
	port := l.ports.At(uint32(m.end) + out)
	if l.observer != nil {
		l.observer.Load(uint32(m.end) + out)
	}
	m.end = port.Router
	m.vc = port.Down + index - out*l.numVCs
	x.list[2] = address(l.vcs.At(m.vc))
	if m.end >= 0 {
		word := 8 * uintptr(l.events.FirstWord(uint32(m.end)))
		x.list[3], x.list[4] = x.arrivals+word, x.late+word
	} else if m.end != core.Unconnected {
		m.packet = from.Base + uint32(from.Head&from.Mask)
		x.list[3] = address(l.receivers.At(uint32(^m.end)))
	}

	m = &x.moves[(n-2*pipelineStep)%pipelineSize]
	down := l.vcs.At(m.vc)
	switch down.Mask { // entries of the list that are not set again are addresses of earlier moves
	case 0: // the FIFO will take a free ring
	case SmallestRing - 1:
		x.list[5] = address(l.pool.Packets.At(down.Base))
		x.list[6] = x.list[5] + smallestBytes - 1
	default:
		few = false
		x.list[5], x.list[6] = l.place(down, down.Tail), l.place(down, down.Tail+2)
		x.list[7], x.list[8] = l.place(down, down.Tail+4), l.place(down, down.Pull)
	}
	if m.end < 0 && m.end != core.Unconnected {
		l.loadMessage(m, n)
		few = false
	}
	if int32(x.quiet-n) > 0 {
		l.loadDelivery(n)
	}
	if few {
		prefetch.Seven(&x.list)
		return
	}
	prefetch.All(&x.list)
}

// place returns the address of packet i of a VC's FIFO, or an arbitrary address if its ring is empty.
func (l *loader) place(in *core.VC, i uint16) uintptr {
	return uintptr(l.pool.Packets.First) + uintptr(in.Base+uint32(i&in.Mask))*unsafe.Sizeof(core.Packet{})
}

// loadMessage lists the message of a move to a NIC, and prefetches what its delivery needs if the packet completes
// it. n is the number of the latest move.
func (l *loader) loadMessage(m *move, n uint32) {
	x := &l.belt
	p := l.pool.Packets.At(m.packet)
	x.list[9] = address(l.messages.At(p.Msg))
	if p.Flits&core.LastPacket == 0 {
		return
	}
	l.messages.LoadDivision(p.Msg)
	if l.prefetcher != nil && l.OneNIC {
		if owner, _ := l.messages.Owner(p.Msg); owner == l.messages.Block {
			m.delivers = p.Msg // other messages may have been reused by the time they are read
			x.quiet = n + receiveStep - 2*pipelineStep + 1
		}
		l.prefetcher.PrefetchDelivery(^m.end)
	}
}

// loadDelivery lets the endpoint take the next prefetch step for two earlier moves, after move n
// has been added to the pipeline.
func (l *loader) loadDelivery(n uint32) {
	x := &l.belt
	if m := &x.moves[(n-queueStep)%pipelineSize]; m.delivers != model.NoMsg {
		l.prefetcher.PrefetchQueue(^m.end, m.delivers)
	}
	if m := &x.moves[(n-receiveStep)%pipelineSize]; m.delivers != model.NoMsg {
		l.prefetcher.PrefetchReceive(^m.end, m.delivers)
		m.delivers = model.NoMsg
	}
}

// smallestBytes is the size of the smallest ring in bytes.
const smallestBytes = SmallestRing * unsafe.Sizeof(core.Packet{})

// address returns the address of a record.
func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
