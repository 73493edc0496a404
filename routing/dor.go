package routing

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"fabricast/internal/option"
	"fabricast/routing/internal/headers"
	"fabricast/routing/internal/legs"
	"fabricast/topology"
)

var _ = Register(10, Description[DOROptions]{
	Summary:  "dimension order: all hops in one dimension, then all in the next",
	Networks: "torus, mesh, hyperx or fully-connected", Fits: isGrid,
	Make:  (*DOROptions).make,
	Alike: []topology.Family{topology.FamilyRings},
	Pairs: true,
	Help: map[string]string{
		"tie":          "half-way round a ring: 'split' (by a hash of source and destination) or 'up'",
		"choice":       choiceHelp,
		"dateline_vcs": "on a torus: virtual channels of ways across a dateline",
		"shared_vcs": "on a torus with 'choice: queue': virtual channels that ways across a dateline " +
			"and others share",
		"dateline": "on a torus, classes of virtual channels on a ring: 'balanced', 'classic' or " +
			"'ahead' ([routing.md](../routing.md#dimension-order))",
		"entry": "on a torus, the virtual channel in which a packet enters its first router: " +
			"that of its first 'hop', the 'first' one, or any by a hash ('all')",
	},
	Manual: Manual{
		Section: "dimension-order", Routes: "minimal, one for each pair of hosts",
		VCs:    "2 with a ring of more than 3 routers, else 1",
		Source: "Sullivan and Bashkow 1977; Dally and Seitz 1987",
	},
	Examples: []string{"", "choice: packet", "choice: queue"},
})

// DOROptions are the options of dimension-order routing in experiments. All but Choice are for tori
// and meshes only.
type DOROptions struct {
	Tie         Tie      `yaml:"tie" default:"'split'" fill:"split" on:"torus,mesh"`
	Choice      Choice   `yaml:"choice" default:"'flow'"`
	DatelineVCs int      `yaml:"dateline_vcs" default:"half"`
	SharedVCs   int      `yaml:"shared_vcs" default:"0"`
	Dateline    Dateline `yaml:"dateline" default:"'balanced'"`
	Entry       Entry    `yaml:"entry" default:"'hop'"`
}

// Name implements Spec.
func (DOROptions) Name() string { return "dor" }

// Check returns the mistakes in the options.
func (o *DOROptions) Check() []topology.Mistake {
	if o.SharedVCs >= 0 {
		return nil
	}
	return []topology.Mistake{
		{Field: "shared_vcs", Found: fmt.Sprint(o.SharedVCs), Expected: "a number of at least 0"},
	}
}

func (o *DOROptions) make(n Network) (Algorithm, error) {
	torus, ok := n.Topology.(*topology.Torus)
	scheme := Scheme{Dateline: o.Dateline, Entry: o.Entry, Shared: o.SharedVCs}
	if ok {
		return NewDORScheme(torus, n.VCs, o.Tie, o.DatelineVCs, o.Choice, scheme)
	}
	if scheme != (Scheme{}) {
		return nil, errors.New("dateline, entry and shared_vcs are for tori and meshes")
	}
	return NewMinimal(n.Topology, "dor", n.VCs, o.Choice)
}

// Tie selects the direction of a packet on a ring if both directions are equally long.
type Tie uint8

const (
	// TieSplit chooses by a fixed hash of source and destination.
	TieSplit Tie = iota
	// TieUp always chooses the direction of higher coordinates.
	TieUp
)

var ties = []string{TieSplit: "split", TieUp: "up"}

// Words implements option.Worded.
func (t *Tie) Words() []string { return ties }

// UnmarshalText parses the word used in experiments.
func (t *Tie) UnmarshalText(text []byte) error { return option.Parse(t, text, ties) }

