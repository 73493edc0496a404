package routing

import (
	"fmt"
	"math"
	"math/bits"

	"fabricast/topology"
)

// Tie says which way a packet goes on a ring when both ways are equally long.
type Tie uint8

const (
	// TieSplit takes one way or the other by a fixed hash of source and destination.
	TieSplit Tie = iota
	// TieUp always goes toward higher coordinates.
	TieUp
)

// DOR is dimension-order routing on a torus or mesh (Sullivan and Bashkow,
// ISCA 1977; virtual channels after Dally and Seitz, IEEE Trans. Comp. 1987):
// a packet first travels all its hops in the first dimension, then all in the
// second, and so on, each the shorter way round.
//
// Deadlock freedom on rings: in a ring, a packet whose path crosses the
// dateline (the wrap-around link) keeps to virtual channels of class 1, any
// other to class 0. A path of class 0 never uses the wrap-around link, and one of class 1
// never passes the link opposite it, so neither class can close a cycle. The
// first half (rounded up) of the channels are class 0, the rest class 1; a
// message keeps to one channel of each class, chosen by a hash of source and
// destination, so packets of a pair never overtake one another.
//
// The route header counts the hops that are left in every dimension, so that
// a router needs neither its own coordinates nor the destination's.
type DOR struct {
	torus  *topology.Torus
	tie    Tie
	nics   int32 // of a host
	locals int32 // NICs at a router
	// classVCs and classFirst hold how many channels each class has and its first.
	classVCs, classFirst [2]uint64
	shift                [topology.MaxDims]uint8 // where a dimension's hop count begins
	field                [65]dorField            // by the lowest set bit of the hop counts; the last one if there is none
	vcs                  uint64                  // of a port
	rings                []dorRing               // by dimension
	quick                bool                    // dorRing.quick is exact for all routers, and all ways are in tables
}

// dorRing is a dimension.
type dorRing struct {
	size       uint32
	reciprocal uint64 // 2^64/size, rounded up; 0: size is 1
	quick      uint64 // 2^32/size, rounded up
	// ways are the parts of headers by both coordinates and the coin, the latter last; nil in a dimension
	// too long for a table.
	ways []uint64
}

// split divides the number of a router in this and the dimensions above by the size (Lemire, Kaser and
// Kurz, Software: Practice and Experience 2019).
func (r *dorRing) split(router uint32) (above, coordinate uint32) {
	if r.reciprocal == 0 {
		return router, 0
	}
	hi, _ := bits.Mul64(r.reciprocal, uint64(router))
	return uint32(hi), router - uint32(hi)*r.size
}

// dorTable is the most coordinates of a dimension whose ways are in a table (64 KB).
const dorTable = 64

// dorField is the dimension that a bit of the hop counts belongs to, or, if none is set, the
// way out of the network.
type dorField struct {
	one  uint64 // one hop in that dimension
	slot uint64 // of the first virtual channel of its positive port, see Hop
	dir  uint64 // where in the header its direction is
	ring uint64 // 1 if it has a direction and a class, 0 if it is the way out, of class 0
	nics uint64 // mask of what counts of the destination's NIC
}

// Layout of the route header, from bit 0: hop counts, one direction bit a
// dimension (1 = toward lower coordinates), one class bit a dimension, the
// virtual channel of class 0 and of class 1, and the destination's NIC.
const (
	dorHopBits    = 37
	dorHopMask    = 1<<dorHopBits - 1
	dorDirShift   = dorHopBits
	dorClassShift = dorDirShift + topology.MaxDims
	dorVCShift    = dorClassShift + topology.MaxDims
	dorVCBits     = 5
	dorNICShift   = dorVCShift + 2*dorVCBits

	// MaxVCs is the most virtual channels a port may have.
	MaxVCs = 1 << dorVCBits
	// MaxNICs is the most NICs a host, and with dimension-order routing on a torus
	// the most that all hosts of a router, may have.
	MaxNICs = 1 << (64 - dorNICShift)
)

// DORMinVCs is the least number of virtual channels that dimension-order
// routing needs on the torus: two once a ring is long enough for packets to
// wait for one another in a circle.
func DORMinVCs(t *topology.Torus) int {
	for d, k := range t.Dims() {
		if t.Wraps(d) && k > 3 {
			return 2
		}
	}
	return 1
}

// NewDORWith is NewDOR with so many of the channels in class 1, the class of ways
// that cross a dateline, or half of them if that is 0, and with a choice of
// channels: a Function for ChoiceFlow, a Randomized for ChoicePacket, an Adaptive
// for ChoiceQueue.
func NewDORWith(t *topology.Torus, vcs int, tie Tie, dateline int, c Choice) (any, error) {
	d, err := NewDOR(t, vcs, tie)
	if err != nil {
		return nil, err
	}
	if dateline != 0 {
		if d.classFirst[1] == 0 || dateline < 0 || dateline >= vcs {
			return nil, fmt.Errorf("of %d virtual channels, 1 to %d can be those of ways across a dateline, on a torus only; not %d", vcs, vcs-1, dateline)
		}
		d.classVCs = [2]uint64{uint64(vcs - dateline), uint64(dateline)}
		d.classFirst[1] = d.classVCs[0]
	}
	switch c {
	case ChoicePacket:
		return dorPacket{d}, nil
	case ChoiceQueue:
		return dorQueue{d}, nil
	}
	return d, nil
}

