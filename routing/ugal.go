package routing

import (
	"fmt"
	"slices"

	"fabricast/topology"
)

// UGAL is universal globally-adaptive load-balanced routing (Singh, Load-balanced
// routing in interconnection networks, Stanford 2005; on dragonflies Kim, Dally,
// Scott and Abts, ISCA 2008): at the source router a packet chooses between the minimal route and one
// by a router drawn for it, as Valiant's. The estimate of a route's delay is
// queue times hops; the minimal one is taken if its estimate is at most that of
// the other plus a threshold.
//
// UGAL-L estimates by the queues of the source router's own outputs. UGAL-G
// sums the queues of all outputs along the route, those of other routers as
// published (see GlobalView). The decision is made anew as long as the packet
// waits at its first router.
type UGAL struct {
	*detours
	UGALOptions
	progressive bool
}

// UGALOptions are the parameters of UGAL and PAR.
type UGALOptions struct {
	// Threshold is added to the estimate of the detour, in the unit of estimates:
	// flits times hops for UGAL-L, flits for UGAL-G.
	Threshold int64
	// MinimalWeight and DetourWeight take the place of the hops of the routes, if not 0 (UGAL-L and PAR).
	MinimalWeight, DetourWeight int64
	// Interval is the time between publications for UGAL-G, in ps; 0 means DefaultInterval.
	Interval int64
}

// NewUGALL returns UGAL with local information, on any topology. It needs the
// virtual channels of Valiant's routing.
func NewUGALL(t topology.Topology, vcs int, o UGALOptions) (*UGAL, error) {
	d, err := newDetours(t, "ugal-l", vcs, 0)
	return &UGAL{detours: d, UGALOptions: o}, err
}

// NewPAR returns progressive adaptive routing on a dragonfly (Jiang, Kim and
// Dally, Indirect adaptive routing on large scale interconnection networks, ISCA
// 2009): UGAL-L, in which a packet on the minimal route decides again at every
// router of its source group. It needs four virtual channels.
func NewPAR(t *topology.Dragonfly, vcs int, o UGALOptions) (*UGAL, error) {
	d, err := newDetours(t, "par", vcs, 1)
	return &UGAL{detours: d, UGALOptions: o, progressive: true}, err
}

// UGALG is UGAL with global information.
type UGALG struct{ *UGAL }

// NewUGALG returns UGAL with global information, on any topology. It needs the
// virtual channels of Valiant's routing.
func NewUGALG(t topology.Topology, vcs int, o UGALOptions) (UGALG, error) {
	if o.Interval == 0 {
		o.Interval = DefaultInterval
	}
	if o.Interval < MinInterval || o.Interval > MaxInterval {
		return UGALG{}, fmt.Errorf("queues are published at intervals of %d to %d ps, not %d", MinInterval, MaxInterval, o.Interval)
	}
	d, err := newDetours(t, "ugal-g", vcs, 0)
	return UGALG{&UGAL{detours: d, UGALOptions: o}}, err
}

// Interval implements Informed.
func (u UGALG) Interval() int64 { return u.UGALOptions.Interval }

// StartPacket implements Adaptive. The detour is by a router outside the regions
// of source and destination, where there is one.
func (u *UGAL) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	from, to, flow := u.router(src), u.router(dst), mix(coin)
	header := u.header(dst, flow, flow)
	via, ok := u.elsewhere(from, to, coin)
	if ok {
		header |= u.via.with(uint64(via)) | u.phase.with(phaseOpen)
	} else {
		header |= u.phase.with(phaseLast)
	}
	return header, uint8(u.lanes.vc(u.last, u.lane.of(header)))
}

// elsewhere draws a router that makes a detour. There is none if source and
// destination are in the same region, or draws fail eight times.
func (u *UGAL) elsewhere(from, to int32, coin uint64) (via int32, ok bool) {
	a, b := u.regions.region(from), u.regions.region(to)
	if a == b {
		return 0, false
	}
	for range 8 {
		via = u.draw(coin)
		if r := u.regions.region(via); r != a && r != b {
			return via, true
		}
		coin = mix(coin)
	}
	return 0, false
}

// Candidates implements Adaptive: the channels of the next hop on the route that is
// better now. The cost of each is its queue.
func (u *UGAL) Candidates(router int32, header uint64, v View, to []Candidate) []Candidate {
	return u.candidates(router, header, v, to, u.local)
}

// Candidates implements Adaptive.
func (u UGALG) Candidates(router int32, header uint64, v View, to []Candidate) []Candidate {
	return u.candidates(router, header, v, to, u.global)
}

