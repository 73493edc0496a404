package stage

import (
	"math"
	"math/bits"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// OutputVCs holds the space behind the outputs of a block's routers and NICs: the credit for the
// buffers at the other end, the known returns of credit, and the space in output buffers.
type OutputVCs struct {
	Shape
	events  *core.EventWheel
	wheel   *DueWheel
	pool    *PacketPool // for returns of credit that do not fit into their output VC
	VCs     core.Array[OutputVC]
	buffers core.Array[OutBuffer]
	first   uint32 // first output VC of the NICs
	Flow    flow   // decides when a packet may enter a buffer
	// upper bound on the need of any packet at any output (flits)
	Largest  int32
	Capacity int32 // size of an input buffer in flits
	Soonest  int64 // time before which no credit returns that the publisher does not know of (ps)

	// The following fields belong to the active router.
	here        core.ArrayPart[OutputVC]
	buffersHere core.ArrayPart[OutBuffer] // empty without output buffers
	// with adaptive routing: outputs known to have space for the largest packet; and outputs
	// without enough space for it, at which a return of space will be noticed
	room, dried core.Bitmap
	Holds       core.Bitmap // with fixed routes: outputs for whose space a packet waits
}

func newOutputVCs(g *Stages) OutputVCs {
	v := OutputVCs{
		Shape: g.Shape, events: g.Events, wheel: &g.Wheel, pool: &g.Pool,
		VCs: g.All.OutputVCs, buffers: g.All.Buffers, first: g.B.Layout.FirstNICVC, Flow: newFlow(g.B),
		Capacity: g.B.Capacity, Soonest: model.Forever,
	}
	v.Largest = v.Flow.most()
	return v
}

// At returns an output VC of the active router.
func (v *OutputVCs) At(out uint32) *OutputVC { return v.here.At(out) }

// BufferAt returns an output buffer of the active router.
func (v *OutputVCs) BufferAt(out uint32) *OutBuffer { return v.buffersHere.At(out) }

// renew adds the credit of an output VC that has returned by now.
func (v *OutputVCs) renew(o *OutputVC) {
	if o.N > 0 && o.Next() <= v.events.Now {
		v.pull(o, v.events.Now)
	}
}

// HasSpace reports whether the requesting packet, of the given size, can start toward an output VC.
func (v *OutputVCs) HasSpace(out uint32, flits int32) bool {
	flits = v.Flow.Needs(out, flits)
	if v.Buffered {
		return v.BufferAt(out).Room >= flits
	}
	return v.Credited(v.At(out), flits)
}

// SpaceOf returns the space of an output VC (flits).
func (v *OutputVCs) SpaceOf(out uint32) int32 {
	if v.Buffered {
		return v.BufferAt(out).Room
	}
	o := v.At(out)
	v.renew(o)
	return o.Credit
}

// Credited reports whether an output VC has credit for the given number of flits, after adding
// returned credit.
func (v *OutputVCs) Credited(o *OutputVC, flits int32) bool {
	if o.Credit < flits {
		v.pull(o, v.events.Now)
	}
	return o.Credit >= flits
}

// pull adds the credit that has returned by the time until (ps).
func (v *OutputVCs) pull(o *OutputVC, until int64) {
	for o.N > 0 && o.Next() <= until {
		o.takeFirst()
		if o.More != 0 {
			v.refill(o)
		}
	}
}

// refill moves the first return that did not fit into an output VC's ring into the ring, if it fits
// now.
func (v *OutputVCs) refill(o *OutputVC) {
	id := o.More
	p := v.pool.Packets.At(id)
	if !o.fits(p.Ready) {
		return
	}
	o.append(p.Ready, p.Flits)
	if o.More = p.Next; p.Next != 0 {
		v.pool.Packets.At(p.Next).Span = p.Span
	}
	v.pool.Give(id, p)
}

// keep records that credit will be known at an output VC at the time `at` (ps). This must not be
// before earlier records.
func (v *OutputVCs) keep(o *OutputVC, at int64, flits uint16) {
	v.Soonest = min(v.Soonest, at)
	if o.N == InlineReturns {
		// The output VC's router has been simulated up to here. The queue lengths that it publishes
		// at the window's start must not include later credit.
		v.pull(o, v.events.Calendar.Start-1)
	}
	if o.More == 0 && o.fits(at) {
		o.append(at, flits)
		return
	}
	id, p := v.pool.Take()
	*p = Packet{Ready: at, Flits: flits}
	if o.More == 0 {
		o.More = id
	} else {
		v.pool.Packets.At(v.pool.Packets.At(o.More).Span).Next = id
	}
	v.pool.Packets.At(o.More).Span = id
}

// Want makes sure that a return of space in an output VC of the active router is noticed.
func (v *OutputVCs) Want(out uint32, o *OutputVC) {
	switch {
	case v.Buffered:
		v.BufferAt(out).Short = true
	case !o.Armed:
		v.wantCredit(out, o)
	}
	if v.Adaptive {
		v.dried.Set(out)
	}
}

// Noted records that the space wanted in an output VC of the active router has returned.
func (v *OutputVCs) Noted(out uint32) {
	if v.Buffered {
		v.BufferAt(out).Short = false
	}
	if v.Adaptive {
		v.dried.Clear(out)
	}
}

// spaceAt returns the space of an output VC (flits) with adaptive routing. It also records whether
// that is enough for the largest packet.
func (v *OutputVCs) spaceAt(out uint32) int32 {
	space := v.SpaceOf(out)
	if space >= v.Largest {
		v.room.Set(out)
	}
	return space
}

// Spend records that a packet has started toward an output VC, leaving `space` flits.
func (v *OutputVCs) Spend(out uint32, space int32) {
	if v.Adaptive && space < v.Largest {
		v.room.Clear(out)
	}
}

// awaitsSpace reports whether the next return of space in an output VC of the active router will be
// noticed: it has been requested, and none has returned since.
func (v *OutputVCs) awaitsSpace(out uint32) bool {
	if v.Buffered {
		return v.BufferAt(out).Short
	}
	o := v.At(out)
	return o.Armed || o.Wanted
}

// wantCredit sets an output VC's timer to the next return of credit, now or as soon as its time is
// known.
func (v *OutputVCs) wantCredit(out uint32, o *OutputVC) {
	if o.Wanted = o.N == 0; !o.Wanted {
		v.arm(out, o, o.Next())
	}
}

// arm sets the timer of an output VC of the active router. Without output buffers, `at` must be the
// first return of credit.
func (v *OutputVCs) arm(out uint32, o *OutputVC, at int64) {
	o.Wanted, o.Armed = false, true
	if v.Buffered {
		v.BufferAt(out).timer = at
	}
	v.wheel.ArmHere(v.wheel.Timers.OutputVCs+out, at)
}

// GiveBack returns credit to an output VC of a router or of one of its NICs, where it becomes known
// at the time `at` (ps).
func (v *OutputVCs) GiveBack(r *core.Router, number uint32, at int64, flits uint16) {
	o := v.VCs.At(number)
	v.keep(o, at, flits)
	if !o.Wanted {
		return
	}
	if first := v.first; number >= first {
		o.Wanted = false
		v.events.ArmNIC(r, uint32(r.Wakes)+(number-first)/v.NumVCs-r.FirstNIC, at)
		return
	}
	o.Wanted, o.Armed = false, true
	if v.Buffered {
		v.buffers.At(number).timer = at
	}
	v.wheel.arm(r, v.wheel.routers.At(r.Number).timers().OutputVCs+number-r.FirstVC, at)
}

// roomFor returns those of the given VCs that have space for the given number of flits. The VCs are
// a mask whose lowest bit is the VC `first`.
func (v *OutputVCs) roomFor(first uint32, channels uint64, flits int32) (room uint64) {
	room = v.room.Span(first, channels)
	unknown := channels &^ room
	if flits == v.Largest {
		unknown &^= v.dried.Span(first, channels)
	}
	for m := unknown; m != 0; m &= m - 1 {
		out := first + uint32(bits.TrailingZeros64(m))
		if v.spaceAt(out) >= v.Flow.Needs(out, flits) {
			room |= m & -m
		}
	}
	return room
}

// wantAmong makes sure that returned space is noticed at the given outputs, a bitmap whose lowest
// bit is the VC `first`.
func (v *OutputVCs) wantAmong(first uint32, outs uint64) {
	for ; outs != 0; outs &= outs - 1 {
		out := first + uint32(bits.TrailingZeros64(outs))
		v.Want(out, v.At(out))
	}
}

// spaceAmong reports whether one of the outputs in word w of a bitmap has space for the given
// number of flits. For outputs without space, it requests a notification.
func (v *OutputVCs) spaceAmong(w uint32, outs uint64, flits int32) bool {
	if flits == v.Largest {
		outs &^= *v.dried.Word(w)
	}
	for ; outs != 0; outs &= outs - 1 {
		out := w<<6 + uint32(bits.TrailingZeros64(outs))
		if v.spaceAt(out) >= v.Flow.Needs(out, flits) {
			return true
		}
		v.Want(out, v.At(out))
	}
	return false
}

// QueueLength returns the number of flits that have started toward an output VC and whose credit
// has not returned.
func (v *OutputVCs) QueueLength(out uint32) int64 {
	o := v.At(out)
	v.renew(o)
	queue := v.Capacity - o.Credit
	if v.Buffered {
		queue += v.BufferAt(out).Inside
	}
	return int64(queue)
}

// search holds the output with the shortest queue found so far.
type search struct {
	best  uint32 // VC; AnyOutput if there is none
	least int32  // length of its queue in flits
	flits int32  // space that the output must have, in flits
}

// search searches the given output VCs, a mask whose lowest bit is the VC `first`. It returns true
// if it finds an empty queue, which no other can beat.
func (v *OutputVCs) search(first uint32, channels uint64, s *search) bool {
	if v.Buffered || v.Flow.Own != nil {
		return v.searchByCost(first, channels, s)
	}
	now, capacity := v.events.Now, v.Capacity
	best, least := s.best, min(s.least, capacity-s.flits+1)
	for m := channels; m != 0 && least > 0; m &= m - 1 {
		out := first + uint32(bits.TrailingZeros64(m))
		o := v.At(out)
		if o.N > 0 && o.Next() <= now {
			v.pull(o, now)
		}
		if queue := capacity - o.Credit; queue < least {
			best, least = out, queue
		}
	}
	s.best, s.least = best, least
	return least <= 0
}

// searchByCost implements search for networks with output buffers or a user's flow control.
func (v *OutputVCs) searchByCost(first uint32, channels uint64, s *search) bool {
	for m := channels; m != 0; m &= m - 1 {
		out := first + uint32(bits.TrailingZeros64(m))
		queue := v.cost(out, v.Flow.Needs(out, s.flits))
		if queue < s.least {
			s.best, s.least = out, queue
		}
		if queue == 0 {
			return true
		}
	}
	return false
}

// cost returns the queue of an output VC (flits), or math.MaxInt32 if it does not have space for
// the given number of flits.
func (v *OutputVCs) cost(out uint32, flits int32) int32 {
	o := v.At(out)
	v.renew(o)
	space, queue := o.Credit, v.Capacity-o.Credit
	if v.Buffered {
		buf := v.BufferAt(out)
		space = buf.Room
		queue += buf.Inside
	}
	if space < flits {
		return math.MaxInt32
	}
	return queue
}

// outOfReach reports whether a packet of another VC waits for space at an output.
func (v *OutputVCs) outOfReach(index, out uint32) bool {
	return v.Holds.Has(out) && uint32(v.At(out).Owner) != index+1
}
