package fabricast

import (
	"iter"

	"fabricast/fabric"
	"fabricast/node"
	"fabricast/record"
	"fabricast/topology"
)

// serialization returns how long the packets of a message take from memory to memory by themselves: as
// long as on the slowest stage that all messages pass.
func (e *Experiment) serialization(packet fabric.Packet) func(size int64) int64 {
	link, memory := min(e.Network.HostLink.Bandwidth, e.Network.Router.Bandwidth), e.Node.DMA
	if bus := e.Node.IOBus; bus.Bandwidth > 0 {
		memory = min(memory, bus.Bandwidth)
	}
	payload := packet.Payload()
	full := packet.Wire(payload)
	return func(size int64) int64 {
		whole := size / payload
		wire := whole * full
		if rest := size - whole*payload; rest > 0 || size == 0 {
			wire += packet.Wire(rest)
		}
		return int64(max(transferTime(Bytes(wire), link), transferTime(Bytes(size), memory)))
	}
}

// mostSearched is the number of routers up to which distances that are found by search
// are kept for statistics.
const mostSearched = 4096

// distanceOf is the distance of hosts in a network; nil where it takes too long to find.
func distanceOf(t topology.Topology) func(src, dst int) int {
	switch t.(type) {
	case *topology.Torus, *topology.HyperX, *topology.XGFT, *topology.Dragonfly, *topology.DragonflyPlus, *topology.SlimFly:
		return t.Distance
	}
	if t.Graph().Routers > mostSearched {
		return nil
	}
	return t.Distance
}

// latencyRows yields the distributions of latency by size and by distance.
func latencyRows(s *node.Latencies) iter.Seq[record.Latency] {
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

// yieldLatency yields a row with what the histogram has counted, if it has counted anything.
func yieldLatency(row record.Latency, h *node.Histogram, yield func(record.Latency) bool) bool {
	if h == nil || h.Count() == 0 {
		return true
	}
	row.Count, row.Mean, row.Max = h.Count(), h.Mean(), h.Max()
	for _, q := range []struct {
		to    *int64
		share float64
	}{{&row.Min, 0}, {&row.P5, 0.05}, {&row.P25, 0.25}, {&row.P50, 0.5}, {&row.P75, 0.75}, {&row.P95, 0.95}, {&row.P99, 0.99}} {
		*q.to = h.Quantile(q.share)
	}
	return yield(row)
}
