package traffic

import (
	"math"

	"fabricast/fabric"
	"fabricast/internal/histogram"
)

// Cause is the reason why a network is considered saturated.
type Cause string

// Values of Cause: all sources together fell behind, a single source fell far behind, or not all
// measured messages were delivered within the time limit.
const (
	BySources Cause = "sources"
	BySource  Cause = "source"
	ByDrain   Cause = "drain"
)

// Outcome holds the results of a measurement. Loads include headers, and are shares of the
// bandwidth of all host links together or, for a host, of the links of the host. Times are in ps.
type Outcome struct {
	From, To int64 // messages generated in [From, To) were measured
	WarmedUp bool  // the end of the initial transient was detected
	Precise  bool  // the confidence intervals are narrow enough
	Stable   bool  // the network kept up with the sources: it is not saturated
	Cause    Cause // why the network is not stable; "" if it is

	Accepted     float64 // accepted load: the delivered traffic
	AcceptedHalf float64 // half-width of its 95 % confidence interval; -1: none (see LatencyHalf)
	AcceptedMin  float64 // lowest accepted load of any host
	AcceptedMax  float64
	SentMin      float64 // lowest injected load of any host
	SentMax      float64
	Growth       float64 // share of the offered traffic that queued up at the sources, on average
	WorstGrowth  float64 // the same for the source with the largest share

	Messages int64 // number of measured messages
	// Latency is the latency of these messages from generation to delivery; in a closed loop, to
	// the delivery of the reply.
	Latency histogram.Histogram
	Classes histogram.Latencies // the same by distance and size, if Measure.Distance is set
	// ByClass holds the results of the classes of messages that occur, in their order, if the pattern
	// is Classed.
	ByClass []ClassOutcome
	// BySize holds the results of the sizes of messages that occur, in their order, if Measure.Ideal is
	// set.
	BySize []SizeOutcome
	// Incasts holds the same of the messages of incasts.
	Incasts []SizeOutcome
	// LatencyHalf is the half-width of the 95 % confidence interval of the mean latency. It is -1
	// if there is no interval, because the batches are too few or correlated.
	LatencyHalf    float64
	NetworkLatency float64 // mean time of a packet from injection to delivery to memory
	// Hops is the mean number of links between routers that a packet took, over the whole run.
	Hops float64

	Last int64     // time of the last delivery
	Hash [2]uint64 // hash of all messages delivered before To

	begin, end shot
	// middle holds the last two snapshots taken by halve.
	middle [2]half
}

// conclude computes the results of a completed measurement.
func (s *Simulation) conclude(o *Outcome) {
	s.figures(o, int(o.From/s.batch)*batchBins, int(o.To/s.batch)*batchBins)
}

// figures computes the results from the bins with indices in [first, end).
func (s *Simulation) figures(o *Outcome, first, end int) {
	var bytes int64
	for i := range s.sum[:end] {
		b := &s.sum[i]
		o.Hash[0] += b.hash[0]
		o.Hash[1] += b.hash[1]
		if i >= first {
			bytes += b.bytes
		}
	}
	g := s.spec.Graph
	span := float64(o.To-o.From) / 1e12
	full := span * s.hostBandwidth * float64(g.NICsPerHost) // mean bytes that a host can send in this time
	o.Accepted = float64(bytes) / (full * float64(g.Hosts))
	throughput := reported(s.throughputBatches(o.From, min(o.To, s.now)), o.Precise)
	o.AcceptedHalf = known(throughput, o.Accepted/max(throughput.mean, 1))
	o.AcceptedMin, o.AcceptedMax = s.extremes(
		o,
		span,
		func(taken *shot, nic int) uint64 { return taken.received(g.NICPort[nic], nic) },
	)
	o.SentMin, o.SentMax = s.extremes(
		o,
		span,
		func(taken *shot, nic int) uint64 { return taken.sent(nic) },
	)
	s.latencies(o)
	o.Messages = o.Latency.Count()
	o.LatencyHalf = known(reported(s.latencyBatches(o.From, o.To), o.Precise), 1)
	o.NetworkLatency = s.networkLatency(o)
	t := s.network.Totals()
	o.Hops = float64(t.Hops) / float64(max(t.Packets, 1))
	if s.flows != nil {
		o.Hops = s.flows.MeanHops()
	}
	o.Last = -s.least(-s.Latest())
}

