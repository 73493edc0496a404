package fabricast

import (
	"context"
	"errors"
	"math"
	"sync/atomic"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/record"
	"fabricast/traffic"
)

// TrafficResult is what traffic showed about the network. Loads are shares of the
// bandwidth of the host links, wire bytes counted.
type TrafficResult struct {
	Pattern   string   `json:"pattern"`
	Offered   Fraction `json:"offered"` // 0 in a closed loop
	Accepted  Accepted `json:"accepted"`
	Stable    bool     `json:"stable"`    // the network kept up with the sources
	Converged bool     `json:"converged"` // warm-up was found to be over, and the figures became as precise as was asked for
	Growth    float64  `json:"growth"`    // share of the offered traffic that piled up at the sources

	// Why the network is not stable, and the share that piled up at the source with the most.
	SaturatedBy traffic.Cause `json:"saturated_by,omitempty"`
	WorstGrowth float64       `json:"worst_growth"`
	Longest     Time          `json:"longest_ps,omitempty"` // what the experiment's measure.longest is, if it gives one

	WarmUp   Time `json:"warm_up_ps"`
	Measured Time `json:"measured_ps"`

	Messages       int64          `json:"measured_messages"`
	Latency        TrafficLatency `json:"latency_ps"`         // of a message from generation to delivery; closed loop: to the delivery of the reply
	NetworkLatency float64        `json:"network_latency_ps"` // mean of a packet from injection to memory
	Hops           float64        `json:"hops"`               // mean links between routers on a packet's way
}

// Accepted is the traffic that was delivered.
type Accepted struct {
	Mean float64 `json:"mean"`
	Half float64 `json:"half"` // half-width of the 95 % confidence interval; -1 if there were too few batches
	Min  float64 `json:"min"`  // at the host that received least
	Max  float64 `json:"max"`
	// Injected by the hosts with the least and the most: the sources' share.
	SentMin float64 `json:"sent_min"`
	SentMax float64 `json:"sent_max"`
}

// TrafficLatency sums up the latency of the measured messages.
type TrafficLatency struct {
	Mean float64 `json:"mean"`
	Half float64 `json:"half"` // half-width of the 95 % confidence interval; -1 if there were too few batches
	P50  Time    `json:"p50"`
	P95  Time    `json:"p95"`
	P99  Time    `json:"p99"`
	Max  Time    `json:"max"`
}

// runTraffic loads the network with traffic and measures.
func (e *Experiment) runTraffic(ctx context.Context, s settings, p *plan, watch stopwatch) (*Result, error) {
	load, err := e.trafficLoad(p.topology)
	if err != nil {
		return nil, err
	}
	network, err := setUp(ctx, 0, func() (*fabric.Network, error) { return e.fabricOf(p, s.workers) }, (*fabric.Network).Close)
	if err != nil {
		return nil, err
	}
	defer network.Close()
	run, err := traffic.Put(network, p.fabric, load, e.measure(p, s.folder != nil))
	if err != nil {
		return nil, &InternalError{err} // Resolve has accepted the traffic
	}
	recorder, err := e.newRecorder(s, p, len(network.Blocks()))
	if err != nil {
		return nil, err
	}
	defer recorder.close()
	recorder.attach(network, nil)
	o, err := driveTraffic(ctx, &trafficWatch{network: network, run: run, recorder: recorder, settings: s})
	var interrupted *InterruptedError
	if errors.As(err, &interrupted); err != nil && (interrupted == nil || s.folder == nil) {
		return nil, err
	}
	r := e.trafficResult(network, run, o)
	now := r.SimulatedTime
	if interrupted != nil {
		now = interrupted.Time
		r.State, r.SimulatedTime = string(record.Interrupted), now
	}
	meter := linkMeter{p, o.Port, o.NIC, float64(o.To-o.From) / float64(Second)}
	r.Links, r.HostLinks = meter.usage()
	r.LinkClasses = meter.classes()
	r.Notes = p.notes()
	r.Host = watch.host()
	latencies := func() error {
		return record.WriteTable(s.folder, record.LatencyTable, latencyRows(&o.Classes), r.about())
	}
	finish := func() error { return recorder.finish(network, now, r.about()) }
	if err := e.recordTraffic(s.folder, r, meter, latencies, finish); err != nil || interrupted == nil {
		return r, err
	}
	return nil, interrupted
}

