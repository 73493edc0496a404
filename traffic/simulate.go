package traffic

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"sync/atomic"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/histogram"
)

// Measure selects the precision and the maximum duration of the measurement.
type Measure struct {
	Precision float64 // half-width of the confidence intervals, as a share of the mean
	Tolerance float64 // share of the offered traffic by which a stable network may fall behind
	Bin       int64   // minimum length of a bin (ps); 0: chosen according to the load
	Longest   int64   // limit of the warm-up and of the measurement (ps); 0: chosen according to the load
	// Distance returns the distance of two hosts in links between routers, or a negative number if
	// it is unknown. If Distance is not nil, latencies are also counted by distance and by size.
	Distance func(src, dst int) int
	// Halves records the data that Busiest needs.
	Halves bool
}

// batchBins is the number of time bins in a batch. Whether a measurement goes on is decided at the
// end of a batch only.
const batchBins = 5

// longest is the default limit of the warm-up and of the measurement, in batches.
const longest = 200

// ErrStopped reports that the run was stopped.
var ErrStopped = errors.New("stopped")

// ErrEnd reports that the run has ended at the time set by EndAt.
var ErrEnd = errors.New("ended before its own end")

// Simulation runs synthetic traffic on a network and measures it, in bins of simulated time. It
// decides whether the transient is over and whether the results are precise enough. It makes these
// decisions at fixed simulated times between windows, so that they do not depend on the number of
// workers.
type Simulation struct {
	network   *fabric.Network
	spec      fabric.Spec
	measure   Measure
	gen       *generator
	endpoints []*endpoint // endpoints of this process, in the order of their cells
	shift     uint        // logarithm to base 2 of the bin length (ps)
	steps     *engine.Steps
	stop      *atomic.Bool
	group     cluster.Group // processes that share the run; nil if there is only one

	outcome *Outcome // results so far
	stage   stage
	stopping
	within bool  // a batch of the stage was interrupted
	limit  int64 // latest end of the stage settling (ps)
	end    int64 // end of the run as set by EndAt (ps); 0: not set

	hostBandwidth float64 // mean bandwidth of the hosts' links, in bytes/s

	batch   int64    // length of a batch (ps)
	now     int64    // end of the last batch (ps)
	sum     []bin    // all bins so far, summed over the blocks
	samples []sample // at the end of each batch, and at time 0
	// expectations lists all values that expected has had, for tests.
	expectations []int64
	progress
}

// progress can be read by other goroutines.
type progress struct {
	done, bound, expected atomic.Int64 // ps; expected is the estimated time at which sources stop
	emptying              atomic.Bool  // sources have stopped
}

// sample holds the state of the whole network at the end of a batch.
type sample struct {
	time    int64 // time of the sample (ps)
	inside  int64 // packets that have been injected but not delivered to memory
	balance int64 // sum of the arrival times of delivered packets minus sum of all injection times (ps)
	// result of Simulation.lag
	lag    float64
	totals fabric.Totals
}

// Put prepares a network that has not run yet for synthetic traffic. It returns an error if the
// load is invalid.
func Put(network *fabric.Network, spec fabric.Spec, load Load, m Measure) (*Simulation, error) {
	s, err := Prepare(network, spec, load, m)
	if err != nil {
		return nil, err
	}
	for _, c := range network.Cells().List() {
		s.Settle(c)
		for h := range c.Hosts() {
			c.SetTimer(h, 0)
		}
	}
	network.Cells().Settler(s)
	return s, nil
}

// Prepare is like Put but does not create the endpoints of the network's cells. The caller creates
// each with NewBlock and wakes each of their hosts at time 0.
func Prepare(network *fabric.Network, spec fabric.Spec, load Load, m Measure) (*Simulation, error) {
	g, err := newGenerator(spec, load)
	if err != nil {
		return nil, err
	}
	g.distance = m.Distance
	s := &Simulation{network: network, spec: spec, measure: m, gen: g, outcome: &Outcome{}}
	s.hostBandwidth = spec.MeanHostBandwidth()
	shift := s.binShift(g.sizes.mean(spec.Packet))
	s.batch = batchBins << shift
	if s.measure.Longest == 0 {
		s.measure.Longest = longest * s.batch
	}
	s.bound.Store(s.measure.Longest)
	if spec.Cut != nil {
		g.slots = make([]int32, spec.Graph.Hosts)
	}
	s.shift = shift
	var blocks []engine.Block
	for _, b := range network.Blocks() {
		blocks = append(blocks, b)
	}
	s.steps = engine.NewSteps(blocks, s.batch/batchBins, s.batch/(batchBins*binWindows))
	s.join(network)
	s.samples = []sample{{}}
	s.expect(&Outcome{})
	return s, nil
}

// Settle implements fabric.Settler.
func (s *Simulation) Settle(c *fabric.Cell) { c.SetEndpoint(s.NewBlock(c)) }

// NewBlock creates the endpoint for the hosts of a cell.
func (s *Simulation) NewBlock(c *fabric.Cell) fabric.Endpoint {
	e := s.gen.newEndpoint(c.Block, c.Hosts(), s.shift)
	e.cell = c.Number()
	s.endpoints = append(s.endpoints, e)
	slices.SortFunc(s.endpoints, func(a, b *endpoint) int { return a.cell - b.cell })
	return e
}

