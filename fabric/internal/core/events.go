package core

import (
	"fmt"
	"math"
	"math/bits"

	"fabricast/fabric/model"
	"fabricast/internal/invariants"
	"fabricast/internal/snapshot"
)

// EventWheel holds a block's timers: the current time, the windows in which routers have timers
// (Calendar), the timers due in the coming windows, and the active router's event list for this
// window (Events). On the general path the routers' own timers are in a stage.DueWheel instead.
type EventWheel struct {
	Calendar calendar
	Events   EventList // events of the active router in this window
	Now      int64     // time of the current event (ps)
	Visiting uint32    // ID of the active router; NoRouter between windows
	Row      uint32    // first word of Due for the current window
	// index of the first word of Due for the window in which most packets sent in this window
	// arrive
	Arrivals     uint32
	LateArrivals uint32 // the same for packets that are sent late in this window

	First   uint32 // first router of the block
	words   uint32 // number of words of Due per window
	Routers Array[Router]
	// by router: its first word within a window of Due; empty if that equals its ID
	firstWords Array[uint32]
	VCs        Array[VC]    // VCs; each record contains its timer
	Timers     Array[int64] // timers of hosts and NICs (ps), indexed from Router.Timers
	// bitmaps of the timers set for the coming windows: by window (modulo Wheel), then from
	// Router.Masks on
	Due Array[uint64]
	// bitmaps of the set timers beyond the first 64 of a router, indexed from Router.Masks
	armed Array[uint64]
	again bool // NICs have timers that can be set again (see Spec.Doors and Router.Classes)
}

// NoRouter is an ID that no router has.
const NoRouter = math.MaxUint32

// newEventWheel returns the wheel of a block of `count` routers, starting with router `first`.
func newEventWheel(l *Layout, s *State, first, count uint32) EventWheel {
	return EventWheel{
		Calendar: NewCalendar(int(count), l.FullWindow), Visiting: NoRouter,
		First: first, words: l.dueWords, Routers: ArrayOf(l.Routers), firstWords: ArrayOf(l.firstWords),
		VCs: s.VCs, Timers: s.Timers, Due: s.due, armed: s.armed, again: l.ArmsNICsAgain(),
	}
}

// MoveTo makes the given window the current one. hop is the minimum time (ps) that a packet takes
// for a hop.
func (e *EventWheel) MoveTo(window, hop int64) {
	e.Calendar.moveTo(window)
	e.Row = uint32(window) % Wheel * e.words
	arrival := uint32(window) + uint32(e.Calendar.Ahead(e.Calendar.Start+hop))
	e.Arrivals, e.LateArrivals = arrival%Wheel*e.words, (arrival+1)%Wheel*e.words
}

// EndWindow advances the current time to the end of the window.
func (e *EventWheel) EndWindow() {
	e.Visiting = NoRouter
	e.Now = e.Calendar.End - 1
}

// Gather adds the router's timers of this window to the event list.
func (e *EventWheel) Gather(r *Router) {
	for w := range uint32(r.Words) {
		e.GatherDue(r, w<<6, e.TakeDue(r.Masks+w))
	}
	if r.Far < e.Calendar.End {
		e.GatherFar(r)
	}
}

// GatherDue adds the timers in the bitmap due, which the wheel has for this window, to the event
// list. `first` is the timer of the lowest bit.
func (e *EventWheel) GatherDue(r *Router, first uint32, due uint64) {
	for m := due; m != 0; m &= m - 1 {
		timer := first + uint32(bits.TrailingZeros64(m))
		if at := *e.timer(r, timer); at < e.Calendar.End { // a host's timer may have been set again
			e.Events.Insert(at-e.Calendar.Start, timer)
		}
	}
}

// GatherFar is like Gather for timers that are beyond the wheel.
func (e *EventWheel) GatherFar(r *Router) {
	r.armed, r.Far = e.gatherWord(r, 0, r.armed)
	for w := uint32(1); w < uint32(r.Words); w++ {
		word, earliest := e.armed.At(r.Masks+w), model.Forever
		*word, earliest = e.gatherWord(r, w<<6, *word)
		r.Far = min(r.Far, earliest)
	}
}