// Latest returns the time (ps) of the latest delivery in this process. It may be later than the
// simulated time reached. No partition block may be running.
func (s *Simulation) Latest() int64 { return latestOf(s.endpoints) }

// reached returns the latest simulated time (ps) that any partition block has reached.
func (s *Simulation) reached() int64 {
	now := s.now
	for _, p := range s.parts {
		now = max(now, p.Now())
	}
	return -s.least(-now)
}

// cut computes the results of a measurement that ended early, at time now (ps). It uses the data of
// the measurement or, if the warm-up was not complete, all data since the start.
func (s *Simulation) cut(o *Outcome, now int64) {
	s.add()
	s.network.Share()
	t := s.network.Totals()
	o.To, o.Stable, o.Precise = now, false, false
	s.done.Store(now)
	if o.begin.ports == nil || now <= o.From {
		o.From, o.begin = 0, s.nothing()
	}
	if now == 0 {
		o.end = s.nothing()
		return
	}
	s.samples = append(s.samples, s.sampleOf(now, t))
	o.end = s.shoot()
	s.figures(o, int(o.From/s.batch)*batchBins, len(s.sum))
}

// nothing returns the counters of a network that has not run.
func (s *Simulation) nothing() shot {
	g := s.spec.Graph
	return shot{
		ports: make([]fabric.PortUse, len(g.Ports)), nics: make([]fabric.PortUse, len(g.NICPort)),
		lags: make([]int64, len(g.NICPort)), good: s.goodput(func(int) (sent, received uint64) { return 0, 0 }),
	}
}

// known returns the half-width of an interval multiplied by scale. It returns -1 if there is no
// interval, or if the interval is unreliable because the batches are correlated.
func known(i interval, scale float64) float64 {
	if half := i.half * scale; i.independent && !math.IsInf(half, 1) && !math.IsNaN(half) {
		return half
	}
	return -1
}

// extremes returns the minimum and maximum load of a host during a measurement of span seconds, as
// shares of the bandwidth of the host's own links. use selects the counter of a NIC.
func (s *Simulation) extremes(
	o *Outcome,
	span float64,
	use func(*shot, int) uint64,
) (least, most float64) {
	g := s.spec.Graph
	scale := float64(o.To-o.From) / float64(s.samples[o.end.sample].time-s.samples[o.begin.sample].time)
	least = math.Inf(1)
	for h := range g.Hosts {
		var bytes uint64
		for nic := h * g.NICsPerHost; nic < (h+1)*g.NICsPerHost; nic++ {
			bytes += use(&o.end, nic) - use(&o.begin, nic)
		}
		full := span * float64(s.spec.HostLink(int32(h*g.NICsPerHost)).Bandwidth) * float64(g.NICsPerHost)
		load := float64(bytes) * scale / full
		least, most = min(least, load), max(most, load)
	}
	return least, most
}

// networkLatency computes the mean latency (ps) of packets in the network by Little's law: the mean
// number of packets in the network, divided by the rate at which they leave it.
func (s *Simulation) networkLatency(o *Outcome) float64 {
	a, b := &s.samples[o.begin.sample], &s.samples[o.end.sample]
	left := b.totals.Delivered - a.totals.Delivered
	if left == 0 {
		return 0
	}
	// At the time of a sample, the total time that packets have spent in the network is the sum of
	// their arrival times minus the sum of their injection times. For packets still in the network,
	// the time of the sample replaces the arrival time.
	spent := (b.balance + b.inside*b.time) - (a.balance + a.inside*a.time)
	return float64(spent) / float64(left)
}

// Port returns the traffic that a router port sent during the measurement. port is a global port
// ID.
func (o *Outcome) Port(port int) fabric.PortUse { return less(o.end.ports[port], o.begin.ports[port]) }

// NIC returns the traffic that a NIC injected during the measurement. nic is a global NIC ID.
func (o *Outcome) NIC(nic int) fabric.PortUse { return less(o.end.nics[nic], o.begin.nics[nic]) }

func less(a, b fabric.PortUse) fabric.PortUse {
	return fabric.PortUse{Packets: a.Packets - b.Packets, Bytes: a.Bytes - b.Bytes}
}
