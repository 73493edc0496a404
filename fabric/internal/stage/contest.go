package stage

import (
	"math/bits"
	"unsafe"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
	"fabricast/internal/prefetch"
)

// Requester is a packet that may start at this instant, with its rank in arbitration order.
type Requester struct {
	key    model.Rank
	ready  int64
	Packet uint32
	Input  uint16
	Out    uint16 // the only possible output; AnyOutput if not known
}

// contest holds the contenders, that is, the packets of the active router that may start at this
// instant.
type contest struct {
	Shape
	pool     *PacketPool
	arbiter  *arbiter
	in       *InputVCs
	waits    *WaitLists
	crossbar *Crossbar
	out      *OutputVCs
	Order    requestOrder

	Requesters []Requester
	// VCs of the contenders, with adaptive routing; with input queues they are in no list
	Contending core.Bitmap
	Contended  bool        // the bitmap contains VCs that are not in the list, see contendVCs
	usable     core.Bitmap // outputs that are free and may have space, see SiftVCs
	Rounds     []Round     // rounds of ports that have become free, with round robin and fixed routes
	InRounds   core.Bitmap // outputs of the ports in Rounds

	Words uint32 // number of words in a bitmap of the active router's VCs
	most  uint32 // number of words in a bitmap of any router's VCs
}

func newContest(g *Stages, words int) contest {
	return contest{
		Shape: g.Shape, pool: &g.Pool, arbiter: &g.Arbiter, in: &g.In, waits: &g.Waits,
		crossbar: &g.Crossbar, out: &g.Out, Order: newRequestOrder(g, words),
		Contending: core.NewBitmap(words), usable: core.NewBitmap(words), InRounds: core.NewBitmap(words),
		most: uint32(words),
	}
}

// Clear removes all contenders.
func (t *contest) Clear() {
	t.Requesters, t.Rounds, t.Contended = t.Requesters[:0], t.Rounds[:0], false
	t.Contending.Empty(t.most)
	t.InRounds.Empty(t.most)
	t.Order.line.Empty(2 * t.most)
}

// AnyContends reports whether any packet may start at this instant.
func (t *contest) AnyContends() bool { return len(t.Requesters)+len(t.Rounds) > 0 || t.Contended }

// Sift returns the contenders of a list that can still start. All must have fixed routes.
func (t *contest) Sift(list []Requester) []Requester {
	n := 0
	inputs, outputs := t.crossbar.Inputs, t.crossbar.Outputs
	for i := range list {
		c := &list[i]
		index, out := uint32(c.Input), uint32(c.Out)
		if inputs.Has(index) && outputs.Has(out) && !t.out.outOfReach(index, out) {
			if n != i {
				list[n] = *c
			}
			n++
		}
	}
	return list[:n]
}

// free reports whether the input of a VC and an output are both free and no round is in progress at
// the output's port.
func (t *contest) free(index, out uint32) bool {
	return t.crossbar.Inputs.Has(index) && t.crossbar.Outputs.Has(out) && !t.InRounds.Has(out)
}

// ContendAt adds a requesting packet with a fixed route, if its input and output are free and no
// other packet waits for space at that output.
func (t *contest) ContendAt(index, out, id uint32) {
	if t.free(index, out) && !t.out.Holds.Has(out) {
		t.add(index, out, id)
	}
}

// add appends a contender. It writes the fields in place, because copying the record would stall
// until all its parts are stored.
func (t *contest) add(index, out, id uint32) {
	n := len(t.Requesters)
	if n == cap(t.Requesters) {
		t.Requesters = append(t.Requesters, Requester{})
	}
	t.Requesters = t.Requesters[:n+1]
	if t.VOQ && !t.Adaptive { // otherwise it is the first packet of its VC, and loaded already
		prefetch.Line(unsafe.Pointer(t.pool.Packets.At(id)))
	}
	c := &t.Requesters[n]
	c.Input, c.Out, c.Packet = uint16(index), uint16(out), id
}

