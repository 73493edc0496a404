package stage

import (
	"math/bits"
	"unsafe"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/model"
)

// DueWheel duplicates the wheel of the fast path (core.EventWheel) instead of sharing it. On the
// fast path most routers have at most 64 timers, including those of hosts and NICs: one word per
// window, at an index computed from the router's ID. Here a router has as many words as its timers
// need, and hosts and NICs stay in the fast path's wheel. A common form would turn the fast path's
// constants into variables.

// DueWheel holds the timers of a block's routers, without those of hosts and NICs: which are due in
// which window, and the active router's event list for this window.
type DueWheel struct {
	Due    eventList
	events *core.EventWheel // has the windows, and which routers have timers in each
	// bitmaps of the timers set for the coming windows, by router and window modulo core.Wheel
	due      core.Array[uint64]
	DueWords uint32             // number of words of such a bitmap
	maps     core.Array[uint64] // bitmaps of timers set for later windows, indexed from Router.Later
	routers  core.Array[Router]
	// arrays whose records contain the times of the timers
	inputVCs  core.Array[InputVC]
	ports     core.Array[CrossbarPort]
	outputVCs core.Array[OutputVC]
	buffers   core.Array[OutBuffer]
	links     core.Array[OutLink]

	// The following fields belong to the active router.
	r      *core.Router
	X      *Router
	Timers timerKinds
}

func newDueWheel(b *nic.NICs, s *State) DueWheel {
	return DueWheel{
		events: &b.Events, due: s.Due, DueWords: s.DueWords, maps: s.Maps, routers: s.Routers,
		inputVCs: s.InputVCs, ports: s.Ports, outputVCs: s.OutputVCs, buffers: s.Buffers, links: s.Links,
	}
}

// DueIn returns the bitmap of a router's timers that are due in a window.
func (d *DueWheel) DueIn(number, window uint32) core.Bitmap {
	return core.Bitmap{First: unsafe.Pointer(d.due.At((number*core.Wheel + window%core.Wheel) * d.DueWords))}
}

// timerKinds holds the first timer of each kind. The timers of VCs start at 0.
type timerKinds struct{ Ports, OutputVCs, Links uint32 }

func (x *Router) timers() timerKinds {
	vcs, ports := uint32(x.NumVCs), uint32(x.NumPorts)
	return timerKinds{Ports: vcs, OutputVCs: vcs + ports, Links: 2*vcs + ports}
}

// Gather moves the active router's timers of this window to its event list.
func (d *DueWheel) Gather() {
	c, x := &d.events.Calendar, d.X
	row := d.DueIn(d.r.Number, uint32(c.Window))
	for w := range uint32(x.TWords) {
		due := row.Word(w)
		m := *due
		*due = 0
		for ; m != 0; m &= m - 1 {
			d.collect(w<<6+uint32(bits.TrailingZeros64(m)), c.Start)
		}
	}
	if x.far < c.End {
		d.gatherFar()
	}
	if d.Due.N >= manyDue {
		d.Due.sort()
	}
}

// collect adds a timer that is due in this window to the router's event list. A short list is kept
// sorted.
func (d *DueWheel) collect(timer uint32, start int64) {
	since := d.timer(d.r, &d.Timers, timer) - start
	if d.Due.N < manyDue {
		d.Due.Insert(since, timer)
	} else {
		d.Due.add(since, timer)
	}
}

// gatherFar is like Gather for timers set for a window beyond the wheel.
func (d *DueWheel) gatherFar() {
	c, x := &d.events.Calendar, d.X
	x.far = model.Forever
	for w := range uint32(x.TWords) {
		armed := d.maps.At(x.Later + w)
		for m := *armed; m != 0; m &= m - 1 {
			timer := w<<6 + uint32(bits.TrailingZeros64(m))
			if at := d.timer(d.r, &d.Timers, timer); at < c.End {
				*armed &^= m & -m
				d.collect(timer, c.Start)
			} else {
				x.far = min(x.far, at)
			}
		}
	}
}

// timer returns the time (ps) of a router's timer, which must be set.
func (d *DueWheel) timer(r *core.Router, kinds *timerKinds, timer uint32) int64 {
	switch {
	case timer < kinds.Ports:
		return d.inputVCs.At(r.FirstVC + timer).Ask
	case timer < kinds.OutputVCs:
		return d.ports.At(r.FirstPort + timer - kinds.Ports).Free
	case timer >= kinds.Links:
		return d.links.At(r.FirstPort + timer - kinds.Links).Free
	case d.buffers.N > 0:
		return d.buffers.At(r.FirstVC + timer - kinds.OutputVCs).timer
	}
	return d.outputVCs.At(r.FirstVC + timer - kinds.OutputVCs).Next()
}

// arm sets a timer of router r, which need not be the active one, for the time at (ps). The timer
// must not be set yet, and the caller must have stored at in the record of the timer.
func (d *DueWheel) arm(r *core.Router, timer uint32, at int64) {
	if r.Number == d.events.Visiting {
		d.ArmHere(timer, at)
		return
	}
	d.markDue(r.Number, timer, at)
}

// ArmHere is like arm, for the active router.
func (d *DueWheel) ArmHere(timer uint32, at int64) {
	if c := &d.events.Calendar; at < c.End {
		d.Due.Insert(at-c.Start, timer)
		return
	}
	d.markDue(d.r.Number, timer, at)
}

// markDue records the window in which a router's timer, set to the time `at` (ps), is due.
func (d *DueWheel) markDue(number, timer uint32, at int64) {
	c := &d.events.Calendar
	ahead := c.Ahead(at)
	if ahead >= core.Wheel {
		x := d.routers.At(number)
		x.far = min(x.far, at)
		*d.maps.At(x.Later + timer>>6) |= 1 << (timer & 63)
		c.Mark(number-d.events.First, at)
		return
	}
	window := uint32(uint64(c.Window) + ahead)
	d.DueIn(number, window).Set(timer)
	router := number - d.events.First
	word := c.Bits.At(window%core.Horizon*c.Words + router>>6)
	before := *word
	if *word = before | 1<<(router&63); before == 0 {
		c.MarkWindow(router, window%core.Horizon)
	}
}

// Remark records all set timers of a router again, after the window length has changed.
func (d *DueWheel) Remark(r *core.Router) {
	x := d.routers.At(r.Number)
	kinds := x.timers()
	x.far = model.Forever
	for w := range uint32(x.TWords) {
		set := *d.maps.At(x.Later + w)
		*d.maps.At(x.Later + w) = 0
		for window := range uint32(core.Wheel) {
			at := d.DueIn(r.Number, window).Word(w)
			set |= *at
			*at = 0
		}
		for ; set != 0; set &= set - 1 {
			timer := w<<6 + uint32(bits.TrailingZeros64(set))
			d.markDue(r.Number, timer, d.timer(r, &kinds, timer))
		}
	}
}
