package traffic

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStateIsWhole checks that every field of a measurement is saved, or listed as one that need
// not be.
func TestStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{
			Of: Simulation{}, Saved: "stage within limit now sum samples expectations",
			Parts:    "network parts endpoints steps outcome progress stopping",
			Constant: "flows spec measure gen stop group batch end shift hostBandwidth",
		},
		fieldtest.State{
			Of: endpoint{}, Saved: "sources until bins from to latency classes turns last payload",
			Parts: "byClass bySize byIncast pending", Constant: "generator transport cell first log", Passing: "draws",
		},
		fieldtest.State{
			Of: Outcome{}, Saved: "From To WarmedUp Precise Stable Cause Growth WorstGrowth begin end middle",
			// computed at the end
			Passing: "Accepted AcceptedHalf AcceptedMin AcceptedMax SentMin SentMax Messages Latency Classes ByClass BySize Incasts " +
				"LatencyHalf NetworkLatency Hops Last Hash",
		},
		fieldtest.State{Of: classCounts{}, Saved: "bytes latencies"},
		fieldtest.State{Of: sizeCounts{}, Saved: "latencies slowdowns"},
		fieldtest.State{Of: ledger{}, Saved: "list free waiting"},
		fieldtest.State{Of: shot{}, Saved: "sample lags ports nics good"},
		fieldtest.State{Of: half{}, Saved: "sample bytes"},
		fieldtest.State{Of: bins{}, Saved: "list", Constant: "shift"},
		fieldtest.State{Of: stopping{}, Saved: "met"},
		fieldtest.State{Of: progress{}, Saved: "done bound expected emptying"},
	)
}
