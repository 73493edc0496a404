package stage

import (
	"math"

	"fabricast/fabric/internal/core"
)

// OutputVC is an output VC of a port, or of a NIC's sending side: the credit for the buffer at the
// other end. It occupies one cache line.
//
// Known returns of credit that have not been added yet are in a queue, in order of time. The first
// entries are in a ring within the record, with times relative to `base`. The ring is large enough
// for the returns in flight on a fully loaded link of short packets.
type OutputVC struct {
	base   int64                 // reference time (ps)
	later  [InlineReturns]uint32 // times of the returns, relative to base (ps)
	Credit int32                 // flits known to be free at the other end
	More   uint32                // first packet of the list of returns beyond the ring; its Span: the last
	Flits  [InlineReturns]uint16
	Owner  uint16 // 1 plus the VC of the packet that waits for space here, with fixed routes; 0: none
	First  uint8  // index of the ring's first entry
	N      uint8  // number of entries of the ring; 0 if no return is known
	Wanted bool   // a packet waits for credit although no return is known
	// its timer is set; without output buffers, to the first return
	Armed bool
}

const InlineReturns = 7

// Next returns the time of the first known return of credit (ps). There must be one.
func (o *OutputVC) Next() int64 { return o.base + int64(o.later[o.First]) }

// fits reports whether a return at the time `at` (ps) can be appended to the ring.
func (o *OutputVC) fits(at int64) bool {
	return o.N == 0 || o.N < InlineReturns && at-o.base <= math.MaxUint32
}

// append appends a return to the ring, which must have space for it.
func (o *OutputVC) append(at int64, flits uint16) {
	if o.N == 0 {
		o.base, o.First = at, 0
	}
	i := o.First + o.N
	if i >= InlineReturns {
		i -= InlineReturns
	}
	o.later[i], o.Flits[i] = uint32(at-o.base), flits
	o.N++
}

// takeFirst adds the first return of the ring to the credit.
func (o *OutputVC) takeFirst() {
	o.Credit += int32(o.Flits[o.First] & core.FlitMask)
	o.N--
	if o.First++; o.First == InlineReturns {
		o.First = 0
	}
}
