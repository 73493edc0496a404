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

// WithParameters returns a copy of the plan with all parameters of its abstract network model. It
// derives parameters that the experiment leaves open from the network that the experiment describes
// (docs/abstract-networks.md).
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

// open sets a parameter to a value if the experiment leaves it open.
func open[T any](parameter **T, value T) {
	if *parameter == nil {
		*parameter = &value
	}
}

// meanLatency returns the latency from NIC to NIC of a message without payload, at least 1 ps. It
// is the mean over all pairs of hosts, or over a sample of them.
func meanLatency(p *plan.Plan) (units.Time, error) {
	parts := partsOf(p)
	parts.payload, parts.packets, parts.controls, parts.software, parts.gap = 0, 1, 0, 0, 0
	z, err := zeroLoadOf(p, parts)
	return max(1, z.Mean), err
}

// perByte returns the time that each byte of a long message takes at the slowest stage that all
// messages pass: memory, host links or crossbars.
func perByte(p *plan.Plan) units.PerByte {
	e, packet := p.Experiment, p.Fabric.Packet
	payload := packet.Payload()
	const long = 1 << 20 // packets; so many that rounding does not matter
	wire := betweenHosts(p, units.Bytes(long*packet.Wire(payload)))
	memory := plan.TransferTime(units.Bytes(long*payload), e.MemoryRate())
	return units.PerByteOf(max(wire, memory), long*payload)
}

// betweenHosts returns the time (ps) that the given number of bytes takes at the slowest of three
// stages: the link of the source host, the link of the destination host, and the crossbars. It is
// the mean over all pairs of different hosts.
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

// Abstract returns the network of a plan whose model simulates no packets.
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

// logGP sets the functions of s for LogP and the models that extend it.
func logGP(n *experiment.Network, s *abstract.Spec) {
	latency, gap := int64(*n.Parameters.L), int64(*n.Parameters.Gap)
	rest := RestOf(n)
	s.Lookahead = latency
	if n.LogGOPS() { // the receiver's CPU handles the bytes, unless the message is for its NIC
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

// RestOf returns a function for the time (ps) that the bytes of a message occupy a NIC: in LogP
// none, in models that extend LogP all but the first byte, in alpha-beta all bytes.
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