func (u *UGAL) candidates(router int32, header uint64, v View, to []Candidate, better func(int32, uint64, uint64, View) bool) []Candidate {
	header = u.settle(router, header)
	if router == int32(u.to.of(header)) && u.phase.of(header) != phaseDetour {
		return append(to, Candidate{Port: uint16(u.exit.of(header)), VC: u.exitVC(header), Header: header})
	}
	if u.phase.of(header) != phaseOpen {
		return u.follow(router, header, v, to)
	}
	minimal, detour := u.phase.set(header, phaseLast), u.phase.set(header, phaseDetour)
	detour = u.settle(router, detour)
	if v == nil || better(router, minimal, detour, v) {
		to = u.straight(router, minimal, v, to)
		if v != nil {
			return to
		}
	}
	return u.follow(router, detour, v, to)
}

// straight is the next minimal hop of an undecided packet. With progressive
// routing it stays undecided within its group, in a class of its own.
func (u *UGAL) straight(router int32, header uint64, v View, to []Candidate) []Candidate {
	h := u.hop(router, header)
	next := after(u.graph, router, h.port)
	if !u.progressive || u.regions.region(next) != u.regions.region(router) {
		return u.follow(router, header, v, to)
	}
	first := len(to)
	h.class = 0
	to = u.lanes.each(h, u.phase.set(header, phaseOpen), to)
	price(to[first:], v)
	return to
}

// follow appends the channels of the next hop on a leg.
func (u *UGAL) follow(router int32, header uint64, v View, to []Candidate) []Candidate {
	first := len(to)
	to = u.lanes.each(u.hop(router, header), header, to)
	price(to[first:], v)
	return to
}

// local tells whether the minimal route is better by the queues of this router.
func (u *UGAL) local(router int32, minimal, detour uint64, v View) bool {
	short, long := u.MinimalWeight, u.DetourWeight
	if short == 0 {
		short = u.hops(router, minimal)
	}
	if long == 0 {
		long = u.hops(router, detour)
	}
	return v.PortQueue(u.hop(router, minimal).port)*short <= v.PortQueue(u.hop(router, detour).port)*long+u.Threshold
}

// hops is the length of the route from here.
func (u *UGAL) hops(router int32, header uint64) int64 {
	if u.phase.of(header) == phaseLast {
		return int64(u.leg.distance(router, int32(u.to.of(header))))
	}
	n := int64(0)
	u.walk(router, header, func(int32, uint16) { n++ })
	return n
}

// global tells whether the minimal route is better by the queues along both.
func (u *UGAL) global(router int32, minimal, detour uint64, v View) bool {
	view, ok := v.(GlobalView)
	if !ok {
		panic("routing: UGAL-G without a GlobalView")
	}
	return u.queues(router, minimal, view) <= u.queues(router, detour, view)+u.Threshold
}

func (u *UGAL) queues(router int32, header uint64, v GlobalView) int64 {
	sum := int64(0)
	u.walk(router, header, func(at int32, port uint16) {
		if at == router {
			sum += v.PortQueue(port)
		} else {
			sum += v.Published(at, port)
		}
	})
	return sum
}

// walk visits the outputs of a route.
func (u *UGAL) walk(router int32, header uint64, visit func(at int32, port uint16)) {
	for at := router; ; {
		header = u.settle(at, header)
		if u.phase.of(header) == phaseLast && at == int32(u.to.of(header)) {
			return
		}
		h := u.hop(at, header)
		visit(at, h.port)
		at = after(u.graph, at, h.port)
	}
}

// OutlineStarts implements Outliner.
func (u *UGAL) OutlineStarts(from, to int32, outlines []uint64) []uint64 {
	outlines = u.detours.OutlineStarts(from, to, outlines)
	if u.progressive && u.regions.region(from) != u.regions.region(to) {
		outlines = append(outlines, outlineOf(to, phaseOpen))
	}
	return outlines
}

// OutlineSteps implements Outliner.
func (u *UGAL) OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate {
	if outline>>32 != phaseOpen {
		return u.detours.OutlineSteps(router, outline, to)
	}
	first := len(to)
	to = u.leg.ways(router, int32(outline), to)
	ways := len(to)
	for i := first; i < ways; i++ {
		h := to[i].hop()
		if next := after(u.graph, router, h.port); u.regions.region(next) == u.regions.region(router) {
			to = u.lanes.each(hop{port: h.port}, outline, to)
		} else {
			h.class += u.last
			to = u.lanes.each(h, outlineOf(int32(outline), phaseLast), to)
		}
	}
	to = slices.Delete(to, first, ways)
	return u.outlineAll(&u.begins[router], router, u.detour, to)
}
