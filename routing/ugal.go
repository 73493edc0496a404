package routing

import (
	"fmt"
	"slices"

	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = Register(90, Description[UGALLOptions]{
	Summary: "minimal or with a detour, chosen at the source by its own queues",
	Make: func(o *UGALLOptions, n Network) (Algorithm, error) {
		return NewUGALL(n.Topology, n.VCs, o.ugal())
	},
	Memory: func(_ *UGALLOptions, t topology.Topology) int64 { return MinimalMemory(t) },
	Alike:  []topology.Family{topology.FamilyRings, topology.FamilyJoined, topology.FamilySlimFlies},
	Manual: Manual{
		Section: "ugal-and-par", Networks: "as 'minimal'",
		Routes: "minimal or a detour as in 'valiant', chosen at the source by its own queues", VCs: "as 'valiant'",
		Source: "Singh 2005; Kim et al. 2008",
	},
	Examples: []string{"", "threshold: 3", "weights: [1, 2]"},
})

var _ = Register(100, Description[UGALGOptions]{
	Summary: "as ugal-l, by the queues along the routes as routers publish them",
	Make: func(o *UGALGOptions, n Network) (Algorithm, error) {
		return NewUGALG(
			n.Topology, n.VCs, UGALOptions{Threshold: int64(o.Threshold), Interval: int64(o.Interval)},
		)
	},
	Memory: func(_ *UGALGOptions, t topology.Topology) int64 { return MinimalMemory(t) },
	Alike:  []topology.Family{topology.FamilyRings, topology.FamilyJoined, topology.FamilySlimFlies},
	Manual: Manual{
		Section: "ugal-and-par", Networks: "as 'minimal'",
		Routes: "as 'ugal-l', but chosen by the queues of all routers along the routes", VCs: "as 'valiant'",
		Source: "Singh 2005; Kim et al. 2008",
	},
	Examples: []string{"interval: 50ns", "interval: 200ns, threshold: 2"},
})

var _ = Register(110, Description[PAROptions]{
	Summary:  "as ugal-l, chosen anew within the source's group",
	Networks: "dragonfly", Fits: is[*topology.Dragonfly],
	Make: func(o *PAROptions, n Network) (Algorithm, error) {
		return NewPAR(n.Topology.(*topology.Dragonfly), n.VCs, (*UGALLOptions)(o).ugal())
	},
	Manual: Manual{
		Section: "ugal-and-par", Routes: "as 'ugal-l', decided again at each router of the source's group", VCs: "4",
		Source: "Jiang, Kim and Dally 2009",
	},
	Examples: []string{"", "weights: [1, 2]"},
})

// UGALLOptions are the options of the algorithms "ugal-l" in experiments.
type UGALLOptions struct {
	Threshold int   `yaml:"threshold" help:"in favour of the minimal route" default:"0"`
	Weights   []int `yaml:"weights" help:"of minimal route and detour, such as '[1, 2]'" default:"their hops"`
}

// Name implements Spec.
func (UGALLOptions) Name() string { return "ugal-l" }

func (o *UGALLOptions) ugal() UGALOptions {
	u := UGALOptions{Threshold: int64(o.Threshold)}
	if len(o.Weights) == 2 {
		u.MinimalWeight, u.DetourWeight = int64(o.Weights[0]), int64(o.Weights[1])
	}
	return u
}

// Check returns the mistakes in the options.
func (o *UGALLOptions) Check() []topology.Mistake {
	list := checkThreshold(o.Threshold)
	if len(o.Weights) != 0 && len(o.Weights) != 2 {
		list = append(list, topology.Mistake{
			Field: "weights", Found: fmt.Sprint(o.Weights),
			Expected: "two numbers: of the minimal route and of the detour",
		})
	}
	for i, w := range o.Weights {
		if w < 1 || w > 1000 {
			list = append(list, topology.Mistake{
				Field: fmt.Sprintf("weights[%d]", i), Found: fmt.Sprint(w),
				Expected: "a number from 1 to 1000",
			})
		}
	}
	return list
}

// PAROptions are the options of the algorithm "par" in experiments: those of "ugal-l".
type PAROptions UGALLOptions

// Name implements Spec.
func (PAROptions) Name() string { return "par" }

// Check returns the mistakes in the options.
func (o *PAROptions) Check() []topology.Mistake { return (*UGALLOptions)(o).Check() }

func checkThreshold(threshold int) (list []topology.Mistake) {
	if threshold < 0 {
		list = append(list, topology.Mistake{
			Field: "threshold", Found: fmt.Sprint(threshold), Expected: "a number of at least 0",
		})
	}
	return list
}

// UGALGOptions are the options of the algorithm "ugal-g" in experiments.
type UGALGOptions struct {
	Threshold int        `yaml:"threshold" help:"in favour of the minimal route" default:"0"`
	Interval  units.Time `yaml:"interval" help:"between publications of queues" default:"1us" fill:"1us"`
}

// Name implements Spec.
func (UGALGOptions) Name() string { return "ugal-g" }

// Check returns the mistakes in the options.
func (o *UGALGOptions) Check() []topology.Mistake {
	list := checkThreshold(o.Threshold)
	least, most := units.Time(MinInterval), units.Time(MaxInterval)
	if o.Interval < least || o.Interval > most {
		list = append(list, topology.Mistake{
			Field: "interval", Found: o.Interval.String(),
			Expected: "a time from " + least.String() + " to " + most.String(),
		})
	}
	return list
}

// UGAL is universal globally-adaptive load-balanced routing (Singh, Load-balanced routing in
// interconnection networks, Stanford 2005; on dragonflies Kim, Dally, Scott and Abts, ISCA 2008).
// At the source router a packet chooses between the minimal route and one through a random router,
// as in Valiant routing. A route's delay is estimated as queue length times hops. The minimal route
// is taken if its estimate is at most that of the other plus a threshold.
//
// UGAL-L estimates by the queues of the source router's own outputs. UGAL-G sums the queues of all
// outputs along the route; it knows those of other routers as they were published (see GlobalView).
// As long as the packet waits at its first router, every attempt to forward it decides anew.
type UGAL struct {
	*detours
	UGALOptions
	// the algorithm is PAR: packets may decide again at later routers of the source group
	progressive bool
}

// UGALOptions are the parameters of UGAL and PAR.
type UGALOptions struct {
	// Threshold is added to the estimate of the detour, in flits times hops for UGAL-L, in flits
	// for UGAL-G. It favours the minimal route.
	Threshold int64
	// MinimalWeight and DetourWeight, if not 0, are used instead of the numbers of hops of the two
	// routes (UGAL-L and PAR).
	MinimalWeight, DetourWeight int64
	// Interval is the time between publications for UGAL-G, in ps; 0 means DefaultInterval.
	Interval int64
}

// NewUGALL returns UGAL with local information, for any topology. It needs as many virtual channels
// as Valiant routing.
func NewUGALL(t topology.Topology, vcs int, o UGALOptions) (*UGAL, error) {
	d, err := newDetours(t, "ugal-l", vcs, 0)
	return &UGAL{detours: d, UGALOptions: o}, err
}

// NewPAR returns progressive adaptive routing on a dragonfly (Jiang, Kim and Dally, Indirect
// adaptive routing on large scale interconnection networks, ISCA 2009). It is UGAL-L in which a
// packet on the minimal route decides again at every router of its source group. It needs four
// virtual channels.
func NewPAR(t *topology.Dragonfly, vcs int, o UGALOptions) (*UGAL, error) {
	d, err := newDetours(t, "par", vcs, 1)
	return &UGAL{detours: d, UGALOptions: o, progressive: true}, err
}

// UGALG is UGAL with global information.
type UGALG struct{ *UGAL }

// NewUGALG returns UGAL with global information, for any topology. It needs as many virtual
// channels as Valiant routing. It fails if the interval is not 0 and out of range.
func NewUGALG(t topology.Topology, vcs int, o UGALOptions) (UGALG, error) {
	if o.Interval == 0 {
		o.Interval = DefaultInterval
	}
	if o.Interval < MinInterval || o.Interval > MaxInterval {
		return UGALG{}, fmt.Errorf(
			"queues are published at intervals of %d to %d ps, not %d",
			MinInterval, MaxInterval, o.Interval,
		)
	}
	d, err := newDetours(t, "ugal-g", vcs, 0)
	return UGALG{&UGAL{detours: d, UGALOptions: o}}, err
}

// Interval returns the publishing interval in ps. It implements Informed.
func (u UGALG) Interval() int64 { return u.UGALOptions.Interval }

// StartPacket returns a header with a random intermediate router, if possible outside the regions
// of source and destination. It implements Adaptive.
func (u *UGAL) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	from, to, flow := u.router(src), u.router(dst), mix(coin)
	header := u.header(dst, flow, flow)
	via, ok := u.elsewhere(from, to, coin)
	if ok {
		header |= u.via.with(uint64(via)) | u.phase.with(phaseOpen)
	} else {
		header |= u.phase.with(phaseLast)
	}
	return header, uint8(u.channels.vc(u.last, u.choice.of(header)))
}

