package core

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStateIsWhole: every field of what the parts of a block share is saved, or need not be.
func TestCoreStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{
			Of: Counters{}, Saved: "Sums Progress", Passing: "PublishedAt PublishedPackets PublishedDelivered PublishedHops",
		},
		fieldtest.State{
			Of: Router{}, Saved: "armed Far Streams",
			Constant: "Number Base FirstVC FirstPort Timers Masks FirstNIC FirstHost Words NumHosts NumNICs First NumVCs Wakes",
		},
		fieldtest.State{
			Of: EventWheel{}, Saved: "Now", Parts: "Calendar Routers VCs Timers Due armed",
			Constant: "First words firstWords again", Passing: "Events Visiting Row Arrivals LateArrivals",
		},
		fieldtest.State{
			Of: calendar{}, Saved: "Length reciprocal Window Start End Bits Summary pending far",
			Constant: "Words SumWords",
		},
		fieldtest.State{
			Of: MessageTable{}, Saved: "Used free ExtraUsed All extras Divisions",
			Constant: "Block IndexBits indexMask",
			Passing:  "Births", // of runs without checkpoints
		},
		fieldtest.State{
			// contents are of runs over processes
			Of: Outbox{}, Saved: "Boxes Round", Constant: "cuts Base late", Passing: "Contents",
		},
		fieldtest.State{Of: Box{}, Saved: "Packets Riders Feedback Credits Arrivals Departures Released First Over"},
		fieldtest.State{
			Of: Lookahead{}, Saved: "small Length", Constant: "Layout messages mail Longest",
			Passing: "size class",
		},
		fieldtest.State{Of: State{}, Saved: "Timers due armed VCs VCWaits Ports More FIFOStreams PortStreams"},
		fieldtest.State{
			Of: Base{}, Parts: "Endpoint Routers Counters Events Messages Mail Ahead",
			Constant: "Layout Index own First Count Classes NumVCs Uneven", Passing: "Active",
		},
	)
}
