package run

import (
	"context"
	"errors"
	"math"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/experiment"
	"fabricast/internal/failure"
	"fabricast/internal/panics"
	"fabricast/internal/plan"
	"fabricast/internal/predict"
	"fabricast/internal/units"
	"fabricast/internal/version"
	"fabricast/node"
	"fabricast/record"
	"fabricast/traffic"
)

// TrafficResult holds what synthetic traffic measured. Loads are shares of the bandwidth of the
// host links, with headers counted.
type TrafficResult struct {
	Pattern  string         `json:"pattern"`
	Offered  units.Fraction `json:"offered"` // 0 in a closed loop
	Accepted Accepted       `json:"accepted"`
	Stable   bool           `json:"stable"` // the network kept up with the sources
	// the end of warm-up was found, and the results became as precise as required
	Converged bool `json:"converged"`
	// share of the offered traffic that piled up at the sources
	Growth float64 `json:"growth"`

	// SaturatedBy is why the network is not stable. WorstGrowth is the share of the offered traffic
	// that piled up at the source where it is highest.
	SaturatedBy traffic.Cause `json:"saturated_by,omitempty"`
	WorstGrowth float64       `json:"worst_growth"`
	// measure.longest of the experiment; 0 if not given
	Longest units.Time `json:"longest_ps,omitempty"`

	WarmUp   units.Time `json:"warm_up_ps"`
	Measured units.Time `json:"measured_ps"`

	Messages int64 `json:"measured_messages"`
	// from a message's generation to its delivery; closed loop: to the delivery of the reply
	Latency TrafficLatency `json:"latency_ps"`
	// mean from a packet's injection to its arrival in memory
	NetworkLatency float64 `json:"network_latency_ps"`
	// mean number of links between routers on a packet's route
	Hops float64 `json:"hops"`

	// nil if it is not known, or no link between routers is used
	Capacity *predict.Capacity `json:"capacity,omitempty"`
}

