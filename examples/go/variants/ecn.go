package main

import (
	"fabricast/fabric"
	"fabricast/topology"
)

// ecn is a congestion control by explicit congestion notification: routers mark packets that wait
// in long queues. When a mark is reported to a NIC, it halves the rate of the flow, at most once in
// a given time. Each packet without a mark increases the rate by a fraction of the link's
// bandwidth.
type ecn struct {
	queue   int64 // flits waiting in an input buffer above which packets are marked
	perFlit int64 // time (ps) of a flit on the NIC's link
	again   int64 // minimum time (ps) between two halvings
	growth  int64 // increase of the rate, in units of 1/fullShare
}

// share is the rate of a flow relative to the link's bandwidth.
type share struct {
	less int64 // reduction relative to the link, in units of 1/fullShare
	calm int64 // ps: marks before this time have no effect
	from int64 // ps: earliest time to send the next packet
}

const fullShare, leastShare = 1 << 10, 1 << 4

// doors creates the hooks and the injector. They support any network.
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
