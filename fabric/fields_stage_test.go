package fabric

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStageStateIsWhole: every field of the parts of switched routers is saved, or need not be.
func TestStageStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{
			Of:       stages{},
			Parts:    "all pool wheel out waits in crossbar links publish adapt alloc arbiter",
			Constant: "b events shape", Passing: "contest r",
		},
		fieldtest.State{
			Of: generalState{},
			Saved: "routers inlets outlets buffers ports links maps due queues granted published owned turns " +
				"asked",
			Constant: "dueWords",
		},
		fieldtest.State{Of: parcelPool{}, Saved: "parcels wishes used free", Constant: "words own"},
		fieldtest.State{
			Of: dueWheel{}, Parts: "due maps routers inlets ports outlets buffers links", Constant: "events dueWords",
			Passing: "agenda r x timers",
		},
		fieldtest.State{
			Of: outputVCs{}, Saved: "soonest", Parts: "outlets buffers",
			Constant: "shape events wheel pool first flow largest capacity", Passing: "here buffersHere room dried holds",
		},
		fieldtest.State{
			Of: waitLists{}, Constant: "shape pool", Passing: "asks recorded ofPorts ofSlots words",
		},
		fieldtest.State{
			Of: inputVCs{}, Parts: "inlets queues", Constant: "shape wheel pool waits flow largest turnaround",
			Passing: "here router small",
		},
		fieldtest.State{
			Of: crossbar{}, Parts: "ports", Constant: "shape events wheel arbiter",
			Passing: "here router inputs outputs taken",
		},
		fieldtest.State{
			Of: outputLinks{}, Parts: "buffers links", Constant: "shape events wheel pool arbiter out rates flit post",
			Passing: "here buffersHere busy words",
		},
		fieldtest.State{
			Of: publisher{}, Saved: "due changed unsettled", Parts: "lengths",
			Constant: "interval ports events out routers", Passing: "settling fresh",
		},
		fieldtest.State{
			Of: adaptiveChoice{}, Saved: "choices",
			Constant: "shape layout pool waits crossbar out algorithm steady view",
			Passing:  "offer answers fresh r words",
		},
		fieldtest.State{
			Of: vcAllocator{}, Parts: "owned turns asked",
			Constant: "shape events wheel pool arbiter in waits crossbar adapt out chooses separable round grantTime alike",
			Passing:  "seeks offers asking r router slots words seeking owning again",
		},
		fieldtest.State{
			Of: arbiter{}, Parts: "times", Constant: "rank memory byAsking byTurn messages",
			Passing: "request first",
		},
	)
}
