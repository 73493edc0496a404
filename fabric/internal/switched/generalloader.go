package switched

import (
	"math/bits"
	"unsafe"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/internal/stage"

	"fabricast/internal/prefetch"
)

// Loader prefetches the data of the next router activations into the cache. It changes no state. It
// depends on the memory layout of all parts.
type Loader struct {
	stage.Shape
	events    *core.EventWheel
	wheel     *stage.DueWheel
	pool      *stage.PacketPool
	in        *stage.InputVCs
	waits     *stage.WaitLists
	crossbar  *stage.Crossbar
	out       *stage.OutputVCs
	routers   core.Array[stage.Router]
	maps      core.Array[uint64]
	receivers core.Array[nic.Receiver]
	messages  *core.MessageTable
	count     uint32 // number of routers of the block
	ordered   bool   // the order of requests is maintained, see requestOrder

	ahead       bool     // prefetching pays in this window
	manyHosts   bool     // at least a fourth of the active router's ports lead to hosts
	queues      []uint32 // indices of the virtual output queues prefetched by loadQueues
	recordBytes uint64   // size of the block's router records, see measure
	From        uint64   // lowest value of size (bytes) at which the loader prefetches
	Fewest      int      // minimum number of activations in a window for prefetching
}

func newLoader(g *Routers) Loader {
	l := Loader{
		Shape: g.Shape, events: g.Events, wheel: &g.Wheel, pool: &g.Pool, in: &g.In, waits: &g.Waits,
		crossbar: &g.Crossbar, out: &g.Out, routers: g.All.Routers, maps: g.All.Maps,
		receivers: g.B.Receive.NICs, messages: &g.B.Messages, count: g.B.Count,
		ordered: g.Contest.Order.Kept, From: core.PrefetchFrom, Fewest: leastActive,
	}
	l.measure()
	return l
}

// loadDue prefetches the data that the active router's timers of this window need.
func (l *Loader) loadDue() {
	a, kinds := &l.wheel.Due, &l.wheel.Timers
	for i := range a.N {
		switch timer := uint32(*a.Entries.At(i) & core.EventMask); {
		case timer < kinds.Ports:
			l.loadAsk(timer)
		case timer < kinds.OutputVCs && !l.Adaptive && !l.VOQ:
			l.loadWaiters(timer - kinds.Ports)
		}
	}
}

// size returns the number of bytes that the activations of the block's routers use.
func (l *Loader) size() uint64 {
	return l.recordBytes + uint64(l.pool.Used-l.pool.Own.First)*uint64(unsafe.Sizeof(stage.Packet{}))
}

// measure computes the size of the records that the activations of the block's routers use.
func (l *Loader) measure() {
	l.recordBytes = 0
	for i := l.events.First; i < l.events.First+l.count; i++ {
		x := l.routers.At(i)
		vcs, ports, words := uint64(x.NumVCs), uint64(x.NumPorts), uint64(x.Words)
		nics := uint64(l.events.Routers.At(i).NumNICs)
		l.recordBytes += uint64(unsafe.Sizeof(*x)+unsafe.Sizeof(core.Router{})) +
			nics*uint64(unsafe.Sizeof(nic.Sender{})+unsafe.Sizeof(nic.Receiver{})) +
			vcs*uint64(unsafe.Sizeof(stage.InputVC{})+unsafe.Sizeof(stage.OutputVC{})) +
			ports*uint64(unsafe.Sizeof(stage.CrossbarPort{})) +
			8*(core.Wheel*uint64(l.wheel.DueWords)+uint64(x.TWords)+(stage.MapsBefore+ports+vcs)*words)
	}
}

// Load prefetches the data of the next routers in a list. It works in steps, because each step
// reads addresses from the cache lines loaded by the previous step.
func (l *Loader) Load(next []uint32) {
	if len(next) > 3 {
		number := l.events.First + next[3]
		prefetch.Two(
			uintptr(unsafe.Pointer(l.events.Routers.At(number))),
			uintptr(unsafe.Pointer(l.routers.At(number))),
		)
		prefetch.Line(l.wheel.DueIn(number, uint32(l.events.Calendar.Window)).First)
	}
	if len(next) > 2 {
		number := l.events.First + next[2]
		l.loadMaps(l.events.Routers.At(number), l.routers.At(number))
	}
	if len(next) > 1 {
		number := l.events.First + next[1]
		l.loadHeads()
		l.loadChannels(l.events.Routers.At(number), l.routers.At(number))
		l.loadQueues(l.events.Routers.At(number), l.routers.At(number))
	}
	if len(next) > 0 {
		number := l.events.First + next[0]
		l.loadPackets(l.events.Routers.At(number), l.routers.At(number))
	}
}

