package node

import (
	"testing"

	"fabricast/node/internal/core"
	"fabricast/node/internal/match"
	"fabricast/node/internal/observe"
	"fabricast/node/internal/onesided"
	"fabricast/node/internal/protocol"
	"fabricast/node/internal/schedule"
	"fabricast/node/internal/wait"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStateIsWhole: every field of the parts of a block is saved, or need not be.
func TestStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{
			Of: Block{}, Saved: "ranks",
			Parts: "requests stats times outbox schedule programs matching order watching processors rendezvous " +
				"rma peers",
			Constant: "world shared failures transport reader simple exchanges pauses matchesAhead clocks journal",
			// turns: networks in which processors take part in communication are not saved
			Passing: "ops logs waiting turns",
		},
		fieldtest.State{Of: core.Requests{}, Saved: "Sends Receives wides", Passing: "Buffers"}, // see unsaved and rebuild
		fieldtest.State{Of: core.Pool[core.RequestState]{}, Saved: "Chunks free used"},
		fieldtest.State{Of: schedule.Clocks{}, Constant: "world Noise Tracer"},
		fieldtest.State{
			Of:       observe.Tally{},
			Saved:    "Messages Bytes Looks Counts Notes Hash Latency",
			Constant: "World Tracer",
			Passing:  "Announced",
		},
		fieldtest.State{Of: observe.Latencies{}, Saved: "sizes distances classes bytes"},
		fieldtest.State{Of: observe.WaitTimes{}, Saved: "By", Constant: "world", Passing: "alone Posted"},
		// unsaved refuses answers that wait
		fieldtest.State{Of: schedule.Outbox{}, Saved: "Boxes", Constant: "world Transport", Passing: "Replies"},
		fieldtest.State{
			Of: schedule.Schedule{}, Saved: "Events Now Due", Parts: "Ranks", Constant: "World Transport Clocks Outbox Turns InOrder",
			Passing: "Waking",
		},
		fieldtest.State{Of: programs{}, Saved: "running finished", Constant: "world start"},
		fieldtest.State{Of: match.Matcher{}, Saved: "Unexpected Tables", Constant: "Requests"},
		fieldtest.State{Of: match.Tables{}, Saved: "chunks used free"},
		fieldtest.State{Of: schedule.Order{}, Saved: "sent taken", Constant: "schedule", Passing: "counts waits"},
		fieldtest.State{Of: protocol.Peers{}, Saved: "Known Count", Constant: "most"},
		fieldtest.State{Of: wait.Watching{}, Saved: "Watchers Watched", Constant: "Requests"},
		fieldtest.State{
			Of: schedule.Processors{}, Saved: "Free", Constant: "world Clocks Schedule Times FirstNIC",
		},
		fieldtest.State{
			Of: protocol.Rendezvous{}, Saved: "Postings Posts", Parts: "Ranks",
			Constant: "World Transport Requests Matching Schedule Outbox Journal",
		},
		fieldtest.State{
			Of: onesided.RMA{}, Saved: "Puts Sums", Parts: "Ranks Messages",
			Constant: "World Transport Requests Failures Stats Schedule Outbox Journal",
			Passing:  "Regions", // see unsaved and locksState
		},
	)
}
