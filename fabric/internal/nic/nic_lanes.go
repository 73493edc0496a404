package nic

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
	"fabricast/internal/snapshot"
)

// Where routers have classes, a NIC has a lane for each: messages in their order of posting, up to
// two packets that it has fetched for them, and a DMA channel of its own. So no class waits for the
// credit of another. The lanes share the NIC's link, packet by packet, as classes share the outputs
// of routers. A lane is a Sender; what all lanes share is in that of the NIC: when its link is free,
// and what has been sent.

// ForecastLanes returns the memory (bytes) of the lanes of all NICs.
func ForecastLanes(s *model.Spec) int64 {
	lanes := int64(len(s.Graph.NICPort)) * int64(len(s.Router.Classes))
	return lanes * (core.SizeOf[Sender]() + core.SizeOf[int64]())
}

// laneOf returns the lane of a message at its NIC.
func (s *Senders) laneOf(m *model.Message) *Sender { return s.Lane(uint32(m.Src), s.SetOf(m.Class)) }

// Lane returns the lane of a NIC for a class.
func (s *Senders) Lane(nic, class uint32) *Sender {
	return s.lanes.At(nic*uint32(len(s.Spec.Router.Classes)) + class)
}

// lanesRead reports whether a NIC is reading a message.
func (s *Senders) lanesRead(nic uint32) bool {
	for class := range s.Spec.Router.Classes {
		if s.Lane(nic, uint32(class)).Fetching != 0 {
			return true
		}
	}
	return false
}

// lanesAt visits the lanes of some NICs.
func (s *Senders) lanesAt(v *snapshot.Visitor, nic, count uint32) {
	if classes := uint32(len(s.Spec.Router.Classes)); s.Classed {
		snapshot.Values(v, s.lanes.Slice(nic*classes, count*classes))
		core.WalkLags(v, s.shares.Lags, nic, count, &s.Spec)
	}
}

// intoSet makes the next packet of m use the virtual channels of its class.
func (s *Senders) intoSet(n *Sender, m *model.Message) {
	base := s.BaseOf(m.Class)
	n.VC += base
	n.Out += uint16(base)
}

// Rank returns the rank of a class among the lanes of a NIC: the lowest sends first.
func (s *Senders) Rank(nic, class uint32) int64 { return s.shares.Rank(nic, class) }

// SendFrom is like Send, for the next packet of a lane of a NIC.
func (s *Senders) SendFrom(nic, class uint32, flits int64, link core.Rate) (tail int64) {
	n, lane := s.NICs.At(nic), s.Lane(nic, class)
	lane.Free, lane.LinkPart = n.Free, n.LinkPart
	tail = s.Send(lane, flits, link)
	n.Free, n.LinkPart, n.LastTail = lane.Free, lane.LinkPart, lane.LastTail
	n.Flits += uint64(flits)
	n.Packets++
	s.shares.Grant(nic, class, uint32(flits))
	return tail
}
