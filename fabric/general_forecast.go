package fabric

import (
	"fabricast/routing"
	"fabricast/topology"
)

// forecastGeneral implements Forecast for the general path.
func forecastGeneral(s Spec) int64 {
	g := s.Graph
	nics, vcs := int64(len(g.NICPort)), int64(s.Router.VCs)
	total := nics * (sizeOf[nic]() + sizeOf[receiver]() + 2*sizeOf[int64]() + sizeOf[Message]() +
		vcs*sizeOf[outlet]())
	for r := range g.Routers {
		total += forecastRouter(&s, int64(g.PortBase[r+1]-g.PortBase[r]))
	}
	total += forecastDue(&s)
	packet := max(1, s.Packet.Wire(s.Packet.Payload()))
	packets := (int64(s.Router.Buffer) + int64(s.Router.OutputBuffer)) / packet
	each := sizeOf[parcel]()
	if s.Adaptive != nil && s.Router.Queues == VirtualOutputQueues {
		each += int64(wordsOf(mostSlots(&s))) * sizeOf[uint64]()
		if steady(&s) {
			each += sizeOf[choice]()
		}
	}
	for i := range g.Ports {
		if g.Ports[i].Peer != topology.Unconnected || g.Ports[i].NIC != topology.Unconnected {
			total += vcs * packets * each
		}
	}
	return total + forecastBuses(&s) + forecastPublished(&s) + forecastDoors(&s)
}

// forecastRouter returns how much memory (bytes) a router of so many ports takes without packets.
func forecastRouter(s *Spec, ports int64) int64 {
	slots := ports * int64(s.Router.VCs)
	timers := timersOf(s, uint32(ports), uint32(slots))
	maps := int64(wordsOf(int(timers))) + int64(mapsOf(s, uint32(ports), uint32(slots)))
	total := sizeOf[routerState]() + sizeOf[generalRouter]() + (wheel+maps)*sizeOf[uint64]() +
		ports*sizeOf[crossing]() + slots*(sizeOf[inlet]()+sizeOf[outlet]())
	if s.Router.OutputBuffer > 0 {
		total += ports*sizeOf[outLink]() + slots*sizeOf[outBuffer]()
	}
	if steady(s) && s.Router.Queues == InputQueues {
		total += slots * sizeOf[choice]()
	}
	if s.Router.Allocation == SeparateAllocation {
		total += ports*sizeOf[vcTurn]() + slots*(sizeOf[ownedVC]()+sizeOf[vcAsks]())
	}
	queues, granted := generalTables(s, uint32(ports), uint32(slots))
	total += int64(queues)*sizeOf[list]() + int64(granted)*sizeOf[int64]()
	return total
}

// forecastDue returns how much memory (bytes) the bitmaps of due timers take.
func forecastDue(s *Spec) int64 {
	slots := mostSlots(s)
	words := wordsOf(int(timersOf(s, uint32(slots/s.Router.VCs), uint32(slots))))
	return int64(s.Graph.Routers) * wheel * int64(words) * sizeOf[uint64]()
}

// forecastPublished returns how much memory (bytes) the queues take that routers publish.
func forecastPublished(s *Spec) int64 {
	if _, informed := s.Adaptive.(routing.Informed); !informed {
		return 0
	}
	return publishedSets * int64(len(s.Graph.Ports)) * sizeOf[int32]()
}
