package traffic

import (
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"fabricast/fabric"
)

// Run performs the measurement. It warms up the network until the initial transient has ended,
// measures until the results are precise enough, waits until all measured messages have been
// delivered, and then drains the network. It returns a *fabric.Deadlock if the network deadlocks.
//
// If stop becomes true, Run calls paused, and continues if paused returns true. If paused returns
// false or is nil, Run returns ErrStopped with the results so far. At the time set by EndAt, it
// returns ErrEnd with the results so far.
func (s *Simulation) Run(stop *atomic.Bool, paused func() (goOn bool)) (*Outcome, error) {
	s.stop = stop
	o := s.outcome
	for s.stage != finished {
		err := s.act(o)
		if errors.Is(err, ErrStopped) {
			if paused != nil && paused() {
				continue
			}
			s.cut(o, s.reached())
			return o, err
		}
		if errors.Is(err, ErrEnd) {
			s.cut(o, s.end)
			return o, err
		}
		if err != nil {
			return nil, err
		}
	}
	s.conclude(o)
	return o, nil
}

// stage is a stage of the measurement.
type stage int64

const (
	warming   stage = iota
	beginning       // the batch before the measurement
	measuring
	ending   // the batch after the measurement
	settling // waiting for the delivery of all measured messages
	emptying // draining the network
	finished
)

// act runs a batch, resumes a stopped batch, or starts the next stage.
func (s *Simulation) act(o *Outcome) error {
	if !s.within && s.over(o) {
		s.begin(o, s.stage+1)
		return nil
	}
	if s.stage == emptying {
		return s.empty()
	}
	if err := s.step(); err != nil {
		return err
	}
	switch s.stage {
	case warming:
		o.WarmedUp = warm(s.throughputs()) &&
			(s.growth(len(s.samples)/2) > s.measure.Tolerance || s.latencyIsWarm())
	case beginning:
		o.begin = s.shoot()
		s.begin(o, measuring)
		return nil
	case measuring:
		s.halve(o)
		o.Precise = s.enough(
			int((s.now-o.From)/s.batch),
			s.now >= o.From+s.measure.Longest,
			func() bool { return s.precise(o) },
		)
	case ending:
		o.end = s.shoot()
		s.judge(o)
		s.begin(o, settling)
	}
	s.expect(o)
	return nil
}

// over reports whether the current stage, of several batches, has ended. A measurement that takes
// too long ends with the results so far. If measured messages are not delivered within the time
// limit, the network is considered saturated.
func (s *Simulation) over(o *Outcome) bool {
	switch s.stage {
	case warming: // in a saturated network, it may never end: the sources fall further and further behind
		return o.WarmedUp || s.now >= s.measure.Longest
	case measuring:
		return o.Precise || s.now >= o.From+s.measure.Longest
	case settling:
		if !o.Stable || len(s.latencyBatches(o.From, o.To)) >= int((o.To-o.From)/s.batch) {
			return true
		}
		if s.now >= s.limit {
			o.Stable, o.Cause = false, ByDrain
			return true
		}
	}
	return false
}

// begin starts the stage next.
func (s *Simulation) begin(o *Outcome, next stage) {
	s.stage = next
	switch next {
	case beginning: // the measurement starts at the end of the next batch
		o.From = s.now + s.batch
		for _, e := range s.endpoints {
			e.from = o.From
		}
		s.bound.Store(o.From + s.measure.Longest)
	case ending:
		// To is after the generation of all messages so far, so that it is known for each of them
		// whether it is measured.
		o.To = s.now + s.batch
		for _, e := range s.endpoints {
			e.to = o.To
		}
	case settling: // the load continues
		s.limit = s.now + o.To - o.From + s.measure.Longest/4
		s.bound.Store(s.limit)
	case emptying:
		for _, e := range s.endpoints {
			e.until = s.now
		}
		s.emptying.Store(true)
	}
}

// throughputs returns the bytes delivered in each batch.
func (s *Simulation) throughputs() []float64 {
	values := make([]float64, s.now/s.batch)
	for i := range values {
		for _, b := range s.sum[i*batchBins:][:batchBins] {
			values[i] += float64(b.bytes)
		}
	}
	return values
}

// latencyIsWarm reports whether the initial transient of the latency has ended. It uses the batches
// whose messages have all been delivered. If these are too few, the latency is still rising.
func (s *Simulation) latencyIsWarm() bool {
	list := s.latencyBatches(0, s.now)
	values := make([]float64, 0, len(list))
	for _, b := range list {
		if b.count > 0 {
			values = append(values, b.sum/b.count)
		}
	}
	return 4*len(values) >= 3*int(s.now/s.batch) && warm(values)
}

// latencyBatches returns, for each batch between times from and to (ps), the sum of the latencies
// of the messages generated in it. It stops at the first batch with undelivered messages.
func (s *Simulation) latencyBatches(from, to int64) []total {
	if to <= from { // during the set-up of a run, generated must not be called: it communicates
		return nil
	}
	to = min(to, s.generated())
	var list []total
	for at := from; at+s.batch <= to; at += s.batch {
		var t total
		first := int(at / s.batch * batchBins)
		for i := first; i < first+batchBins && i < len(s.sum); i++ {
			b := &s.sum[i]
			if b.arrived < b.generated {
				return list
			}
			t.sum += float64(b.latency)
			t.count += float64(b.arrived)
		}
		list = append(list, t)
	}
	return list
}