// Accepted holds the accepted load: what was delivered, as a share of the host links' bandwidth.
type Accepted struct {
	Mean float64 `json:"mean"`
	// half-width of the 95 % confidence interval; -1 if batches were too few or correlated
	Half float64 `json:"half"`
	Min  float64 `json:"min"` // at the host that received least
	Max  float64 `json:"max"`
	// SentMin and SentMax are the loads that the hosts with the least and the most injected.
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

// runTraffic simulates synthetic traffic and returns what it measured.
func runTraffic(ctx context.Context, s settings, p *plan.Plan, watch stopwatch) (*Result, error) {
	p, err := s.cutTogether(ctx, p)
	if err != nil {
		return nil, err
	}
	load, err := p.TrafficLoad()
	if err = s.settle(err); err != nil {
		return nil, err
	}
	network, err := setUp(
		ctx,
		0,
		func() (*fabric.Network, error) { return fabricOf(p, s) },
		(*fabric.Network).Close,
	)
	if err = s.settle(err); err != nil {
		return nil, err
	}
	defer network.Close()
	capacity, known := (*predict.Capacity)(nil), true
	if s.member == 0 { // the first part tells
		capacity, known = predict.CapacityOf(ctx, p, &load)
	}
	known = s.all(known)
	measure := measure(p, s.recorded())
	measure.Halves = !known
	run, err := traffic.Put(network, p.Fabric, load, measure)
	if err != nil {
		return nil, &failure.InternalError{Err: err} // Resolve has accepted the traffic
	}
	if end := s.lookEnd(); end > 0 {
		run.EndAt(end)
	}
	balancer := s.balancer(network)
	run.Balance(balancer)
	recorder, err := newRecorder(s, p, network, len(network.Blocks()))
	if err = s.settle(err); err != nil {
		return nil, err
	}
	defer recorder.close()
	w := &trafficWatch{network: network, run: run, recorder: recorder, settings: s}
	if w.saver, err = newSaver(s, p); err == nil {
		err = w.resume(s)
	}
	if err == nil && s.team != nil {
		err = w.join(s.team)
	}
	if err = s.settle(err); err != nil {
		return nil, err
	}
	trim()
	o, err := driveTraffic(ctx, w)
	if s.team == nil {
		fabric.Discard(network) // results of all links take memory, too
	}
	err = s.settle(err)
	var interrupted *failure.InterruptedError
	errors.As(err, &interrupted)
	if err != nil && (interrupted == nil || !s.recorded() || interrupted.Checkpoint != "") {
		return nil, err
	}
	if !known {
		capacity = estimatedCapacity(run, o)
	}
	r := trafficResult(p.Experiment, network, balancer, run, o)
	r.Traffic.Capacity = capacity
	now := r.SimulatedTime
	if interrupted != nil {
		now = interrupted.Time
		r.State, r.SimulatedTime = string(record.Interrupted), now
	}
	meter := linkMeter{p, o.Port, o.NIC, float64(o.To-o.From) / float64(units.Second)}
	r.Links, r.HostLinks = meter.usage()
	r.LinkClasses = meter.classes()
	r.Notes = predict.Notes(p)
	r.Host = watch.host()
	if s.team != nil && s.member == 0 {
		s.team.describe(r)
	}
	latencies := func() error {
		return record.WriteTable(s.folder, record.LatencyTable, latencyRows(&o.Classes), r.about())
	}
	recorder.bring(s.group, network, int64(now))
	finish := func() error { return recorder.finish(network, now, r.about()) }
	if err := s.settle(recordTraffic(s.folder, r, meter, latencies, finish)); err != nil ||
		interrupted == nil || interrupted.Looked {
		return r, err
	}
	return nil, interrupted
}

// measure converts the experiment's measurement parameters for package traffic. If the run is
// recorded, latencies are also counted by distance where distances can be found quickly.
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

// driveTraffic runs the measurement to its end. If the context ends first, it returns what was
// measured so far, with an *InterruptedError.
func driveTraffic(ctx context.Context, w *trafficWatch) (*traffic.Outcome, error) {
	defer context.AfterFunc(ctx, panics.Guarded("end of traffic", w.interrupt))()
	defer w.begin()()
	o, err := w.run.Run(&w.stop, w.paused)
	now, _ := w.run.Progress()
	var deadlock *fabric.Deadlock
	switch {
	case w.failed != nil:
		return nil, w.failed
	case errors.Is(err, traffic.ErrEnd):
		return o, &failure.InterruptedError{Time: units.Time(o.To), Looked: true}
	case errors.Is(err, traffic.ErrStopped):
		return o, &failure.InterruptedError{
			Time: units.Time(o.To), Err: interruption(ctx), Checkpoint: w.saver.left(),
		}
	case errors.As(err, &deadlock):
		return nil, &failure.DeadlockError{Time: units.Time(deadlock.Since), Err: deadlock}
	case err != nil:
		return nil, runFault(err, units.Time(now))
	}
	return o, nil
}

func trafficResult(
	e *experiment.Resolved, network *fabric.Network, balancer engine.Balancer, run *traffic.Simulation,
	o *traffic.Outcome,
) *Result {
	totals := network.Totals()
	r := &Result{
		Schema: Schema, Version: version.Full(),
		Hash: hashText(o.Hash), SimulatedTime: units.Time(o.Last), Seed: e.Seed,
		Messages: o.Messages, PayloadBytes: int64(totals.Bytes),
		Packets: int64(totals.Packets), PacketHops: int64(totals.Hops),
		Events:  events(totals, &node.Stats{Messages: run.Delivered()}),
		Latency: latencyOf(&o.Latency),
		Workers: engine.Workers(len(network.Blocks())),
		Engine:  EngineWindows, Windows: run.Windows(),
	}
	r.balanced(network, balancer)
	r.Processes = several(network.Group())
	l := &o.Latency
	r.Traffic = &TrafficResult{
		Pattern: e.Traffic.Pattern.Name, Offered: e.Traffic.Load,
		Accepted: Accepted{o.Accepted, o.AcceptedHalf, o.AcceptedMin, o.AcceptedMax, o.SentMin, o.SentMax},
		Stable:   o.Stable, Converged: o.WarmedUp && o.Precise, Growth: math.Max(0, o.Growth),
		SaturatedBy: o.Cause, WorstGrowth: o.WorstGrowth, Longest: e.Traffic.Measure.Longest,
		WarmUp: units.Time(o.From), Measured: units.Time(o.To - o.From), Messages: o.Messages,
		Latency: TrafficLatency{
			Mean: float64(l.Mean()), Half: o.LatencyHalf, Max: units.Time(l.Max()),
			P50: units.Time(l.Quantile(0.5)),
			P95: units.Time(l.Quantile(0.95)), P99: units.Time(l.Quantile(0.99)),
		},
		NetworkLatency: o.NetworkLatency, Hops: o.Hops,
	}
	return r
}

// recordTraffic writes all files of the result folder. It does nothing if f is nil.
func recordTraffic(f *record.Folder, r *Result, meter linkMeter, latencies, finish func() error) error {
	if f == nil {
		return nil
	}
	about := r.about()
	return recordAll(f,
		func() error { return writeResult(f, r) },
		func() error { return recordExperiment(meter.plan.Experiment, f) },
		func() error { return recordNetwork(f, meter, about) },
		latencies,
		finish,
		f.EndProgress,
		f.Commit,
	)
}

// estimatedCapacity estimates the capacity of the network from what its links carried. It returns
// nil if that is not possible.
func estimatedCapacity(run *traffic.Simulation, o *traffic.Outcome) *predict.Capacity {
	busiest, ok := run.Busiest(o)
	if !ok || busiest.Low <= 0 {
		return nil
	}
	return &predict.Capacity{Load: 1 / busiest.Value, Low: 1 / busiest.High, High: 1 / busiest.Low}
}