// elsewhere returns a random router outside the regions of source and destination. ok is false if
// these are in the same region, or if eight attempts have failed.
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

// Candidates appends the channels of the next hop on the route that is better at present, with
// their queues as costs. It implements Adaptive.
func (u *UGAL) Candidates(router int32, header uint64, v View, to []Candidate) []Candidate {
	return u.candidates(router, header, v, to, u.local)
}

// Candidates implements Adaptive.
func (u UGALG) Candidates(router int32, header uint64, v View, to []Candidate) []Candidate {
	return u.candidates(router, header, v, to, u.global)
}

func (u *UGAL) candidates(
	router int32,
	header uint64,
	v View,
	to []Candidate,
	better func(int32, *opening, View) bool,
) []Candidate {
	header = u.settle(router, header)
	if router == int32(u.to.of(header)) && u.phase.of(header) != phaseDetour {
		return append(to, Candidate{Port: uint16(u.exit.of(header)), VC: u.exitVC(header), Header: header})
	}
	if u.phase.of(header) != phaseOpen {
		return u.follow(u.hop(router, header), header, v, to)
	}
	o := u.open(router, header)
	if v == nil || better(router, &o, v) {
		to = u.straight(router, &o, v, to)
		if v != nil {
			return to
		}
	}
	return u.follow(o.around, o.detour, v, to)
}

