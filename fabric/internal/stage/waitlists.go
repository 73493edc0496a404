package stage

import (
	"math/bits"
	"unsafe"

	"fabricast/fabric/internal/core"
)

// WaitLists records which ports and outputs the packets of the active router wait for.
type WaitLists struct {
	Shape
	pool *PacketPool // with virtual output queues and adaptive routing: the outputs that each packet waits for

	Asks core.Bitmap // VCs with a packet that has made a request and not started
	// with adaptive routing and input queues: the VCs in Asks for which the awaited outputs are
	// recorded
	recorded core.Bitmap
	ofPorts  core.Bitmap // by port: VCs that wait for it
	// by VC: the outputs that its packets wait for, with virtual output queues or adaptive routing
	ofVCs core.Bitmap
	Words uint32 // number of words of each bitmap
}

func newWaitLists(g *Stages) WaitLists { return WaitLists{Shape: g.Shape, pool: &g.Pool} }

// WaitersFor returns the bitmap of VCs that wait for a port of the active router.
func (l *WaitLists) WaitersFor(port uint32) core.Bitmap { return l.ofPorts.Next(port * l.Words) }

// RequestsAt returns the bitmap of outputs that a VC of the active router waits for.
func (l *WaitLists) RequestsAt(index uint32) core.Bitmap { return l.ofVCs.Next(index * l.Words) }

// RequestsOf returns the bitmap of a packet's candidate outputs. It is empty if the algorithm has
// not been called for the packet.
func (l *WaitLists) RequestsOf(index, id uint32) core.Bitmap {
	if l.VOQ {
		return core.Bitmap{First: unsafe.Pointer(l.pool.Requests.At(id * l.pool.Words))}
	}
	return l.RequestsAt(index)
}

// dropPort returns bitmap word m without the VCs of a port. The lowest bit of m is the output VC
// `from`, and the port has `vcs` VCs starting with `first`.
func dropPort(m uint64, from, first, vcs uint32) uint64 {
	if end := first + vcs - from; end < 64 {
		return m & (^uint64(0) << end)
	}
	return 0
}

// isRecorded reports whether the outputs that a requesting packet waits for are recorded.
func (l *WaitLists) isRecorded(index, id uint32) bool {
	if l.VOQ {
		return l.RequestsOf(index, id).Any(l.Words)
	}
	return l.recorded.Has(index)
}

// forget removes all outputs from the record of what a VC's packets wait for.
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

// rememberAll recomputes the outputs that a VC waits for from its packets.
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

// stillWaits records that one of a VC's virtual output queues is empty. It reports whether the VC
// still has other queues for the same port.
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
