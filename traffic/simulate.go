package traffic

import (
	"errors"
	"iter"
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
	Precision float64 // required half-width of the confidence intervals, as a share of the mean
	Tolerance float64 // maximum share of the offered traffic that queues up at the sources in a stable network
	Bin       int64   // minimum length of a bin (ps); 0: depends on the load
	Longest   int64   // maximum length of the warm-up and of the measurement (ps); 0: depends on the load
	// Distance returns the distance between two hosts, in links between routers; negative if
	// unknown. If Distance is not nil, latencies are also recorded by distance and size.
	Distance func(src, dst int) int
	// Halves means to record the data that Busiest needs.
	Halves bool
	// Ideal returns how long (ps) a message between two NICs takes in an idle network. If it is not nil,
	// results are also recorded by size.
	Ideal func(src, dst int32, size int64) int64
}

// batchBins is the number of bins in a batch. The measurement takes decisions only at the end of a
// batch.
const batchBins = 5

// longest is the default maximum length of the warm-up and of the measurement, in batches.
const longest = 200

// ErrStopped reports that the run was stopped.
var ErrStopped = errors.New("stopped")

// ErrEnd reports that the run has ended at the time set by EndAt.
var ErrEnd = errors.New("ended before its own end")

// Simulation runs synthetic traffic on a network and measures it in bins of simulated time. It
// decides whether the initial transient has ended and whether the results are precise enough. It
// takes these decisions at fixed simulated times, independent of simulation windows, so that they
// do not depend on the number of workers.
type Simulation struct {
	network   Network
	flows     FlowNetwork // the same, if it is one
	parts     []Block     // partition blocks of this process
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
	within bool  // a batch was interrupted
	limit  int64 // latest end of the stage settling (ps)
	end    int64 // end of the run set by EndAt (ps); 0: not set

	hostBandwidth float64 // mean bandwidth of the hosts' links, in bytes/s

	batch   int64    // length of a batch (ps)
	now     int64    // end of the last batch (ps)
	sum     []bin    // bins so far, summed over all partition blocks
	samples []sample // samples at time 0 and at the end of each batch
	// expectations lists all values of progress.expected so far, for tests.
	expectations []int64
	progress
}

// progress holds values that other goroutines may read during Run.
type progress struct {
	done, bound, expected atomic.Int64 // ps: time reached, latest end of the stage, and expected end of the sources
	emptying              atomic.Bool  // sources have stopped
}

// sample holds the state of the whole network at the end of a batch.
type sample struct {
	time    int64 // time of the sample (ps)
	inside  int64 // number of packets that have been injected but not delivered to memory; of a FlowNetwork 0
	balance int64 // sum of the arrival times of delivered packets minus the sum of all injection times (ps)
	// result of Simulation.lag
	lag    float64
	totals fabric.Totals
}