// gatherWord adds the timers of one word that are due in this window to the event list. `first` is
// the timer of the lowest bit. It returns the remaining timers and the earliest time among them.
func (e *EventWheel) gatherWord(r *Router, first uint32, timers uint64) (left uint64, earliest int64) {
	left, earliest = timers, model.Forever
	for m := timers; m != 0; m &= m - 1 {
		timer := first + uint32(bits.TrailingZeros64(m))
		if at := *e.timer(r, timer); at < e.Calendar.End {
			e.Events.Insert(at-e.Calendar.Start, timer)
			left &^= m & -m
		} else {
			earliest = min(earliest, at)
		}
	}
	return left, earliest
}

// timer returns a pointer to the time of a router's timer. Timers of hosts and NICs have the lowest
// indices.
func (e *EventWheel) timer(r *Router, timer uint32) *int64 {
	if timer >= uint32(r.First) {
		return &e.VCs.At(r.Base + timer).Timer
	}
	return e.Timers.At(r.Timers + timer)
}

// Word returns the word of the router's bitmap of set timers that contains the given timer's bit.
func (e *EventWheel) Word(r *Router, timer uint32) *uint64 {
	if timer < 64 {
		return &r.armed
	}
	return e.armed.At(r.Masks + timer>>6)
}

// set sets a timer of a router to a time that is not before the current window. The timer must not
// be set yet.
func (e *EventWheel) set(r *Router, timer uint32, at int64) {
	*e.timer(r, timer) = at
	e.MarkDue(r, timer, at)
}

// MarkDue records the window in which a router's timer, set to the time `at` (ps), is due.
func (e *EventWheel) MarkDue(r *Router, timer uint32, at int64) {
	if ahead := e.Calendar.Ahead(at); ahead < Wheel {
		e.MarkNear(r.Number, r.Masks+timer>>6, timer, ahead)
		return
	}
	e.markFar(r, timer, at)
}

// MarkNear is like MarkDue for a timer that is due fewer than Wheel windows ahead. `word` is the
// index of its word within a window of Due.
func (e *EventWheel) MarkNear(router, word, timer uint32, ahead uint64) {
	c := &e.Calendar
	window := uint32(uint64(c.Window) + ahead)
	*e.Due.At(window%Wheel*e.words + word) |= 1 << (timer & 63)
	router -= e.First
	group := c.Bits.At(window%Horizon*c.Words + router>>6)
	before := *group
	if *group = before | 1<<(router&63); before == 0 {
		c.MarkWindow(router, window%Horizon)
	}
}

// FirstWord returns the index of the first word of a router's bitmap within a window of Due,
// without reading its record.
func (e *EventWheel) FirstWord(router uint32) uint32 {
	if e.firstWords.N == 0 {
		return router
	}
	return *e.firstWords.At(router)
}

// TakeDue removes and returns the timers in the given word of Due for the current window.
func (e *EventWheel) TakeDue(word uint32) uint64 {
	at := e.Due.At(e.Row + word)
	due := *at
	*at = 0
	return due
}

// markFar is like MarkDue for a timer that is due beyond the wheel.
func (e *EventWheel) markFar(r *Router, timer uint32, at int64) {
	if invariants.Enabled && at < e.Calendar.Start {
		panic(fmt.Sprintf("a timer of router %d is set to %d ps at %d ps", r.Number, at, e.Now))
	}
	r.Far = min(r.Far, at)
	*e.Word(r, timer) |= 1 << (timer & 63)
	e.Calendar.Mark(r.Number-e.First, at)
}

// Schedule sets the timer of a VC of the active router. The timer must not be set yet.
func (e *EventWheel) Schedule(r *Router, timer uint32, in *VC, at int64) {
	if at < e.Calendar.End {
		e.Events.Insert(at-e.Calendar.Start, timer)
		return
	}
	in.Timer = at
	if ahead := e.Calendar.Ahead(at); ahead < Wheel {
		e.MarkNear(r.Number, r.Masks+timer>>6, timer, ahead)
	} else {
		e.markFar(r, timer, at)
	}
}

// Arm sets a timer of any router. The timer must not be set yet.
func (e *EventWheel) Arm(r *Router, timer uint32, at int64) {
	if at < e.Calendar.End && r.Number == e.Visiting {
		e.Events.Insert(at-e.Calendar.Start, timer)
		return
	}
	e.set(r, timer, at)
}

