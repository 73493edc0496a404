package fabric

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStateIsWhole: every field of what the parts of a block share is saved, or need not be.
func TestCoreStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{
			Of: counters{}, Saved: "sums progress", Passing: "toldAt packetsTold deliveredTold hopsTold",
		},
		fieldtest.State{
			Of: routerState{}, Saved: "armed far",
			Constant: "number base lanes ports timers masks nics hosts words nHosts nNICs first slots wakes _",
		},
		fieldtest.State{
			Of: eventWheel{}, Saved: "now", Parts: "calendar routers lanes timers due armed",
			Constant: "first words firstWords doors", Passing: "agenda visiting row arrivals lateArrivals",
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
			Of: outbox{}, Saved: "boxes round", Constant: "cuts base", Passing: "contents",
		},
		fieldtest.State{Of: box{}, Saved: "packets riders feedback credits released first over"},
		fieldtest.State{
			Of: lookahead{}, Saved: "small length", Constant: "layout messages mail longest",
			Passing: "size class",
		},
		fieldtest.State{Of: state{}, Saved: "timers due armed lanes laneMore ports more"},
		fieldtest.State{
			Of: base{}, Parts: "endpoint routers counters events messages mail ahead",
			Constant: "layout index own first count classes vcs uneven", Passing: "active",
		},
	)
}
