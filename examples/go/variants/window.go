package main

import (
	"fabricast/fabric"
	"fabricast/topology"
)

// window is flow control by a sliding window: a NIC has at most so many flits of a flow in flight.
// Each packet is acknowledged, and its flits may be sent anew when the acknowledgement is back.
type window struct {
	flits int64 // at least the largest packet
}

// inFlight is the state of a flow at its sender.
type inFlight struct{ flits int64 }

// doors makes the hook and the injector, for any network.
func (w window) doors(topology.Topology, int) (*fabric.Doors, error) {
	return &fabric.Doors{
		Hooks: &fabric.Hooks{
			Name:  "acknowledge",
			Eject: func(e *fabric.Ejection) { e.Reply(e.Source, uint64(e.Flits), 0) },
		},
		Injector: &fabric.Injector{
			Name: "window", FlowState: fabric.Words[inFlight](),
			Next: func(f *fabric.Flow, d *fabric.Departure) int64 {
				if fabric.StateIn[inFlight](f.State).flits+d.Flits > w.flits {
					return fabric.Forever // Feedback opens the window
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
