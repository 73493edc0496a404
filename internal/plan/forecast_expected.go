package plan

import (
	"math"

	"fabricast/internal/units"
	"fabricast/node"
)

const (
	// packetMemory is the average memory of a packet in flight: its share of a ring buffer that is
	// only partly used.
	packetMemory = 96
	// mostFull is the share of the buffers' memory in use when the network is saturated: not all
	// outputs and virtual channels are in demand.
	mostFull = 0.5
	// earlyMessages is the share of messages that are received before their receive is posted.
	earlyMessages = 0.4
	// trafficMemory is what the statistics of synthetic traffic take in total; sourceMemory is what
	// the state of the source at each host takes. Packets are not included.
	trafficMemory, sourceMemory = 2 * units.MiB, 2048
)

// expectedLoad estimates the memory (bytes) of ranks, traffic and packets at the peak. Buffers take
// up to `full` bytes. A rank has as many messages in flight as its program posts before it waits.
func (p *Plan) expectedLoad(full units.Bytes, spec *node.Spec) units.Bytes {
	plans := []*Plan{p}
	if p.Experiment.HasJobs() {
		plans = plans[:0]
		for i := range p.Jobs {
			plans = append(plans, p.Jobs[i].Plan)
		}
	}
	load, packets := 0.0, 0.0
	for _, one := range plans {
		l, n := one.loadAlone(*spec)
		load, packets = load+l, packets+n
		if p.Experiment.HasJobs() {
			load += jobHostMemory * float64(p.Experiment.Hosts())
		}
	}
	return units.Bytes(load + min(mostFull*float64(full), packets*packetMemory))
}

// loadAlone estimates the memory (bytes) of one job without its packets, and the number of packets
// that the job has in flight.
func (p *Plan) loadAlone(spec node.Spec) (memory, packets float64) {
	e := p.Experiment
	if e.HasTraffic() {
		hosts := float64(p.Fabric.Graph.Hosts)
		return float64(trafficMemory) + hosts*sourceMemory, hosts * p.sourcePackets()
	}
	spec.Replies = e.Answered()
	messages, bytes, partners := p.posted()
	each := earlyMessages*messages*float64(node.ForecastLate(&spec)) + partners*float64(node.ForecastPair(&spec)) +
		max(0, messages-fewOpen)*float64(node.ForecastMessage(&spec))
	ranks := float64(e.Ranks)
	memory = float64(stacksMemory(e)) + ranks*each + float64(node.ForecastPeers(&spec, e.Ranks))
	return memory, ranks * max(messages, math.Ceil(bytes/float64(p.Fabric.Packet.Payload())))
}

// sourcePackets returns the number of packets that a source of traffic has in flight: those of its
// window or, if it has no window, those of a few messages.
func (p *Plan) sourcePackets() float64 {
	load, err := p.TrafficLoad()
	if err != nil {
		return fewOpen
	}
	each := float64(p.Fabric.Packet.Count(load.Reply))
	for _, class := range load.Sizes {
		each = max(each, float64(p.Fabric.Packet.Count(class.To)))
	}
	if load.Window > 0 {
		return float64(load.Window) * each
	}
	return fewOpen * each
}
