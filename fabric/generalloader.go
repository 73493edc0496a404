package fabric

import (
	"math/bits"
	"unsafe"

	"fabricast/internal/prefetch"
)

// generalLoader prefetches into the cache what the next router activations will use. It changes no
// state. It therefore knows where all parts keep their records.
type generalLoader struct {
	shape
	events    *eventWheel
	wheel     *dueWheel
	pool      *parcelPool
	in        *inputVCs
	waits     *waitLists
	crossbar  *crossbar
	out       *outputVCs
	routers   array[generalRouter]
	maps      array[uint64]
	receivers array[receiver]
	messages  *messageTable
	count     uint32 // routers of the block
	ordered   bool   // there is an order of requests

	ahead       bool     // it pays in this window
	manyHosts   bool     // at least a fourth of the visited router's ports lead to hosts
	queues      []uint32 // numbers of the virtual output queues that loadQueues has prefetched
	recordBytes uint64   // of the block's routers, see measure
	from        uint64   // size from which on it prefetches,
	fewest      int      // and activations of a window
}

func newGeneralLoader(g *general) generalLoader {
	l := generalLoader{
		shape: g.shape, events: g.events, wheel: &g.wheel, pool: &g.pool, in: &g.in, waits: &g.waits,
		crossbar: &g.crossbar, out: &g.out, routers: g.all.routers, maps: g.all.maps,
		receivers: g.b.receive.nics, messages: &g.b.messages, count: g.b.count,
		ordered: g.contest.order.kept, from: prefetchFrom, fewest: generalAhead,
	}
	l.measure()
	return l
}

// loadDue prefetches what the visited router's timers of this window need.
func (l *generalLoader) loadDue() {
	a, kinds := &l.wheel.agenda, &l.wheel.timers
	for i := range a.n {
		switch timer := uint32(*a.entries.at(i) & agendaMask); {
		case timer < kinds.ports:
			l.loadAsk(timer)
		case timer < kinds.outlets && !l.adaptive && !l.voq:
			l.loadWaiters(timer - kinds.ports)
		}
	}
}

// size returns how many bytes the activations of the block's routers use.
func (l *generalLoader) size() uint64 {
	return l.recordBytes + uint64(l.pool.used-l.pool.own.first)*uint64(unsafe.Sizeof(parcel{}))
}

// measure computes the size of the records that the activations of the block's routers use.
func (l *generalLoader) measure() {
	l.recordBytes = 0
	for i := l.events.first; i < l.events.first+l.count; i++ {
		x := l.routers.at(i)
		slots, ports, words := uint64(x.slots), uint64(x.ports), uint64(x.words)
		nics := uint64(l.events.routers.at(i).nNICs)
		l.recordBytes += uint64(unsafe.Sizeof(*x)+unsafe.Sizeof(routerState{})) +
			nics*uint64(unsafe.Sizeof(nic{})+unsafe.Sizeof(receiver{})) +
			slots*uint64(unsafe.Sizeof(inlet{})+unsafe.Sizeof(outlet{})) +
			ports*uint64(unsafe.Sizeof(crossing{})) +
			8*(wheel*uint64(l.wheel.dueWords)+uint64(x.tWords)+(mapsBefore+ports+slots)*words)
	}
}

// load prefetches what the next routers in a list will need. It works in steps, because the
// addresses of each step are read from the cache lines of the step before.
func (l *generalLoader) load(next []uint32) {
	if len(next) > 3 {
		number := l.events.first + next[3]
		prefetch.Two(
			uintptr(unsafe.Pointer(l.events.routers.at(number))),
			uintptr(unsafe.Pointer(l.routers.at(number))),
		)
		prefetch.Line(l.wheel.dueIn(number, uint32(l.events.calendar.window)).first)
	}
	if len(next) > 2 {
		number := l.events.first + next[2]
		l.loadMaps(l.events.routers.at(number), l.routers.at(number))
	}
	if len(next) > 1 {
		number := l.events.first + next[1]
		l.loadHeads()
		l.loadChannels(l.events.routers.at(number), l.routers.at(number))
		l.loadQueues(l.events.routers.at(number), l.routers.at(number))
	}
	if len(next) > 0 {
		number := l.events.first + next[0]
		l.loadParcels(l.events.routers.at(number), l.routers.at(number))
	}
}

