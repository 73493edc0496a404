package stage

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStageStateIsWhole: every field of the parts of switched routers is saved, or need not be.
func TestStageStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{
			Of:       Stages{},
			Parts:    "All Pool Wheel Out Waits In Crossbar Links Publish Adapt Alloc Arbiter",
			Constant: "B Events Shape", Passing: "Contest R",
		},
		fieldtest.State{
			Of: State{},
			Saved: "Routers InputVCs OutputVCs Buffers Ports Links Maps Due Queues Granted Lags LinkLags Published Owned " +
				"Turns Asked",
			Constant: "DueWords",
		},
		fieldtest.State{Of: PacketPool{}, Saved: "Packets Requests Used Free", Constant: "Words Own"},
		fieldtest.State{
			Of: DueWheel{}, Parts: "due maps routers inputVCs ports outputVCs buffers links", Constant: "events DueWords",
			Passing: "Due r X Timers",
		},
		fieldtest.State{
			Of: OutputVCs{}, Saved: "Soonest", Parts: "VCs buffers",
			Constant: "Shape events wheel pool first Flow Largest Capacity", Passing: "here buffersHere room dried Holds",
		},
		fieldtest.State{
			Of: WaitLists{}, Constant: "Shape pool", Passing: "Asks recorded ofPorts ofVCs Words",
		},
		fieldtest.State{
			Of: InputVCs{}, Parts: "VCs Queues", Constant: "Shape wheel pool waits flow largest Turnaround",
			Passing: "here router Small",
		},
		fieldtest.State{
			Of: Crossbar{}, Parts: "Ports shares", Constant: "Shape events wheel arbiter classed",
			Passing: "here router first Inputs Outputs Taken",
		},
		fieldtest.State{
			Of: outputLinks{}, Parts: "Buffers links shares", Constant: "Shape events wheel pool arbiter out rates flit classed post",
			Passing: "here buffersHere first Busy Words",
		},
		fieldtest.State{
			Of: publisher{}, Saved: "Due Changed Unsettled", Parts: "Lengths",
			Constant: "Interval Ports events Out routers", Passing: "settling Fresh",
		},
		fieldtest.State{
			Of: adaptiveChoice{}, Saved: "Choices",
			Constant: "Shape layout pool waits crossbar out algorithm Steady View loses",
			Passing:  "Offer answers fresh r words base",
		},
		fieldtest.State{
			Of: VCAllocator{}, Parts: "Owned turns asked",
			Constant: "Shape events wheel pool arbiter in waits crossbar adapt out Chooses Separable round GrantTime alike",
			Passing:  "seeks offers asking r router VCs words seeking Owning again",
		},
		fieldtest.State{
			Of: arbiter{}, Parts: "times", Constant: "rank Memory byAsking byTurn messages",
			Passing: "request first",
		},
	)
}