// loadMaps prefetches a router's bitmaps and ports.
func (l *Loader) loadMaps(r *core.Router, x *stage.Router) {
	maps := (stage.MapsBefore + uint32(x.NumPorts)) * uint32(x.Words)
	if l.VOQ || l.Adaptive {
		maps += uint32(x.NumVCs) * uint32(x.Words)
	}
	if l.ordered {
		maps += stage.OrderWords(uint32(x.NumVCs))
	}
	prefetchAll(l.maps.At(x.Maps), maps)
	prefetchAll(l.crossbar.Ports.At(r.FirstPort), uint32(x.NumPorts))
	if l.Adaptive {
		prefetchAll(l.out.VCs.At(r.FirstVC), uint32(x.NumVCs))
	}
}

// prefetchAll prefetches n elements of an array, the first of which is `first`.
func prefetchAll[T any](first *T, n uint32) {
	begin := uintptr(unsafe.Pointer(first))
	end := begin + uintptr(n)*unsafe.Sizeof(*first)
	prefetch.Lines(unsafe.Pointer(first), uint64((end+63)>>6-begin>>6))
}

// dueVCs returns word w of the bitmap of a router's VCs that have a timer in this window.
func (l *Loader) dueVCs(number uint32, x *stage.Router, w uint32) uint64 {
	due := *l.wheel.DueIn(number, uint32(l.events.Calendar.Window)).Word(w)
	if vcs := uint32(x.NumVCs); vcs < (w+1)<<6 {
		due &= 1<<(vcs&63) - 1
	}
	return due
}

// loadChannels prefetches the VCs whose next packets will make requests.
func (l *Loader) loadChannels(r *core.Router, x *stage.Router) {
	for w := range uint32(x.Words) {
		for m := l.dueVCs(r.Number, x, w); m != 0; m &= m - 1 {
			prefetch.Line(unsafe.Pointer(l.in.VCs.At(r.FirstVC + w<<6 + uint32(bits.TrailingZeros64(m)))))
		}
	}
}

// loadPackets prefetches the packets that will make requests next.
func (l *Loader) loadPackets(r *core.Router, x *stage.Router) {
	for w := range uint32(x.Words) {
		for m := l.dueVCs(r.Number, x, w); m != 0; m &= m - 1 {
			in := l.in.VCs.At(r.FirstVC + w<<6 + uint32(bits.TrailingZeros64(m)))
			id := in.Here.First
			if l.VOQ {
				id = in.Coming.First
			}
			prefetch.Line(unsafe.Pointer(l.pool.Packets.At(id)))
		}
	}
}

// loadQueues prefetches the virtual output queues in which packets wait for ports of a router that
// become free during its activation, and these ports' outputs.
func (l *Loader) loadQueues(r *core.Router, x *stage.Router) {
	if !l.VOQ || l.Adaptive {
		return
	}
	due := l.wheel.DueIn(r.Number, uint32(l.events.Calendar.Window))
	first, end := uint32(x.NumVCs), uint32(x.NumVCs)+uint32(x.NumPorts)
	for w := first >> 6; w <= (end-1)>>6; w++ {
		for m := *due.Word(w); m != 0; m &= m - 1 {
			if timer := w<<6 + uint32(bits.TrailingZeros64(m)); timer >= first && timer < end {
				l.loadQueuesFor(r, x, timer-first)
			}
		}
	}
}

// loadQueuesFor is like loadQueues, for one port.
func (l *Loader) loadQueuesFor(r *core.Router, x *stage.Router, port uint32) {
	words, first := uint32(x.Words), port*l.NumVCs
	waiters := core.Bitmap{First: unsafe.Pointer(l.maps.At(x.Maps + (stage.MapsBefore+port)*words))}
	requests := waiters.Next((uint32(x.NumPorts) - port) * words)
	for w := range words {
		for m := *waiters.Word(w); m != 0; m &= m - 1 {
			index := w<<6 + uint32(bits.TrailingZeros64(m))
			for outs := requests.Next(index*words).Span(first, l.PortMask); outs != 0; outs &= outs - 1 {
				out := first + uint32(bits.TrailingZeros64(outs))
				queue := x.Queues + index*uint32(x.NumVCs) + out
				prefetch.Two(
					uintptr(unsafe.Pointer(l.out.VCs.At(r.FirstVC+out))),
					uintptr(unsafe.Pointer(l.in.Queues.At(queue))),
				)
				l.queues = append(l.queues, queue)
			}
		}
	}
}