// loadMaps prefetches a router's bitmaps and ports.
func (l *generalLoader) loadMaps(r *routerState, x *generalRouter) {
	maps := (mapsBefore + uint32(x.ports)) * uint32(x.words)
	if l.voq || l.adaptive {
		maps += uint32(x.slots) * uint32(x.words)
	}
	if l.ordered {
		maps += orderWords(uint32(x.slots))
	}
	prefetchAll(l.maps.at(x.maps), maps)
	prefetchAll(l.crossbar.ports.at(r.ports), uint32(x.ports))
	if l.adaptive {
		prefetchAll(l.out.outlets.at(r.lanes), uint32(x.slots))
	}
}

// prefetchAll prefetches n elements of an array, the first of which is `first`.
func prefetchAll[T any](first *T, n uint32) {
	begin := uintptr(unsafe.Pointer(first))
	end := begin + uintptr(n)*unsafe.Sizeof(*first)
	prefetch.Lines(unsafe.Pointer(first), uint64((end+63)>>6-begin>>6))
}

// dueSlots returns word w of the bitmap of a router's slots that have a timer in this window.
func (l *generalLoader) dueSlots(number uint32, x *generalRouter, w uint32) uint64 {
	due := *l.wheel.dueIn(number, uint32(l.events.calendar.window)).word(w)
	if slots := uint32(x.slots); slots < (w+1)<<6 {
		due &= 1<<(slots&63) - 1
	}
	return due
}

// loadChannels prefetches the VCs whose next packets will ask.
func (l *generalLoader) loadChannels(r *routerState, x *generalRouter) {
	for w := range uint32(x.words) {
		for m := l.dueSlots(r.number, x, w); m != 0; m &= m - 1 {
			prefetch.Line(unsafe.Pointer(l.in.inlets.at(r.lanes + w<<6 + uint32(bits.TrailingZeros64(m)))))
		}
	}
}

// loadParcels prefetches the packets that will ask next.
func (l *generalLoader) loadParcels(r *routerState, x *generalRouter) {
	for w := range uint32(x.words) {
		for m := l.dueSlots(r.number, x, w); m != 0; m &= m - 1 {
			in := l.in.inlets.at(r.lanes + w<<6 + uint32(bits.TrailingZeros64(m)))
			id := in.here.first
			if l.voq {
				id = in.coming.first
			}
			prefetch.Line(unsafe.Pointer(l.pool.parcels.at(id)))
		}
	}
}

// loadQueues prefetches the virtual output queues in which packets wait for the ports of a router that
// become free in its visit, and these outputs.
func (l *generalLoader) loadQueues(r *routerState, x *generalRouter) {
	if !l.voq || l.adaptive {
		return
	}
	due := l.wheel.dueIn(r.number, uint32(l.events.calendar.window))
	first, end := uint32(x.slots), uint32(x.slots)+uint32(x.ports)
	for w := first >> 6; w <= (end-1)>>6; w++ {
		for m := *due.word(w); m != 0; m &= m - 1 {
			if timer := w<<6 + uint32(bits.TrailingZeros64(m)); timer >= first && timer < end {
				l.loadQueuesFor(r, x, timer-first)
			}
		}
	}
}

// loadQueuesFor does what loadQueues does, for one port.
func (l *generalLoader) loadQueuesFor(r *routerState, x *generalRouter, port uint32) {
	words, first := uint32(x.words), port*l.vcs
	waiters := bitmap{unsafe.Pointer(l.maps.at(x.maps + (mapsBefore+port)*words))}
	wishes := waiters.next((uint32(x.ports) - port) * words)
	for w := range words {
		for m := *waiters.word(w); m != 0; m &= m - 1 {
			slot := w<<6 + uint32(bits.TrailingZeros64(m))
			for outs := wishes.next(slot*words).span(first, l.portMask); outs != 0; outs &= outs - 1 {
				out := first + uint32(bits.TrailingZeros64(outs))
				queue := x.queues + slot*uint32(x.slots) + out
				prefetch.Two(
					uintptr(unsafe.Pointer(l.out.outlets.at(r.lanes+out))),
					uintptr(unsafe.Pointer(l.in.queues.at(queue))),
				)
				l.queues = append(l.queues, queue)
			}
		}
	}
}

