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

// Forecast returns the memory (bytes) that a network of this Spec takes when every buffer is full
// of the largest packets and every NIC has one message. A program with many messages or very small
// packets in flight needs more.
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

// General reports whether a network of this Spec needs the general path, which takes more time per
// hop than the fast path.
func General(s model.Spec) bool { return switched.Needed(&s) }

// forecastRecords returns the memory (bytes) that a network takes on the fast path, excluding its
// packets.
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

// ForecastWhole returns the part of Forecast (bytes) that each process needs, however many share
// the run, to describe the whole network.
func ForecastWhole(s model.Spec) int64 {
	return int64(s.Graph.Routers)*core.SizeOf[core.Router]() + switched.ForecastPublished(&s)
}

// moreWords returns the number of additional words of timer bitmaps, beyond one word per router.
func moreWords(g *topology.Graph, vcs int64) (words int64) {
	for r := range g.Routers {
		most := int64(g.PortBase[r+1]-g.PortBase[r]) * (vcs + 2)
		if most <= 64 { // one word is enough, as for most routers
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

// ForecastEmpty returns the memory (bytes) that the network takes with few packets in flight. It is
// Forecast with one packet per NIC on the fast path, or one packet per buffer on the general path.
func ForecastEmpty(s model.Spec) int64 {
	if !switched.Needed(&s) {
		return forecastRecords(&s) + int64(len(s.Graph.NICPort))*inputqueued.SmallestRing*core.SizeOf[core.Packet]()
	}
	packet := s.Packet.Wire(s.Packet.Payload())
	s.Router.Buffer = units.Bytes(min(int64(s.Router.Buffer), packet))
	s.Router.OutputBuffer = units.Bytes(min(int64(s.Router.OutputBuffer), packet))
	return Forecast(s)
}

// ForecastHuge returns the average memory (bytes) that a large network wastes because its arrays
// are in huge pages, some of which are only partly used.
func ForecastHuge(s model.Spec) int64 {
	if !isLarge(&s, 1) {
		return 0
	}
	const used, page = 2, 2 << 20
	return used * page
}

// ForecastSmall returns the memory (bytes) to be added to Forecast for the given number of messages
// of `size` bytes in the network, if each is one packet smaller than the largest. A packet takes at
// most twice its size while a ring buffer doubles, in a ring that may be half empty.
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

// ForecastBins returns the memory (bytes) needed to observe a network of this Spec in bins, with or
// without buffers. It excludes the memory of the Sink.
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
