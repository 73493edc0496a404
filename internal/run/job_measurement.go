package run

import (
	"context"
	"errors"
	"math"

	"fabricast/engine"
	"fabricast/ethernet"
	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/failure"
	"fabricast/internal/histogram"
	"fabricast/internal/meter"
	"fabricast/internal/plan"
	"fabricast/internal/predict"
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
	"fabricast/node"
	"fabricast/traffic"
)

// TrafficResult holds the measurements of synthetic traffic. Loads are fractions of the host links'
// bandwidth, including headers.
type TrafficResult struct {
	Pattern  string         `json:"pattern"`
	Offered  units.Fraction `json:"offered"` // 0 in a closed loop
	Accepted Accepted       `json:"accepted"`
	Stable   bool           `json:"stable"` // the network kept up with the sources
	// whether the end of warm-up was detected, and the results reached the required precision
	Converged bool `json:"converged"`
	// fraction of the offered traffic that accumulated at the sources
	Growth float64 `json:"growth"`

	// SaturatedBy is the reason why the network is not stable. WorstGrowth is the fraction of its
	// offered traffic that accumulated at the source where this fraction is highest.
	SaturatedBy traffic.Cause `json:"saturated_by,omitempty"`
	WorstGrowth float64       `json:"worst_growth"`
	// measure.longest of the experiment; 0 if not given
	Longest units.Time `json:"longest_ps,omitempty"`

	WarmUp   units.Time `json:"warm_up_ps"`
	Measured units.Time `json:"measured_ps"`

	Messages int64 `json:"measured_messages"`
	// from a message's generation to its delivery; in a closed loop, to the delivery of the reply
	Latency TrafficLatency `json:"latency_ps"`
	// results by class of the messages, of patterns with classes
	Classes []TrafficClass `json:"classes,omitempty"`
	// results by size of the messages, of networks that drop or pause packets
	Sizes []TrafficSizes `json:"sizes,omitempty"`
	// results of the messages of incasts, which are not part of the other figures
	Incasts []TrafficSizes `json:"incasts,omitempty"`
	// mean from a packet's injection to the end of its transfer to memory
	NetworkLatency float64 `json:"network_latency_ps"`
	// mean number of links between routers on a packet's route
	Hops float64 `json:"hops"`

	// nil if unknown, or if no link between routers is used
	Capacity *predict.Capacity `json:"capacity,omitempty"`
}

// Accepted holds the accepted load: delivered bytes as a fraction of the host links' bandwidth.
type Accepted struct {
	Mean float64 `json:"mean"`
	// half-width of the 95 % confidence interval; -1 if batches were too few or correlated
	Half float64 `json:"half"`
	Min  float64 `json:"min"` // at the host that received least
	Max  float64 `json:"max"`
	// SentMin and SentMax are the loads of the hosts that injected the least and the most.
	SentMin float64 `json:"sent_min"`
	SentMax float64 `json:"sent_max"`
}

// TrafficLatency summarizes the latency of the measured messages, in ps.
type TrafficLatency struct {
	Mean float64 `json:"mean"`
	// half-width of the 95 % confidence interval; -1 if batches were too few or correlated
	Half float64    `json:"half"`
	P50  units.Time `json:"p50"`
	P95  units.Time `json:"p95"`
	P99  units.Time `json:"p99"`
	Max  units.Time `json:"max"`
}

// TrafficClass holds the results of a class of the messages of synthetic traffic.
type TrafficClass struct {
	Class    int     `json:"class"`
	Name     string  `json:"name,omitempty"` // that routers give to the class
	Accepted float64 `json:"accepted"`       // delivered bytes as a fraction of the host links' bandwidth
	Share    float64 `json:"share"`          // fraction of all delivered bytes
	Messages int64   `json:"measured_messages"`
	// Half is -1: no interval is computed
	Latency TrafficLatency `json:"latency_ps"`
}

// TrafficSizes holds the results of the messages of synthetic traffic with sizes of From to To bytes.
type TrafficSizes struct {
	From     units.Bytes `json:"from_bytes"`
	To       units.Bytes `json:"to_bytes"`
	Messages int64       `json:"measured_messages"`
	// from generation to delivery, the flow completion time; Half is -1: no interval is computed
	Latency TrafficLatency `json:"latency_ps"`
	// the same, divided by the latency in an idle network
	Slowdown Slowdown `json:"slowdown"`
}

