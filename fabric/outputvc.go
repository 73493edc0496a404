package fabric

import (
	"math"
	"math/bits"
)

// outputVCs holds the space behind the outputs of a block's routers and NICs: the credit for the
// buffers at the other end, the known returns of credit, and the space in output buffers.
type outputVCs struct {
	shape
	events  *eventWheel
	wheel   *dueWheel
	pool    *parcelPool // for returns of credit that find no place at their outlet
	outlets array[outlet]
	buffers array[outBuffer]
	first   uint32 // outlet of the NICs
	flow    flow   // when a packet may enter
	// upper bound of the flits that each packet needs, at every output
	largest  int32
	capacity int32 // flits of an input buffer
	soonest  int64 // ps: not before this will credit come back of which the publisher does not know

	// of the visited router
	here        part[outlet]
	buffersHere part[outBuffer] // with output buffers
	// with adaptive routing: outputs that certainly have space for the largest packet; and outputs
	// that have not, of which a return of space will be noticed
	room, dried bitmap
	holds       bitmap // with fixed routes: outputs for whose space a packet waits
}

func newOutputVCs(g *stages) outputVCs {
	v := outputVCs{
		shape: g.shape, events: g.events, wheel: &g.wheel, pool: &g.pool,
		outlets: g.all.outlets, buffers: g.all.buffers, first: g.b.layout.nicLanes, flow: newFlow(g.b),
		capacity: g.b.capacity, soonest: Forever,
	}
	v.largest = v.flow.most()
	return v
}

// at returns an output VC of the visited router.
func (v *outputVCs) at(out uint32) *outlet { return v.here.at(out) }

// bufferAt returns an output buffer of the visited router.
func (v *outputVCs) bufferAt(out uint32) *outBuffer { return v.buffersHere.at(out) }

// renew takes the credit of an output VC that has returned by now.
func (v *outputVCs) renew(o *outlet) {
	if o.n > 0 && o.next() <= v.events.now {
		v.pull(o, v.events.now)
	}
}

// hasSpace reports whether the requesting packet, of that many flits, may start toward an output
// VC.
func (v *outputVCs) hasSpace(out uint32, flits int32) bool {
	flits = v.flow.needs(out, flits)
	if v.buffered {
		return v.bufferAt(out).room >= flits
	}
	return v.credited(v.at(out), flits)
}

// spaceOf returns the space of an output VC (flits).
func (v *outputVCs) spaceOf(out uint32) int32 {
	if v.buffered {
		return v.bufferAt(out).room
	}
	o := v.at(out)
	v.renew(o)
	return o.credit
}

// credited reports whether an output VC has credit for that many flits, after it has taken returned
// credit.
func (v *outputVCs) credited(o *outlet, flits int32) bool {
	if o.credit < flits {
		v.pull(o, v.events.now)
	}
	return o.credit >= flits
}

// pull takes the credit that has returned by the time until (ps).
func (v *outputVCs) pull(o *outlet, until int64) {
	for o.n > 0 && o.next() <= until {
		o.takeFirst()
		if o.more != 0 {
			v.refill(o)
		}
	}
}

// refill moves the first return that has found no place in an outlet's ring into it, if it fits now.
func (v *outputVCs) refill(o *outlet) {
	id := o.more
	p := v.pool.parcels.at(id)
	if !o.fits(p.ready) {
		return
	}
	o.append(p.ready, p.flits)
	if o.more = p.next; p.next != 0 {
		v.pool.parcels.at(p.next).span = p.span
	}
	v.pool.give(id, p)
}

// keep records that credit will be known at an output VC at the time `at` (ps), not before earlier
// records.
func (v *outputVCs) keep(o *outlet, at int64, flits uint16) {
	v.soonest = min(v.soonest, at)
	if o.n == inlineReturns {
		// the output VC's router has been simulated up to here, and the queue lengths it publishes
		// at the window's start must not include later credit
		v.pull(o, v.events.calendar.start-1)
	}
	if o.more == 0 && o.fits(at) {
		o.append(at, flits)
		return
	}
	id, p := v.pool.take()
	*p = parcel{ready: at, flits: flits}
	if o.more == 0 {
		o.more = id
	} else {
		v.pool.parcels.at(v.pool.parcels.at(o.more).span).next = id
	}
	v.pool.parcels.at(o.more).span = id
}

// want makes sure that a return of space in an output VC of the visited router is noticed.
func (v *outputVCs) want(out uint32, o *outlet) {
	switch {
	case v.buffered:
		v.bufferAt(out).short = true
	case !o.armed:
		v.wantCredit(out, o)
	}
	if v.adaptive {
		v.dried.set(out)
	}
}

// noted records that the space wanted in an output VC of the visited router has returned.
func (v *outputVCs) noted(out uint32) {
	if v.buffered {
		v.bufferAt(out).short = false
	}
	if v.adaptive {
		v.dried.clear(out)
	}
}

// spaceAt returns the space of an output slot (flits) with adaptive routing. It also records
// whether that suffices for the largest packet.
func (v *outputVCs) spaceAt(out uint32) int32 {
	space := v.spaceOf(out)
	if space >= v.largest {
		v.room.set(out)
	}
	return space
}

// spend records that a packet has started toward an output VC, which has `space` flits left.
func (v *outputVCs) spend(out uint32, space int32) {
	if v.adaptive && space < v.largest {
		v.room.clear(out)
	}
}