// Leave implements fabric.Settler.
func (s *Simulation) Leave(of fabric.Endpoint) {
	s.endpoints = slices.DeleteFunc(s.endpoints, func(e *endpoint) bool { return e == of })
}

// Steps returns the driver of the network's blocks.
func (s *Simulation) Steps() *engine.Steps { return s.steps }

// EndAt makes the run end at the first multiple of a bin at or after the given time (ps), unless it
// ends earlier.
func (s *Simulation) EndAt(time int64) {
	bin := s.batch / batchBins
	s.end = (time + bin - 1) / bin * bin
}

// newGenerator creates the generator for a load.
func newGenerator(spec fabric.Spec, load Load) (*generator, error) {
	g := &generator{Load: load, packet: spec.Packet, nics: int32(spec.Graph.NICsPerHost)}
	g.classed, _ = load.Pattern.(Classed)
	var err error
	if g.sizes, err = newSizes(load.Sizes); err != nil || load.Window > 0 {
		return g, err
	}
	g.process, err = newProcesses(load.Arrivals, g.sizes.mean(spec.Packet), &spec)
	return g, err
}

// A bin lasts at least as long as it takes to generate binMessages messages in the whole network,
// to send binTimes messages back to back on the slowest host link, and to execute binWindows
// windows of the engine. For the sake of the windows, it is lengthened by at most a factor of
// mostStretch, because windows can be shortened.
const (
	binMessages = 100
	binTimes    = 16
	binWindows  = 4
	mostStretch = 16
)

// binShift returns the logarithm to base 2 of the length of a bin in ps. mean is the mean size of
// messages on the wire in bytes.
func (s *Simulation) binShift(mean *big.Rat) uint {
	slowest := int64(math.MaxInt64)
	for _, link := range s.spec.HostLinks() {
		slowest = min(slowest, int64(link.Bandwidth))
	}
	took := new(big.Rat).Mul(mean, big.NewRat(1e12, slowest)) // time of a message on its link (ps)
	length, _ := took.Float64()
	each := length * binTimes
	length *= float64(slowest) / s.hostBandwidth // converted to a link of the mean bandwidth
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

// advance runs until the given time (ps), which must be a multiple of a bin. All events before that
// time have then been executed, and none after it. The counters at that time therefore do not
// depend on the length of windows, which may vary with the number of workers.
func (s *Simulation) advance(until int64) error {
	ends := s.end > 0 && s.end <= until
	if ends {
		until = s.end
	}
	if err := s.steps.Advance(until, s.stop); err != nil {
		return err
	}
	switch {
	case s.steps.Stopped():
		return ErrStopped
	case ends && !s.steps.Quiet():
		return ErrEnd
	}
	return nil
}

// step runs one batch and takes a sample.
func (s *Simulation) step() error {
	s.within = true
	if err := s.advance(s.now + s.batch); err != nil {
		return err
	}
	s.within = false
	s.now += s.batch
	if s.steps.Quiet() { // unexpected, since sources never end
		return s.deadlock()
	}
	s.add()
	s.network.Share()
	t := s.network.Totals()
	s.samples = append(s.samples, sample{
		time: s.now, inside: int64(t.Packets - t.Delivered), balance: t.Latency, lag: s.lag(), totals: t,
	})
	s.done.Store(s.now)
	return nil
}

// add sums the bins of all blocks up to the current time, and later bins as far as they have
// counts.
func (s *Simulation) add() {
	n := int(s.now/s.batch) * batchBins // the last bins may be empty
	for _, e := range s.endpoints {
		n = max(n, len(e.bins.list))
	}
	s.sum = append(s.sum[:0], make([]bin, n)...)
	for _, e := range s.endpoints {
		for i := range e.bins.list {
			s.sum[i].add(&e.bins.list[i])
		}
	}
	s.addOthers()
}

// lag returns the average lag (ps) of the sources behind their arrival processes: the age of the
// oldest message that a NIC could not accept yet.
func (s *Simulation) lag() float64 {
	var sum float64
	for behind := range s.lags() {
		sum += float64(behind)
	}
	return sum / float64(len(s.spec.Graph.NICPort))
}

// behind returns the lag (ps) of a source behind its arrival process.
func (e *endpoint) behind(source int, now int64) int64 {
	if e.Window > 0 {
		return 0
	}
	return max(0, now-e.sources[source].at)
}

func (s *Simulation) deadlock() error {
	if d := s.network.Deadlock(); d != nil {
		return d
	}
	return errors.New("traffic: the network is empty, and no source goes on")
}

// Progress returns the simulated time reached, and the latest time by which the current phase ends
// (ps). It may be called while Run is running.
func (s *Simulation) Progress() (now, bound int64) { return s.done.Load(), s.bound.Load() }

// Delivered returns the number of delivered messages, where a request and its reply count as two.
// It must not be called while Run is running.
func (s *Simulation) Delivered() (messages int64) {
	for i := range s.sum {
		messages += s.sum[i].delivered
	}
	return messages
}

// latencies sums the latency histograms of the blocks.
func (s *Simulation) latencies(o *Outcome) {
	o.Latency, o.Classes = histogram.Histogram{}, histogram.Latencies{}
	for _, e := range s.endpoints {
		o.Latency.Add(&e.latency)
		o.Classes.Add(&e.classes)
	}
	s.addLatencies(o)
}
