package fabric

import (
	"unsafe"

	"fabricast/internal/prefetch"
)

// inputVCs holds the input buffers of a block's routers, one for each VC, and the packets in them.
type inputVCs struct {
	shape
	wheel      *dueWheel
	pool       *parcelPool
	waits      *waitLists
	flow       *flow
	inlets     array[inlet]
	queues     array[list] // virtual output queues, see generalRouter.queues
	largest    int32       // flits, see outputVCs
	turnaround int64       // ps from a packet's tail leaving to the next packet's asking

	// of the visited router
	here   part[inlet]
	router *generalRouter
	// with adaptive routing and input queues: slots whose requesting packet is smaller than the
	// largest
	small bitmap
}

func newInputVCs(g *stages, turnaround int64) inputVCs {
	return inputVCs{
		shape: g.shape, wheel: &g.wheel, pool: &g.pool, waits: &g.waits, flow: &g.out.flow,
		largest: g.out.largest, inlets: g.all.inlets, queues: g.all.queues,
		turnaround: turnaround,
	}
}

// at returns an input VC of the visited router.
func (i *inputVCs) at(slot uint32) *inlet { return i.here.at(slot) }

// queueOf returns the virtual output queue of a slot for an output slot.
func (i *inputVCs) queueOf(slot, out uint32) *list {
	return i.queues.at(i.router.queues + slot*uint32(i.router.slots) + out)
}

// firstOf returns the first packet of a virtual output queue, which must not be empty.
func (i *inputVCs) firstOf(slot, out uint32) uint32 {
	return i.queueOf(slot, out).first
}

// firstParcel stands for the only packet of a slot that may ask, with input queues.
const firstParcel = 0

// flitsOf makes a packet the one that asks, and returns its size (flits).
func (i *inputVCs) flitsOf(slot, id uint32) int32 {
	if !i.voq {
		if !i.small.has(slot) {
			return i.largest
		}
		id = i.firstIn(slot)
	}
	return i.flow.asks(slot, i.pool.parcels.at(id))
}

// head returns the packet of a slot that requests an output.
func (i *inputVCs) head(slot, out uint32) uint32 {
	if i.voq {
		return i.firstOf(slot, out)
	}
	return i.at(slot).here.first
}

// firstIn returns the first packet of a slot, with input queues.
func (i *inputVCs) firstIn(slot uint32) uint32 { return i.at(slot).here.first }

// unqueue removes a packet that starts from its queue.
func (i *inputVCs) unqueue(slot, id uint32, p *parcel) {
	in := i.at(slot)
	out := uint32(p.out)
	switch {
	case i.adaptive:
		i.waits.forget(slot)
		i.pool.drop(&in.here, id, p)
		if i.voq && in.here.first != 0 {
			i.waits.rememberAll(slot, in)
			return
		}
	case i.voq:
		if q := i.queueOf(slot, out); q.last != id {
			q.first = p.next
			prefetch.Line(unsafe.Pointer(i.pool.parcels.at(p.next))) // is read when it contends
			return
		}
		if !i.waits.stillWaits(slot, out) {
			i.waits.waitersFor(i.port(out)).clear(slot)
		}
		if i.waits.wishesAt(slot).any(i.waits.words) {
			return
		}
	default:
		in.here.first = p.next
		i.waits.waitersFor(i.port(out)).clear(slot)
	}
	i.waits.asks.clear(slot)
}

// push appends a packet to the buffer of an input VC of a router of this block.
func (i *inputVCs) push(r *routerState, lane, id uint32, p *parcel) {
	in := i.inlets.at(lane)
	in.flits += int32(p.flits & flitMask)
	in.packets++
	if i.voq {
		idle := in.coming.first == 0
		i.pool.add(&in.coming, id, p)
		if idle {
			in.ask = p.ready
			i.wheel.arm(r, lane-r.lanes, p.ready)
		}
		return
	}
	idle := in.here.first == 0
	i.pool.add(&in.here, id, p)
	if idle {
		in.ask = max(in.ask, p.ready)
		i.wheel.arm(r, lane-r.lanes, in.ask)
	}
}

// enqueue appends a packet to its virtual output queue, and reports whether it is the first there.
func (i *inputVCs) enqueue(slot, id uint32, p *parcel) bool {
	out := uint32(p.out)
	q, wishes := i.queueOf(slot, out), i.waits.wishesAt(slot)
	if wishes.has(out) {
		i.pool.parcels.at(q.last).next = id
		q.last = id
		return false
	}
	*q = list{id, id}
	wishes.set(out)
	return true
}
