package main

import (
	"fabricast/fabric"
	"fabricast/topology"
)

// ecn is congestion control: routers mark packets that leave long queues behind (explicit
// congestion notification), and a NIC halves the rate of a flow for each mark that it hears of.
// Without marks the rate grows by a sixteenth of the link's for each packet.
type ecn struct {
	queue   int64 // flits that wait in an input buffer: from there on packets are marked
	perFlit int64 // ps on the NIC's link
}

// share is the rate of a flow, in parts of the link's.
type share struct {
	less int64 // parts of fullShare by which it is lower than the link's
	from int64 // ps: when the next packet may be sent
}

const fullShare, leastShare = 1 << 10, 1 << 4

// doors makes the hooks and the injector, for any network.
func (c ecn) doors(topology.Topology, int) (*fabric.Doors, error) {
	return &fabric.Doors{
		Hooks: &fabric.Hooks{
			Name: "ecn",
			Start: func(s *fabric.Start) {
				if s.Waiting(s.InPort, s.InVC) > c.queue {
					s.Meta |= 1
				}
			},
			Eject: func(e *fabric.Ejection) { e.Reply(e.Source, e.Meta, 0) },
		},
		Injector: &fabric.Injector{
			Name: "halving", FlowState: fabric.Words[share](),
			Next: func(f *fabric.Flow, _ *fabric.Departure) int64 {
				return fabric.StateIn[share](f.State).from
			},
			Sent: func(f *fabric.Flow, d *fabric.Departure) {
				s := fabric.StateIn[share](f.State)
				s.from = d.Now + d.Flits*c.perFlit*fullShare/(fullShare-s.less)
			},
			Feedback: func(f *fabric.Flow, back *fabric.Feedback) {
				s := fabric.StateIn[share](f.State)
				if rate := fullShare - s.less; back.Value&1 != 0 {
					s.less = fullShare - max(rate/2, leastShare)
				} else {
					s.less = max(s.less-fullShare/16, 0)
				}
			},
		},
	}, nil
}
