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

	Asks core.Bitmap // VCs in which a packet asks and has not started
	// with adaptive routing and input queues: VCs in which it does, and the outputs that it waits
	// for are recorded
	recorded core.Bitmap
	ofPorts  core.Bitmap // of each port: VCs that wait for it
	// for each VC: the outputs that its packets wait for, with virtual output queues or adaptive
	// routing
	ofVCs core.Bitmap
	Words uint32 // of each
}

func newWaitLists(g *Stages) WaitLists { return WaitLists{Shape: g.Shape, pool: &g.Pool} }

// WaitersFor returns the bitmap of VCs that wait for a port of the visited router.
func (l *WaitLists) WaitersFor(port uint32) core.Bitmap { return l.ofPorts.Next(port * l.Words) }

// RequestsAt returns the bitmap of outputs that a VC of the visited router waits for.
func (l *WaitLists) RequestsAt(index uint32) core.Bitmap { return l.ofVCs.Next(index * l.Words) }

// RequestsOf returns the bitmap of the outputs of a packet's last answer. It is empty if the
// algorithm has not been called for the packet.
func (l *WaitLists) RequestsOf(index, id uint32) core.Bitmap {
	if l.VOQ {
		return core.Bitmap{First: unsafe.Pointer(l.pool.Requests.At(id * l.pool.Words))}
	}
	return l.RequestsAt(index)
}

// dropPort returns a bitmap word m, whose first bit is the output VC `from`, without the vcs
// VCs of a port, the first of which is `first`.
func dropPort(m uint64, from, first, vcs uint32) uint64 {
	if end := first + vcs - from; end < 64 {
		return m & (^uint64(0) << end)
	}
	return 0
}

// isRecorded reports whether the outputs are recorded that a packet which asks waits for.
func (l *WaitLists) isRecorded(index, id uint32) bool {
	if l.VOQ {
		return l.RequestsOf(index, id).Any(l.Words)
	}
	return l.recorded.Has(index)
}

// forget clears all outputs that a VC's packets wait for.
func (l *WaitLists) forget(index uint32) {
	if !l.VOQ {
		if !l.recorded.Has(index) {
			return
		}
		l.recorded.Clear(index)
	}
	requests := l.RequestsAt(index)
	for w := range l.Words {
		at := requests.Word(w)
		m := *at
		*at = 0
		for m != 0 {
			port := uint32(*l.PortOf.At(w<<6 + uint32(bits.TrailingZeros64(m))))
			l.WaitersFor(port).Clear(index)
			m = dropPort(m, w<<6, port*l.NumVCs, l.NumVCs)
		}
	}
}

// join adds a packet's outputs to those that its VC waits for.
func (l *WaitLists) join(index uint32, requests core.Bitmap) {
	all := l.RequestsAt(index)
	for w := range l.Words {
		*all.Word(w) |= *requests.Word(w)
	}
}

// rememberAll recomputes what a VC waits for from its packets.
func (l *WaitLists) rememberAll(index uint32, in *InputVC) {
	for id := in.Here.First; id != 0; id = l.pool.Packets.At(id).Next {
		l.join(index, l.RequestsOf(index, id))
	}
	requests := l.RequestsAt(index)
	for w := range l.Words {
		for m := *requests.Word(w); m != 0; {
			port := uint32(*l.PortOf.At(w<<6 + uint32(bits.TrailingZeros64(m))))
			l.WaitersFor(port).Set(index)
			m = dropPort(m, w<<6, port*l.NumVCs, l.NumVCs)
		}
	}
}

// stillWaits records that a VC's virtual output queue is empty. It reports whether the VC still
// has other queues for the same port.
func (l *WaitLists) stillWaits(index, out uint32) bool {
	requests := l.RequestsAt(index)
	requests.Clear(out)
	return requests.Span(l.Port(out)*l.NumVCs, l.PortMask) != 0
}

// Awaited reports whether a packet waits for a crossbar output or input.
func (l *WaitLists) Awaited(in, out uint32) bool {
	if l.Asks.Span(in*l.NumVCs, l.PortMask) != 0 {
		return true
	}
	return l.WaitersFor(out).Any(l.Words)
}
