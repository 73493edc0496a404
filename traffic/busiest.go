package traffic

import (
	"math/bits"

	"fabricast/topology"
)

// halve takes a snapshot of the bytes sent by each port if the number of measured batches is a
// power of two. It stores the last two snapshots. At the end of the measurement, one of them is
// near the middle: between one third and two thirds.
func (s *Simulation) halve(o *Outcome) {
	batches := uint64((s.now - o.From) / s.batch)
	if !s.measure.Halves || bits.OnesCount64(batches) != 1 {
		return
	}
	taken := half{sample: len(s.samples) - 1, bytes: o.middle[0].bytes}
	o.middle[0] = o.middle[1]
	if taken.bytes == nil { // otherwise the memory of the oldest snapshot is reused
		taken.bytes = make([]uint64, len(s.spec.Graph.Ports))
	}
	s.network.ShareUse()
	for i := range taken.bytes {
		taken.bytes[i] = s.network.Port(i).Bytes
	}
	o.middle[1] = taken
}

// half is a snapshot taken by halve.
type half struct {
	sample int      // index of the sample taken at the same time
	bytes  []uint64 // bytes sent by each port
}

// Busiest estimates the utilization of the busiest link between routers if all hosts injected at
// full bandwidth and packets took the same routes as in the measurement. It returns false if
// Measure.Halves was not set, the measurement was too short, or no such link was used.
func (s *Simulation) Busiest(o *Outcome) (Peak, bool) {
	middle, part, ok := s.middle(o)
	if !ok {
		return Peak{}, false
	}
	var first, second []float64
	a, b := s.delivered(o, middle)
	if a == 0 || b == 0 {
		return Peak{}, false
	}
	g := s.spec.Graph
	for p, port := range g.Ports {
		if port.Peer == topology.Unconnected || o.Port(p).Bytes == 0 {
			continue
		}
		per := s.hostBandwidth * float64(len(g.NICPort)) / float64(s.spec.Links[port.Link].Bandwidth)
		first = append(first, per*float64(middle.bytes[p]-o.begin.ports[p].Bytes)/a)
		second = append(second, per*float64(o.end.ports[p].Bytes-middle.bytes[p])/b)
	}
	if len(first) == 0 {
		return Peak{}, false
	}
	return estimatePeak(first, second, part), true
}

// middle returns the snapshot closest to the middle of the measurement, and the share of the
// measurement before it.
func (s *Simulation) middle(o *Outcome) (found *half, part float64, ok bool) {
	if o.end.ports == nil {
		return nil, 0, false
	}
	begin, end := s.samples[o.begin.sample].time, s.samples[o.end.sample].time
	for i := range o.middle {
		m := &o.middle[i]
		if m.bytes == nil {
			continue
		}
		p := float64(s.samples[m.sample].time-begin) / float64(end-begin)
		if p > 0 && p < 1 && (!ok || max(p, 1-p) < max(part, 1-part)) {
			found, part, ok = m, p, true
		}
	}
	return found, part, ok
}

// delivered returns the bytes that all NICs received during the measurement, before and after the
// given snapshot.
func (s *Simulation) delivered(o *Outcome, middle *half) (before, after float64) {
	var first, second uint64
	for _, p := range s.spec.Graph.NICPort {
		first += middle.bytes[p] - o.begin.ports[p].Bytes
		second += o.end.ports[p].Bytes - middle.bytes[p]
	}
	return float64(first), float64(second)
}
