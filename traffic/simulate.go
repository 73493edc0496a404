package traffic

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
	"sync/atomic"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/node"
)

// Measure says how long to measure.
type Measure struct {
	Precision float64 // half-width of the confidence intervals, as a share of the mean
	Tolerance float64 // share of the offered traffic by which a stable network may fall behind
	Bin       int64   // ps: least length of a bin; 0: chosen by the load
	Longest   int64   // ps of warm-up and measurement each; 0: chosen by the load
	// Distance of two hosts, in links between routers, negative if unknown, by which latencies are told apart, and by size; nil: they are not.
	Distance func(src, dst int) int
}

// batchBins is the number of bins in a batch, at whose ends decisions are made.
const batchBins = 5

// longest is the default bound of warm-up and measurement, in batches.
const longest = 200

// ErrStopped says that the run was told to stop.
var ErrStopped = errors.New("stopped")

// Simulation drives a network with traffic. It measures in bins of simulated time and
// takes its decisions (the transient is over, the figures are precise enough) between
// windows at fixed simulated times, so that they do not depend on the workers.
type Simulation struct {
	network   *fabric.Network
	spec      fabric.Spec
	measure   Measure
	gen       *generator
	endpoints []*endpoint
	blocks    []engine.Block
	paused    []*paused
	stop      *atomic.Bool

	batch   int64 // ps
	now     int64 // ps: the pause that has been reached
	windows uint64
	sum     []bin    // over the blocks, of all bins so far
	samples []sample // at each pause, from time 0 on
	progress
}

// progress is read by other goroutines.
type progress struct{ done, bound atomic.Int64 }

// sample is what is known of the whole network at a pause.
type sample struct {
	time    int64 // ps: end of the last window
	inside  int64 // packets between injection and memory
	balance int64 // ps: arrival times of all delivered packets less injection times of all packets
	lag     float64
	totals  fabric.Totals
}

// Put puts traffic on a network that has not run yet.
func Put(network *fabric.Network, spec fabric.Spec, load Load, m Measure) (*Simulation, error) {
	g := &generator{Load: load, packet: spec.Packet, nics: int32(spec.Graph.NICsPerHost), distance: m.Distance}
	g.classed, _ = load.Pattern.(Classed)
	var err error
	if g.sizes, err = newSizes(load.Sizes); err != nil {
		return nil, err
	}
	mean := g.sizes.mean(spec.Packet)
	bandwidth := spec.Links[spec.Graph.Ports[spec.Graph.NICPort[0]].Link].Bandwidth
	if load.Window == 0 {
		if g.process, err = newProcess(load.Arrivals, mean, spec.Packet, bandwidth); err != nil {
			return nil, err
		}
	}
	s := &Simulation{network: network, spec: spec, measure: m, gen: g}
	shift := s.binShift(mean, bandwidth)
	s.batch = batchBins << shift
	if s.measure.Longest == 0 {
		s.measure.Longest = longest * s.batch
	}
	s.bound.Store(s.measure.Longest)
	for _, b := range network.Blocks() {
		first, end := b.Hosts()
		e := g.newEndpoint(b, first, end, shift)
		b.SetEndpoint(e)
		for h := first; h < end; h++ {
			b.SetTimer(h, 0)
		}
		p := &paused{Block: b, longest: s.batch / (batchBins * binWindows)}
		s.endpoints, s.paused, s.blocks = append(s.endpoints, e), append(s.paused, p), append(s.blocks, p)
	}
	s.samples = []sample{{}}
	return s, nil
}

// Bins are long enough for so many messages of the whole network, messages of one host
// link back to back, and windows of the engine, for which they are stretched at most
// so many times: windows can be shortened instead.
const (
	binMessages = 100
	binTimes    = 16
	binWindows  = 4
	mostStretch = 16
)

// binShift is the logarithm of the length of a bin in ps.
func (s *Simulation) binShift(mean *big.Rat, bandwidth int64) uint {
	took := new(big.Rat).Mul(mean, big.NewRat(1e12, bandwidth)) // ps of a message on its link
	length, _ := took.Float64()
	each := length * binTimes
	windows := float64(binWindows * min(s.network.Blocks()[0].Window(), math.MaxInt64/binWindows))
	if s.gen.Window == 0 {
		load := float64(s.gen.Arrivals.Load) / LoadUnit * float64(len(s.spec.Graph.NICPort))
		each = max(each, length*binMessages/load)
	}
	if s.measure.Bin > 0 {
		each = float64(s.measure.Bin)
	}
	return uint(bits.Len64(uint64(max(each, min(windows, each*mostStretch)))))
}

