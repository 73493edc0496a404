package fabric

import (
	"math/bits"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/inputqueued"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/internal/probe"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/internal/switched"
	"fabricast/fabric/model"

	"fabricast/internal/units"

	"fabricast/topology"
)

// Forecast returns how much memory (bytes) a network of this Spec takes with every buffer full of
// the largest packets and one message at every NIC. A program with many messages or very small
// packets under way needs more.
func Forecast(s model.Spec) int64 {
	if switched.Needed(&s) {
		return switched.Forecast(s)
	}
	g := s.Graph
	// FIFOs that can fill: a NIC's receive buffer and its router port, and both ends of each link
	connected := int64(len(g.NICPort))
	for i := range g.Ports {
		if g.Ports[i].Peer != topology.Unconnected || g.Ports[i].NIC != topology.Unconnected {
			connected++
		}
	}
	full := max(inputqueued.SmallestRing, int64(s.Router.Buffer)/max(1, s.Packet.Wire(s.Packet.Payload())))
	ring := int64(1) << bits.Len64(uint64(full-1)) * core.SizeOf[core.Packet]()
	return forecastRecords(&s) + connected*int64(s.Router.VCs)*ring
}

// General reports whether a network of this Spec needs the general path, which takes more time for
// each hop than the fast one.
func General(s model.Spec) bool { return switched.Needed(&s) }

// forecastRecords returns how much memory (bytes) a network takes on the fast path besides its packets.
func forecastRecords(s *model.Spec) int64 {
	g := s.Graph
	ports, nics, vcs := int64(len(g.Ports)), int64(len(g.NICPort)), int64(s.Router.VCs)
	total := int64(g.Routers) * (core.SizeOf[core.Router]() + core.Wheel*core.SizeOf[uint64]())
	total += moreWords(g, vcs) * (core.Wheel + 1) * core.SizeOf[uint64]()
	total += ports * (core.SizeOf[core.Port]() + core.SizeOf[core.PortMore]())
	total += (ports+nics)*vcs*(core.SizeOf[core.VC]()+core.SizeOf[core.VCWait]()) + nics*core.SizeOf[core.Port]()
	total += nics * (core.SizeOf[nic.Sender]() + core.SizeOf[nic.Receiver]() + 2*core.SizeOf[int64]() + core.SizeOf[model.Message]())
	return total + nic.ForecastBuses(s) + nic.ForecastTurns(s)
}

// ForecastWhole returns how much of Forecast (bytes) each process of several holds, whatever their
// number: what describes the whole network.
func ForecastWhole(s model.Spec) int64 {
	return int64(s.Graph.Routers)*core.SizeOf[core.Router]() + switched.ForecastPublished(&s)
}

// moreWords returns how many words the bitmaps of timers take beyond one for each router.
func moreWords(g *topology.Graph, vcs int64) (words int64) {
	for r := range g.Routers {
		most := int64(g.PortBase[r+1]-g.PortBase[r]) * (vcs + 2)
		if most <= 64 { // as of most routers: one word is enough
			continue
		}
		timers := int64(0)
		for p := g.PortBase[r]; p < g.PortBase[r+1]; p++ {
			if timers += vcs; g.Ports[p].NIC != topology.Unconnected {
				timers += 2 // of the NIC and its host
			}
		}
		words += max(0, timers-1) / 64
	}
	return words
}

// ForecastEmpty returns how much memory (bytes) the network takes with few packets under way: that
// of Forecast with one packet of each NIC or, on the general path, in every buffer.
func ForecastEmpty(s model.Spec) int64 {
	if !switched.Needed(&s) {
		return forecastRecords(&s) + int64(len(s.Graph.NICPort))*inputqueued.SmallestRing*core.SizeOf[core.Packet]()
	}
	packet := s.Packet.Wire(s.Packet.Payload())
	s.Router.Buffer = units.Bytes(min(int64(s.Router.Buffer), packet))
	s.Router.OutputBuffer = units.Bytes(min(int64(s.Router.OutputBuffer), packet))
	return Forecast(s)
}

// ForecastHuge returns how much memory (bytes) a network takes on average because the arrays of a
// large one are in huge pages, some of which are used in part.
func ForecastHuge(s model.Spec) int64 {
	if !isLarge(&s, 1) {
		return 0
	}
	const used, page = 2, 2 << 20
	return used * page
}

// ForecastSmall returns how much memory (bytes) to add to Forecast for so many messages of `size`
// bytes in the network, if each is one packet smaller than the largest. A packet takes its place
// twice at most while a ring doubles, in a ring that may be half empty.
func ForecastSmall(s model.Spec, size, messages int64) int64 {
	if size >= s.Packet.Payload() {
		return 0
	}
	full := Forecast(s)
	largest, wire := s.Packet.Wire(s.Packet.Payload()), s.Packet.Wire(size)
	s.Router.Buffer = units.Bytes(int64(s.Router.Buffer) / wire * largest)
	s.Router.OutputBuffer = units.Bytes(int64(s.Router.OutputBuffer) / wire * largest)
	const places = 4
	return min(max(0, Forecast(s)-full), messages*places*core.SizeOf[stage.Packet]())
}

// ForecastBins returns how much memory (bytes) it takes to observe a network of this Spec in bins,
// with or without buffers. It does not count what the Sink keeps.
func ForecastBins(s model.Spec, buffers bool) int64 {
	ports, nics := int64(len(s.Graph.Ports)), int64(len(s.Graph.NICPort))
	number := int64(0)
	if switched.Needed(&s) {
		number += core.SizeOf[probe.Hold]()
	}
	if buffers {
		number += core.SizeOf[probe.BufferTally]() + core.SizeOf[int64]()
	}
	return ports*core.SizeOf[probe.LinkWait]() + (ports+nics)*(core.SizeOf[core.LinkCount]()+core.SizeOf[model.LinkBin]()) + ports*int64(
		s.Router.VCs,
	)*number
}
