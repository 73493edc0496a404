package routing

import (
	"math/bits"

	"fabricast/internal/option"
	"fabricast/topology"
)

// Dateline selects the class of virtual channels that packets use in each part of a ring. With any
// of the values, no class is used on all links of a ring, so waiting packets cannot form a cycle.
type Dateline uint8

const (
	// DatelineBalanced: class 1 on all hops in a ring if the packet's path crosses the wrap-around
	// link, else class 0.
	DatelineBalanced Dateline = iota
	// DatelineClassic: class 0 from the first hop in each dimension, class 1 from the wrap-around
	// link on (Dally and Towles, Principles and Practices of Interconnection Networks, 2004,
	// 14.2.3).
	DatelineClassic
	// DatelineAhead: class 1 up to and including the wrap-around link, class 0 after it and on
	// paths that do not cross it (Dally and Seitz, IEEE Trans. Computers 1987).
	DatelineAhead
)

var datelines = []string{DatelineBalanced: "balanced", DatelineClassic: "classic", DatelineAhead: "ahead"}

// Words implements option.Worded.
func (d *Dateline) Words() []string { return datelines }

// UnmarshalText parses the word used in experiments.
func (d *Dateline) UnmarshalText(text []byte) error { return option.Parse(d, text, datelines) }

// Entry selects the virtual channel in which a NIC injects packets.
type Entry uint8

const (
	// EntryHop is the channel of the packet's first hop.
	EntryHop Entry = iota
	// EntryFirst is channel 0.
	EntryFirst
	// EntryAll is any channel, by a hash of source and destination.
	EntryAll
)

var entries = []string{EntryHop: "hop", EntryFirst: "first", EntryAll: "all"}

// Words implements option.Worded.
func (e *Entry) Words() []string { return entries }

// UnmarshalText parses the word used in experiments.
func (e *Entry) UnmarshalText(text []byte) error { return option.Parse(e, text, entries) }

// Scheme selects how dimension-order routing on a torus uses virtual channels. The zero value is
// the scheme of DOR.
type Scheme struct {
	Dateline Dateline
	Entry    Entry
	// number of channels, the last ones of class 0, that packets of class 1 may use too; only with
	// ChoiceQueue
	Shared int
}

// NewDORScheme is like NewDORWith, with a scheme for the use of virtual channels.
func NewDORScheme(t *topology.Torus, vcs int, tie Tie, dateline int, c Choice, s Scheme) (Algorithm, error) {
	d, err := newDORClasses(t, vcs, tie, dateline)
	if err != nil {
		return nil, err
	}
	if err := d.share(s.Shared, c); err != nil {
		return nil, err
	}
	if s.Dateline == DatelineBalanced && s.Entry == EntryHop {
		return chosen(d, c), nil
	}
	return chosen(newSchemed(d, s), c), nil
}

// schemed is DOR with another Scheme. It uses the headers of DOR; a packet's position in a ring
// follows from the router and the number of hops left.
type schemed struct {
	toRouter
	dor     *DOR
	scheme  Scheme
	strides [topology.MaxDims]uint32 // by dimension: difference between numbers of neighbours
	left    [topology.MaxDims]uint64 // by dimension: mask of the hop count, see DOR.shift
}

func newSchemed(d *DOR, s Scheme) *schemed {
	c := &schemed{dor: d, scheme: s}
	stride := uint32(1)
	for dim, k := range d.torus.Dims() {
		c.strides[dim] = stride
		stride *= uint32(k)
	}
	for bit, f := range d.field[:dorHopBits] {
		if f.one != 0 {
			dim := f.dir - dorDirShift
			c.left[dim] |= 1 << (bit - int(d.shift[dim]))
		}
	}
	return c
}

func (c *schemed) base() *DOR { return c.dor }

// Name returns "dor".
func (c *schemed) Name() string { return c.dor.Name() }

// Start returns the route header for packets between two NICs, and the virtual channel in which
// they enter the network.
func (c *schemed) Start(src, dst int32) (uint64, uint8) {
	return c.start(src, dst, c.dor.pair(src, dst))
}

