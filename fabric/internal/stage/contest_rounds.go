package stage

import (
	"math/bits"

	"fabricast/fabric/model"
)

// Round is the state of a round robin among the packets with fixed routes that wait for a port that
// has become free. Under overload many packets wait. The round then finds the first one in order in
// the bitmap of waiting VCs and does not inspect any other. A packet that holds an output of the
// port is a separate contender.
type Round struct {
	Port    uint32
	Open    uint64 // outputs of the port that are not held; bit 0 is the port's first output
	last    uint32 // VC at which the round starts
	next    uint32 // next VC to be inspected
	wrapped bool   // the search has wrapped around: VCs before `last` are being inspected
	index   uint32 // VC being inspected
	// outputs of the port that packets of VC index wait for and have not tried; bit 0 is the port's
	// first output
	outs  uint64
	First Requester
}

// open starts a round for a port that has become free.
func (t *contest) open(port uint32) {
	last := uint32(t.crossbar.At(port).last) % t.crossbar.vcs()
	t.Rounds = append(t.Rounds, Round{Port: port, last: last, next: last})
	t.InRounds.SetSpan(port*t.NumVCs, t.PortMask)
}

// Begin finds the outputs that no packet holds, and adds the holders of the others as contenders.
func (t *contest) Begin(r *Round) {
	base := r.Port * t.NumVCs
	for i := range t.NumVCs {
		holder := t.out.At(base + i).Owner
		if holder == 0 {
			r.Open |= 1 << i
			continue
		}
		index := uint32(holder) - 1
		if t.crossbar.Inputs.Has(index) {
			t.add(index, base+i, t.in.head(index, base+i))
		}
	}
}

// Find sets the round's first packet to the next one that may still start. It returns false if
// there is none.
func (t *contest) Find(r *Round) bool {
	base := r.Port * t.NumVCs
	for r.Open != 0 && t.crossbar.Outputs.Has(base) {
		if r.outs &= r.Open; r.outs != 0 && t.crossbar.Inputs.Has(r.index) {
			t.oldest(r, base)
			return true
		}
		if !t.turn(r) {
			return false
		}
		r.outs = t.asksAt(r.index, base)
	}
	return false
}

// turn advances the round to the next VC with packets that wait for the port. It returns false if
// there is none.
func (t *contest) turn(r *Round) bool {
	waiters := t.waits.WaitersFor(r.Port)
	for {
		end := t.crossbar.vcs()
		if r.wrapped {
			end = r.last
		}
		for w := r.next >> 6; w < t.Words; w++ {
			m := *waiters.Word(w) & *t.crossbar.Inputs.Word(w)
			if w == r.next>>6 {
				m &= ^uint64(0) << (r.next & 63)
			}
			if m == 0 {
				continue
			}
			if index := w<<6 + uint32(bits.TrailingZeros64(m)); index < end {
				r.index, r.next = index, index+1
				return true
			}
			break
		}
		if r.wrapped {
			return false
		}
		r.wrapped, r.next = true, 0
	}
}

// asksAt returns the outputs of a port that a VC's packets wait for. Bit 0 is the port's first
// output.
func (t *contest) asksAt(index, base uint32) uint64 {
	if t.VOQ {
		return t.waits.RequestsAt(index).Span(base, t.PortMask)
	}
	id := t.in.At(index).Here.First
	return 1 << (uint32(t.pool.Packets.At(id).Out) - base)
}

// oldest sets the round's first packet to the packet of the VC that has been eligible longest.
func (t *contest) oldest(r *Round, base uint32) {
	for m := r.outs; m != 0; m &= m - 1 {
		out := base + uint32(bits.TrailingZeros64(m))
		id := t.in.head(r.index, out)
		if ready := t.pool.Packets.At(id).Ready; m == r.outs || ready < r.First.ready {
			turn := (r.index + t.crossbar.vcs() - r.last) % t.crossbar.vcs()
			r.First = Requester{
				key:   model.Rank{int64(turn), int64(r.Port)},
				ready: ready, Packet: id, Input: uint16(r.index), Out: uint16(out),
			}
		}
	}
}