// Slowdown summarizes how many times as long messages took as in an idle network.
type Slowdown struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// measurement is a job of measured traffic. It is the only job on the network, and drives the
// network through the phases of the measurement.
type measurement struct {
	planned
	sim      *simulation
	load     traffic.Load
	capacity *predict.Capacity // nil if unknown
	known    bool              // if false, the capacity is estimated after the run
	run      *traffic.Simulation
	outcome  *traffic.Outcome // nil until the measurement has ended
}

// Log registers a function that receives the messages of measured traffic, if there is any.
func (j *jobs) Log(carried func(block int, m traffic.Carried)) {
	if m, ok := j.list[0].(*measurement); ok {
		m.run.Log(carried)
	}
}

// prepare implements job.
func (m *measurement) prepare(settings) (err error) {
	m.load, err = m.Plan.TrafficLoad()
	return err
}

// ready implements job: it computes the capacity of the network.
func (m *measurement) ready(ctx context.Context, s settings) error {
	m.known = true
	if s.member == 0 { // of the parts of an optimistic run, only the first reports it
		m.capacity, m.known = predict.CapacityOf(ctx, m.Plan, &m.load)
	}
	m.known = s.all(m.known)
	return nil
}

// build implements job.
func (m *measurement) build(s *simulation) (err error) {
	measure := measure(m.Plan, s.recorded())
	measure.Halves = !m.known
	if n := s.network.lossy; n != nil {
		measure.Ideal = idleTime(n)
	}
	var parts []traffic.Block
	for _, b := range s.network.parts {
		parts = append(parts, b)
	}
	if m.run, err = traffic.Prepare(s.network.carrier, parts, m.Fabric, m.load, measure); err != nil {
		return &failure.InternalError{Err: err} // cannot happen: Resolve has accepted the traffic
	}
	if end := s.earlyEnd(); end > 0 {
		m.run.EndAt(end)
	}
	m.sim, s.course = s, m
	return nil
}

// place implements job.
func (m *measurement) place(b home, t fabric.Transport) (fabric.Endpoint, inhabitants) {
	wake := func() {
		for host := range b.Hosts() {
			t.SetTimer(host, 0)
		}
	}
	return m.run.NewBlock(t, b.Hosts(), b.number), inhabitants{wake, func() {}}
}

// leave implements job.
func (m *measurement) leave(e fabric.Endpoint) { m.run.Leave(e) }

// latest implements job.
func (m *measurement) latest() int64 { return m.run.Latest() }

// share implements job. All processes know the outcome already.
func (m *measurement) share(cluster.Group) {
	if n := m.sim.network.packets; n != nil && m.sim.team == nil {
		fabric.Discard(n) // frees memory for computing the results of all links
	}
}

// steps implements course.
func (m *measurement) steps() *engine.Steps { return m.run.Steps() }

// advance implements course. If the run is stopped, its result covers the measurements so far.
func (m *measurement) advance() error {
	var failed error
	o, err := m.run.Run(&m.sim.stop, func() (goesOn bool) {
		goesOn, failed = m.sim.paused()
		return goesOn
	})
	m.outcome = o
	switch {
	case failed != nil:
		return failed
	case errors.Is(err, traffic.ErrEnd):
		m.sim.cutAt = units.Time(o.To)
	case err != nil && !errors.Is(err, traffic.ErrStopped):
		return err
	}
	return nil
}

// clock implements course.
func (m *measurement) clock() (now, bound units.Time) {
	at, until := m.run.Progress()
	return units.Time(at), units.Time(until)
}

// work implements course.
func (m *measurement) work() (done, total float64) { return m.run.Work() }

// state implements course.
func (m *measurement) state(v *snapshot.Visitor) { m.run.Measured(v) }

// meter implements course: links are counted during the measurement.
func (m *measurement) meter(units.Time) meter.Links {
	o := m.outcome
	seconds := float64(o.To-o.From) / float64(units.Second)
	return meter.Links{Plan: m.Plan, Port: o.Port, NIC: o.NIC, Seconds: seconds}
}

// stats implements job.
func (m *measurement) stats() *node.Stats {
	o := m.outcome
	latencies := o.Classes
	for i := range o.ByClass {
		histogram.AddTo(&latencies.ByClass, o.ByClass[i].Class, &o.ByClass[i].Latency)
	}
	return &node.Stats{
		Messages: o.Messages, Bytes: units.Bytes(m.sim.network.Totals().Bytes), Hash: o.Hash,
		End: units.Time(o.Last), Latency: o.Latency, Latencies: latencies,
	}
}

