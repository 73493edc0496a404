package fabric

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStateIsWhole: every field of the parts of a block is saved, or need not be.
func TestStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{
			Of:    Block{},
			Parts: "endpoint routers counters events messages mail ahead lanes ports send receive bus general observer",
			Constant: "net index first count teller layout classes vcs flitTime uneven roundRobins special plain " +
				"early credit sink arena saver",
			Passing: "direct streams loader active activations contenders",
		},
		fieldtest.State{Of: saver{}, Constant: "of walks runs ghosts countGhosts"},
		fieldtest.State{
			Of: counters{}, Saved: "sums progress", Passing: "toldAt packetsTold deliveredTold hopsTold",
		},
		fieldtest.State{
			Of: routerState{}, Saved: "armed far",
			Constant: "number base lanes ports timers masks nics hosts words nHosts nNICs first slots wakes _",
		},
		fieldtest.State{
			Of: eventWheel{}, Saved: "now", Parts: "calendar routers lanes timers due armed",
			Constant: "first words firstWords", Passing: "agenda visiting row arrivals lateArrivals",
		},
		fieldtest.State{
			Of: calendar{}, Saved: "length reciprocal window start end bits summary pending far",
			Constant: "words sumWords",
		},
		fieldtest.State{
			Of: messageTable{}, Saved: "used free extraUsed all extras",
			Constant: "block indexBits indexMask",
			Passing:  "births", // of runs without checkpoints
		},
		fieldtest.State{
			// contents are of runs over processes
			Of: outbox{}, Saved: "boxes round", Constant: "net base", Passing: "contents",
		},
		fieldtest.State{Of: box{}, Saved: "packets credits released first over"},
		fieldtest.State{
			Of: lookahead{}, Saved: "small length", Constant: "layout messages mail longest",
			Passing: "size class",
		},
		fieldtest.State{Of: packetPool{}, Saved: "packets spans used swept free", Constant: "own"},
		fieldtest.State{Of: vcLanes{}, Parts: "all more ports pool", Constant: "layout events classes count sweepEvery"},
		fieldtest.State{
			Of: outputPorts{}, Saved: "ports more", Constant: "events lanes vcs flit classes share roundRobins",
			Passing: "asks",
		},
		fieldtest.State{
			Of: nicSenders{}, Saved: "nics", Parts: "turns",
			Constant: "layout messages events counters lanes endpoint prefetcher routers flitTime uneven",
		},
		fieldtest.State{Of: nicReceivers{}, Saved: "nics", Constant: "layout messages ahead counters"},
		fieldtest.State{Of: turns{}, Saved: "nics entries free", Constant: "control"},
		fieldtest.State{
			Of: ioBuses{}, Saved: "busState arrivals free", Constant: "layout routers events send receive",
		},
		fieldtest.State{Of: busState{}, Saved: "buses nics", Constant: "rate"},
		fieldtest.State{Of: state{}, Saved: "timers due armed lanes laneMore ports more nics receivers"},
		fieldtest.State{
			Of: generalState{},
			Saved: "routers inlets outlets buffers ports links maps due queues granted published owned turns " +
				"asked",
			Constant: "dueWords",
		},
	)
}

// TestGeneralStateIsWhole does the same for the general path and for observers.
func TestGeneralStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{
			Of:       general{},
			Parts:    "all pool wheel out waits in crossbar links publish adapt alloc arbiter",
			Constant: "b events shape injectInTurn", Passing: "contest loader r",
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
		fieldtest.State{
			Of: observer{},
			Saved: "begin until interval told waits waiting later buffers laterBuffers filled arrived since sums " +
				"holds",
			Constant: "Observation spec block events lanes outputs nics messages general first count vcs firstPort ports " +
				"firstNIC firstLane exact order logged nicList nicPlace",
			Passing: "last pile message bin",
		},
	)
}
