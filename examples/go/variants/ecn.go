package main

import (
	"fabricast/fabric"
	"fabricast/topology"
)

// ecn is congestion control: routers mark packets that have waited in long queues (explicit
// congestion notification), and a NIC halves the rate of a flow when it hears of a mark, but not again within
// some time. Each packet without a mark lets the rate grow by a part of the link's.
type ecn struct {
	queue   int64 // flits in an input buffer: with more waiting there, packets are marked
	perFlit int64 // ps on the NIC's link
	again   int64 // ps between two halvings
	growth  int64 // parts of fullShare
}

// share is the rate of a flow, in parts of the link's.
type share struct {
	less int64 // parts of fullShare by which it is lower than the link's
	calm int64 // ps: marks before this time change nothing
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
				switch rate := fullShare - s.less; {
				case back.Value&1 == 0:
					s.less = max(s.less-c.growth, 0)
				case back.Now >= s.calm:
					s.less, s.calm = fullShare-max(rate/2, leastShare), back.Now+c.again
				}
			},
		},
	}, nil
}