// NewDOR returns dimension-order routing for the torus with the given number
// of virtual channels a port. It fails with too few or too many channels.
func NewDOR(t *topology.Torus, vcs int, tie Tie) (*DOR, error) {
	if need := DORMinVCs(t); vcs < need {
		return nil, &TooFewVCsError{Algorithm: "dimension-order routing", Need: need, Have: vcs}
	}
	if vcs > MaxVCs {
		return nil, fmt.Errorf("at most %d virtual channels, not %d", MaxVCs, vcs)
	}
	g := t.Graph()
	locals := len(g.NICPort) / g.Routers
	if locals < 1 || locals > MaxNICs {
		return nil, fmt.Errorf("dimension-order routing works with 1 to %d NICs at a router, not %d", MaxNICs, locals)
	}
	d := &DOR{torus: t, tie: tie, nics: int32(g.NICsPerHost), locals: int32(locals), vcs: uint64(vcs)}
	d.splitVCs(uint64(vcs))
	if err := d.layOut(); err != nil {
		return nil, err
	}
	d.tabulate()
	return d, nil
}

// tabulate makes the tables of ways.
func (d *DOR) tabulate() {
	routers := uint64(1)
	for _, k := range d.torus.Dims() {
		routers *= uint64(k)
	}
	d.quick = true
	for dim, k := range d.torus.Dims() {
		r := dorRing{size: uint32(k), quick: (1<<32-1)/uint64(k) + 1}
		d.quick = d.quick && k <= dorTable && routers*uint64(k) < 1<<32
		if k > 1 {
			r.reciprocal = math.MaxUint64/uint64(k) + 1
		}
		if k <= dorTable {
			r.ways = make([]uint64, 2*k*k)
			for i := range r.ways {
				r.ways[i] = d.dimension(dim, i/2/k, i/2%k, uint64(i&1))
			}
		}
		d.rings = append(d.rings, r)
	}
}

func (d *DOR) splitVCs(vcs uint64) {
	if vcs == 1 || d.torus.Kind() == "mesh" { // classes are needed on rings only
		d.classVCs = [2]uint64{vcs, vcs}
		return
	}
	d.classVCs = [2]uint64{(vcs + 1) / 2, vcs / 2}
	d.classFirst[1] = d.classVCs[0]
}

// layOut gives every dimension as many header bits as its longest way needs.
func (d *DOR) layOut() error {
	bit := 0
	d.field[64] = dorField{slot: 2 * uint64(len(d.torus.Dims())) * d.vcs, nics: MaxNICs - 1}
	for dim, k := range d.torus.Dims() {
		longest := k - 1
		if d.torus.Wraps(dim) {
			longest = k / 2
		}
		d.shift[dim] = uint8(bit)
		f := dorField{
			one: 1 << bit, slot: 2 * uint64(dim) * d.vcs,
			dir: uint64(dorDirShift + dim), ring: 1,
		}
		for range bits.Len(uint(longest)) {
			if bit == dorHopBits {
				return fmt.Errorf("the hop counts of %v do not fit in a route header of %d bits", d.torus.Dims(), dorHopBits)
			}
			d.field[bit] = f
			bit++
		}
	}
	return nil
}

// Name is "dor".
func (d *DOR) Name() string { return "dor" }

// Start returns the header for packets between two NICs, and the virtual
// channel in which they enter the network: that of their first hop.
func (d *DOR) Start(src, dst int32) (uint64, uint8) {
	from, to := src, dst
	if d.nics > 1 {
		from, to = src/d.nics, dst/d.nics
	}
	return d.start(src, dst, mix(uint64(from)<<32|uint64(to)))
}

// First is Start and then Hop, and the virtual channel in which packets enter, without doing anything twice.
func (d *DOR) First(src, dst int32) (slot uint16, next uint64, entry uint8) {
	from, to := src, dst
	if d.nics > 1 {
		from, to = src/d.nics, dst/d.nics
	}
	return d.hop(d.header(src, dst, mix(uint64(from)<<32|uint64(to))))
}

// start is Start with the random bits that decide what is left open.
func (d *DOR) start(src, dst int32, flow uint64) (uint64, uint8) {
	header := d.header(src, dst, flow)
	_, _, entry := d.hop(header)
	return header, entry
}