// loadHeads prefetches the first packets of the queues that loadQueues has prefetched last.
func (l *generalLoader) loadHeads() {
	for _, queue := range l.queues {
		prefetch.Line(unsafe.Pointer(l.pool.parcels.at(l.in.queues.at(queue).first)))
	}
	l.queues = l.queues[:0]
}

// loadMessage prefetches the message of a packet that asks, if it will leave to a host. Where queues
// decide on the port, a packet may be at its last router wherever a good part of the ports leads to
// hosts.
func (l *generalLoader) loadMessage(p *parcel) {
	leaves := l.manyHosts
	if !l.adaptive {
		leaves = l.crossbar.at(l.port(uint32(p.out))).router < 0
	}
	if leaves {
		prefetch.Line(unsafe.Pointer(l.messages.at(p.msg)))
	}
}

// loadAsk prefetches what the next packet of a slot, which will ask in this activation, needs and
// changes: the packet behind it and the output VC upstream. If its output is known, it also
// prefetches that output, its entry in the virtual output queue, and the VC downstream.
func (l *generalLoader) loadAsk(slot uint32) {
	l.loadUpstream(slot)
	in := l.in.at(slot)
	id := in.here.first
	if l.voq {
		id = in.coming.first
	}
	p := l.pool.parcels.at(id)
	l.loadParcel(p.next)
	if l.adaptive {
		return
	}
	out := uint32(p.out)
	prefetch.Line(unsafe.Pointer(l.out.at(out)))
	if l.voq {
		prefetch.Line(unsafe.Pointer(l.in.queueOf(slot, out)))
	}
	l.loadEnd(out)
}

// loadParcel prefetches a packet, unless its number is 0.
func (l *generalLoader) loadParcel(id uint32) {
	if id != 0 {
		prefetch.Line(unsafe.Pointer(l.pool.parcels.at(id)))
	}
}

// loadContenders prefetches the first packets of the slots in a bitmap, which will ask one after the
// other.
func (l *generalLoader) loadContenders(slots bitmap) {
	for w := range l.waits.words {
		for m := *slots.word(w) & *l.crossbar.inputs.word(w); m != 0; m &= m - 1 {
			prefetch.Line(unsafe.Pointer(l.pool.parcels.at(l.in.firstIn(w<<6 + uint32(bits.TrailingZeros64(m))))))
		}
	}
}

// loadUpstream prefetches the output VC upstream that gets back the space of a slot's packet.
func (l *generalLoader) loadUpstream(slot uint32) {
	port := l.port(slot)
	if up := l.crossbar.at(port); uint32(up.router)-l.events.first < l.count || up.router < 0 {
		prefetch.Line(unsafe.Pointer(l.out.outlets.at(up.down + slot - port*l.vcs)))
	}
}

// loadWaiters prefetches what the packets with fixed routes need that wait for a port that becomes
// free in this activation.
func (l *generalLoader) loadWaiters(port uint32) {
	waiters := l.waits.waitersFor(port)
	for w := range l.waits.words {
		for m := *waiters.word(w); m != 0; m &= m - 1 {
			slot := w<<6 + uint32(bits.TrailingZeros64(m))
			out := uint32(l.pool.parcels.at(l.in.at(slot).here.first).out)
			prefetch.Line(unsafe.Pointer(l.out.at(out)))
		}
	}
}

// loadEnd prefetches the VC at the other end of an output and the timer bitmaps of its router; for
// a port to a host, the NIC.
func (l *generalLoader) loadEnd(out uint32) {
	port := l.port(out)
	down := l.crossbar.at(port)
	switch {
	case uint32(down.router)-l.events.first < l.count:
		prefetch.Two(
			uintptr(unsafe.Pointer(l.in.inlets.at(down.down+out-port*l.vcs))),
			uintptr(l.wheel.dueIn(uint32(down.router), 0).first),
		)
	case down.router < 0 && down.router != unconnected:
		prefetch.Line(unsafe.Pointer(l.receivers.at(uint32(down.nic()))))
	}
}
