package stage

import (
	"math/bits"
	"unsafe"

	"fabricast/fabric/internal/core"
)

// WaitLists records which ports and outputs the packets of the visited router wait for.
type WaitLists struct {
	Shape
	pool *PacketPool // with virtual output queues and adaptive routing: what each packet waits for

	Asks core.Bitmap // slots in which a packet asks and has not started
	// with adaptive routing and input queues: slots in which it does, and the outputs that it waits
	// for are recorded
	recorded core.Bitmap
	ofPorts  core.Bitmap // of each port: slots that wait for it
	// for each slot: the outputs that its packets wait for, with virtual output queues or adaptive
	// routing
	ofSlots core.Bitmap
	Words   uint32 // of each
}

func newWaitLists(g *Stages) WaitLists { return WaitLists{Shape: g.Shape, pool: &g.Pool} }

// WaitersFor returns the bitmap of slots that wait for a port of the visited router.
func (l *WaitLists) WaitersFor(port uint32) core.Bitmap { return l.ofPorts.Next(port * l.Words) }

// RequestsAt returns the bitmap of outputs that a slot of the visited router waits for.
func (l *WaitLists) RequestsAt(slot uint32) core.Bitmap { return l.ofSlots.Next(slot * l.Words) }

// RequestsOf returns the bitmap of the outputs of a packet's last answer. It is empty if the
// algorithm has not been called for the packet.
func (l *WaitLists) RequestsOf(slot, id uint32) core.Bitmap {
	if l.VOQ {
		return core.Bitmap{First: unsafe.Pointer(l.pool.Requests.At(id * l.pool.Words))}
	}
	return l.RequestsAt(slot)
}

// dropPort returns a bitmap word m, whose first bit is the output slot `from`, without the vcs
// slots of a port, the first of which is `first`.
func dropPort(m uint64, from, first, vcs uint32) uint64 {
	if end := first + vcs - from; end < 64 {
		return m & (^uint64(0) << end)
	}
	return 0
}

// isRecorded reports whether the outputs are recorded that a packet which asks waits for.
func (l *WaitLists) isRecorded(slot, id uint32) bool {
	if l.VOQ {
		return l.RequestsOf(slot, id).Any(l.Words)
	}
	return l.recorded.Has(slot)
}

// forget clears all outputs that a slot's packets wait for.
func (l *WaitLists) forget(slot uint32) {
	if !l.VOQ {
		if !l.recorded.Has(slot) {
			return
		}
		l.recorded.Clear(slot)
	}
	wishes := l.RequestsAt(slot)
	for w := range l.Words {
		at := wishes.Word(w)
		m := *at
		*at = 0
		for m != 0 {
			port := uint32(*l.PortOf.At(w<<6 + uint32(bits.TrailingZeros64(m))))
			l.WaitersFor(port).Clear(slot)
			m = dropPort(m, w<<6, port*l.NumVCs, l.NumVCs)
		}
	}
}

// join adds a packet's outputs to those that its slot waits for.
func (l *WaitLists) join(slot uint32, wishes core.Bitmap) {
	all := l.RequestsAt(slot)
	for w := range l.Words {
		*all.Word(w) |= *wishes.Word(w)
	}
}

// rememberAll recomputes what a slot waits for from its packets.
func (l *WaitLists) rememberAll(slot uint32, in *InputVC) {
	for id := in.Here.First; id != 0; id = l.pool.Packets.At(id).Next {
		l.join(slot, l.RequestsOf(slot, id))
	}
	wishes := l.RequestsAt(slot)
	for w := range l.Words {
		for m := *wishes.Word(w); m != 0; {
			port := uint32(*l.PortOf.At(w<<6 + uint32(bits.TrailingZeros64(m))))
			l.WaitersFor(port).Set(slot)
			m = dropPort(m, w<<6, port*l.NumVCs, l.NumVCs)
		}
	}
}

// stillWaits records that a slot's virtual output queue is empty. It reports whether the slot still
// has other queues for the same port.
func (l *WaitLists) stillWaits(slot, out uint32) bool {
	wishes := l.RequestsAt(slot)
	wishes.Clear(out)
	return wishes.Span(l.Port(out)*l.NumVCs, l.PortMask) != 0
}

// Awaited reports whether a packet waits for a crossbar output or input.
func (l *WaitLists) Awaited(in, out uint32) bool {
	if l.Asks.Span(in*l.NumVCs, l.PortMask) != 0 {
		return true
	}
	return l.WaitersFor(out).Any(l.Words)
}
