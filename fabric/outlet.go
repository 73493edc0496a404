package fabric

import "math"

// outlet is the output VC of a port or of a NIC's sending side: the credit for the buffer at the
// other end. It is one cache line.
//
// Returns of credit that are known and not taken yet are a queue, in order of time. Its first
// entries are in a ring within the record, with times that count from `base`: at full load a link of
// short packets has as many under way.
type outlet struct {
	base   int64                 // ps
	later  [inlineReturns]uint32 // ps after base
	credit int32                 // flits known to be free at the other end
	more   uint32                // first parcel of those that do not fit into the ring; its span names the last
	flits  [inlineReturns]uint16
	holder uint16 // slot+1 of the packet that waits for space here, with fixed routes; 0 = none
	first  uint8  // of the ring
	n      uint8  // entries of the ring; 0 if none is known
	wanted bool   // somebody waits for credit of which nothing is known to come back
	// its timer is set: without output buffers, to the first return
	armed bool
}

const inlineReturns = 7

// next returns when the first known return of credit comes (ps). There must be one.
func (o *outlet) next() int64 { return o.base + int64(o.later[o.first]) }

// fits reports whether a return at the time `at` (ps) can be appended to the ring.
func (o *outlet) fits(at int64) bool {
	return o.n == 0 || o.n < inlineReturns && at-o.base <= math.MaxUint32
}

// append adds a return that fits to the ring.
func (o *outlet) append(at int64, flits uint16) {
	if o.n == 0 {
		o.base, o.first = at, 0
	}
	i := o.first + o.n
	if i >= inlineReturns {
		i -= inlineReturns
	}
	o.later[i], o.flits[i] = uint32(at-o.base), flits
	o.n++
}

// takeFirst turns the first return of the ring into credit.
func (o *outlet) takeFirst() {
	o.credit += int32(o.flits[o.first] & flitMask)
	o.n--
	if o.first++; o.first == inlineReturns {
		o.first = 0
	}
}
