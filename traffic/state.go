package traffic

import (
	"slices"

	"fabricast/engine"
	"fabricast/internal/snapshot"
)

// State saves or restores the state of the simulation and the measurement, including the partition
// blocks of the network. It must be called before Run or in the paused function of Run.
func (s *Simulation) State(v *snapshot.Visitor) {
	for _, b := range s.parts {
		b.(engine.Stateful).State(v)
	}
	s.Measured(v)
}

// Measured saves or restores the state of the measurement, without the partition blocks. It is the
// same in all processes that share a run.
func (s *Simulation) Measured(v *snapshot.Visitor) {
	s.steps.State(v)
	snapshot.Value(v, &s.stage)
	snapshot.Value(v, &s.within)
	snapshot.Value(v, &s.met)
	snapshot.Value(v, &s.limit)
	snapshot.Value(v, &s.now)
	snapshot.List(v, &s.sum)
	snapshot.List(v, &s.samples)
	snapshot.List(v, &s.expectations)
	s.outcome.state(v)
	s.progress.state(v)
}

// state saves or restores the progress of a measurement.
func (p *progress) state(v *snapshot.Visitor) {
	words := [3]int64{p.done.Load(), p.bound.Load(), p.expected.Load()}
	snapshot.Value(v, &words)
	p.done.Store(words[0])
	p.bound.Store(words[1])
	p.expected.Store(words[2])
	p.emptying.Store(v.Flag(p.emptying.Load()))
}

// causes lists the values of Cause.
var causes = []Cause{"", BySources, BySource, ByDrain}

// state saves or restores the intermediate results of a measurement.
func (o *Outcome) state(v *snapshot.Visitor) {
	snapshot.Value(v, &o.From)
	snapshot.Value(v, &o.To)
	snapshot.Value(v, &o.WarmedUp)
	snapshot.Value(v, &o.Precise)
	snapshot.Value(v, &o.Stable)
	o.Cause = causes[min(v.Length(slices.Index(causes, o.Cause)), len(causes)-1)]
	snapshot.Value(v, &o.Growth)
	snapshot.Value(v, &o.WorstGrowth)
	o.begin.state(v)
	o.end.state(v)
	for i := range o.middle {
		o.middle[i].state(v)
	}
}

// state saves or restores a snapshot of the bytes sent by ports.
func (h *half) state(v *snapshot.Visitor) {
	sample := int64(h.sample)
	snapshot.Value(v, &sample)
	h.sample = int(sample)
	snapshot.List(v, &h.bytes)
}

// state saves or restores the counters of a network at the end of a batch.
func (s *shot) state(v *snapshot.Visitor) {
	sample := int64(s.sample)
	snapshot.Value(v, &sample)
	s.sample = int(sample)
	snapshot.List(v, &s.lags)
	snapshot.List(v, &s.ports)
	snapshot.List(v, &s.nics)
	snapshot.List(v, &s.good)
}

// State implements fabric.Stateful.
func (e *endpoint) State(v *snapshot.Visitor) {
	snapshot.Values(v, e.sources)
	snapshot.Value(v, &e.until)
	snapshot.List(v, &e.bins.list)
	snapshot.Value(v, &e.from)
	snapshot.Value(v, &e.to)
	e.latency.State(v)
	e.classes.State(v)
	e.byClass.state(v)
	e.bySize.state(v)
	e.stateOfIncasts(v)
	e.pending.state(v)
	snapshot.Value(v, &e.last)
	snapshot.Value(v, &e.payload)
}
