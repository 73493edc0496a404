package fabric

import (
	"math/bits"

	"fabricast/internal/units"

	"fabricast/topology"
)

// Forecast returns how much memory (bytes) a network of this Spec takes with every buffer full of
// the largest packets and one message at every NIC. A program with many messages or very small
// packets under way needs more.
func Forecast(s Spec) int64 {
	if needsGeneral(&s) {
		return forecastGeneral(s)
	}
	g := s.Graph
	// FIFOs that can fill: a NIC's receive buffer and its router port, and both ends of each link
	connected := int64(len(g.NICPort))
	for i := range g.Ports {
		if g.Ports[i].Peer != topology.Unconnected || g.Ports[i].NIC != topology.Unconnected {
			connected++
		}
	}
	full := max(smallestRing, int64(s.Router.Buffer)/max(1, s.Packet.Wire(s.Packet.Payload())))
	ring := int64(1) << bits.Len64(uint64(full-1)) * sizeOf[packet]()
	return forecastRecords(&s) + connected*int64(s.Router.VCs)*ring
}

// General reports whether a network of this Spec needs the general path, which takes more time for
// each hop than the fast one.
func General(s Spec) bool { return needsGeneral(&s) }

// forecastRecords returns how much memory (bytes) a network takes on the fast path besides its packets.
func forecastRecords(s *Spec) int64 {
	g := s.Graph
	ports, nics, vcs := int64(len(g.Ports)), int64(len(g.NICPort)), int64(s.Router.VCs)
	total := int64(g.Routers) * (sizeOf[routerState]() + wheel*sizeOf[uint64]())
	total += moreWords(g, vcs) * (wheel + 1) * sizeOf[uint64]()
	total += ports * (sizeOf[portState]() + sizeOf[portMore]())
	total += (ports+nics)*vcs*(sizeOf[lane]()+sizeOf[laneMore]()) + nics*sizeOf[portState]()
	total += nics * (sizeOf[nic]() + sizeOf[receiver]() + 2*sizeOf[int64]() + sizeOf[Message]())
	return total + forecastBuses(s) + forecastTurns(s)
}

// ForecastWhole returns how much of Forecast (bytes) each process of several holds, whatever their
// number: what describes the whole network.
func ForecastWhole(s Spec) int64 {
	return int64(s.Graph.Routers)*sizeOf[routerState]() + forecastPublished(&s)
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
func ForecastEmpty(s Spec) int64 {
	if !needsGeneral(&s) {
		return forecastRecords(&s) + int64(len(s.Graph.NICPort))*smallestRing*sizeOf[packet]()
	}
	packet := s.Packet.Wire(s.Packet.Payload())
	s.Router.Buffer = units.Bytes(min(int64(s.Router.Buffer), packet))
	s.Router.OutputBuffer = units.Bytes(min(int64(s.Router.OutputBuffer), packet))
	return Forecast(s)
}

// ForecastHuge returns how much memory (bytes) a network takes on average because the arrays of a
// large one are in huge pages, some of which are used in part.
func ForecastHuge(s Spec) int64 {
	if !isLarge(&s, 1) {
		return 0
	}
	const used, page = 2, 2 << 20
	return used * page
}

// ForecastSmall returns how much memory (bytes) to add to Forecast for so many messages of `size`
// bytes in the network, if each is one packet smaller than the largest. A packet takes its place
// twice at most while a ring doubles, in a ring that may be half empty.
func ForecastSmall(s Spec, size, messages int64) int64 {
	if size >= s.Packet.Payload() {
		return 0
	}
	full := Forecast(s)
	largest, wire := s.Packet.Wire(s.Packet.Payload()), s.Packet.Wire(size)
	s.Router.Buffer = units.Bytes(int64(s.Router.Buffer) / wire * largest)
	s.Router.OutputBuffer = units.Bytes(int64(s.Router.OutputBuffer) / wire * largest)
	const places = 4
	return min(max(0, Forecast(s)-full), messages*places*sizeOf[parcel]())
}

// ForecastBins returns how much memory (bytes) it takes to observe a network of this Spec in bins,
// with or without buffers. It does not count what the Sink keeps.
func ForecastBins(s Spec, buffers bool) int64 {
	ports, nics := int64(len(s.Graph.Ports)), int64(len(s.Graph.NICPort))
	lane := int64(0)
	if needsGeneral(&s) {
		lane += sizeOf[hold]()
	}
	if buffers {
		lane += sizeOf[bufferTally]() + sizeOf[int64]()
	}
	return ports*sizeOf[linkWait]() + (ports+nics)*(sizeOf[linkCount]()+sizeOf[LinkBin]()) + ports*int64(
		s.Router.VCs,
	)*lane
}