// DOR is dimension-order routing on a torus or mesh (Sullivan and Bashkow, ISCA 1977; virtual
// channels after Dally and Seitz, IEEE Trans. Comp. 1987). A packet first makes all its hops in the
// first dimension, then all in the second, and so on, in each in the shorter direction.
//
// It is free of deadlock on rings for this reason. In a ring, a packet whose path crosses the
// dateline (the wrap-around link) uses virtual channels of class 1, any other packet channels of
// class 0. A path of class 0 never uses the wrap-around link, and one of class 1 never uses the
// link opposite it, so neither class can form a cycle. The first half (rounded up) of the channels
// are class 0, the rest class 1. All packets between two hosts use one channel of each class,
// chosen by a hash of source and destination, so they never overtake one another.
//
// The route header holds the number of hops left in every dimension, so a router needs neither its
// own coordinates nor the destination's.
type DOR struct {
	toRouter
	torus  *topology.Torus
	tie    Tie
	nics   int32 // of a host
	locals int32 // NICs at a router
	// by class: its number of channels, and its first channel
	classVCs, classFirst [2]uint64
	// number of channels, the last of class 0, that both classes use
	shared uint64
	shift  [topology.MaxDims]uint8 // by dimension: the header bit at which its hop count begins
	// by the lowest set bit of the hop counts; the last entry is for hop counts of 0
	field [65]dorField
	vcs   uint64    // of a port
	rings []dorRing // by dimension
	// dorRing.quick is exact for all routers, and dorRing.ways exists for all dimensions
	quick bool
	// by router, where in all its hops, directions and classes to other routers begin; nil for networks that
	// are large or have many dimensions
	places []dorPlace
	all    *[1 << dorLane]uint64 // dorRing.ways of all dimensions, behind a zero
}

// dorPlace holds, in a lane of bits for each dimension, what a router adds to the index in DOR.all as the source and
// as the destination.
type dorPlace struct{ from, to uint64 }

const (
	dorLane   = 16           // bits of a lane
	dorLanes  = 64 / dorLane // greatest number of dimensions for DOR.places
	dorPlaces = 4096         // greatest number of routers for DOR.places (64 KB)
)

// dorRing holds precomputed values for one dimension.
type dorRing struct {
	size       uint32
	reciprocal uint64 // 2^64/size, rounded up; 0: size is 1
	quick      uint64 // 2^32/size, rounded up
	// ways holds parts of route headers, indexed by both coordinates and the coin, which varies
	// fastest. It is nil for a dimension too long for a table.
	ways []uint64
}

// split divides a number, which holds the coordinates of a router in this and all later dimensions,
// by the size of this one. It returns the quotient and the remainder, which is the coordinate. It
// divides by multiplication (Lemire, Kaser and Kurz, Software: Practice and Experience 2019).
func (r *dorRing) split(router uint32) (above, coordinate uint32) {
	if r.reciprocal == 0 {
		return router, 0
	}
	hi, _ := bits.Mul64(r.reciprocal, uint64(router))
	return uint32(hi), router - uint32(hi)*r.size
}

// dorTable is the greatest size of a dimension for which dorRing.ways is filled (64 KB).
const dorTable = 64

// dorField holds what a hop in one dimension changes in a header, and where it leads. The last one
// is for the hop out of the network to the NIC.
type dorField struct {
	one  uint64 // one hop in the hop count of the dimension
	slot uint64 // see Hop: virtual channel 0 of the port toward higher coordinates
	dir  uint64 // header bit with the direction
	ring uint64 // 1 if the hop has a direction and a class; 0 for the hop to the NIC
	nics uint64 // mask for the destination's NIC, 0 except for the hop out of the network
}

// Layout of the route header, from bit 0: hop counts; one direction bit for each dimension (1 =
// toward lower coordinates); one class bit for each dimension; the virtual channel of class 0 and
// of class 1; the destination's NIC.
const (
	dorHopBits    = 35
	dorHopMask    = 1<<dorHopBits - 1
	dorDirShift   = dorHopBits
	dorClassShift = dorDirShift + topology.MaxDims
	dorVCShift    = dorClassShift + topology.MaxDims
	dorVCBits     = headers.ChannelBits
	dorNICShift   = dorVCShift + 2*dorVCBits

	// MaxVCs is the greatest number of virtual channels of a port.
	MaxVCs = 1 << dorVCBits
	// MaxNICs is the greatest number of NICs of a host and, with dimension-order routing on a
	// torus, of all hosts of a router.
	MaxNICs = 1 << (64 - dorNICShift)
)

// DORMinVCs returns the least number of virtual channels that dimension-order routing needs on the
// torus: 2 if a ring has more than three routers, so that packets could wait for one another in a
// cycle, else 1.
func DORMinVCs(t *topology.Torus) int {
	if legs.LongRings(t) {
		return 2
	}
	return 1
}

// NewDORWith is like NewDOR with more choices. dateline is the number of virtual channels in class
// 1, for paths that cross a dateline; 0 means half of them. c selects how packets choose channels:
// the result is a Function for ChoiceFlow, a Randomized for ChoicePacket, an Adaptive for
// ChoiceQueue.
func NewDORWith(t *topology.Torus, vcs int, tie Tie, dateline int, c Choice) (Algorithm, error) {
	return NewDORScheme(t, vcs, tie, dateline, c, Scheme{})
}