// loadHeads prefetches the first packets of the queues prefetched by the last loadQueues.
func (l *Loader) loadHeads() {
	for _, queue := range l.queues {
		prefetch.Line(unsafe.Pointer(l.pool.Packets.At(l.in.Queues.At(queue).First)))
	}
	l.queues = l.queues[:0]
}

// loadMessage prefetches the message of a requesting packet that will leave to a host. With
// adaptive routing the output is not known yet; the packet may be at its last router if many of the
// ports lead to hosts.
func (l *Loader) loadMessage(p *stage.Packet) {
	leaves := l.manyHosts
	if !l.Adaptive {
		leaves = l.crossbar.At(l.Port(uint32(p.Out))).Router < 0
	}
	if leaves {
		prefetch.Line(unsafe.Pointer(l.messages.At(p.Msg)))
	}
}

// loadAsk prefetches the data that is used by the next packet of a VC, which will make a request in
// this activation: the packet behind it and the output VC upstream. If its output is known, it also
// prefetches that output, its entry in the virtual output queue, and the VC downstream.
func (l *Loader) loadAsk(index uint32) {
	l.loadUpstream(index)
	in := l.in.At(index)
	id := in.Here.First
	if l.VOQ {
		id = in.Coming.First
	}
	p := l.pool.Packets.At(id)
	l.loadPacket(p.Next)
	if p.Flits&core.LastPacket != 0 {
		l.messages.LoadDivision(p.Msg)
	}
	if l.Adaptive {
		return
	}
	out := uint32(p.Out)
	prefetch.Line(unsafe.Pointer(l.out.At(out)))
	if l.VOQ {
		prefetch.Line(unsafe.Pointer(l.in.QueueOf(index, out)))
	}
	l.loadEnd(out)
}

// loadPacket prefetches a packet, unless its ID is 0.
func (l *Loader) loadPacket(id uint32) {
	if id != 0 {
		prefetch.Line(unsafe.Pointer(l.pool.Packets.At(id)))
	}
}

// loadContenders prefetches the first packets of the VCs in a bitmap, which will make requests one
// after another.
func (l *Loader) loadContenders(vcs core.Bitmap) {
	for w := range l.waits.Words {
		for m := *vcs.Word(w) & *l.crossbar.Inputs.Word(w); m != 0; m &= m - 1 {
			prefetch.Line(unsafe.Pointer(l.pool.Packets.At(l.in.FirstIn(w<<6 + uint32(bits.TrailingZeros64(m))))))
		}
	}
}

// loadUpstream prefetches the output VC upstream that gets the space of a VC's packet back.
func (l *Loader) loadUpstream(index uint32) {
	port := l.Port(index)
	if up := l.crossbar.At(port); uint32(up.Router)-l.events.First < l.count || up.Router < 0 {
		prefetch.Line(unsafe.Pointer(l.out.VCs.At(up.Down + index - port*l.NumVCs)))
	}
}

// loadWaiters prefetches the data of packets with fixed routes that wait for a port that becomes
// free in this activation.
func (l *Loader) loadWaiters(port uint32) {
	waiters := l.waits.WaitersFor(port)
	for w := range l.waits.Words {
		for m := *waiters.Word(w); m != 0; m &= m - 1 {
			index := w<<6 + uint32(bits.TrailingZeros64(m))
			out := uint32(l.pool.Packets.At(l.in.At(index).Here.First).Out)
			prefetch.Line(unsafe.Pointer(l.out.At(out)))
		}
	}
}

// loadEnd prefetches the VC at the other end of an output and the timer bitmaps of its router. For
// a port to a host, it prefetches the NIC.
func (l *Loader) loadEnd(out uint32) {
	port := l.Port(out)
	down := l.crossbar.At(port)
	switch {
	case uint32(down.Router)-l.events.First < l.count:
		prefetch.Two(
			uintptr(unsafe.Pointer(l.in.VCs.At(down.Down+out-port*l.NumVCs))),
			uintptr(l.wheel.DueIn(uint32(down.Router), 0).First),
		)
	case down.Router < 0 && down.Router != core.Unconnected:
		prefetch.Line(unsafe.Pointer(l.receivers.At(uint32(down.NIC()))))
	}
}
