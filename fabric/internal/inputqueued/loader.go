package inputqueued

import (
	"math/bits"
	"unsafe"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/model"

	"fabricast/internal/prefetch"
)

// The activation of a router touches some twenty cache lines. In a large network none of them has
// stayed in the cache since the last window, so they are prefetched. A router's VCs and ports lie
// side by side and are all prefetched. Other addresses are read from them: the VCs whose packets
// will ask name the packets and the VCs downstream, and those name their rings. Every packet that
// will ask (a move) therefore passes through a pipeline. Each of these steps is taken some moves
// after the one before it, when the record it reads has arrived. Activations go on meanwhile.
const (
	// mostAhead and leastAhead bound how many activations ahead the VCs of a router are
	// prefetched. timersAhead is how many timers these routers have together: with more, what is
	// prefetched would be evicted before it is used.
	mostAhead, leastAhead = 16, 2
	timersAhead           = 256
	// pipelineStep is the number of moves between two steps of the pipeline. beltSize is the number of
	// moves in the pipeline, a power of two.
	pipelineStep = 6
	pipelineSize = 32
	// after how many moves the endpoint takes its steps for a packet that completes a message: more
	// than the 2*beltStep after which that is known, and soon enough for routers of few ports
	queueStep, receiveStep = 2*pipelineStep + 2, 2*pipelineStep + 5
)

// move is a packet that will soon ask for its output, with the numbers of the VCs it will use.
type move struct {
	in         uint32
	vcs, ports uint32 // first VC and port of its router
	down       uint32
	packet     uint32      // its place
	router     int32       // at the other end of its output, see portState
	delivers   model.MsgID // the message that it completes at a host; none if the loader need not know
}

// pipeline is the prefetch pipeline: the moves whose cache lines are being loaded.
type pipeline struct {
	moves [pipelineSize]move
	n     uint32
	list  [prefetch.Most]uintptr
}

// loader prefetches into the cache what the next router activations will use, on the fast path. It
// changes no state. It therefore knows where all parts keep their records.
type loader struct {
	*core.Layout
	events     *core.EventWheel
	vcs        *VCs
	ports      *OutputPorts
	messages   *core.MessageTable
	routers    core.Array[core.Router]
	nics       core.Array[nic.Sender]
	receivers  core.Array[nic.Receiver]
	observer   Observer
	prefetcher model.Prefetcher // the endpoint, if it is one; nil where hosts share their timers with buses
	numVCs     uint32
	count      uint32 // routers of the block

	posts       bool // hosts inject messages of one packet when they are woken
	belt        pipeline
	recordBytes uint64 // of its routers, see size
	From        uint64 // size from which on it prefetches
	// how many activations ahead a router's VCs are prefetched; its record is twice as far ahead,
	// and the endpoint follows its records of hosts half as far
	ahead int
}

// records returns how many activations ahead a router's record is prefetched. A window of fewer
// activations is not prefetched.
func (l *loader) records() int { return 2 * l.ahead }

// size returns how many bytes the state of the block's routers and their packets takes.
func (l *loader) size() uint64 {
	return l.recordBytes + uint64(l.vcs.Pool.Used-l.vcs.Pool.Own.First)*uint64(unsafe.Sizeof(core.Packet{}))
}

// measure computes the size of the records that the activations of a block's routers use, and how
// far ahead they are prefetched.
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

// loadRecord prefetches the record of a router of the block, and the word of its due timers.
func (l *loader) loadRecord(r uint32) {
	number := l.events.First + r
	prefetch.Two(
		address(l.routers.At(number)), address(l.events.Due.At(l.events.Row+l.events.FirstWord(number))),
	)
}

// loadMoves prefetches what the activation of a router will use beside its VCs and ports: its NIC if
// one of its timers is due, and what the packets that will ask need.
func (l *loader) loadMoves(r uint32) {
	at := l.routers.At(l.events.First + r)
	if at.Words > 1 {
		for w := range uint32(at.Words) {
			l.loadWord(at, w<<6, *l.events.Due.At(l.events.Row + at.Masks + w))
		}
		return
	}
	due := *l.events.Due.At(l.events.Row + at.Masks)
	for m := due >> (at.First & 63); m != 0; m &= m - 1 {
		l.loadMove(at.FirstVC+uint32(bits.TrailingZeros64(m)), at.FirstVC, at.FirstPort)
	}
	if own := due & (1<<(at.First&63) - 1); own != 0 {
		l.loadOwn(at, 0, own)
	}
}

// loadVCs prefetches a router's VCs and ports.
func (l *loader) loadVCs(r uint32) {
	at := l.routers.At(l.events.First + r)
	loadAll(l.vcs.At(at.FirstVC), uint32(at.NumVCs))
	loadAll(l.ports.Ports.At(at.FirstPort), uint32(at.NumVCs)/l.numVCs)
}