// measure says what is measured, and whether also by distance.
func (e *Experiment) measure(p *plan, recorded bool) traffic.Measure {
	t := e.Traffic.Measure
	m := traffic.Measure{Precision: t.Precision.Float(), Tolerance: t.Tolerance.Float(), Longest: int64(t.Longest), Bin: int64(t.Bin)}
	if !recorded {
		return m
	}
	if m.Distance = distanceOf(p.topology); m.Distance == nil {
		m.Distance = func(int, int) int { return -1 }
	}
	return m
}

// driveTraffic runs until all is measured, or the context ends: then it returns what there was with an *InterruptedError.
func driveTraffic(ctx context.Context, w *trafficWatch) (*traffic.Outcome, error) {
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	defer w.begin()()
	o, err := w.run.Run(&stop)
	now, _ := w.run.Progress()
	var deadlock *fabric.Deadlock
	switch {
	case errors.Is(err, traffic.ErrStopped):
		return o, &InterruptedError{Time: Time(o.To), Err: ctx.Err()}
	case errors.As(err, &deadlock):
		return nil, &DeadlockError{Time: Time(deadlock.Since), Err: deadlock}
	case err != nil:
		return nil, runFault(err, Time(now))
	}
	return o, nil
}

func (e *Experiment) trafficResult(network *fabric.Network, run *traffic.Simulation, o *traffic.Outcome) *Result {
	totals := network.Totals()
	r := &Result{
		Schema: Schema, Version: FullVersion(),
		Hash: hashText(o.Hash), SimulatedTime: Time(o.Last), Seed: e.Seed,
		Messages: o.Messages, PayloadBytes: int64(totals.Bytes),
		Packets: int64(totals.Packets), PacketHops: int64(totals.Hops),
		Latency: latencyOf(&o.Latency),
		Workers: engine.Workers(len(network.Blocks())), Balance: network.Balance(), Engine: EngineWindows, Windows: run.Windows(),
	}
	l := &o.Latency
	r.Traffic = &TrafficResult{
		Pattern: e.Traffic.Pattern.Name, Offered: e.Traffic.Load,
		Accepted: Accepted{o.Accepted, o.AcceptedHalf, o.AcceptedMin, o.AcceptedMax, o.SentMin, o.SentMax},
		Stable:   o.Stable, Converged: o.WarmedUp && o.Precise, Growth: math.Max(0, o.Growth),
		SaturatedBy: o.Cause, WorstGrowth: o.WorstGrowth, Longest: e.Traffic.Measure.Longest,
		WarmUp: Time(o.From), Measured: Time(o.To - o.From), Messages: o.Messages,
		Latency: TrafficLatency{
			Mean: float64(l.Mean()), Half: o.LatencyHalf, Max: Time(l.Max()),
			P50: Time(l.Quantile(0.5)), P95: Time(l.Quantile(0.95)), P99: Time(l.Quantile(0.99)),
		},
		NetworkLatency: o.NetworkLatency, Hops: o.Hops,
	}
	return r
}

// recordTraffic fills the folder that was asked for, if any.
func (e *Experiment) recordTraffic(f *record.Folder, r *Result, meter linkMeter, latencies, finish func() error) error {
	if f == nil {
		return nil
	}
	about := r.about()
	return recordAll(
		func() error { return writeResult(f, r) },
		func() error { return e.recordExperiment(f) },
		func() error { return e.recordNetwork(f, meter, about) },
		latencies,
		finish,
		f.EndProgress,
		f.Commit,
	)
}