// newDORClasses is like NewDOR with the given number of virtual channels in class 1; 0 means half
// of them.
func newDORClasses(t *topology.Torus, vcs int, tie Tie, dateline int) (*DOR, error) {
	d, err := NewDOR(t, vcs, tie)
	if err != nil {
		return nil, err
	}
	if dateline != 0 {
		if d.classFirst[1] == 0 || dateline < 0 || dateline >= vcs {
			return nil, fmt.Errorf(
				"of %d virtual channels, 1 to %d can be those of ways across a dateline, on a torus "+
					"only; not %d",
				vcs, vcs-1, dateline,
			)
		}
		d.classVCs = [2]uint64{uint64(vcs - dateline), uint64(dateline)}
		d.classFirst[1] = d.classVCs[0]
	}
	return d, nil
}

// NewDOR returns dimension-order routing for the torus with the given number of virtual channels
// per port. It fails if there are too few or too many channels, or if the route header does not fit
// in 64 bits.
func NewDOR(t *topology.Torus, vcs int, tie Tie) (*DOR, error) {
	if err := enoughChannels(vcs, DORMinVCs(t), "dimension-order routing"); err != nil {
		return nil, err
	}
	g := t.Graph()
	locals := len(g.NICPort) / g.Routers
	if locals < 1 || locals > MaxNICs {
		return nil, fmt.Errorf(
			"dimension-order routing works with 1 to %d NICs at a router, not %d",
			MaxNICs, locals,
		)
	}
	d := &DOR{torus: t, tie: tie, nics: int32(g.NICsPerHost), locals: int32(locals), vcs: uint64(vcs)}
	d.splitVCs(uint64(vcs))
	if err := d.layOut(); err != nil {
		return nil, err
	}
	d.tabulate()
	return d, nil
}

// tabulate fills rings.
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
	if d.quick && len(d.rings) <= dorLanes && routers <= dorPlaces {
		d.place(int(routers))
	}
}

// place fills places and all, if the ways of all dimensions fit.
func (d *DOR) place(routers int) {
	first, size := [dorLanes]int{}, 2
	for dim := range d.rings {
		first[dim] = size
		size += len(d.rings[dim].ways)
	}
	if size > 1<<dorLane {
		return
	}
	d.all, d.places = new([1 << dorLane]uint64), make([]dorPlace, routers)
	for dim := range d.rings {
		copy(d.all[first[dim]:], d.rings[dim].ways)
	}
	for i := range d.places {
		rest := uint32(i)
		for dim := range d.rings {
			r, at := &d.rings[dim], uint32(0)
			rest, at = r.split(rest)
			d.places[i].from |= uint64(first[dim]+2*int(at*r.size)) << (dorLane * dim)
			d.places[i].to |= uint64(2*at) << (dorLane * dim)
		}
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

// layOut allocates header bits to each dimension's hop count, enough for its longest path. It fails
// if they do not fit in the header.
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
				return fmt.Errorf(
					"the hop counts of %v do not fit in a route header of %d bits",
					d.torus.Dims(), dorHopBits,
				)
			}
			d.field[bit] = f
			bit++
		}
	}
	return nil
}

// Name returns "dor".
func (d *DOR) Name() string { return "dor" }

// Start returns the route header for packets between two NICs, and the virtual channel in which
// they enter the network: that of their first hop.
func (d *DOR) Start(src, dst int32) (uint64, uint8) {
	return d.start(src, dst, d.pair(src, dst))
}

// pair returns a hash of the hosts of two NICs.
func (d *DOR) pair(src, dst int32) uint64 {
	from, to := src, dst
	if d.nics > 1 {
		from, to = src/d.nics, dst/d.nics
	}
	return headers.Mix(uint64(from)<<32 | uint64(to))
}

// VCs returns the number of virtual channels of a port, by which Hop and First number outputs.
func (d *DOR) VCs() int { return int(d.vcs) }

// First returns the same as Start followed by Hop, and the virtual channel in which packets enter
// the network, but is faster.
func (d *DOR) First(src, dst int32) (slot uint16, next uint64, entry uint8) {
	return d.Hop(d.header(src, dst, d.pair(src, dst)))
}

