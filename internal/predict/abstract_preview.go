package predict

import (
	"fabricast/experiment"
	"fabricast/internal/plan"
	"fabricast/internal/units"
	"fabricast/internal/version"
)

// abstractModel returns the name of the plan's network model if it is abstract; otherwise "".
func abstractModel(p *plan.Plan) string {
	if !p.Experiment.Network.Abstract() {
		return ""
	}
	return p.Experiment.Network.Model
}

// flowOf returns flowNote for a network with buffers; "" for an abstract network.
func flowOf(p *plan.Plan) string {
	if p.Experiment.Network.Abstract() {
		return ""
	}
	return flowNote(p)
}

// abstractPreview returns the preview of a plan with an abstract network.
func abstractPreview(p *plan.Plan) *Preview {
	return &Preview{
		Schema: PreviewSchema, Version: version.Full(), Model: abstractModel(p),
		Hosts: p.Fabric.Graph.Hosts, ZeroLoad: abstractZeroLoad(p), Memory: p.Forecast(),
		Routing: "none", Deadlock: "no message waits for another one",
		plan: p,
	}
}

// abstractZeroLoad returns the latency of a message of the workload between any two hosts, in an
// idle network and with its receive posted in advance.
func abstractZeroLoad(p *plan.Plan) ZeroLoad {
	e := p.Experiment
	n, size := &e.Network, int64(e.Workload.Size)
	z := ZeroLoad{Payload: units.Bytes(size), Protocol: ByEager}
	latency, software := n.Parameters.Alpha, 2*e.Node.Overhead
	if n.Model != experiment.ModelAlphaBeta {
		latency, software = n.Parameters.L, 2**n.Parameters.Overhead
	}
	rest := units.Time(RestOf(n)(size))
	if n.LogGOPS() { // the receiver's CPU handles the bytes
		rest = max(rest, n.Parameters.OverheadPerByte.Of(max(0, size-1)))
		if s := n.Parameters.S; s != nil && size > int64(*s) {
			z.Protocol = BySynchronous
		}
	} else if e.Node.Copies == experiment.CopiesOne {
		z.Protocol = ByOneCopy
		software += 2 * plan.TransferTime(z.Payload, e.Node.Memory)
	}
	z.Mean = software + *latency + rest
	z.Neighbour, z.Farthest = z.Mean, z.Mean
	return z
}

// abstractNotes lists the settings of the experiment that have no effect in an abstract network.
func abstractNotes(p *plan.Plan) []string {
	e := p.Experiment
	if !e.Network.Routerless() || e.NoTopology() {
		return nil
	}
	return []string{
		"network.model " + e.Network.Model + ": messages take the same time between any two hosts; " +
			"the topology says how many there are, and what parameters follow from",
	}
}
