package run

import (
	"fabricast/internal/plan"
	"fabricast/internal/predict"
	"fabricast/internal/units"
	"fabricast/topology"
)

// serialization returns a function that computes the serialization time (ps) of a message of size
// bytes: the time that its packets take, from memory to memory, at the slowest stage that every
// message passes. If host links differ, it assumes the fastest.
func serialization(p *plan.Plan) func(size int64) int64 {
	link, memory, packet := p.EndRate(), p.Experiment.MemoryRate(), p.Fabric.Packet
	return func(size int64) int64 {
		return int64(max(
			plan.TransferTime(units.Bytes(packet.WireOf(size)), link), plan.TransferTime(units.Bytes(size), memory),
		))
	}
}

// serializationOf returns the serialization function for the model of the plan's network.
func serializationOf(p *plan.Plan) func(size int64) int64 {
	if p.Experiment.Network.LogGOPS() {
		return func(int64) int64 { return 0 } // the model counts the bytes as CPU time
	}
	if p.Experiment.Network.Routerless() {
		return predict.RestOf(&p.Experiment.Network)
	}
	return serialization(p)
}

// distancesOf returns distanceOf the network if the experiment has a topology, otherwise nil.
func distancesOf(p *plan.Plan) func(src, dst int) int {
	if p.Experiment.NoTopology() {
		return nil
	}
	return distanceOf(p.Topology)
}

// mostSearched is the maximum number of routers for which latencies are counted by distance in
// networks where distances require a search.
const mostSearched = 4096

// distanceOf returns the distance function of a network, in links between routers. It returns nil
// if computing distances would take too long.
func distanceOf(t topology.Topology) func(src, dst int) int {
	if _, direct := t.(topology.Direct); !direct && t.Graph().Routers > mostSearched {
		return nil
	}
	return t.Distance
}