// ContendForPort adds the packets with fixed routes that wait for a port that has become free.
func (t *contest) ContendForPort(port uint32) {
	if t.arbiter.byTurn {
		t.open(port)
		return
	}
	first := port * t.NumVCs
	held := t.out.Holds.Span(first, t.PortMask)
	waiters := t.waits.WaitersFor(port)
	for w := range t.Words {
		for m := *waiters.Word(w) & *t.crossbar.Inputs.Word(w); m != 0; m &= m - 1 {
			index := w<<6 + uint32(bits.TrailingZeros64(m))
			for outs := t.asksAt(index, first) &^ held; outs != 0; outs &= outs - 1 {
				out := first + uint32(bits.TrailingZeros64(outs))
				t.add(index, out, t.in.head(index, out))
			}
		}
	}
	for ; held != 0; held &= held - 1 {
		t.ContendHolder(first + uint32(bits.TrailingZeros64(held)))
	}
}

// ContendFrom adds the packets with fixed routes at an input port that has become free.
func (t *contest) ContendFrom(port uint32) {
	first := port * t.NumVCs
	for m := t.waits.Asks.Span(first, t.PortMask); m != 0; m &= m - 1 {
		index := first + uint32(bits.TrailingZeros64(m))
		if !t.VOQ {
			id := t.in.At(index).Here.First
			t.contendNow(index, uint32(t.pool.Packets.At(id).Out), id)
			continue
		}
		t.contendRequests(index)
	}
}

// contendRequests adds the packets of a VC whose outputs are free. Its input must be free. The
// bitmaps are read only once, because the compiler cannot know that adding a contender does not
// change them.
func (t *contest) contendRequests(index uint32) {
	requests, outputs := t.waits.RequestsAt(index), t.crossbar.Outputs
	rounds, holds := t.InRounds, t.out.Holds
	for w := range t.Words {
		outs := *requests.Word(w) & *outputs.Word(w) &^ *rounds.Word(w)
		held := outs & *holds.Word(w)
		for outs &^= held; outs != 0; outs &= outs - 1 {
			out := w<<6 + uint32(bits.TrailingZeros64(outs))
			t.add(index, out, t.in.firstOf(index, out))
		}
		for ; held != 0; held &= held - 1 {
			out := w<<6 + uint32(bits.TrailingZeros64(held))
			if uint32(t.out.At(out).Owner) == index+1 {
				t.ContendHolder(out)
			}
		}
	}
}

// contendNow implements ContendAt for a packet that may itself be the one that waits for space at
// the output.
func (t *contest) contendNow(index, out, id uint32) {
	switch {
	case !t.out.Holds.Has(out):
		t.ContendAt(index, out, id)
	case uint32(t.out.At(out).Owner) == index+1:
		t.ContendHolder(out)
	}
}

// ContendHolder adds the packet that holds an output. It does nothing if no space has returned
// there since the packet's last attempt.
func (t *contest) ContendHolder(out uint32) {
	o := t.out.At(out)
	index := uint32(o.Owner) - 1
	if t.out.awaitsSpace(out) || !t.free(index, out) {
		return
	}
	id := t.in.head(index, out)
	for i := range t.Requesters {
		if t.Requesters[i].Packet == id {
			return
		}
	}
	t.add(index, out, id)
}

// Rank computes the rank of each contender in a list.
func (t *contest) Rank(list []Requester) {
	for i := range list {
		c := &list[i]
		if t.arbiter.byAsking && !t.VOQ { // the packet is the only requesting one of its VC
			c.key, c.ready = model.Rank{t.in.At(uint32(c.Input)).Ask}, 0
			continue
		}
		p := t.pool.Packets.At(c.Packet)
		c.ready = p.Ready
		ask := p.Ready
		if !t.VOQ {
			ask = t.in.At(uint32(c.Input)).Ask
		}
		if t.arbiter.byAsking {
			c.key = model.Rank{ask}
		} else {
			c.key = t.crossbar.key(uint32(c.Input), p, ask)
		}
	}
}

// Before reports whether c comes before d in arbitration order.
func (c *Requester) Before(d *Requester) bool {
	switch {
	case c.key != d.key:
		return c.key.Before(d.key)
	case c.Input != d.Input:
		return c.Input < d.Input
	}
	return c.ready < d.ready
}
