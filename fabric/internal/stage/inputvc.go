package stage

import (
	"unsafe"

	"fabricast/fabric/internal/core"

	"fabricast/internal/prefetch"
)

// InputVCs holds the input buffers of a block's routers, one for each VC, and the packets in them.
type InputVCs struct {
	Shape
	wheel      *DueWheel
	pool       *PacketPool
	waits      *WaitLists
	flow       *flow
	VCs        core.Array[InputVC]
	Queues     core.Array[List] // virtual output queues, see generalRouter.queues
	largest    int32            // flits, see outputVCs
	Turnaround int64            // ps from a packet's tail leaving to the next packet's asking

	// of the visited router
	here   core.ArrayPart[InputVC]
	router *Router
	// with adaptive routing and input queues: slots whose requesting packet is smaller than the
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

// At returns an input VC of the visited router.
func (i *InputVCs) At(slot uint32) *InputVC { return i.here.At(slot) }

// QueueOf returns the virtual output queue of a slot for an output slot.
func (i *InputVCs) QueueOf(slot, out uint32) *List {
	return i.Queues.At(i.router.Queues + slot*uint32(i.router.NumVCs) + out)
}

// firstOf returns the first packet of a virtual output queue, which must not be empty.
func (i *InputVCs) firstOf(slot, out uint32) uint32 {
	return i.QueueOf(slot, out).First
}

// FirstPacket stands for the only packet of a slot that may ask, with input queues.
const FirstPacket = 0

// flitsOf makes a packet the one that asks, and returns its size (flits).
func (i *InputVCs) flitsOf(slot, id uint32) int32 {
	if !i.VOQ {
		if !i.Small.Has(slot) {
			return i.largest
		}
		id = i.FirstIn(slot)
	}
	return i.flow.Asks(slot, i.pool.Packets.At(id))
}

// head returns the packet of a slot that requests an output.
func (i *InputVCs) head(slot, out uint32) uint32 {
	if i.VOQ {
		return i.firstOf(slot, out)
	}
	return i.At(slot).Here.First
}

// FirstIn returns the first packet of a slot, with input queues.
func (i *InputVCs) FirstIn(slot uint32) uint32 { return i.At(slot).Here.First }

// Unqueue removes a packet that starts from its queue.
func (i *InputVCs) Unqueue(slot, id uint32, p *Packet) {
	in := i.At(slot)
	out := uint32(p.Out)
	switch {
	case i.Adaptive:
		i.waits.forget(slot)
		i.pool.drop(&in.Here, id, p)
		if i.VOQ && in.Here.First != 0 {
			i.waits.rememberAll(slot, in)
			return
		}
	case i.VOQ:
		if q := i.QueueOf(slot, out); q.Last != id {
			q.First = p.Next
			prefetch.Line(unsafe.Pointer(i.pool.Packets.At(p.Next))) // is read when it contends
			return
		}
		if !i.waits.stillWaits(slot, out) {
			i.waits.WaitersFor(i.Port(out)).Clear(slot)
		}
		if i.waits.RequestsAt(slot).Any(i.waits.Words) {
			return
		}
	default:
		in.Here.First = p.Next
		i.waits.WaitersFor(i.Port(out)).Clear(slot)
	}
	i.waits.Asks.Clear(slot)
}

// Push appends a packet to the buffer of an input VC of a router of this block.
func (i *InputVCs) Push(r *core.Router, lane, id uint32, p *Packet) {
	in := i.VCs.At(lane)
	in.Flits += int32(p.Flits & core.FlitMask)
	in.Packets++
	if i.VOQ {
		idle := in.Coming.First == 0
		i.pool.Add(&in.Coming, id, p)
		if idle {
			in.Ask = p.Ready
			i.wheel.arm(r, lane-r.FirstVC, p.Ready)
		}
		return
	}
	idle := in.Here.First == 0
	i.pool.Add(&in.Here, id, p)
	if idle {
		in.Ask = max(in.Ask, p.Ready)
		i.wheel.arm(r, lane-r.FirstVC, in.Ask)
	}
}

// Enqueue appends a packet to its virtual output queue, and reports whether it is the first there.
func (i *InputVCs) Enqueue(slot, id uint32, p *Packet) bool {
	out := uint32(p.Out)
	q, wishes := i.QueueOf(slot, out), i.waits.RequestsAt(slot)
	if wishes.Has(out) {
		i.pool.Packets.At(q.Last).Next = id
		q.Last = id
		return false
	}
	*q = List{id, id}
	wishes.Set(out)
	return true
}
