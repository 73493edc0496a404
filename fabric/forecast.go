package fabric

import (
	"math/bits"
	"unsafe"

	"fabricast/topology"
)

// Forecast is how much memory (bytes) a network of this Spec will take with
// every buffer full of the largest packets and one message at every NIC.
// Programs that have many messages or very small packets under way need more.
func Forecast(s Spec) int64 {
	if needsGeneral(&s) {
		return forecastGeneral(s)
	}
	g := s.Graph
	ports, nics := int64(len(g.Ports)), int64(len(g.NICPort))
	vcs := int64(s.Router.VCs)
	connected := nics // FIFOs that can fill: a NIC's receive buffer and its router port, and both ends of each link
	for i := range g.Ports {
		if g.Ports[i].Peer != topology.Unconnected || g.Ports[i].NIC != topology.Unconnected {
			connected++
		}
	}
	full := max(smallestRing, s.Router.Buffer/max(1, s.Packet.Wire(s.Packet.Payload())))
	ring := int64(1) << bits.Len64(uint64(full-1)) * sizeOf[packet]()
	total := int64(g.Routers) * (sizeOf[routerState]() + wheel*sizeOf[uint64]())
	total += ports * (sizeOf[portLayout]() + sizeOf[clock]() + sizeOf[portMore]())
	total += (ports + nics) * vcs * sizeOf[lane]()
	total += nics * (sizeOf[nic]() + 2*sizeOf[int64]() + sizeOf[Message]())
	total += connected * vcs * ring
	return total + forecastBuses(&s)
}

// ForecastEmpty is Forecast with room for one packet in every buffer: what the network takes before any is sent.
func ForecastEmpty(s Spec) int64 {
	packet := s.Packet.Wire(s.Packet.Payload())
	s.Router.Buffer = min(s.Router.Buffer, packet)
	s.Router.OutputBuffer = min(s.Router.OutputBuffer, packet)
	return Forecast(s)
}

// ForecastBins is how much more memory (bytes) it takes to observe a network of this Spec in bins, with or
// without buffers, without what the Sink keeps.
func ForecastBins(s Spec, buffers bool) int64 {
	ports, nics := int64(len(s.Graph.Ports)), int64(len(s.Graph.NICPort))
	lane := int64(0)
	if needsGeneral(&s) {
		lane += sizeOf[hold]()
	}
	if buffers {
		lane += sizeOf[bufferTally]() + sizeOf[int64]()
	}
	return ports*sizeOf[linkWait]() + (ports+nics)*(sizeOf[linkCount]()+sizeOf[LinkBin]()) + ports*int64(s.Router.VCs)*lane
}

func sizeOf[T any]() int64 {
	var t T
	return int64(unsafe.Sizeof(t))
}