// Put prepares synthetic traffic on a network that has not run yet. It returns an error if the load
// is invalid.
func Put(network *fabric.Network, spec fabric.Spec, load Load, m Measure) (*Simulation, error) {
	var parts []Block
	for _, b := range network.Blocks() {
		parts = append(parts, b)
	}
	s, err := Prepare(network, parts, spec, load, m)
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

// Prepare prepares synthetic traffic on a network with these partition blocks. The caller must create
// the endpoint of each set of hosts with NewBlock, and wake all hosts at time 0. Of the spec, the
// graph, links, packets and the division into blocks count.
func Prepare(network Network, parts []Block, spec fabric.Spec, load Load, m Measure) (*Simulation, error) {
	g, err := newGenerator(spec, load, spec.Graph.Hosts)
	if err != nil {
		return nil, err
	}
	g.distance, g.ideal = m.Distance, m.Ideal
	s := &Simulation{network: network, parts: parts, spec: spec, measure: m, gen: g, outcome: &Outcome{}}
	s.flows, _ = network.(FlowNetwork)
	s.hostBandwidth = spec.MeanHostBandwidth()
	shift := s.binShift(g.sizes.mean(spec.Packet))
	s.batch = batchBins << shift
	if s.measure.Longest == 0 {
		s.measure.Longest = longest * s.batch
	}
	s.bound.Store(s.measure.Longest)
	if spec.Cut != nil || s.flows != nil {
		g.slots = make([]int32, spec.Graph.Hosts)
	}
	s.shift = shift
	var blocks []engine.Block
	for _, b := range parts {
		blocks = append(blocks, b)
	}
	s.steps = engine.NewSteps(blocks, s.batch/batchBins, s.batch/(batchBins*binWindows))
	s.join(network)
	s.samples = []sample{{}}
	s.expect(&Outcome{})
	return s, nil
}

// Settle implements fabric.Settler: it creates the endpoint of a cell.
func (s *Simulation) Settle(c *fabric.Cell) {
	c.SetEndpoint(s.NewBlock(c.Block, c.Hosts(), c.Number()))
}

// NewBlock creates the endpoint for a set of hosts, such as those of a fabric.Cell, with its number
// among all such sets.
func (s *Simulation) NewBlock(t fabric.Transport, hosts iter.Seq[int32], number int) fabric.Endpoint {
	e := s.gen.newEndpoint(t, hosts, s.shift)
	e.cell = number
	s.endpoints = append(s.endpoints, e)
	slices.SortFunc(s.endpoints, func(a, b *endpoint) int { return a.cell - b.cell })
	return e
}

// Leave implements fabric.Settler: it removes an endpoint, whose hosts move to another process.
func (s *Simulation) Leave(of fabric.Endpoint) {
	s.endpoints = slices.DeleteFunc(s.endpoints, func(e *endpoint) bool { return e == of })
}

// Steps returns the engine.Steps that runs the partition blocks of the network.
func (s *Simulation) Steps() *engine.Steps { return s.steps }

// EndAt makes the run end at the given time (ps), rounded up to the end of a bin, unless it ends
// earlier.
func (s *Simulation) EndAt(time int64) {
	bin := s.batch / batchBins
	s.end = (time + bin - 1) / bin * bin
}

// newGenerator creates the generator for a load of so many hosts.
func newGenerator(spec fabric.Spec, load Load, hosts int) (*generator, error) {
	g := &generator{Load: load, packet: spec.Packet, nics: int32(spec.Graph.NICsPerHost)}
	g.classed, _ = load.Pattern.(Classed)
	var err error
	if g.incasts, err = newIncasts(&load, hosts); err != nil {
		return nil, err
	}
	if g.sizes, err = newSizes(load.Sizes); err != nil || load.Window > 0 {
		return g, err
	}
	g.process, err = newProcesses(load.Arrivals, g.sizes.mean(spec.Packet), &spec)
	return g, err
}

// The minimum length of a bin is the maximum of three times: in which binMessages messages are
// generated in the whole network, in which the slowest host link sends binTimes messages without a
// gap, and the length of binWindows simulation windows. The last may lengthen a bin by at most a
// factor of mostStretch, because simulation windows can be shortened.
const (
	binMessages = 100
	binTimes    = 16
	binWindows  = 4
	mostStretch = 16
)

// binShift returns the binary logarithm of the length of a bin in ps. mean is the mean size of
// messages on the wire in bytes.
func (s *Simulation) binShift(mean *big.Rat) uint {
	slowest := int64(math.MaxInt64)
	for _, link := range s.spec.HostLinks() {
		slowest = min(slowest, int64(link.Bandwidth))
	}
	took := new(big.Rat).Mul(mean, big.NewRat(1e12, slowest)) // time of a message on its link (ps)
	length, _ := took.Float64()
	each := length * binTimes
	length *= float64(slowest) / s.hostBandwidth // converted to a link with the mean bandwidth
	windows := float64(binWindows * min(s.window(), math.MaxInt64/binWindows))
	if s.gen.Window == 0 {
		load := float64(s.gen.Arrivals.Load) / LoadUnit * float64(len(s.spec.Graph.NICPort))
		each = max(each, length*binMessages/load)
	}
	if s.measure.Bin > 0 {
		each = float64(s.measure.Bin)
	}
	return uint(bits.Len64(uint64(max(each, min(windows, each*mostStretch)))))
}

// window returns the length of simulation windows (ps) by which bins are made longer, which does not
// depend on the division into blocks.
func (s *Simulation) window() int64 {
	if s.flows == nil {
		return s.parts[0].Window()
	}
	least := int64(math.MaxInt64)
	for _, link := range s.spec.Links {
		least = min(least, int64(link.Latency))
	}
	return least
}

// advance runs until the given time (ps), which must be a multiple of the bin length. It executes
// all events before that time and none after it. Therefore the counters do not depend on the length
// of simulation windows, which may vary with the number of workers.
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

// step runs a batch, or the rest of an interrupted one, and takes a sample.
func (s *Simulation) step() error {
	s.within = true
	if err := s.advance(s.now + s.batch); err != nil {
		return err
	}
	s.within = false
	s.now += s.batch
	if s.steps.Quiet() { // a deadlock, because sources do not end by themselves
		return s.deadlock()
	}
	s.add()
	s.network.Share()
	t := s.network.Totals()
	if t.GivenUp > 0 { // some messages will never arrive
		return &fabric.Deadlock{Since: s.now, Packets: t.GivenUp, GivenUp: t.GivenUp}
	}
	s.samples = append(s.samples, s.sampleOf(s.now, t))
	s.samples[len(s.samples)-1].lag = s.lag()
	s.done.Store(s.now)
	return nil
}

// sampleOf returns a sample, without a lag, of a network with these sums at a time (ps).
func (s *Simulation) sampleOf(now int64, t fabric.Totals) sample {
	taken := sample{time: now, balance: t.Latency, totals: t}
	if s.flows == nil {
		taken.inside = int64(t.Packets - t.Delivered)
	}
	return taken
}

// add sums the bins of all endpoints and processes. It includes bins after the current time if they
// have counts.
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

// lag returns the mean lag (ps) of the sources behind their arrival processes. The lag of a source
// is the age of the oldest message that its NIC has not accepted; with Load.Concurrent the time in
// which it generates as much as has not been acknowledged.
func (s *Simulation) lag() float64 {
	var sum float64
	for behind := range s.lags() {
		sum += float64(behind)
	}
	return sum / float64(len(s.spec.Graph.NICPort))
}

// behind returns the lag (ps) of a source behind its arrival process at time now.
func (e *endpoint) behind(source int, now int64) int64 {
	if e.Window > 0 {
		return 0
	}
	if e.Concurrent {
		return e.pending.waiting[source]
	}
	return max(0, now-e.sources[source].at)
}

func (s *Simulation) deadlock() error {
	if d := s.network.Deadlock(); d != nil {
		return d
	}
	return errors.New("traffic: the network is empty, and no source goes on")
}

// Progress returns the simulated time reached, and the latest possible end of the current stage,
// both in ps. It may be called concurrently with Run.
func (s *Simulation) Progress() (now, bound int64) { return s.done.Load(), s.bound.Load() }

// Delivered returns the number of delivered messages; a request and its reply count as two. It must
// not be called concurrently with Run.
func (s *Simulation) Delivered() (messages int64) {
	for i := range s.sum {
		messages += s.sum[i].delivered
	}
	return messages
}

// latencies sets the histograms of o to the sums of those of all endpoints and processes.
func (s *Simulation) latencies(o *Outcome) {
	o.Latency, o.Classes = histogram.Histogram{}, histogram.Latencies{}
	o.ByClass, o.BySize, o.Incasts = nil, nil, nil
	for _, e := range s.endpoints {
		o.Latency.Add(&e.latency)
		o.Classes.Add(&e.classes)
		o.ByClass = addClasses(o.ByClass, e.byClass.outcomes())
		o.BySize = addSizes(o.BySize, e.bySize.outcomes())
		o.Incasts = addSizes(o.Incasts, e.byIncast.outcomes())
	}
	s.addLatencies(o)
}