// start is Start with a given hash, whose bits choose the virtual channels, and the direction where
// both directions round a ring are equally long.
func (c *schemed) start(src, dst int32, flow uint64) (header uint64, entry uint8) {
	header = c.dor.header(src, dst, flow)
	switch c.scheme.Entry {
	case EntryFirst:
	case EntryAll:
		entry = uint8(flow >> 48 % c.dor.vcs)
	default:
		_, vc, _ := c.Next(src/c.dor.locals, header)
		entry = uint8(vc)
	}
	return header, entry
}

// Next returns the hop that DOR takes, on a virtual channel of the class that the scheme selects.
func (c *schemed) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	d := c.dor
	bit := bits.TrailingZeros64(header & dorHopMask)
	f := &d.field[bit]
	dim := f.dir - dorDirShift
	if c.scheme.Dateline == DatelineBalanced || f.ring == 0 || header>>(dorClassShift+dim)&1 == 0 ||
		!d.torus.Wraps(int(dim)) {
		return d.Next(router, header)
	}
	down := header >> f.dir & 1
	size := int(d.torus.Dims()[dim])
	at := int(uint32(router) / c.strides[dim] % uint32(size))
	class := c.scheme.Dateline.class(position{at, size, int(header >> d.shift[dim] & c.left[dim]), down == 1})
	vc = uint16(header >> (dorVCShift + class*dorVCBits) & (MaxVCs - 1))
	return uint16(2*dim + down), vc, header - f.one
}

// position is a packet's position in a ring in which its path crosses the dateline (the wrap-around
// link).
type position struct {
	at, size, left int // coordinate; number of routers in the ring; hops left in the ring
	down           bool
}

// crosses reports whether the next hop is over the wrap-around link.
func (p position) crosses() bool {
	if p.down {
		return p.at == 0
	}
	return p.at == p.size-1
}

// ahead reports whether the wrap-around link is still on the rest of the path.
func (p position) ahead() bool {
	if p.down {
		return p.at < p.left
	}
	return p.at+p.left >= p.size
}

// class returns the channel class (0 or 1) of the next hop, for a path that crosses the dateline.
func (s Dateline) class(p position) uint64 {
	one := true
	switch s {
	case DatelineClassic:
		one = p.crosses() || !p.ahead()
	case DatelineAhead:
		one = p.ahead()
	}
	if one {
		return 1
	}
	return 0
}

// OutlineSteps implements Outliner. Outlines have the form of DOR's, but in rings their class is 1 once
// the path has crossed the dateline.
func (c *schemed) OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate {
	d := c.dor
	dim, from, into := d.travels(router, int32(outline))
	switch {
	case from == into:
		return to
	case c.scheme.Dateline == DatelineBalanced || !d.torus.Wraps(dim):
		return d.outlineDimension(dim, from, into, outline, to)
	}
	return c.outlineRing(dim, from, into, outline, to)
}

// outlineRing appends the hops in a ring for both values of the coin that chooses a direction.
func (c *schemed) outlineRing(dim, from, into int, outline uint64, to []Candidate) []Candidate {
	d := c.dor
	toward, crossed := outline&(1<<32-1), outline>>32 == 2
	for coin := range uint64(2) {
		header := d.dimension(dim, from, into, coin)
		p := position{
			from,
			d.torus.Dims()[dim],
			int(header >> d.shift[dim] & c.left[dim]),
			header>>(dorDirShift+dim)&1 == 1,
		}
		class := uint64(0)
		if crossed || p.ahead() {
			class = c.scheme.Dateline.class(p)
		}
		next := toward
		if p.left > 1 {
			next |= 1 << 32
			if crossed || p.crosses() {
				next = toward | 2<<32
			}
		}
		port := uint16(2 * dim)
		if p.down {
			port++
		}
		to = d.channelsOf(class, port, next, to)
	}
	return to
}
