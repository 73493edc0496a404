package experiments

import (
	"math"
	"math/rand/v2"

	"fabricast/internal/units"

	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// scale limits the size of random experiments.
type scale struct {
	routers  int   // maximum number of routers of a network
	size     int   // maximum number of routers in a dimension
	messages int   // approximate mean number of messages; the maximum is four times as high
	packets  int64 // maximum number of packets of all messages together
}

var (
	light = scale{routers: 100, size: 6, messages: 72, packets: 600}
	heavy = scale{routers: 400, size: 12, messages: 2000, packets: 10_000}
)

// Draw returns the experiment for a seed. The oracle can run hundreds of such experiments per
// second.
func Draw(seed uint64) *Experiment {
	return draw(seed, light)
}

// DrawHeavy returns the experiment for a seed with more routers and much more traffic than Draw.
// The oracle can run a few of them per second.
func DrawHeavy(seed uint64) *Experiment {
	return draw(seed, heavy)
}

// DrawGeneral is like Draw, for experiments on the general path: with adaptive routing, virtual
// output queues, output buffers, and every kind of arbiter.
func DrawGeneral(seed uint64) *Experiment { return drawGeneral(seed, light) }

// DrawGeneralHeavy is like DrawHeavy, for experiments on the general path.
func DrawGeneralHeavy(seed uint64) *Experiment { return drawGeneral(seed, heavy) }

// drawGeneral returns an experiment that may use any option of the general path.
func drawGeneral(seed uint64, most scale) *Experiment {
	e := draw(seed, most)
	drawer{rand.New(rand.NewPCG(seed, 0x67656e6572616c)), most}.general(e)
	return e
}

func (d drawer) general(e *Experiment) {
	if d.chance(40) {
		e.Route, e.Seed = Adaptive, d.Uint64()
		if d.chance(40) {
			e.Publish = 1 + d.Int64N(200_000)
		}
	}
	if d.chance(40) {
		e.Router.Queues = fabric.VirtualOutputQueues
	}
	if d.chance(40) {
		d.outputBuffer(e)
	}
	e.Router.Arbiter = fabric.Arbiter(d.IntN(len(fabric.Arbiters())))
	for i := range e.Messages {
		e.Messages[i].Class = uint8(d.IntN(4))
	}
	d.allocation(e)
	for i := range e.Messages {
		if m := &e.Messages[i]; d.chance(30) && m.Delay > 0 {
			m.Waited = 1 + d.Int64N(m.Delay)
		}
	}
}

func (d drawer) allocation(e *Experiment) {
	if d.chance(30) {
		e.Router.Injection = fabric.VCsInTurn
	}
	if e.Router.Queues != fabric.InputQueues {
		return
	}
	if d.chance(30) {
		e.Router.Turnaround = units.Time(d.delay())
	}
	if d.chance(60) {
		e.Router.Allocation = fabric.SeparateAllocation
		e.needLatency()
		if d.chance(50) {
			e.Router.Allocator = fabric.SeparableAllocator
			e.Router.VCAllocation = max(e.Router.VCAllocation, 1)
			e.Router.SwitchAllocation = max(e.Router.SwitchAllocation, 1)
		}
	}
}

// needLatency raises the latency of links between routers to the minimum that the model requires if
// it does not count all router delays.
func (e *Experiment) needLatency() {
	e.Link.Latency = units.Time(max(int64(e.Link.Latency), 2))
	if e.Tree != nil {
		e.Tree.Trunk.Latency = units.Time(max(int64(e.Tree.Trunk.Latency), int64(e.Link.Latency)))
	}
}

func (d drawer) outputBuffer(e *Experiment) {
	mtu := e.Packet.MTU
	e.Router.OutputBuffer = units.Bytes(
		pick(d, mtu, mtu+d.Int64N(2*mtu), mtu*int64(d.between(2, 8)), 1000*mtu),
	)
	switch d.IntN(4) {
	case 0:
		e.Router.Bandwidth = units.Rate(2 * int64(e.Link.Bandwidth))
	case 1:
		e.Router.Bandwidth = units.Rate(int64(e.Link.Bandwidth) * int64(d.between(20, 300)) / 100)
	}
	r := &e.Router
	if r.Routing+r.VCAllocation+r.SwitchAllocation+e.Link.Latency < 2 {
		e.Link.Latency = 2 // the minimum that the model requires
	}
	if e.Tree != nil {
		e.Tree.Trunk.Latency = units.Time(max(int64(e.Tree.Trunk.Latency), int64(e.Link.Latency)))
	}
}

func draw(seed uint64, most scale) *Experiment {
	d := drawer{rand.New(rand.NewPCG(seed, 0x6f7261636c65)), most}
	e := &Experiment{}
	d.network(e)
	d.routing(e)
	d.packets(e)
	d.rates(e)
	d.delays(e)
	d.traffic(e)
	drawer{rand.New(rand.NewPCG(seed, 0x6e6963)), most}.nics(e)
	hostLinks(e, seed)
	return e
}

// drawer generates the parts of an experiment at random.
type drawer struct {
	*rand.Rand
	most scale
}

// between returns a random number from lo to hi, both included.
func (d drawer) between(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

// chance returns true with a probability of p percent.
func (d drawer) chance(p int) bool { return d.IntN(100) < p }

func (d drawer) network(e *Experiment) {
	e.NICs = pick(d, 1, 1, 1, 2, 4)
	if d.chance(40) {
		e.Router.Arbiter = fabric.RoundRobin
	}
	if d.chance(25) {
		d.tree(e)
	} else {
		d.torus(e)
	}
}

func (d drawer) tree(e *Experiment) {
	t := &Tree{}
	routers := d.between(1, d.most.routers/3)
	for r := range routers {
		parent := 0
		if r > 0 {
			parent = d.IntN(r) / d.between(1, 2)
		}
		t.Parents = append(t.Parents, int32(parent))
		t.Hosts = append(t.Hosts, int32(pick(d, 0, 1, 1, 2, 5)))
		t.Classes = append(t.Classes, pick(d, topology.LinkRouter, linkTrunk))
	}
	t.Hosts[routers-1] += 2 // there must be at least one host
	e.Tree = t
	e.Router.VCs = d.between(1, 5)
}

func (d drawer) torus(e *Experiment) {
	for len(e.Dims) == 0 || e.Hosts() > d.most.routers {
		e.Dims = make([]int, pick(d, 1, 1, 2, 2, 3, 4, topology.MaxDims))
		e.Wrap = make([]bool, len(e.Dims))
		largest := max(2, d.most.size/len(e.Dims))
		if d.chance(50) {
			largest = d.most.size
		}
		rings := d.between(0, 4) // number of quarters of the dimensions that are rings
		for i := range e.Dims {
			e.Dims[i] = d.between(1, largest)
			e.Wrap[i] = d.IntN(4) < rings
		}
	}
	e.TieUp = d.chance(30)
	torus, err := topology.NewTorus(e.Dims, e.Wrap, e.NICs)
	if err != nil {
		panic(err)
	}
	e.Router.VCs = routing.DORMinVCs(torus)
	switch {
	case e.Router.VCs == 2 && d.chance(20):
		e.Unsafe = true
		e.Router.VCs = 1
	case d.chance(50):
		e.Router.VCs = d.between(e.Router.VCs, 5)
	case d.chance(5):
		e.Router.VCs = routing.MaxVCs
	}
}

func (d drawer) routing(e *Experiment) {
	if d.chance(25) {
		e.Route, e.Seed = Random, d.Uint64()
	}
}

func (d drawer) packets(e *Experiment) {
	p := &e.Packet
	p.Flit = int64(pick(d, 1, 3, 8, 16, 32, 100))
	p.MTU = p.Flit * int64(d.between(1, 40))
	if d.chance(50) {
		p.Header = int64(d.IntN(int(min(p.MTU, 64))))
	}
	e.Router.Buffer = units.Bytes(p.MTU)
	if e.Unsafe {
		return
	}
	switch d.IntN(4) {
	case 0:
	case 1:
		e.Router.Buffer *= units.Bytes(int64(d.between(2, 8)))
	case 2:
		e.Router.Buffer += units.Bytes(int64(d.IntN(int(2 * p.MTU))))
	case 3:
		e.Router.Buffer *= 1000 // practically unlimited
	}
}

// rates sets the bandwidths of links, routers and NICs. Half of the time they are all equal,
// because the engine has a faster path for that case.
func (d drawer) rates(e *Experiment) {
	if e.Tree != nil {
		e.Tree.Trunk.Bandwidth = d.rate()
	}
	if d.chance(50) {
		rate := pick(d, d.wholeRate(), d.rate())
		e.Link.Bandwidth, e.HostLink.Bandwidth, e.Router.Bandwidth = rate, rate, rate
		e.DMA = int64(pick(d, rate, d.wholeRate(), d.rate()))
		if e.Tree != nil && d.chance(50) {
			e.Tree.Trunk.Bandwidth = rate
		}
		return
	}
	for _, rate := range []*units.Rate{&e.Link.Bandwidth, &e.HostLink.Bandwidth, &e.Router.Bandwidth} {
		*rate = d.rate()
	}
	e.DMA = int64(d.rate())
}

// rate returns a bandwidth in bytes/s, usually one at which a byte does not take a whole number of
// picoseconds.
func (d drawer) rate() units.Rate {
	if d.chance(30) {
		return d.wholeRate()
	}
	return units.Rate(
		pick(
			d, 999_999_937, 6_999_999_989, 8_589_934_583, 12_884_901_893, 333_333_333,
			d.between(200_000_000, 20_000_000_000),
		),
	)
}

// wholeRate returns a bandwidth in bytes/s at which a byte takes a whole number of picoseconds.
func (d drawer) wholeRate() units.Rate {
	return units.Rate(pick(d, 1, 2, 4, 8, 10, 25)) * 1_000_000_000
}

func (d drawer) delays(e *Experiment) {
	r := &e.Router
	for _, delay := range []*units.Time{
		&r.Routing, &r.VCAllocation, &r.SwitchAllocation, &r.SwitchTraversal, &r.Latency,
		&e.Link.Latency, &e.HostLink.Latency,
	} {
		*delay = d.delay()
	}
	if d.chance(50) {
		e.HostLink.Latency = e.Link.Latency
	}
	if r.Routing+r.VCAllocation+r.SwitchAllocation+r.SwitchTraversal+r.Latency+e.Link.Latency < 2 {
		e.Link.Latency = 2 // the minimum that the model requires
	}
	if e.Tree != nil {
		e.Tree.Trunk.Latency = e.Link.Latency + d.delay()
	}
}

func (d drawer) delay() units.Time {
	switch d.IntN(4) {
	case 0:
		return 0
	case 1:
		return units.Time(d.between(1, 20))
	case 2:
		return units.Time(d.between(1, 20)) * 1000
	}
	return units.Time(d.between(1, 150_000))
}

// traffic describes the random sources, destinations, sizes and post times of most messages. Other
// messages are caused by earlier ones.
type traffic struct {
	drawer
	e        *Experiment
	hot      []int32 // destinations of a hot spot; empty: any destination
	shift    int32   // distance to a fixed partner; 0: there is none
	own      int     // percentage of messages that a NIC sends to itself, besides random ones
	sizes    []int64 // sizes in bytes
	horizon  int64   // messages are posted within this time (ps)
	instants []int64 // bursts of messages are posted at these times (ps); empty: at any time
	caused   int     // percentage of messages with a cause
	ahead    int     // percentage of messages whose post time is in the future
}

func (d drawer) traffic(e *Experiment) {
	t := &traffic{drawer: d, e: e, caused: pick(d, 0, 30, 90), ahead: pick(d, 0, 20)}
	t.places()
	t.times()
	t.lengths()
	if e.Unsafe && d.chance(80) {
		t.crowd()
	}
	few := math.Sqrt(4 * float64(d.most.messages))
	count := int(few*d.Float64()*few*d.Float64()) + 1
	packets := int64(0)
	for range count {
		m := t.message()
		packets += e.Packet.Count(m.Size)
		if packets > d.most.packets {
			break
		}
		e.Messages = append(e.Messages, m)
	}
}

// crowd changes the traffic so that packets are likely to get stuck: all messages are long, go to
// distant destinations, and are posted at once.
func (t *traffic) crowd() {
	t.shift, t.own, t.instants, t.caused = int32(max(1, t.nics()/2)), 0, []int64{0}, 0
	t.sizes = []int64{4 * t.e.Packet.Payload()}
}

func (t *traffic) nics() int { return t.e.Hosts() * t.e.NICs }

func (t *traffic) places() {
	switch t.IntN(3) {
	case 0:
	case 1:
		for range t.between(1, 3) {
			t.hot = append(t.hot, int32(t.IntN(t.nics())))
		}
	case 2:
		t.shift = int32(t.IntN(t.nics()))
	}
	t.own = pick(t.drawer, 0, 5, 50)
}

func (t *traffic) times() {
	packet := t.e.Packet.MTU * 1000 / (int64(t.e.Link.Bandwidth)/1_000_000_000 + 1)
	t.horizon = packet*int64(pick(t.drawer, 1, 10, 100)) + 1
	for range t.IntN(4) {
		t.instants = append(t.instants, t.Int64N(t.horizon))
	}
}

func (t *traffic) lengths() {
	full := t.e.Packet.Payload()
	t.sizes = []int64{
		0,
		1,
		full,
		full + 1,
		2 * full,
		t.Int64N(full + 1),
		t.Int64N(12*full + 1),
		t.Int64N(4*full + 1),
	}
	if t.chance(50) {
		t.Shuffle(len(t.sizes), func(i, j int) { t.sizes[i], t.sizes[j] = t.sizes[j], t.sizes[i] })
		t.sizes = t.sizes[:t.between(1, 2)]
	}
}

func (t *traffic) message() Message {
	m := Message{Src: int32(t.IntN(t.nics())), Cause: AtStart, Size: pick(t.drawer, t.sizes...)}
	switch {
	case len(t.e.Messages) > 0 && t.chance(t.caused):
		t.dependent(&m)
	case len(t.instants) > 0:
		m.Delay = pick(t.drawer, t.instants...)
	default:
		m.Delay = t.Int64N(t.horizon)
	}
	if t.chance(t.ahead) {
		m.Ahead = t.Int64N(t.horizon)
	}
	m.Dst = t.destination(m.Src)
	return m
}

// dependent makes message m start when an earlier message has been delivered at its destination, or read from memory at
// its source. The source of m becomes that host.
func (t *traffic) dependent(m *Message) {
	m.Of = t.IntN(len(t.e.Messages))
	of := t.e.Messages[m.Of]
	m.Cause = OnDelivery
	host := t.e.host(of.Dst)
	if t.chance(25) {
		m.Cause = OnFetch
		host = t.e.host(of.Src)
	}
	m.Src = host*int32(t.e.NICs) + int32(t.IntN(t.e.NICs))
	if t.chance(50) {
		m.Delay = int64(t.delay())
	}
}

func (t *traffic) destination(src int32) int32 {
	dst := int32(t.IntN(t.nics()))
	switch {
	case t.shift != 0:
		dst = (src + t.shift) % int32(t.nics())
	case len(t.hot) > 0:
		dst = pick(t.drawer, t.hot...)
	}
	if t.chance(t.own) {
		return src
	}
	return dst
}

// pick returns one of the values at random.
func pick[T any](d drawer, values ...T) T { return values[d.IntN(len(values))] }