// start is Start with a given hash, whose bits choose the virtual channels, and the direction where
// both directions round a ring are equally long.
func (d *DOR) start(src, dst int32, flow uint64) (uint64, uint8) {
	header := d.header(src, dst, flow)
	_, _, entry := d.Hop(header)
	return header, entry
}

// header returns the route header of packets between two NICs.
func (d *DOR) header(src, dst int32, flow uint64) uint64 {
	a, b := uint32(src), uint32(dst)
	header := uint64(0)
	if d.locals > 1 {
		header = uint64(dst%d.locals) << dorNICShift
		a, b = uint32(src/d.locals), uint32(dst/d.locals)
	}
	if d.classVCs[0]|d.classVCs[1] == 1 {
		header |= d.classFirst[0]<<dorVCShift | d.classFirst[1]<<(dorVCShift+dorVCBits)
	} else {
		header |= d.channel(0, flow>>32)<<dorVCShift | d.channel(1, flow>>32)<<(dorVCShift+dorVCBits)
	}
	if d.places != nil {
		return header | d.placedWays(a, b, flow)
	}
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

// placedWays returns the same as quickWays, with places.
func (d *DOR) placedWays(from, to uint32, flow uint64) uint64 {
	at := d.places[from].from + d.places[to].to + (flow&1 | flow&2<<15 | flow&4<<30 | flow&8<<45)
	return d.all[at%(1<<dorLane)] | d.all[at>>dorLane%(1<<dorLane)] |
		d.all[at>>(2*dorLane)%(1<<dorLane)] | d.all[at>>(3*dorLane)]
}

// quickWays returns the hop counts, directions and classes of a header, from the numbers of two
// routers. It may be used only if quick is set.
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

// channel returns one of the channels of a class, chosen by random bits.
func (d *DOR) channel(class int, random uint64) uint64 {
	if n := d.classVCs[class]; n > 1 {
		return d.classFirst[class] + random%n
	}
	return d.classFirst[class]
}

// dimension returns the hop count, direction and class of a header for one dimension. coin (0 or 1)
// decides the direction if both are equally long, and the class where either is free of deadlock.
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

// Next takes one hop in the lowest dimension with hops left. If none is left, it returns the port
// of the destination's NIC.
func (d *DOR) Next(_ int32, header uint64) (port, vc uint16, next uint64) {
	slot, next, _ := d.Hop(header)
	return slot / uint16(d.vcs), slot % uint16(d.vcs), next
}

// Hop is Next with port and virtual channel in one number, port * channels + channel, and the virtual
// channel again. It runs for every hop of every packet, so it has no branches, and is so small that it
// is inlined.
func (d *DOR) Hop(header uint64) (slot uint16, next uint64, channel uint8) {
	f := &d.field[bits.TrailingZeros64(header&dorHopMask)]
	way := header >> (f.dir & 63)
	class := way >> (dorClassShift - dorDirShift) & f.ring
	vc := header >> ((dorVCShift + class*dorVCBits) & 63) & (MaxVCs - 1)
	return uint16(f.slot + (way&f.ring+header>>dorNICShift&f.nics)*d.vcs + vc), header - f.one, uint8(vc)
}

// Left implements Counting: it adds the hop counts of all dimensions.
func (d *DOR) Left(header uint64) (hops int) {
	for count := header & dorHopMask; count != 0; count &= count - 1 {
		bit := bits.TrailingZeros64(count)
		hops += 1 << (bit - bits.TrailingZeros64(d.field[bit].one))
	}
	return hops
}

// OutlineSteps implements Outliner. From bit 32 on, an outline holds 0 for a packet that starts a new
// dimension, else 1 plus the class of its path in the current dimension.
func (d *DOR) OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate {
	if dim, from, into := d.travels(router, int32(outline)); from != into {
		return d.outlineDimension(dim, from, into, outline, to)
	}
	return to
}

// travels returns the dimension in which a packet goes first from one router to another, and its
// coordinates at both ends; they are equal only at the same router.
func (d *DOR) travels(at, to int32) (dim, from, into int) {
	a, b := int(at), int(to)
	for i, k := range d.torus.Dims() {
		if dim, from, into = i, a%k, b%k; from != into {
			break
		}
		a, b = a/k, b/k
	}
	return dim, from, into
}

// outlineDimension appends the hops in a dimension for both values of the coin that decides
// direction and class.
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
		to = d.channelsOf(class, uint16(2*dim)+uint16(down), next, to)
	}
	return to
}
