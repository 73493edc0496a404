package run

import (
	"iter"

	"fabricast/internal/histogram"
	"fabricast/internal/plan"
	"fabricast/internal/predict"
	"fabricast/internal/units"
	"fabricast/record"
	"fabricast/topology"
)

// serialization returns a function that computes how long (ps) the packets of a message of size
// bytes take from memory to memory on an idle path without delays: their time on the slowest stage
// that every message passes. Where host links differ, these are the fastest of them.
func serialization(p *plan.Plan) func(size int64) int64 {
	link, memory, packet := p.EndRate(), p.Experiment.MemoryRate(), p.Fabric.Packet
	payload := packet.Payload()
	full := packet.Wire(payload)
	return func(size int64) int64 {
		whole := size / payload
		wire := whole * full
		if rest := size - whole*payload; rest > 0 || size == 0 {
			wire += packet.Wire(rest)
		}
		return int64(
			max(plan.TransferTime(units.Bytes(wire), link), plan.TransferTime(units.Bytes(size), memory)),
		)
	}
}

// serializationOf is serialization by the model of the plan's network.
func serializationOf(p *plan.Plan) func(size int64) int64 {
	if p.Experiment.Network.LogGOPS() {
		return func(int64) int64 { return 0 } // the bytes are among what the processor does
	}
	if p.Experiment.Network.Routerless() {
		return predict.RestOf(&p.Experiment.Network)
	}
	return serialization(p)
}

// distancesOf is distanceOf where a topology is described; else nil.
func distancesOf(p *plan.Plan) func(src, dst int) int {
	if p.Experiment.NoTopology() {
		return nil
	}
	return distanceOf(p.Topology)
}

// mostSearched is the largest number of routers for which latencies are also counted by distance if
// finding distances needs a search.
const mostSearched = 4096

// distanceOf returns the distance function of a network, in links between routers. It returns nil
// if finding distances would take too long.
func distanceOf(t topology.Topology) func(src, dst int) int {
	if _, direct := t.(topology.Direct); !direct && t.Graph().Routers > mostSearched {
		return nil
	}
	return t.Distance
}

// latencyRows yields the distributions of latency (ps) by message size and by distance.
func latencyRows(s *histogram.Latencies) iter.Seq[record.Latency] {
	return func(yield func(record.Latency) bool) {
		for class, h := range s.BySize {
			row := record.Latency{By: record.BySize, To: 1}
			if class > 0 {
				row.From, row.To = 1<<(class-1), 1<<class
			}
			if !yieldLatency(row, h, yield) {
				return
			}
		}
		for links, h := range s.ByDistance {
			row := record.Latency{By: record.ByDistance, From: int64(links), To: int64(links) + 1}
			if !yieldLatency(row, h, yield) {
				return
			}
		}
	}
}

// yieldLatency yields a row with the statistics of a histogram. It skips an empty histogram, and
// returns false if the consumer wants no more rows.
func yieldLatency(row record.Latency, h *histogram.Histogram, yield func(record.Latency) bool) bool {
	if h == nil || h.Count() == 0 {
		return true
	}
	row.Count, row.Mean, row.Max = h.Count(), h.Mean(), h.Max()
	for _, q := range []struct {
		to    *int64
		share float64
	}{
		{&row.Min, 0},
		{&row.P5, 0.05},
		{&row.P25, 0.25},
		{&row.P50, 0.5},
		{&row.P75, 0.75},
		{&row.P95, 0.95},
		{&row.P99, 0.99},
	} {
		*q.to = h.Quantile(q.share)
	}
	return yield(row)
}
