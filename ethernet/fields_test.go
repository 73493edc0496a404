package ethernet

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStateIsWhole: every field of a network is saved, or need not be.
func TestStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{
			Of: Network{}, Parts: "blocks ports nics timers sharedUsed tallies held",
			Constant: "layout sharedPart headroom following followed across", Passing: "goodput",
		},
		fieldtest.State{
			Of:    Block{},
			Saved: "Pool queue packets telemetry senders receivers outgo income mail round now events toldAt counts byClass pauses moved progress",
			Parts: "endpoint bins trails", Passing: "epoch usable kept hop cause",
			Constant: "net index hosts publisher sink length follows",
		},
		fieldtest.State{Of: sender{}, Saved: "senderState control choice jobs packets course", Constant: "path"},
		fieldtest.State{Of: receiver{}, Saved: "receiverState messages arrived"},
		fieldtest.State{Of: course{}, Saved: "from interval samples"},
		fieldtest.State{Of: bitmap{}, Saved: "words first end"},
		fieldtest.State{Of: ring[int]{}, Saved: "list count", Passing: "first"},
		fieldtest.State{
			Of: port{}, Saved: "queues headers bytes headerBytes sending turn rounds use in told rate down broken avoided", Constant: "id", Passing: "leaving",
		},
		fieldtest.State{
			Of: nic{}, Saved: "control ready rounds posted pairs flows followed sending turn use grants rate down",
		},
		fieldtest.State{Of: ready{}, Saved: "ring paused"},
		fieldtest.State{Of: grants{}, Saved: "active idle running"},
		fieldtest.State{Of: box{}, Saved: "packets pauses messages extras hops trails first"},
		fieldtest.State{Of: packets{}, Saved: "list free"},
		fieldtest.State{Of: telemetry{}, Saved: "list free"},
		fieldtest.State{
			Of: bins{}, Saved: "begin until interval", Constant: "b sink most queues last links", Passing: "bin",
		},
	)
}
