package traffic

import (
	"fmt"
	"slices"

	"fabricast/topology"
)

var _ = register(130, Kind{
	Name: "mix", Summary: "shares of the messages by distance or by block",
	Params:      []string{"parts"},
	Example:     "parts: [{share: 70%, block: 2}, {share: 30%}]",
	Destination: "as its `parts` say: [below](#mixes)",
	build:       newMix,
})

// Part is a class of destinations in a mix. A destination belongs to the first part whose
// conditions it satisfies, and to later ones with the same conditions: these share its messages. A
// part without conditions contains all remaining hosts.
type Part struct {
	Share int64 // share of the messages, relative to the sum of all shares

	// Block, if not 0, divides the hosts into host blocks of Block consecutive hosts. If Hops is 0
	// and Dims is nil, destinations are in the host block of the source.
	Block int
	// Dims, if not nil, arranges the host blocks as a torus with these dimensions. Hops then counts
	// the links of this torus.
	Dims []int
	// Hops, if not 0, is the maximum distance: in links between the routers of the two hosts or, if
	// Dims is set, between their host blocks in the torus.
	Hops int
	// Class is the priority class of the messages, for routers that arbitrate by priority. Greater
	// is more urgent.
	Class uint8
}

// mixture is a pattern that draws a part according to the shares, and then a destination in the
// part. An example is the locality mix of HiNetSim for hierarchical networks: 70 % within the host
// block, 20 % to host blocks within three hops, 10 % elsewhere.
type mixture struct {
	t     topology.Topology
	parts []Part
	total int
	hosts int
}

func newMix(s Spec, t topology.Topology) (Pattern, error) {
	m := &mixture{t: t, parts: s.Parts, hosts: hosts(t)}
	if len(s.Parts) == 0 {
		return nil, &Problem{
			Field:    "parts",
			Found:    "nothing",
			Expected: "a list such as [{share: 70%, block: 8}, {share: 30%}]",
		}
	}
	for i, p := range s.Parts {
		if err := m.check(p); err != nil {
			err.Field = fmt.Sprintf("parts[%d].%s", i, err.Field)
			return nil, err
		}
		m.total += int(p.Share)
	}
	for i := range s.Parts {
		for src := range int32(m.hosts) {
			if !m.populated(i, src) {
				return nil, &Problem{
					Field: fmt.Sprintf("parts[%d]", i), Found: fmt.Sprintf("no destination for host %d", src),
					Expected: "a class of hosts that is not empty for any source",
				}
			}
		}
	}
	if slices.ContainsFunc(m.parts, func(p Part) bool { return p.Class != 0 }) {
		return classedMixture{m}, nil
	}
	return m, nil
}

// classedMixture is a mixture whose parts have priority classes.
type classedMixture struct{ *mixture }

// DestinationIn implements Classed.
func (m classedMixture) DestinationIn(src int32, d *Draws) (dst int32, class uint8) {
	part, dst := m.draw(src, d)
	return dst, m.parts[part].Class
}

func (m *mixture) check(p Part) *Problem {
	blocks := 1
	for _, k := range p.Dims {
		blocks *= max(k, 0)
	}
	switch {
	case p.Share <= 0:
		return &Problem{
			Field:    "share",
			Found:    fmt.Sprint(float64(p.Share) / LoadUnit),
			Expected: "a share above 0",
		}
	case p.Block < 0 || p.Block > 0 && m.hosts%p.Block != 0:
		return &Problem{
			Field:    "block",
			Found:    fmt.Sprint(p.Block),
			Expected: fmt.Sprintf("a divisor of the %d hosts", m.hosts),
		}
	case p.Hops < 0:
		return &Problem{Field: "hops", Found: fmt.Sprint(p.Hops), Expected: "a distance of at least 1"}
	case p.Dims != nil && (p.Block == 0 || p.Hops == 0 || blocks*p.Block != m.hosts):
		return &Problem{
			Field: "dims",
			Found: fmt.Sprint(p.Dims),
			Expected: fmt.Sprintf(
				"a torus of all the blocks that the %d hosts make, with block and hops",
				m.hosts,
			),
		}
	}
	return nil
}

// Destination implements Pattern.
func (m *mixture) Destination(src int32, d *Draws) int32 {
	_, dst := m.draw(src, d)
	return dst
}

// draw draws a part, and a destination in it.
func (m *mixture) draw(src int32, d *Draws) (part int, dst int32) {
	x := d.Below(m.total)
	for i := range m.parts {
		part = i
		if x -= int(m.parts[i].Share); x < 0 {
			break
		}
	}
	p := &m.parts[part]
	first, n := m.candidates(p, src)
	for {
		if dst = first + int32(d.Below(n)); m.belongs(part, src, dst) {
			return part, dst
		}
	}
}

// candidates returns a range of n hosts that includes all destinations in part p of host src.
func (m *mixture) candidates(p *Part, src int32) (first int32, n int) {
	if p.Block > 0 && p.Hops == 0 {
		return src / int32(p.Block) * int32(p.Block), p.Block
	}
	return 0, m.hosts
}

// belongs reports whether destination dst is in the given part, for source src. It is in the first
// part whose conditions it satisfies, and in those with the same conditions. The source itself is in
// no part.
func (m *mixture) belongs(part int, src, dst int32) bool {
	if src == dst {
		return false
	}
	for i := range part {
		if m.meets(&m.parts[i], src, dst) && !m.parts[i].like(&m.parts[part]) {
			return false
		}
	}
	return m.meets(&m.parts[part], src, dst)
}

// like reports whether two parts have the same conditions.
func (p *Part) like(o *Part) bool {
	return p.Block == o.Block && p.Hops == o.Hops && slices.Equal(p.Dims, o.Dims)
}

func (m *mixture) meets(p *Part, src, dst int32) bool {
	switch {
	case p.Dims != nil:
		return blockDistance(p.Dims, int(src)/p.Block, int(dst)/p.Block) <= p.Hops
	case p.Block > 0 && src/int32(p.Block) != dst/int32(p.Block):
		return false
	case p.Hops > 0:
		return m.t.Distance(int(src), int(dst)) <= p.Hops
	}
	return true
}

// blockDistance returns the distance in hops between nodes a and b of a torus with dimensions dims.
// Node IDs vary fastest in the first dimension.
func blockDistance(dims []int, a, b int) int {
	sum := 0
	for _, k := range dims {
		away := (b%k - a%k + k) % k
		sum += min(away, k-away)
		a /= k
		b /= k
	}
	return sum
}

// populated reports whether a part contains a destination for source src.
func (m *mixture) populated(part int, src int32) bool {
	first, n := m.candidates(&m.parts[part], src)
	for i := range n {
		// Start the search at the source, because close destinations are the most likely.
		dst := first + (src-first+int32(i))%int32(n)
		if m.belongs(part, src, dst) {
			return true
		}
	}
	return false
}