// header is the route header that start returns.
func (d *DOR) header(src, dst int32, flow uint64) uint64 {
	a, b := uint32(src), uint32(dst)
	header := uint64(0)
	if d.locals > 1 {
		header = uint64(dst%d.locals) << dorNICShift
		a, b = uint32(src/d.locals), uint32(dst/d.locals)
	}
	header |= d.channel(0, flow>>32)<<dorVCShift | d.channel(1, flow>>32)<<(dorVCShift+dorVCBits)
	if d.quick {
		return header | d.quickWays(uint64(a), uint64(b), flow)
	}
	for dim := range d.rings {
		r := &d.rings[dim]
		var from, to uint32
		a, from = r.split(a)
		b, to = r.split(b)
		if at := 2*(from*r.size+to) + uint32(flow&1); at < uint32(len(r.ways)) {
			header |= r.ways[at]
		} else {
			header |= d.dimension(dim, int(from), int(to), flow&1)
		}
		flow >>= 1
	}
	return header
}

// quickWays are the parts of a header that say how to travel, by the numbers of two routers.
func (d *DOR) quickWays(from, to, flow uint64) (ways uint64) {
	for i := range d.rings {
		r := &d.rings[i]
		size := uint64(r.size)
		a, b := from*r.quick>>32, to*r.quick>>32
		ways |= r.ways[2*((from-a*size)*size+to-b*size)+flow&1]
		from, to = a, b
		flow >>= 1
	}
	return ways
}

// channel is one of the channels of a class, chosen by random bits.
func (d *DOR) channel(class int, random uint64) uint64 {
	if n := d.classVCs[class]; n > 1 {
		return d.classFirst[class] + random%n
	}
	return d.classFirst[class]
}

// dimension is the part of the header that says how to travel in one
// dimension; coin decides ties, and the class where any would do.
func (d *DOR) dimension(dim, from, to int, coin uint64) uint64 {
	hops, tie := d.torus.Hops(dim, from, to)
	if tie && d.tie == TieSplit && coin == 1 {
		hops = -hops
	}
	class := coin
	if d.torus.Wraps(dim) {
		class = 0
		if end := from + hops; end < 0 || end >= d.torus.Dims()[dim] {
			class = 1
		}
	}
	down := uint64(0)
	if hops < 0 {
		down, hops = 1, -hops
	}
	return uint64(hops)<<d.shift[dim] | down<<(dorDirShift+dim) | class<<(dorClassShift+dim)
}

// Next takes one hop in the lowest dimension that has any left, and leaves the
// network by the destination's NIC when none has.
func (d *DOR) Next(_ int32, header uint64) (port, vc uint16, next uint64) {
	slot, next := d.Hop(header)
	return slot / uint16(d.vcs), slot % uint16(d.vcs), next
}

// Hop is Next with port and virtual channel in one number, port * channels + channel. It is
// done for every hop of every packet, so it takes no branches.
func (d *DOR) Hop(header uint64) (slot uint16, next uint64) {
	slot, next, _ = d.hop(header)
	return slot, next
}

// hop is Hop, with the virtual channel by itself too.
func (d *DOR) hop(header uint64) (slot uint16, next uint64, channel uint8) {
	f := &d.field[bits.TrailingZeros64(header&dorHopMask)]
	way := header >> (f.dir & 63)
	class := way >> (dorClassShift - dorDirShift) & f.ring
	vc := header >> ((dorVCShift + class*dorVCBits) & 63) & (MaxVCs - 1)
	return uint16(f.slot + (way&f.ring+header>>dorNICShift&f.nics)*d.vcs + vc), header - f.one, uint8(vc)
}

// OutlineStarts implements Outliner. An outline is the destination router in the
// low 32 bits and, from bit 32 on, 0 or one more than the class of the packet's
// way in the dimension in which it travels.
func (d *DOR) OutlineStarts(_, to int32, outlines []uint64) []uint64 {
	return append(outlines, uint64(to))
}

// OutlineSteps implements Outliner.
func (d *DOR) OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate {
	a, b := int(router), int(int32(outline))
	for dim, k := range d.torus.Dims() {
		from, into := a%k, b%k
		if from != into {
			return d.outlineDimension(dim, from, into, outline, to)
		}
		a /= k
		b /= k
	}
	return to
}

// outlineDimension appends the hops that either coin leads to in a dimension.
func (d *DOR) outlineDimension(dim, from, into int, outline uint64, to []Candidate) []Candidate {
	toward := outline & (1<<32 - 1)
	for coin := range uint64(2) {
		header := d.dimension(dim, from, into, coin)
		down, class := header>>(dorDirShift+dim)&1, header>>(dorClassShift+dim)&1
		if travelled := outline >> 32; travelled != 0 {
			class = travelled - 1
		}
		next := toward | (class+1)<<32
		if hops, _ := d.torus.Hops(dim, from, into); max(hops, -hops) == 1 {
			next = toward
		}
		for vc := range d.classVCs[class] {
			to = append(to, Candidate{Port: uint16(2*dim) + uint16(down), VC: uint16(d.classFirst[class] + vc), Header: next})
		}
	}
	return to
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