// paused is a block that does nothing from a time on, until that is moved.
type paused struct {
	*fabric.Block
	limit   int64  // ps: windows that begin then or later wait
	longest int64  // ps: of windows, where the network would bear more
	round   uint64 // executed before the present run of the engine
}

// Lookahead implements engine.Block.
func (p *paused) Lookahead() int64 { return min(p.Block.Lookahead(), p.longest) }

// Next implements engine.Block.
func (p *paused) Next() int64 {
	next := p.Block.Next()
	if next == math.MaxInt64 || next >= (p.limit-1)/p.Window()+1 {
		return math.MaxInt64
	}
	return next
}

// Collect implements engine.Block.
func (p *paused) Collect(round uint64) { p.Block.Collect(p.round + round) }

// Run implements engine.Block.
func (p *paused) Run(window int64, round uint64) { p.Block.Run(window, p.round+round) }

// advance runs until the given time.
func (s *Simulation) advance(until int64) error {
	for _, p := range s.paused {
		p.limit, p.round = until, s.windows
	}
	windows, err := engine.Run(s.blocks, engine.Workers(len(s.blocks)), s.stop)
	s.windows += windows
	if err != nil {
		return err
	}
	if s.stop.Load() {
		return ErrStopped
	}
	return nil
}

// step runs one batch and takes a sample.
func (s *Simulation) step() error {
	if err := s.advance(s.now + s.batch); err != nil {
		return err
	}
	s.now += s.batch
	if s.stuck() {
		return s.deadlock()
	}
	s.add()
	t := s.network.Totals()
	end := s.now
	for _, p := range s.paused {
		end = max(end, p.Now())
	}
	s.samples = append(s.samples, sample{
		time: end, inside: int64(t.Packets - t.Delivered), balance: t.Latency, lag: s.lag(), totals: t,
	})
	s.done.Store(s.now)
	return nil
}

// add sums the bins of all blocks up to now, and later as far as they are known.
func (s *Simulation) add() {
	n := 0
	for _, e := range s.endpoints {
		n = max(n, len(e.bins.list))
	}
	s.sum = append(s.sum[:0], make([]bin, n)...)
	for _, e := range s.endpoints {
		for i := range e.bins.list {
			s.sum[i].add(&e.bins.list[i])
		}
	}
}

// lag is by how much the sources are behind the arrival process on the average: the
// age (ps) of the oldest message that its NIC could not take yet.
func (s *Simulation) lag() float64 {
	var sum float64
	for _, e := range s.endpoints {
		for i := range e.sources {
			sum += float64(e.behind(i, s.now))
		}
	}
	return sum / float64(len(s.spec.Graph.NICPort))
}

// behind is a source's lag (ps).
func (e *endpoint) behind(source int, now int64) int64 {
	if e.Window > 0 {
		return 0
	}
	return max(0, now-e.sources[source].at)
}

// stuck tells whether nothing will ever happen again, though sources never end.
func (s *Simulation) stuck() bool {
	for _, p := range s.paused {
		if p.Block.Next() != math.MaxInt64 {
			return false
		}
	}
	return true
}

func (s *Simulation) deadlock() error {
	if d := s.network.Deadlock(); d != nil {
		return d
	}
	return errors.New("traffic: the network is empty, and no source goes on")
}

// Progress is the simulated time that has been reached and the present bound of
// it (ps). It may be called while Run runs.
func (s *Simulation) Progress() (now, bound int64) { return s.done.Load(), s.bound.Load() }

// Windows is the number of windows that the engine has executed.
func (s *Simulation) Windows() uint64 { return s.windows }

// latencies sums up those of the blocks.
func (s *Simulation) latencies(o *Outcome) {
	o.Latency, o.Classes = node.Histogram{}, node.Latencies{}
	for _, e := range s.endpoints {
		o.Latency.Add(&e.latency)
		o.Classes.Add(&e.classes)
	}
}
