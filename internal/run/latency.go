package run

import (
	"fabricast/internal/plan"
	"fabricast/internal/predict"
	"fabricast/internal/units"
	"fabricast/topology"
)

// serialization returns a function for the time (ps) that the packets of a message of size bytes
// take from memory to memory on an idle path without delays: their time at the slowest stage that
// every message passes. If host links differ, it assumes the fastest of them.
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

// serializationOf returns the function for the model of the plan's network.
func serializationOf(p *plan.Plan) func(size int64) int64 {
	if p.Experiment.Network.LogGOPS() {
		return func(int64) int64 { return 0 } // the model counts the bytes as CPU time
	}
	if p.Experiment.Network.Routerless() {
		return predict.RestOf(&p.Experiment.Network)
	}
	return serialization(p)
}

// distancesOf returns distanceOf if the experiment has a topology, and otherwise nil.
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
