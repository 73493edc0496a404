package switched

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/model"
	"fabricast/routing"
	"fabricast/topology"
)

// Forecast implements fabric.Forecast for the general path.
func Forecast(s model.Spec) int64 {
	g := s.Graph
	nics, vcs := int64(len(g.NICPort)), int64(s.Router.VCs)
	total := nics*(core.SizeOf[nic.Sender]()+core.SizeOf[nic.Receiver]()+2*core.SizeOf[int64]()+core.SizeOf[model.Message]()+
		vcs*core.SizeOf[stage.OutputVC]()) + nic.ForecastLanes(&s)
	for r := range g.Routers {
		total += ForecastRouter(&s, int64(g.PortBase[r+1]-g.PortBase[r]))
	}
	total += ForecastDue(&s)
	packet := max(1, s.Packet.Wire(s.Packet.Payload()))
	packets := (int64(s.Router.Buffer) + int64(s.Router.OutputBuffer)) / packet
	each := core.SizeOf[stage.Packet]()
	if s.Adaptive != nil && s.Router.Queues == model.VirtualOutputQueues {
		each += int64(core.WordsOf(stage.MostVCs(&s))) * core.SizeOf[uint64]()
		if stage.Steady(&s) {
			each += core.SizeOf[stage.Choice]()
		}
	}
	for i := range g.Ports {
		if g.Ports[i].Peer != topology.Unconnected || g.Ports[i].NIC != topology.Unconnected {
			total += vcs * packets * each
		}
	}
	return total + nic.ForecastBuses(&s) + ForecastPublished(&s) + forecastDoors(&s)
}

// ForecastRouter returns the memory (bytes) that a router of the given number of ports takes
// without packets.
func ForecastRouter(s *model.Spec, ports int64) int64 {
	vcs := ports * int64(s.Router.VCs)
	timers := stage.TimersOf(s, uint32(ports), uint32(vcs))
	maps := int64(core.WordsOf(int(timers))) + int64(stage.MapsOf(s, uint32(ports), uint32(vcs)))
	total := core.SizeOf[core.Router]() + core.SizeOf[stage.Router]() + (core.Wheel+maps)*core.SizeOf[uint64]() +
		ports*core.SizeOf[stage.CrossbarPort]() + vcs*(core.SizeOf[stage.InputVC]()+core.SizeOf[stage.OutputVC]())
	if s.Router.OutputBuffer > 0 {
		total += ports*core.SizeOf[stage.OutLink]() + vcs*core.SizeOf[stage.OutBuffer]()
	}
	if stage.Steady(s) && s.Router.Queues == model.InputQueues {
		total += vcs * core.SizeOf[stage.Choice]()
	}
	if s.Router.Allocation == model.SeparateAllocation {
		total += ports*core.SizeOf[stage.VcTurn]() + vcs*(core.SizeOf[stage.OwnedVC]()+core.SizeOf[stage.VCRequests]())
	}
	if core.SharesByWeight(s) {
		shared := ports
		if s.Router.OutputBuffer > 0 {
			shared *= 2
		}
		total += shared * int64(len(s.Router.Classes)) * core.SizeOf[int64]()
	}
	queues, granted := stage.TablesOf(s, uint32(ports), uint32(vcs))
	total += int64(queues)*core.SizeOf[stage.List]() + int64(granted)*core.SizeOf[int64]()
	return total
}

// ForecastDue returns the memory (bytes) of the bitmaps of due timers.
func ForecastDue(s *model.Spec) int64 {
	vcs := stage.MostVCs(s)
	words := core.WordsOf(int(stage.TimersOf(s, uint32(vcs/s.Router.VCs), uint32(vcs))))
	return int64(s.Graph.Routers) * core.Wheel * int64(words) * core.SizeOf[uint64]()
}

// ForecastPublished returns the memory (bytes) of the published queue lengths.
func ForecastPublished(s *model.Spec) int64 {
	if _, informed := s.Adaptive.(routing.Informed); !informed {
		return 0
	}
	return stage.PublishedSets * int64(len(s.Graph.Ports)) * core.SizeOf[int32]()
}
