package holders

import (
	"math"
	"slices"

	"fabricast/fabric/model"
)

// Horizons says how far back the rest of a sequence of hops refers to earlier ones, at every n-th of them.
type Horizons struct {
	every, added int
	parts        []horizon // the element with index i: of all hops but the first i*every, once summed
}

// horizon says how far back some hops refer to earlier ones.
type horizon struct {
	queued int64 // the earliest time (ps) from which on a packet was queued at its NIC
	waited int64 // the earliest time (ps) from which on a packet was in a buffer, or asked for credit at its NIC
}

// NewHorizons returns the horizons of an empty sequence. With them, a Finder forgets hops after every n-th.
func NewHorizons(n int) *Horizons { return &Horizons{every: n} }

// Add adds the next hop to the sequence: its stage and its times Ready and Asked (ps).
func (z *Horizons) Add(stage model.Stage, ready, asked int64) {
	if z.added%z.every == 0 {
		z.parts = append(z.parts, horizon{math.MaxInt64, math.MaxInt64})
	}
	z.added++
	h := &z.parts[len(z.parts)-1]
	if stage == model.Injected { // while it is queued, it refers only to what its NIC sent
		h.queued, h.waited = min(h.queued, ready), min(h.waited, asked)
	} else {
		h.waited = min(h.waited, ready, asked)
	}
}

// AddPacket is Add for a hop that Packets takes.
func (z *Horizons) AddPacket(h *model.Hop) {
	const nothing = math.MaxInt64
	switch {
	case h.Stage == model.Received:
		z.Add(model.Injected, h.Ready, nothing)
	case h.Stage == model.Linked && h.Flow >= 0, h.Stage == model.Lost:
		z.Add(model.Linked, h.Ready, nothing)
	case h.Stage == model.Resumed:
		z.Add(model.Linked, h.Asked, nothing)
	default:
		z.Add(model.Injected, nothing, nothing)
	}
}

// End ends the sequence.
func (z *Horizons) End() {
	for i := len(z.parts) - 2; i >= 0; i-- {
		h, later := &z.parts[i], z.parts[i+1]
		h.queued, h.waited = min(h.queued, later.queued), min(h.waited, later.waited)
	}
}

// forget forgets all steps to which no hop after the first `taken` refers, if it is time for that.
func (f *Finder) forget(taken int) {
	z := f.horizons
	if z == nil || taken%z.every != 0 || taken/z.every >= len(z.parts) {
		return
	}
	later := z.parts[taken/z.every]
	oldest := later.waited - f.slowest // what a packet that lacks credit sees has happened earlier
	for i := range f.buffers {
		f.buffers[i].forget(oldest)
	}
	for i := range f.servers {
		f.servers[i].forget(oldest)
	}
	for i := range f.nics {
		f.nics[i].forget(later.queued)
	}
}

// forget forgets the packets that have passed before a time (ps).
func (v *server) forget(oldest int64) {
	n := 0
	for n < len(v.passed) && v.passed[n].leave < oldest {
		n++
	}
	v.passed = slices.Delete(v.passed, 0, n)
}

// forget forgets the packets that have left before a time (ps), but for the last of them, and those that
// started toward the buffer before.
func (b *buffer) forget(oldest int64) {
	n := 0
	for n < len(b.gone)-1 && b.gone[n].leave < oldest {
		n++
	}
	if n > 0 {
		b.lost = b.gone[n-1].freed
		b.gone = slices.Delete(b.gone, 0, n)
	}
	n = 0
	for n < len(b.entries) && b.entries[n].step.start < oldest {
		n++
	}
	b.entries = slices.Delete(b.entries, 0, n)
}