// Offer implements Steady. It offers no ports to a packet that has not decided, or whose detour ends
// at this router.
func (u *UGAL) Offer(router int32, header uint64, _ []Candidate, o *Options) {
	phase := u.phase.of(header)
	switch {
	case phase == phaseOpen || u.settle(router, header) != header:
		o.Ports = 0
	case phase == phaseLast && router == int32(u.to.of(header)):
		o.only(uint16(u.exit.of(header)), u.exitVC(header))
	default:
		h := u.hop(router, header)
		first := uint16(u.channels.first[h.class])
		o.set(1<<h.port, first, first+uint16(u.channels.count[h.class]), 0, false)
	}
}

// Resort is never called, since there is no escape channel. It implements Steady.
func (u *UGAL) Resort(int32, uint64) (port, vc uint16) { return 0, 0 }

// opening is the choice of a packet that has not decided.
type opening struct {
	minimal, detour  uint64 // header on each route
	straight, around hop    // first hop of each route
}

// open returns the choice of a packet that has not decided at a router.
func (u *UGAL) open(router int32, header uint64) (o opening) {
	o.minimal = u.phase.set(header, phaseLast)
	o.detour = u.settle(router, u.phase.set(header, phaseDetour))
	o.straight, o.around = u.hop(router, o.minimal), u.hop(router, o.detour)
	return o
}

// straight appends the channels of the next minimal hop of a packet that has not decided yet. With
// PAR the packet remains undecided within its group, in a channel class of its own.
func (u *UGAL) straight(router int32, o *opening, v View, to []Candidate) []Candidate {
	h, header := o.straight, o.minimal
	if u.progressive && u.regions.region(after(u.graph, router, h.port)) == u.regions.region(router) {
		h.class, header = 0, u.phase.set(header, phaseOpen)
	}
	return u.follow(h, header, v, to)
}

// follow appends the channels of a hop.
func (u *UGAL) follow(h hop, header uint64, v View, to []Candidate) []Candidate {
	first := len(to)
	to = u.channels.each(h, header, to)
	price(to[first:], v)
	return to
}

// local reports whether the minimal route is better, by the queues of this router.
func (u *UGAL) local(router int32, o *opening, v View) bool {
	short, long := u.MinimalWeight, u.DetourWeight
	if short == 0 {
		short = u.hops(router, o.minimal)
	}
	if long == 0 {
		long = u.hops(router, o.detour)
	}
	return v.PortQueue(o.straight.port)*short <= v.PortQueue(o.around.port)*long+u.Threshold
}

// hops returns the number of hops of the route from a router on.
func (u *UGAL) hops(router int32, header uint64) int64 {
	detour, to := 0, int32(u.to.of(header))
	if u.phase.of(header) == phaseDetour {
		router, detour = u.regions.enter(router, int32(u.via.of(header)), u.flow.of(header))
	}
	return int64(detour + u.leg.distance(router, to))
}

// global reports whether the minimal route is better, by the queues along both routes.
func (u *UGAL) global(router int32, o *opening, v View) bool {
	view, ok := v.(GlobalView)
	if !ok {
		panic("routing: UGAL-G without a GlobalView")
	}
	return u.queues(router, o.minimal, view) <= u.queues(router, o.detour, view)+u.Threshold
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

// walk calls visit for each output on a route.
func (u *UGAL) walk(router int32, header uint64, visit func(at int32, port uint16)) {
	at := router
	for range 2 * u.graph.Routers { // each leg visits a router at most once
		header = u.settle(at, header)
		if u.phase.of(header) == phaseLast && at == int32(u.to.of(header)) {
			return
		}
		h := u.hop(at, header)
		visit(at, h.port)
		at = after(u.graph, at, h.port)
	}
	panic(goesRound(router, int32(u.to.of(header))))
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
			to = u.channels.each(hop{port: h.port}, outline, to)
		} else {
			h.class += u.last
			to = u.channels.each(h, outlineOf(int32(outline), phaseLast), to)
		}
	}
	to = slices.Delete(to, first, ways)
	return u.outlineAll(&u.begins[router], router, u.detour, to)
}
