package stage

import (
	"unsafe"

	"fabricast/fabric/internal/core"

	"fabricast/internal/prefetch"
)

// InputVCs holds the input buffers of a block's routers, one for each VC, with their packets.
type InputVCs struct {
	Shape
	wheel      *DueWheel
	pool       *PacketPool
	waits      *WaitLists
	flow       *flow
	VCs        core.Array[InputVC]
	Queues     core.Array[List] // virtual output queues, indexed from Router.Queues
	largest    int32            // size of the largest packet in flits, see OutputVCs.Largest
	Turnaround int64            // time (ps) from a packet's tail leaving to the next packet's request

	// The following fields belong to the active router.
	here   core.ArrayPart[InputVC]
	router *Router
	// with adaptive routing and input queues: VCs whose requesting packet is smaller than the
	// largest
	Small core.Bitmap
}

func newInputVCs(g *Stages, turnaround int64) InputVCs {
	return InputVCs{
		Shape: g.Shape, wheel: &g.Wheel, pool: &g.Pool, waits: &g.Waits, flow: &g.Out.Flow,
		largest: g.Out.Largest, VCs: g.All.InputVCs, Queues: g.All.Queues,
		Turnaround: turnaround,
	}
}

// At returns an input VC of the active router.
func (i *InputVCs) At(index uint32) *InputVC { return i.here.At(index) }

// QueueOf returns the virtual output queue of a VC for an output VC.
func (i *InputVCs) QueueOf(index, out uint32) *List {
	return i.Queues.At(i.router.Queues + index*uint32(i.router.NumVCs) + out)
}

// firstOf returns the first packet of a virtual output queue, which must not be empty.
func (i *InputVCs) firstOf(index, out uint32) uint32 {
	return i.QueueOf(index, out).First
}

// FirstPacket stands for the packet of a VC that may make requests, with input queues, where it is
// unique.
const FirstPacket = 0

// flitsOf makes a packet the requesting one, and returns its size (flits).
func (i *InputVCs) flitsOf(index, id uint32) int32 {
	if !i.VOQ {
		if !i.Small.Has(index) {
			return i.largest
		}
		id = i.FirstIn(index)
	}
	return i.flow.Asks(index, i.pool.Packets.At(id))
}

// head returns the packet of a VC that requests an output.
func (i *InputVCs) head(index, out uint32) uint32 {
	if i.VOQ {
		return i.firstOf(index, out)
	}
	return i.At(index).Here.First
}

// FirstIn returns the first packet of a VC, with input queues.
func (i *InputVCs) FirstIn(index uint32) uint32 { return i.At(index).Here.First }

// Unqueue removes a packet that starts from its queue.
func (i *InputVCs) Unqueue(index, id uint32, p *Packet) {
	in := i.At(index)
	out := uint32(p.Out)
	switch {
	case i.Adaptive:
		i.waits.forget(index)
		i.pool.drop(&in.Here, id, p)
		if i.VOQ && in.Here.First != 0 {
			i.waits.rememberAll(index, in)
			return
		}
	case i.VOQ:
		if q := i.QueueOf(index, out); q.Last != id {
			q.First = p.Next
			prefetch.Line(unsafe.Pointer(i.pool.Packets.At(p.Next))) // it is read when it contends
			return
		}
		if !i.waits.stillWaits(index, out) {
			i.waits.WaitersFor(i.Port(out)).Clear(index)
		}
		if i.waits.RequestsAt(index).Any(i.waits.Words) {
			return
		}
	default:
		in.Here.First = p.Next
		i.waits.WaitersFor(i.Port(out)).Clear(index)
	}
	i.waits.Asks.Clear(index)
}

// Push appends a packet to the buffer of an input VC of a router of this block.
func (i *InputVCs) Push(r *core.Router, number, id uint32, p *Packet) {
	in := i.VCs.At(number)
	in.Flits += int32(p.Flits & core.FlitMask)
	in.Packets++
	if i.VOQ {
		idle := in.Coming.First == 0
		i.pool.Add(&in.Coming, id, p)
		if idle {
			in.Ask = p.Ready
			i.wheel.arm(r, number-r.FirstVC, p.Ready)
		}
		return
	}
	idle := in.Here.First == 0
	i.pool.Add(&in.Here, id, p)
	if idle {
		in.Ask = max(in.Ask, p.Ready)
		i.wheel.arm(r, number-r.FirstVC, in.Ask)
	}
}

// Enqueue appends a packet to its virtual output queue, and reports whether it is the first there.
func (i *InputVCs) Enqueue(index, id uint32, p *Packet) bool {
	out := uint32(p.Out)
	q, requests := i.QueueOf(index, out), i.waits.RequestsAt(index)
	if requests.Has(out) {
		i.pool.Packets.At(q.Last).Next = id
		q.Last = id
		return false
	}
	*q = List{id, id}
	requests.Set(out)
	return true
}
