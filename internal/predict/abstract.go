package predict

import (
	"math/big"
	"slices"

	"fabricast/abstract"
	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/internal/units"
	"fabricast/node"
)

// WithParameters returns the plan with all parameters of the network's model: those that the
// experiment leaves open follow from the network that it describes, in the sense of
// docs/abstract-networks.md.
func WithParameters(p *plan.Plan) (*plan.Plan, error) {
	e := p.Experiment
	if !e.Network.Routerless() || e.NoTopology() {
		return p, nil
	}
	latency, err := meanLatency(p)
	if err != nil {
		return nil, err
	}
	all := e.Network.Parameters
	for _, name := range experiment.ModelParameters(e.Network.Model) {
		switch name {
		case "L":
			open(&all.L, latency)
		case "o":
			open(&all.Overhead, e.Node.Overhead)
		case "g":
			open(&all.Gap, betweenHosts(p, units.Bytes(p.Fabric.Packet.Wire(0))))
		case "G":
			open(&all.GapPerByte, perByte(p))
		case "O":
			open(&all.OverheadPerByte, 0)
		case "S":
			if e.Node.Protocol.Rendezvous != "" {
				open(&all.S, e.Node.Protocol.Eager)
			}
		case "alpha":
			open(&all.Alpha, latency)
		case "beta":
			open(&all.Beta, perByte(p))
		}
	}
	return p.WithParameters(all), nil
}

// open sets a parameter that was left open.
func open[T any](parameter **T, value T) {
	if *parameter == nil {
		*parameter = &value
	}
}

// meanLatency is what a message without payload takes from NIC to NIC, over the mean of all pairs of
// hosts, or a sample of them; at least 1 ps.
func meanLatency(p *plan.Plan) (units.Time, error) {
	parts := partsOf(p)
	parts.payload, parts.packets, parts.controls, parts.software, parts.gap = 0, 1, 0, 0, 0
	z, err := zeroLoadOf(p, parts)
	return max(1, z.Mean), err
}

// perByte is what each byte of a long message takes at the slowest place that all messages between two
// hosts pass: memory, host link or crossbar.
func perByte(p *plan.Plan) units.PerByte {
	e, packet := p.Experiment, p.Fabric.Packet
	payload := packet.Payload()
	const long = 1 << 20 // packets, so that nothing is lost by rounding
	wire := betweenHosts(p, units.Bytes(long*packet.Wire(payload)))
	memory := plan.TransferTime(units.Bytes(long*payload), e.MemoryRate())
	return units.PerByteOf(max(wire, memory), long*payload)
}

// betweenHosts returns the time (ps) that so many bytes take at the slowest of crossbars and the links of
// the hosts that they go from and to, over the mean of all pairs of different hosts.
func betweenHosts(p *plan.Plan, bytes units.Bytes) units.Time {
	g, links := p.Fabric.Graph, p.Fabric.HostLinks()
	times := make([]units.Time, len(links))
	for i, link := range links {
		times[i] = plan.TransferTime(bytes, min(link.Bandwidth, p.Fabric.Router.Bandwidth))
	}
	if len(links) == 1 || g.Hosts < 2 {
		return times[0]
	}
	classes, hosts := g.HostClasses(), make([]int64, len(links))
	for host := range g.Hosts {
		hosts[slices.Index(classes, g.Ports[g.NICPort[host*g.NICsPerHost]].Link)]++
	}
	sum := new(big.Int)
	for i, from := range hosts {
		for j, to := range hosts {
			if i == j {
				to--
			}
			all := new(big.Int).Mul(big.NewInt(from*to), big.NewInt(int64(max(times[i], times[j]))))
			sum.Add(sum, all)
		}
	}
	pairs := int64(g.Hosts) * int64(g.Hosts-1)
	return units.Time(sum.Div(sum, big.NewInt(pairs)).Int64())
}

// Abstract is the network of a plan whose model has no packets.
func Abstract(p *plan.Plan) (abstract.Spec, error) {
	e, g := p.Experiment, p.Fabric.Graph
	s := abstract.Spec{Hosts: g.Hosts, NICsPerHost: g.NICsPerHost}
	s.Wire = func(size int64) int64 { return size }
	n := &e.Network
	switch n.Model {
	case experiment.ModelContentionFree:
		return contentionFree(p, s)
	case experiment.ModelAlphaBeta:
		perByte := *n.Parameters.Beta
		take := func(size int64) int64 { return int64(perByte.Of(size)) }
		s.Lookahead = int64(*n.Parameters.Alpha)
		s.Hold = func(_ int32, size int64) int64 { return take(size) }
		s.Passage = func(m *fabric.Message, _ uint32) abstract.Passage {
			t := take(m.Size)
			return abstract.Passage{Busy: t, Read: t, Flight: s.Lookahead, Tail: t}
		}
	default:
		logGP(n, &s)
	}
	return s, nil
}

// logGP is Abstract for LogP and those that go on from it.
func logGP(n *experiment.Network, s *abstract.Spec) {
	latency, gap := int64(*n.Parameters.L), int64(*n.Parameters.Gap)
	rest := RestOf(n)
	s.Lookahead = latency
	if n.LogGOPS() { // the receiving processor takes the bytes, unless the message is for the NIC
		s.Passage = func(m *fabric.Message, _ uint32) abstract.Passage {
			t := rest(m.Size)
			p := abstract.Passage{Busy: gap + t, Flight: latency}
			if node.ByNIC(m) {
				p.Flight += t
			}
			return p
		}
		return
	}
	s.Hold = func(_ int32, size int64) int64 { return gap + rest(size) }
	s.Passage = func(m *fabric.Message, _ uint32) abstract.Passage {
		t := rest(m.Size)
		return abstract.Passage{Busy: gap + t, Flight: latency, Tail: t}
	}
}

// RestOf returns how long the bytes of a message take at a NIC by the model's parameters, in ps: in
// LogP nothing, in those that go on from it all but the first, in alpha-beta all.
func RestOf(n *experiment.Network) func(size int64) int64 {
	p := &n.Parameters
	switch {
	case p.Beta != nil:
		return func(size int64) int64 { return int64(p.Beta.Of(size)) }
	case p.GapPerByte != nil:
		return func(size int64) int64 { return int64(p.GapPerByte.Of(max(0, size-1))) }
	}
	return func(int64) int64 { return 0 }
}