// generated returns the time (ps) before which all messages have been generated.
func (s *Simulation) generated() int64 {
	first := int64(math.MaxInt64)
	for _, e := range s.endpoints {
		for i := range e.sources {
			if e.Window == 0 {
				first = min(first, e.sources[i].at)
			}
		}
	}
	return min(s.least(first), s.now)
}

// growth returns the share of the offered traffic that has queued up at the sources since the
// sample with index since.
func (s *Simulation) growth(since int) float64 {
	first, last := s.samples[since], s.samples[len(s.samples)-1]
	if len(s.samples)-1 <= since {
		return 0
	}
	return (last.lag - first.lag) / (float64(len(s.samples)-1-since) * float64(s.batch))
}

// precise reports whether the confidence intervals of the throughput and, unless the network is
// saturated, of the latency are narrow enough.
func (s *Simulation) precise(o *Outcome) bool {
	if !estimate(s.throughputBatches(o.From, s.now)).within(s.measure.Precision) {
		return false
	}
	return s.growth(o.begin.sample) > s.measure.Tolerance ||
		estimate(s.latencyBatches(o.From, s.now)).within(s.measure.Precision)
}

// throughputBatches returns the bytes delivered in each batch between times from and to (ps).
func (s *Simulation) throughputBatches(from, to int64) []total {
	var list []total
	for _, bytes := range s.throughputs()[from/s.batch : to/s.batch] {
		list = append(list, total{bytes, 1})
	}
	return list
}

// worstFactor is the maximum by which a single source may fall behind in a stable network, as a
// multiple of Measure.Tolerance.
const worstFactor = 5

// judge decides whether the network kept up with the sources.
func (s *Simulation) judge(o *Outcome) {
	o.Growth = s.growth(o.begin.sample)
	span := float64(o.To - o.From)
	free := int64(0) // a source may always have one message under way, which may be much of what it offers
	if s.flows != nil {
		free = s.gen.longestOffer()
	}
	for i, lag := range o.end.lags {
		grown := max(0, lag-free) - max(0, o.begin.lags[i]-free)
		o.WorstGrowth = max(o.WorstGrowth, float64(grown)/span)
	}
	switch {
	case o.Growth > s.measure.Tolerance:
		o.Cause = BySources
	case o.WorstGrowth > worstFactor*s.measure.Tolerance:
		o.Cause = BySource
	}
	o.Stable = o.Cause == ""
}

// empty runs until no packets remain in the network.
func (s *Simulation) empty() error {
	s.within = true
	if err := s.advance(math.MaxInt64); err != nil {
		return err
	}
	s.within, s.stage = false, finished
	s.add()
	if err := s.network.Verify(); err != nil {
		return err
	}
	if d := s.network.Deadlock(); d != nil {
		return d
	}
	return nil
}

// shot holds the counters of the network at the end of a batch.
type shot struct {
	sample int     // index of the sample taken at the same time
	lags   []int64 // lag of each source (ps), by NIC
	ports  []fabric.PortUse
	nics   []fabric.PortUse
	good   []goodput // of each NIC of a FlowNetwork; nil in others
}

// goodput is what a NIC of a FlowNetwork has sent and received (FlowNetwork.Goodput).
type goodput struct{ sent, received uint64 }

// goodput returns the goodput of all NICs by the given function; nil unless the network is a
// FlowNetwork.
func (s *Simulation) goodput(of func(nic int) (sent, received uint64)) []goodput {
	if s.flows == nil {
		return nil
	}
	list := make([]goodput, len(s.spec.Graph.NICPort))
	for i := range list {
		list[i].sent, list[i].received = of(i)
	}
	return list
}

// sent returns the bytes that a NIC had sent.
func (s *shot) sent(nic int) uint64 {
	if s.good != nil {
		return s.good[nic].sent
	}
	return s.nics[nic].Bytes
}

// received returns the bytes that a NIC had received through a port of a router.
func (s *shot) received(port int32, nic int) uint64 {
	if s.good != nil {
		return s.good[nic].received
	}
	return s.ports[port].Bytes
}

func (s *Simulation) shoot() shot {
	g := s.spec.Graph
	taken := shot{
		sample: len(s.samples) - 1,
		ports:  make([]fabric.PortUse, len(g.Ports)), nics: make([]fabric.PortUse, len(g.NICPort)),
	}
	s.network.ShareUse()
	for i := range taken.ports {
		taken.ports[i] = s.network.Port(i)
	}
	for i := range taken.nics {
		taken.nics[i] = s.network.Sent(i)
	}
	if s.flows != nil {
		taken.good = s.goodput(s.flows.Goodput)
	}
	taken.lags = slices.AppendSeq(make([]int64, 0, len(g.NICPort)), s.lags())
	return taken
}
