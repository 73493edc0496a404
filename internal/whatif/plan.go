package whatif

import (
	"bytes"

	"fabricast/experiment"
	"fabricast/internal/plan"
	"fabricast/internal/units"
)

// PlanOf makes a plan of the network and the nodes of an experiment, whose program may be missing.
func PlanOf(e experiment.Experiment) (*plan.Plan, error) {
	imbalance := e.Imbalance
	e.Imbalance, e.Noise = experiment.Imbalance{}, experiment.Noise{} // these may need a run first
	r, err := experiment.ResolveNetwork(e)
	if err != nil {
		return nil, err
	}
	p, err := plan.Build(r.KeepingReports())
	if err == nil {
		p.Experiment.Imbalance = imbalance // says whether starts of ranks depend on another run
	}
	return p, err
}

// SameNetwork reports whether two resolved experiments differ only in parameters that prices are
// made of. So the critical path of one tells the time of the other. Buffers may follow links by
// default; how long messages wait if only they differ, a path cannot tell.
func SameNetwork(a, b *experiment.Experiment) bool {
	c := *a
	c.Record, c.Engine = b.Record, b.Engine
	if buffer := &c.Network.Router.Buffer; *buffer != b.Network.Router.Buffer {
		*buffer = b.Network.Router.Buffer
		if equal(&c, b) {
			return false
		}
	}
	n, m := &c.Network, &b.Network
	n.Link, n.HostLink, n.Links = m.Link, m.HostLink, m.Links
	r, s := &n.Router, &m.Router
	r.Routing, r.VCAllocation, r.SwitchAllocation = s.Routing, s.VCAllocation, s.SwitchAllocation
	r.SwitchTraversal, r.Latency, r.Bandwidth, r.Buffer = s.SwitchTraversal, s.Latency, s.Bandwidth, s.Buffer
	sameIdeal(&n.Parameters, &m.Parameters)
	to, from := &c.Node, &b.Node
	to.Overhead, to.DMA, to.Memory, to.Intra, to.IOBus = from.Overhead, from.DMA, from.Memory, from.Intra, from.IOBus
	to.Protocol.Setup = from.Protocol.Setup
	return equal(&c, b)
}

// equal reports whether two experiments are the same.
func equal(a, b *experiment.Experiment) bool {
	left, err := a.YAML()
	if err != nil {
		return false
	}
	right, err := b.YAML()
	return err == nil && bytes.Equal(left, right)
}

// sameIdeal gives parameters that prices are made of the values of others, where both are given.
func sameIdeal(to, from *experiment.Parameters) {
	for _, pair := range [][2]**units.Time{{&to.L, &from.L}, {&to.Alpha, &from.Alpha}, {&to.Overhead, &from.Overhead}} {
		if *pair[0] != nil && *pair[1] != nil {
			*pair[0] = *pair[1]
		}
	}
	for _, pair := range [][2]**units.PerByte{
		{&to.GapPerByte, &from.GapPerByte}, {&to.Beta, &from.Beta}, {&to.OverheadPerByte, &from.OverheadPerByte},
	} {
		if *pair[0] != nil && *pair[1] != nil {
			*pair[0] = *pair[1]
		}
	}
}
