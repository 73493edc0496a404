package node

import (
	"testing"

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
			Constant: "world transport reader simple pauses early clocks journal",
			// ready: networks in which processors take part in communication are not saved
			Passing: "ops logs waiting ready",
		},
		fieldtest.State{Of: requests{}, Saved: "sends receives wides", Passing: "buffers"}, // see unsaved and rebuild
		fieldtest.State{Of: pool[request]{}, Saved: "chunks free used"},
		fieldtest.State{Of: clocks{}, Constant: "world noise tracer"},
		fieldtest.State{
			Of:       tally{},
			Saved:    "messages bytes looks hash latency",
			Constant: "world tracer",
			Passing:  "told",
		},
		fieldtest.State{Of: latencies{}, Saved: "sizes distances"},
		fieldtest.State{Of: waitTimes{}, Saved: "by", Constant: "world", Passing: "alone posted"},
		// unsaved refuses answers that wait
		fieldtest.State{Of: outbox{}, Saved: "boxes", Constant: "world transport", Passing: "replies"},
		fieldtest.State{
			Of: schedule{}, Saved: "events now due", Parts: "ranks", Constant: "world transport clocks outbox ready inOrder",
			Passing: "waking",
		},
		fieldtest.State{Of: programs{}, Saved: "running finished", Constant: "world schedule start"},
		fieldtest.State{Of: matching{}, Saved: "unexpected tables", Constant: "requests"},
		fieldtest.State{Of: tables{}, Saved: "chunks used free"},
		fieldtest.State{Of: order{}, Saved: "sent taken early", Constant: "schedule", Passing: "counts waits"},
		fieldtest.State{Of: peers{}, Saved: "known count", Constant: "most"},
		fieldtest.State{Of: watching{}, Saved: "watchers watched"},
		fieldtest.State{
			Of: processors{}, Saved: "free", Constant: "world clocks schedule times firstNIC",
		},
		fieldtest.State{
			Of: rendezvous{}, Saved: "postings posts", Parts: "ranks",
			Constant: "world transport requests matching schedule outbox journal",
		},
		fieldtest.State{
			Of: rma{}, Saved: "puts sums", Parts: "ranks messages",
			Constant: "world transport requests programs stats schedule outbox journal",
			Passing:  "regions", // see unsaved and locksState
		},
	)
}
