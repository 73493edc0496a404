package plan

import (
	"math"

	"fabricast/internal/units"
	"fabricast/node"
)

const (
	// packetMemory is what a packet under way takes on average: the places of a ring that is used in
	// part.
	packetMemory = 96
	// mostFull is the part of the buffers' memory that is used when much more is under way than fits:
	// not all outputs and virtual channels are in demand.
	mostFull = 0.5
	// earlyMessages is the part of messages that arrive before their receive is posted.
	earlyMessages = 0.4
	// trafficMemory and sourceMemory are what synthetic traffic takes besides its packets, in all and
	// for each host: its statistics, and the state of each source.
	trafficMemory, sourceMemory = 2 * units.MiB, 2048
)

// expectedLoad estimates the memory (bytes) of ranks, traffic and packets at the peak. Buffers
// take up to `full` bytes. A rank has as much under way as its program posts before it waits.
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

// loadAlone is expectedLoad of one job: without packets, and how many of these are under way.
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

// sourcePackets returns how many packets a source of traffic has under way: those of its window, or
// else those of a few messages.
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