// complete implements job.
func (m *measurement) complete(r *Result) {
	o, l, t := m.outcome, &m.outcome.Latency, &m.Experiment.Traffic
	r.Events = events(m.sim.network.Totals(), &node.Stats{Messages: m.run.Delivered()})
	r.Traffic = &TrafficResult{
		Pattern: t.Pattern.Name, Offered: t.Load,
		Accepted: Accepted{o.Accepted, o.AcceptedHalf, o.AcceptedMin, o.AcceptedMax, o.SentMin, o.SentMax},
		Stable:   o.Stable, Converged: o.WarmedUp && o.Precise, Growth: math.Max(0, o.Growth),
		SaturatedBy: o.Cause, WorstGrowth: o.WorstGrowth, Longest: t.Measure.Longest,
		WarmUp: units.Time(o.From), Measured: units.Time(o.To - o.From), Messages: o.Messages,
		Latency: trafficLatency(l, o.LatencyHalf), Classes: trafficClasses(o, &m.Experiment.Network.Router),
		Sizes: trafficSizes(o.BySize), Incasts: trafficSizes(o.Incasts),
		NetworkLatency: o.NetworkLatency, Hops: o.Hops, Capacity: m.capacity,
	}
	if !m.known {
		r.Traffic.Capacity = estimatedCapacity(m.run, o)
	}
}

// trafficLatency sums up latencies. half is the half-width of the interval of their mean.
func trafficLatency(l *histogram.Histogram, half float64) TrafficLatency {
	return TrafficLatency{
		Mean: float64(l.Mean()), Half: half, Max: units.Time(l.Max()), P50: units.Time(l.Quantile(0.5)),
		P95: units.Time(l.Quantile(0.95)), P99: units.Time(l.Quantile(0.99)),
	}
}

// trafficClasses returns the results of the classes of messages.
func trafficClasses(o *traffic.Outcome, r *experiment.Router) (list []TrafficClass) {
	var all int64
	for i := range o.ByClass {
		all += o.ByClass[i].Bytes
	}
	for i := range o.ByClass {
		c := &o.ByClass[i]
		share := float64(c.Bytes) / float64(max(all, 1))
		list = append(list, TrafficClass{
			Class: c.Class, Name: r.NameOfClass(c.Class), Accepted: o.Accepted * share, Share: share, Messages: c.Latency.Count(),
			Latency: trafficLatency(&c.Latency, -1),
		})
	}
	return list
}

// trafficSizes returns the results of messages by size.
func trafficSizes(of []traffic.SizeOutcome) (list []TrafficSizes) {
	for i := range of {
		s := &of[i]
		times := func(v int64) float64 { return float64(v) / traffic.SlowdownUnit }
		h := &s.Slowdown
		list = append(list, TrafficSizes{
			From: units.Bytes(s.From()), To: units.Bytes(s.To()), Messages: s.Latency.Count(),
			Latency: trafficLatency(&s.Latency, -1),
			Slowdown: Slowdown{
				Mean: times(h.Mean()), Max: times(h.Max()), P50: times(h.Quantile(0.5)),
				P95: times(h.Quantile(0.95)), P99: times(h.Quantile(0.99)),
			},
		})
	}
	return list
}

// idleTime returns a function that returns how long (ps) a message takes in the network if it is idle.
func idleTime(n *ethernet.Network) func(src, dst int32, size int64) int64 {
	idle := n.Idle()
	return func(src, dst int32, size int64) int64 {
		ps, _ := idle.Time(src, dst, size)
		return ps
	}
}

// sumUp implements job. Measured traffic has no other jobs alongside.
func (*measurement) sumUp(*JobResult) {}

// measure converts the experiment's measurement parameters to those of package traffic. If recorded
// is true, it also selects the counting of latencies by distance, provided that distances can be
// computed quickly.
func measure(p *plan.Plan, recorded bool) traffic.Measure {
	t := p.Experiment.Traffic.Measure
	m := traffic.Measure{
		Precision: t.Precision.Float(),
		Tolerance: t.Tolerance.Float(),
		Longest:   int64(t.Longest),
		Bin:       int64(t.Bin),
	}
	if !recorded {
		return m
	}
	if m.Distance = distanceOf(p.Topology); m.Distance == nil {
		m.Distance = func(int, int) int { return -1 }
	}
	return m
}

// estimatedCapacity estimates the capacity of the network from the measured link traffic. It
// returns nil if that is not possible.
func estimatedCapacity(run *traffic.Simulation, o *traffic.Outcome) *predict.Capacity {
	busiest, ok := run.Busiest(o)
	if !ok || busiest.Low <= 0 {
		return nil
	}
	return &predict.Capacity{Load: 1 / busiest.Value, Low: 1 / busiest.High, High: 1 / busiest.Low}
}