// SetAgain sets the timer of a host or of its I/O bus, whether or not it is set already.
func (e *EventWheel) SetAgain(r *Router, timer uint32, at int64) {
	*e.Timers.At(r.Timers + timer) = at
	switch {
	case at == model.Forever:
		*e.Word(r, timer) &^= 1 << (timer & 63)
	case at < e.Calendar.End && r.Number == e.Visiting:
		e.Events.Insert(at-e.Calendar.Start, timer)
	default:
		e.MarkDue(r, timer, at)
	}
}

// Quiet returns the time (ps) of the active router's next event, but at most `until`.
func (e *EventWheel) Quiet(until int64) int64 {
	if a := &e.Events; a.Next < a.N {
		return min(until, e.Calendar.Start+int64(*a.Entries.At(a.Next)>>EventShift))
	}
	return until
}

// Remark records all set timers of a router in the calendar again.
func (e *EventWheel) Remark(r *Router) {
	r.Far = model.Forever
	for w := range uint32(r.Words) {
		armed := e.Word(r, w<<6)
		set := *armed
		*armed = 0
		for row := range uint32(Wheel) {
			at := e.Due.At(row*e.words + r.Masks + w)
			set |= *at
			*at = 0
		}
		for m := set; m != 0; m &= m - 1 {
			timer := w<<6 + uint32(bits.TrailingZeros64(m))
			if at := *e.timer(r, timer); at != model.Forever { // a host's timer may have been cancelled
				e.MarkDue(r, timer, at)
			}
		}
	}
}

// state visits the timers. Between windows no router is active, and the event list is empty.
func (e *EventWheel) state(v *snapshot.Visitor) {
	e.Calendar.state(v)
	snapshot.Value(v, &e.Now)
	e.Events.N, e.Events.Next = 0, 0
	e.Visiting = NoRouter // also after an activation that failed
}

// SetEarlier sets the timer of a NIC or of doors, unless it is set to an earlier time already.
func (e *EventWheel) SetEarlier(r *Router, timer uint32, at int64) {
	if at < *e.Timers.At(r.Timers + timer) {
		e.SetAgain(r, timer, at)
	}
}

// TakeTimer reports whether a timer that can be set again is due now, and clears it if so.
func (e *EventWheel) TakeTimer(r *Router, timer uint32) bool {
	at := e.Timers.At(r.Timers + timer)
	if *at != e.Now {
		return false
	}
	*at = model.Forever
	*e.Word(r, timer) &^= 1 << (timer & 63)
	return true
}

// ArmNIC sets the timer of a NIC.
func (e *EventWheel) ArmNIC(r *Router, timer uint32, at int64) {
	if e.again {
		e.SetEarlier(r, timer, at)
		return
	}
	e.Arm(r, timer, at)
}

// Disarm clears the timer of a VC or NIC. The timer must be set.
func (e *EventWheel) Disarm(r *Router, timer uint32) {
	at := *e.timer(r, timer)
	if at < e.Calendar.End && r.Number == e.Visiting {
		e.Events.Remove(timer)
		return
	}
	*e.Word(r, timer) &^= 1 << (timer & 63)
	if ahead := e.Calendar.Ahead(at); ahead < Wheel {
		window := uint32(uint64(e.Calendar.Window) + ahead)
		*e.Due.At(window%Wheel*e.words + r.Masks + timer>>6) &^= 1 << (timer & 63)
	}
}

// Time returns the time (ps) to which a timer of a VC or NIC is set.
func (e *EventWheel) Time(r *Router, timer uint32) int64 { return *e.timer(r, timer) }

// Set sets the timer of a VC or NIC of any router, like Arm, and records its time even if it is due
// in the current activation, so that it can be cleared.
func (e *EventWheel) Set(r *Router, timer uint32, at int64) {
	if invariants.Enabled && (at < e.Calendar.Start || at < e.Now && r.Number == e.Visiting) {
		panic(fmt.Sprintf("a timer of router %d is set to %d ps at %d ps", r.Number, at, e.Now))
	}
	*e.timer(r, timer) = at
	e.Arm(r, timer, at)
}
