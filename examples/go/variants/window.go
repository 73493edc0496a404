package main

import (
	"fabricast/fabric"
	"fabricast/topology"
)

// window is flow control by a sliding window: the maximum number of flits of a flow that a NIC has
// in flight. One packet is always permitted. Every packet is acknowledged, which opens the window
// again by its flits.
type window struct{ flits int64 }

// inFlight is the state of a flow at its source NIC.
type inFlight struct{ flits int64 }

// doors creates the hook and the injector. They support any network.
func (w window) doors(topology.Topology, int) (*fabric.Doors, error) {
	return &fabric.Doors{
		Hooks: &fabric.Hooks{
			Name:  "acknowledge",
			Eject: func(e *fabric.Ejection) { e.Reply(e.Source, uint64(e.Flits), 0) },
		},
		Injector: &fabric.Injector{
			Name: "window", FlowState: fabric.Words[inFlight](),
			Next: func(f *fabric.Flow, d *fabric.Departure) int64 {
				if sent := fabric.StateIn[inFlight](f.State).flits; sent > 0 && sent+d.Flits > w.flits {
					return fabric.Forever // Feedback opens the window and wakes the flow
				}
				return 0
			},
			Sent: func(f *fabric.Flow, d *fabric.Departure) {
				fabric.StateIn[inFlight](f.State).flits += d.Flits
			},
			Feedback: func(f *fabric.Flow, back *fabric.Feedback) {
				fabric.StateIn[inFlight](f.State).flits -= int64(back.Value)
			},
		},
	}, nil
}