// awaitsSpace reports whether the next return of space in an output VC of the visited router will
// be noticed: it has been requested, and none has returned since.
func (v *outputVCs) awaitsSpace(out uint32) bool {
	if v.buffered {
		return v.bufferAt(out).short
	}
	o := v.at(out)
	return o.armed || o.wanted
}

// wantCredit sets an output VC's timer to the next return of credit, as soon as its time is known.
func (v *outputVCs) wantCredit(out uint32, o *outlet) {
	if o.wanted = o.n == 0; !o.wanted {
		v.arm(out, o, o.next())
	}
}

// arm sets the timer of an output VC of the visited router. Without output buffers, it is set to the
// first return of credit.
func (v *outputVCs) arm(out uint32, o *outlet, at int64) {
	o.wanted, o.armed = false, true
	if v.buffered {
		v.bufferAt(out).timer = at
	}
	v.wheel.armHere(v.wheel.timers.outlets+out, at)
}

// giveBack returns credit to an output VC of a router or of one of its NICs, which knows of it at
// the time `at` (ps).
func (v *outputVCs) giveBack(r *routerState, lane uint32, at int64, flits uint16) {
	o := v.outlets.at(lane)
	v.keep(o, at, flits)
	if !o.wanted {
		return
	}
	if first := v.first; lane >= first {
		o.wanted = false
		v.events.armNIC(r, uint32(r.wakes)+(lane-first)/v.vcs-r.nics, at)
		return
	}
	o.wanted, o.armed = false, true
	if v.buffered {
		v.buffers.at(lane).timer = at
	}
	v.wheel.arm(r, v.wheel.routers.at(r.number).timers().outlets+lane-r.lanes, at)
}

// roomFor returns, of the VCs in a mask counted from the slot `first`, those with space for that
// many flits.
func (v *outputVCs) roomFor(first uint32, channels uint64, flits int32) (room uint64) {
	room = v.room.span(first, channels)
	unknown := channels &^ room
	if flits == v.largest {
		unknown &^= v.dried.span(first, channels)
	}
	for m := unknown; m != 0; m &= m - 1 {
		out := first + uint32(bits.TrailingZeros64(m))
		if v.spaceAt(out) >= v.flow.needs(out, flits) {
			room |= m & -m
		}
	}
	return room
}

// wantAmong makes sure that returned space is noticed at the outputs of a bitmap that begins with
// the slot `first`.
func (v *outputVCs) wantAmong(first uint32, outs uint64) {
	for ; outs != 0; outs &= outs - 1 {
		out := first + uint32(bits.TrailingZeros64(outs))
		v.want(out, v.at(out))
	}
}

// spaceAmong reports whether one of the outputs in word w of a bitmap has space for that many
// flits. For those without space it requests a notification.
func (v *outputVCs) spaceAmong(w uint32, outs uint64, flits int32) bool {
	if flits == v.largest {
		outs &^= *v.dried.word(w)
	}
	for ; outs != 0; outs &= outs - 1 {
		out := w<<6 + uint32(bits.TrailingZeros64(outs))
		if v.spaceAt(out) >= v.flow.needs(out, flits) {
			return true
		}
		v.want(out, v.at(out))
	}
	return false
}

// queueLength returns the number of flits that have started toward an output slot and whose credit has
// not returned.
func (v *outputVCs) queueLength(out uint32) int64 {
	o := v.at(out)
	v.renew(o)
	queue := v.capacity - o.credit
	if v.buffered {
		queue += v.bufferAt(out).inside
	}
	return int64(queue)
}

// search is the output with the shortest queue found so far.
type search struct {
	best  uint32 // slot; anyOutput if there is none
	least int32  // flits in its queue
	flits int32  // that it must have space for
}

// search searches the output VCs in a mask counted from the slot `first`. It returns true if it finds
// an empty queue, which no other can beat.
func (v *outputVCs) search(first uint32, channels uint64, s *search) bool {
	if v.buffered || v.flow.own != nil {
		return v.searchByCost(first, channels, s)
	}
	now, capacity := v.events.now, v.capacity
	best, least := s.best, min(s.least, capacity-s.flits+1)
	for m := channels; m != 0 && least > 0; m &= m - 1 {
		out := first + uint32(bits.TrailingZeros64(m))
		o := v.at(out)
		if o.n > 0 && o.next() <= now {
			v.pull(o, now)
		}
		if queue := capacity - o.credit; queue < least {
			best, least = out, queue
		}
	}
	s.best, s.least = best, least
	return least <= 0
}

// searchByCost implements search for output buffers and a user's flow control.
func (v *outputVCs) searchByCost(first uint32, channels uint64, s *search) bool {
	for m := channels; m != 0; m &= m - 1 {
		out := first + uint32(bits.TrailingZeros64(m))
		queue := v.cost(out, v.flow.needs(out, s.flits))
		if queue < s.least {
			s.best, s.least = out, queue
		}
		if queue == 0 {
			return true
		}
	}
	return false
}

// cost returns the queue of an output VC (flits); math.MaxInt32 if it has no space for that many
// flits.
func (v *outputVCs) cost(out uint32, flits int32) int32 {
	o := v.at(out)
	v.renew(o)
	space, queue := o.credit, v.capacity-o.credit
	if v.buffered {
		buf := v.bufferAt(out)
		space = buf.room
		queue += buf.inside
	}
	if space < flits {
		return math.MaxInt32
	}
	return queue
}

// outOfReach reports whether a packet of another slot waits for space at an output.
func (v *outputVCs) outOfReach(slot, out uint32) bool {
	return v.holds.has(out) && uint32(v.at(out).holder) != slot+1
}