// loadAll prefetches so many records that lie side by side.
func loadAll[T any](from *T, count uint32) {
	const last = prefetch.LineSize - 1
	bytes := uintptr(count) * unsafe.Sizeof(*from)
	prefetch.Lines(unsafe.Pointer(from), uint64((address(from)&last+bytes+last)/prefetch.LineSize))
}

// loadWord prefetches what the activation of a router will use for the timers of a word of its
// bitmap, which begins with number `first`.
func (l *loader) loadWord(at *core.Router, first uint32, due uint64) {
	own := due & below(uint32(at.First), first)
	for m := due &^ own; m != 0; m &= m - 1 {
		l.loadMove(at.Base+first+uint32(bits.TrailingZeros64(m)), at.FirstVC, at.FirstPort)
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

// loadNIC prefetches what a NIC needs to inject a packet.
func (l *loader) loadNIC(nic uint32) {
	from := address(l.nics.At(nic))
	prefetch.Two(from, from+prefetch.LineSize)
	prefetch.Line(unsafe.Add(unsafe.Pointer(l.nics.At(nic)), 2*prefetch.LineSize))
	// a channel number such that the NIC's output VCs look like the first VCs of a router
	channel := l.FirstNICVC + nic*l.numVCs
	prefetch.Two(address(l.vcs.At(channel)), address(l.ports.Ports.At(l.FirstNICPort+nic)))
	l.loadMove(channel, channel, l.FirstNICPort+nic)
}

// loadHosts lets the endpoint prefetch more of its records of those hosts of a router whose timers
// are due, and prefetches messages of the NICs whose timers are: what their records refer to or, if
// `match`, what messages will meet and which ones are behind the first.
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

// loadHostWord does what loadHosts does for the timers of a bitmap that begins with number `first`.
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
	}
	if fetching != 0 {
		prefetch.Line(unsafe.Pointer(l.messages.At(model.MsgID(fetching))))
	}
}

// loadMove puts a move into the pipeline, and takes one step for each of two earlier moves.
func (l *loader) loadMove(in, vcs, ports uint32) {
	x := &l.belt
	n := x.n
	x.n = n + 1
	m := &x.moves[n%pipelineSize]
	m.in, m.vcs, m.ports, m.delivers = in, vcs, ports, model.NoMsg

	m = &x.moves[(n-pipelineStep)%pipelineSize]
	from := l.vcs.At(m.in)
	m.packet = from.Base + uint32(from.Head&from.Mask)
	x.list[0] = address(l.vcs.Pool.Packets.At(m.packet))
	behind := from.Head + min(from.Tail-from.Head, 4)
	x.list[1], x.list[2] = l.vcs.place(from, behind-2), l.vcs.place(from, behind)
	index := uint32(from.Next)
	out := l.ports.PortOf(index)
	port := l.ports.Ports.At(m.ports + out)
	if l.observer != nil {
		l.observer.Load(m.ports + out)
	}
	m.router = port.Router
	m.down = port.Down + index - out*l.numVCs
	x.list[3] = address(l.vcs.At(m.down))
	if m.router >= 0 {
		word := l.events.FirstWord(uint32(m.router))
		x.list[4] = address(l.events.Due.At(l.events.Arrivals + word))
		x.list[5] = address(l.events.Due.At(l.events.LateArrivals + word))
	} else if m.router != core.Unconnected {
		x.list[4] = address(l.receivers.At(uint32(^m.router)))
	}

	m = &x.moves[(n-2*pipelineStep)%pipelineSize]
	down := l.vcs.At(m.down)
	x.list[6], x.list[7], x.list[8] = l.vcs.place(down, down.Tail), l.vcs.place(
		down, down.Tail+2,
	), l.vcs.place(down, down.Tail+4)
	x.list[9] = l.vcs.place(down, down.Pull)
	if m.router < 0 && m.router != core.Unconnected {
		p := l.vcs.Pool.Packets.At(m.packet)
		x.list[9] = address(l.messages.At(p.Msg))
		if p.Flits&core.LastPacket != 0 && l.prefetcher != nil && l.OneNIC {
			if owner, _ := l.messages.Owner(p.Msg); owner == l.messages.Block {
				m.delivers = p.Msg // others may be in use again by the time they are read
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
	if m := &x.moves[(n-queueStep)%pipelineSize]; m.delivers != model.NoMsg {
		l.prefetcher.PrefetchQueue(^m.router, m.delivers)
	}
	if m := &x.moves[(n-receiveStep)%pipelineSize]; m.delivers != model.NoMsg {
		l.prefetcher.PrefetchReceive(^m.router, m.delivers)
		m.delivers = model.NoMsg
	}
}

// address returns the address of a record.
func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
